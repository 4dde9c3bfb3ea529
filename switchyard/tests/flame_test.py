# SPDX-License-Identifier: Apache-2.0
"""Flame graphs: what a profile's boxes are, and what is said of files that are no profiles."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from switchyard.errors import InputError
from switchyard.show import flame, report

PROFILE: dict[str, Any] = {
    "$schema": flame.SCHEMA,
    "name": "sa1110",
    "shared": {
        "frames": [
            {"name": "main", "file": "kernel"},
            {"name": "work <&>", "file": "user"},
            {"name": "(data line fill)"},
        ]
    },
    "profiles": [
        {
            "type": "sampled",
            "name": "region 1, cycles",
            "unit": "none",
            "startValue": 0,
            "endValue": 1000,
            "samples": [[0], [0, 1], [0, 1, 2], [1]],
            "weights": [100, 300, 200, 400],
        }
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / f"run{flame.ENDING}"
    path.write_text(json.dumps(PROFILE))
    return path


def test_a_box_is_as_wide_as_what_it_took_with_all_below(file: Path) -> None:
    (found,) = flame.load(file)
    assert found.title == "sa1110: region 1, cycles"
    main = found.root.below[0]
    assert (found.root.weight, main.weight, main.below[1].weight) == (1000, 600, 500)
    assert main.below[1].below[2].kind == "wait"
    drawn = str(found.svg())
    widths = re.findall(r"<title>(.*?): [\d,]+ .*?width=\"([\d.]+)\"", drawn)
    assert widths[0] == ("all", "1000.00")
    assert ("main", "600.00") in widths
    assert ("work &lt;&amp;&gt;", "500.00") in widths
    assert ("work &lt;&amp;&gt;", "400.00") in widths
    assert "<&" not in drawn
    # nothing stands beside the drawing
    edges = re.findall(r'<rect x="([\d.]+)" y="\d+" width="([\d.]+)"', drawn)
    assert all(float(left) + float(width) <= flame.WIDTH + 0.1 for left, width in edges)
    assert "main 60%" in found.description


def test_the_report_shows_it(file: Path) -> None:
    page = report.render(report.collect([file.parent]), [], report.profiles([file.parent]))
    assert page.count('<svg class="flame"') == 1
    assert 'id="profile-run"' in page
    assert "sa1110: region 1, cycles" in page
    assert report.collect([file]) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"$schema": "x"}, "$schema"),
        ({"shared": {}}, "shared: frames: missing"),
        ({"profiles": [{"type": "evented"}]}, 'type: found "evented"'),
        ({"profiles": [PROFILE["profiles"][0] | {"weights": [1]}]}, "expected 4 weights"),
        ({"profiles": [PROFILE["profiles"][0] | {"samples": [[3]], "weights": [1]}]}, "below 3"),
        ({"profiles": [PROFILE["profiles"][0] | {"samples": [[0]], "weights": [-1]}]}, "found -1"),
    ],
)
def test_what_is_no_profile_gets_one_line(file: Path, change: dict[str, Any], said: str) -> None:
    file.write_text(json.dumps(PROFILE | change))
    with pytest.raises(InputError) as error:
        flame.load(file)
    assert said in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    file.write_text("{")
    with pytest.raises(InputError, match="expected JSON"):
        flame.load(file)
