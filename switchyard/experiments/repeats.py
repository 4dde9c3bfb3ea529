# SPDX-License-Identifier: Apache-2.0
"""Runs of one case that differ in what they draw: the seed of a program, the layout of a boot.

A case of such an experiment is measured several times. Its mean is that of all runs, its confidence
interval that of the runs' means (`summary.Interval`), its spread that of all samples.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from switchyard.data.summary import Interval
from switchyard.run.experiment import Settings, Value

Sample = TypeVar("Sample")

RUNS = 5
QUICK_RUNS = 2  # of what takes long to come up; and of tests, for which several is enough


def boots(settings: Settings) -> int:
    """How many runs a case takes where each is a boot that takes long by itself."""
    return QUICK_RUNS if settings.quick or settings.rounds else RUNS


def seeds(settings: Settings) -> range:
    """The seeds of a case where a boot is nothing: as many in quick runs."""
    if settings.once:
        return range(1, 2)
    return range(1, 1 + (QUICK_RUNS if settings.rounds else RUNS))


def run_name(case: str, run: int) -> str:
    """The name of a run of a case."""
    return f"{case}-run{run}"


def grouped(samples: Mapping[str, Sample]) -> dict[str, list[Sample]]:
    """The runs of each case, by the case's name."""
    runs: dict[str, list[Sample]] = {}
    for name, sample in samples.items():
        runs.setdefault(re.sub(r"-run\d+$", "", name), []).append(sample)
    return runs


def means(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each value over the runs; what a run does not name it has none of."""
    names = dict.fromkeys(name for run in runs for name in run)
    return {name: sum(run.get(name, 0.0) for run in runs) / len(runs) for name in names}


def uncertain(metric: str, known: Interval) -> list[Value]:
    """Half the interval as a share of the mean, where there are runs enough to know of one."""
    if known.uncertainty == math.inf:
        return []
    return [(f"{metric}_uncertainty", known.uncertainty, "1")]
