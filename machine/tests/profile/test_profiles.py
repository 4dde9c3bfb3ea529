# SPDX-License-Identifier: Apache-2.0
"""Profiles for people and others: Speedscope's schema, callgrind_annotate's sums, tables."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from patience import SECONDS
from simulator import ROOT, machine_binary

pytestmark = pytest.mark.guests

GUESTS = ROOT / "build" / "guests"
# A region of interest in a function of C, on both architectures.
COMPUTE = [
    pytest.param("sa1110", "assabet-bare-bench-compute", id="arm"),
    pytest.param("p4-willamette", "isa-pc-bare-bench-compute", id="pc"),
]
WAITS = {
    "fill": ("fetch_fill_cycles", "data_fill_cycles"),
    "walk": ("fetch_walk_cycles", "data_walk_cycles"),
    "buffer": ("write_buffer_cycles",),
}
# What a file must be, of sampled profiles alone; speedscope's src/lib/file-format-spec.ts has it
# as types.
COUNT = {"type": "integer", "minimum": 0}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["$schema", "shared", "profiles"],
    "properties": {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "name": {"type": "string"},
        "exporter": {"type": "string"},
        "activeProfileIndex": COUNT,
        "shared": {
            "type": "object",
            "required": ["frames"],
            "properties": {
                "frames": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}, "file": {"type": "string"}},
                        "additionalProperties": False,
                    },
                }
            },
            "additionalProperties": False,
        },
        "profiles": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": [
                    "type",
                    "name",
                    "unit",
                    "startValue",
                    "endValue",
                    "samples",
                    "weights",
                ],
                "properties": {
                    "type": {"const": "sampled"},
                    "name": {"type": "string"},
                    "unit": {"enum": ["none", "nanoseconds", "microseconds", "bytes"]},
                    "startValue": COUNT,
                    "endValue": COUNT,
                    "samples": {"type": "array", "items": {"type": "array", "items": COUNT}},
                    "weights": {"type": "array", "items": COUNT},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}


def boot(machine: str, image: str, *more: str, words: str = "rounds=1") -> str:
    """What a run writes beside its console."""
    command = [machine_binary(), "boot", "--machine", machine, "--append", words, *more]
    command += ["--kernel", str(GUESTS / f"{image}.elf")]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return done.stderr


@pytest.mark.parametrize(("machine", "image"), COMPUTE)
def test_all_forms_have_the_same_sums(machine: str, image: str, tmp_path: Path) -> None:
    scope, grind, stats = (tmp_path / name for name in ("a.json", "b.callgrind", "stats.json"))
    files = ["--speedscope", str(scope), "--callgrind", str(grind)]
    assert boot(machine, image, *files, "--profile", "--stats", str(stats)) == ""
    statistics = json.loads(stats.read_text())
    (region,) = statistics["profile"]
    functions = region["functions"]
    cycles = sum(one["cycles"] for one in functions)

    found = json.loads(scope.read_text())
    jsonschema.validate(found, SCHEMA)
    (profile,) = found["profiles"]
    assert profile["name"] == f"region {region['region']}, cycles"
    assert sum(profile["weights"]) == profile["endValue"] == cycles
    frames = [frame["name"] for frame in found["shared"]["frames"]]
    waited = dict.fromkeys(WAITS, 0)
    for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
        names = [frames[number] for number in stack]
        assert names[:3] == ["_start", "bare_main", "main"]
        for kind in WAITS:
            waited[kind] += weight if kind in names[-1] and names[-1].startswith("(") else 0
    for kind, columns in WAITS.items():
        expected = sum(one[column] for one in functions for column in columns)
        assert waited[kind] == expected, kind

    text = grind.read_text()
    assert f"summary: {cycles} " in text
    own = re.findall(r"^fn=(.*)\n0 (\d+)", text, re.M)
    assert sum(int(number) for _, number in own) == cycles
    by_name = {one["name"]: one["cycles"] for one in functions}
    assert {name: int(number) for name, number in own if int(number)} == by_name


@pytest.mark.skipif(not shutil.which("callgrind_annotate"), reason="Debian's valgrind has it")
@pytest.mark.parametrize(("machine", "image"), COMPUTE)
def test_callgrind_annotate_reads_it(machine: str, image: str, tmp_path: Path) -> None:
    file = tmp_path / "out.callgrind"
    boot(machine, image, "--callgrind", str(file))
    done = subprocess.run(
        ["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(file)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    total = re.search(r"^([\d,]+) \(100\.0%\).*PROGRAM TOTALS", done.stdout, re.M)
    summary = re.search(r"^summary: (\d+)", file.read_text(), re.M)
    assert total
    assert summary
    assert total[1].replace(",", "") == summary[1]
    # main and its callers have all of it
    for name in ("_start", "bare_main", "main"):
        assert re.search(
            rf"^ ?{re.escape(total[1])} \(100\.0%\).*\[kernel\]:{name}", done.stdout, re.M
        )
    assert done.stderr == ""


@pytest.mark.parametrize(("machine", "image"), COMPUTE)
def test_the_table_is_for_people(machine: str, image: str) -> None:
    lines = boot(machine, image, "--profile").splitlines()
    assert re.fullmatch(r"region 1: [\d,]+ cycles, [\d,]+ instructions", lines[0])
    assert lines[1].split() == ["cycles", "self", "total", "fill", "walk", "buf", "function"]
    assert re.fullmatch(r" +[\d,]+ 100\.0% 100\.0% +\d+% +\d+% +\d+%  main", lines[2])
    assert all(len(line) <= 80 for line in lines)


def test_a_run_without_regions_is_shown_whole() -> None:
    """The kernel's tests enter none."""
    text = boot("sa1110", "assabet-fass-test", "--profile", words="only=thread")
    assert text.startswith("the whole run: ")
    assert len(re.findall("^the whole run|^region", text, re.M)) == 1
