# SPDX-License-Identifier: Apache-2.0
"""Runs of one point that differ in what they draw: the seed of a program, the layout of a boot.

A point of such an experiment is made several times. Its mean is that of all runs, its confidence
interval that of the runs' means (`summary.Interval`), its spread that of all samples.
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from switchyard.experiments.experiment import Settings
from switchyard.summary import UNSTABLE, Interval

Point = TypeVar("Point")

RUNS = 5
QUICK_RUNS = 2  # of what takes long to come up; and of tests, for which several is enough


def boots(settings: Settings) -> int:
    """How many runs a point takes where each is a boot that takes long by itself."""
    return QUICK_RUNS if settings.quick or settings.rounds else RUNS


def seeds(settings: Settings) -> range:
    """The seeds of a point where a boot is nothing: as many in quick runs."""
    return range(1, 1 + (QUICK_RUNS if settings.rounds else RUNS))


def run_name(point: str, run: int) -> str:
    """The name of a run of a point."""
    return f"{point}-run{run}"


def grouped(points: Mapping[str, Point]) -> dict[str, list[Point]]:
    """The runs of each point, by the point's name."""
    found: dict[str, list[Point]] = {}
    for name, point in points.items():
        found.setdefault(re.sub(r"-run\d+$", "", name), []).append(point)
    return found


def unsteady(cases: Iterable[tuple[str, Interval]]) -> list[str]:
    """A paragraph that names the cases whose means are not to be trusted; none if there is none."""
    named = [
        f"{name} (± {one.uncertainty:.0%})" if one.half != math.inf else name
        for name, one in cases
        if not one.stable
    ]
    if not named:
        return []
    return [
        f"Unstable, their means known to no better than {UNSTABLE:.0%} (95 % confidence, over the "
        f"runs' means): {', '.join(named)}."
    ]
