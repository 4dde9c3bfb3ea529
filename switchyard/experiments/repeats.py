# SPDX-License-Identifier: Apache-2.0
"""Runs of one point that differ in what they draw: the seed of a program, the layout of a boot.

A point of such an experiment is made several times. Its mean is that of all runs, its confidence
interval that of the runs' means (`summary.Interval`), its spread that of all samples.
"""

import re
from collections.abc import Mapping
from typing import TypeVar

from switchyard.experiments.experiment import Settings

Point = TypeVar("Point")

RUNS = 5
QUICK_RUNS = 2


def number(settings: Settings) -> int:
    """How many runs a point takes."""
    return QUICK_RUNS if settings.quick else RUNS


def run_name(point: str, run: int) -> str:
    """The name of a run of a point."""
    return f"{point}-run{run}"


def grouped(points: Mapping[str, Point]) -> dict[str, list[Point]]:
    """The runs of each point, by the point's name."""
    found: dict[str, list[Point]] = {}
    for name, point in points.items():
        found.setdefault(re.sub(r"-run\d+$", "", name), []).append(point)
    return found
