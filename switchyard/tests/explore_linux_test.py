# SPDX-License-Identifier: Apache-2.0
"""The page of a switch on Linux (`switchyard explore --case linux`), in Chromium."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from switchyard import cli
from switchyard.run import build_linux
from switchyard.run.build_linux import BENCHES
from switchyard.tests.browsing import PHONE, follow_the_guide, opened

pytestmark = [pytest.mark.linux, pytest.mark.slow, pytest.mark.guests]

MOST_BYTES = 2 << 20


def turns(marks: list[str]) -> list[str]:
    """Without calls that return to who called: how many there are depends on who is woken when."""
    kept: list[str] = []
    for mark in marks:
        if kept and mark == kept[-1].replace(" calls", " resumes") != kept[-1]:
            kept.pop()
        else:
            kept.append(mark)
    return kept


def test_both_kernels_go_the_same_way_and_one_flushes(tmp_path: Path, browser: Browser) -> None:
    build_linux.ensure([BENCHES["sa1110"], BENCHES["sa1110-fass"]])
    path = tmp_path / "linux.html"
    assert cli.execute(["explore", str(path), "--case", "linux"]) == 0
    assert path.stat().st_size < MOST_BYTES
    page = opened(browser, path)
    marks, kinds = page.evaluate(
        """["mark", "flush"].map((wanted) => explorer.sides.map((side) =>
          side.events.filter(([kind]) => kind === wanted).map(([, , , text]) => text)))"""
    )
    # the same turns, and no tick of the timer between
    assert turns(marks[0]) == turns(marks[1])
    assert sum(text.startswith("B resumes") for text in marks[0]) >= 1
    assert not any("interrupted" in text for text in marks[0])
    flushes, none = kinds
    assert len(flushes) == 2
    assert all("half lines written back" in text for text in flushes)
    assert none == []
    switches = page.evaluate(
        "explorer.sides[1].events.filter(([kind]) => kind === 'switch').map(([, , , text]) => text)"
    )
    assert sum(text.startswith("pid slot") for text in switches) == 2
    # functions of the kernel and of the program have their names
    places = page.evaluate("explorer.sides[0].instructions.map(([, place]) => place)")
    assert {"__schedule", "round_trip"} <= {place.partition("+")[0] for place in places}
    follow_the_guide(page)
    page.context.close()
    page = opened(browser, path, PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.context.close()
