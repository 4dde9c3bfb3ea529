# SPDX-License-Identifier: Apache-2.0
"""Statistics of raw samples. Guests hand over raw samples; every statistic is made here."""

import math
import operator
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Student's t for a 95 % interval, by degrees of freedom from 1 on; beyond them 1.96 is near enough.
T95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
T95_MANY = 1.96


@dataclass(frozen=True)
class Summary:
    """Mean, spread and percentiles of samples, in their unit."""

    count: int
    mean: float
    stddev: float
    p5: float
    median: float
    p95: float
    least: int
    most: int


def summarize(samples: Sequence[int]) -> Summary:
    """The summary of at least one sample.

    Sums are of whole numbers and so exact: the same samples give the same bits on every host.
    """
    count = len(samples)
    if count == 0:
        raise ValueError("no samples to summarize")
    total = sum(samples)
    # n·Σx² − (Σx)² is exact in whole numbers, where the textbook form would cancel.
    squares = sum(map(operator.mul, samples, samples))
    variance = (count * squares - total * total) / (count * (count - 1)) if count > 1 else 0.0
    ordered = sorted(samples)
    return Summary(
        count=count,
        mean=total / count,
        stddev=math.sqrt(variance),
        p5=percentile(ordered, 5),
        median=percentile(ordered, 50),
        p95=percentile(ordered, 95),
        least=ordered[0],
        most=ordered[-1],
    )


def percentile(ordered: Sequence[int], percent: int) -> float:
    """The percentile of ascending samples, interpolated linearly between neighbours."""
    place, part = divmod(percent * (len(ordered) - 1), 100)
    low = ordered[place]
    if part == 0:
        return float(low)
    return low + (ordered[place + 1] - low) * part / 100


def half_interval(stddev: float, count: int) -> float:
    """Half the 95 % confidence interval of a mean of so many independent samples.

    This alone is what a "±" means anywhere here; how far samples spread is said by `spread`.
    """
    if count < 2:
        return math.inf
    free = count - 1
    student = T95[free - 1] if free <= len(T95) else T95_MANY
    return student * stddev / math.sqrt(count)


# A mean that is known less well than to this share of itself (95 % confidence) is called unstable.
UNSTABLE = 0.05


@dataclass(frozen=True)
class Interval:
    """A mean and half its 95 % confidence interval: infinite where one value is all there is."""

    mean: float
    half: float

    @classmethod
    def of(cls, means: Sequence[float]) -> "Interval":
        """Of the means of runs that draw, seeds or boots: these are what is independent.

        Samples of one run are not: all of them have what this run drew.
        """
        deviation = statistics.stdev(means) if len(means) > 1 else math.inf
        return cls(statistics.fmean(means), half_interval(deviation, len(means)))

    @property
    def uncertainty(self) -> float:
        """The half as a share of the mean."""
        return self.half / abs(self.mean) if self.mean else math.inf

    @property
    def stable(self) -> bool:
        """Whether other runs' mean may be expected to be about the same."""
        return self.uncertainty <= UNSTABLE


def spread(value: str, ends: tuple[str, str], known: Interval | None = None) -> str:
    """A mean with the 5th and 95th percentile of its samples, which say two humps too.

    A mean that is not `known` well has a sign in front.
    """
    low, high = ends
    return f"{'≈ ' if known and not known.stable else ''}{value} ({low}–{high})"


SPREAD = "mean (5th to 95th percentile)"  # what `spread` shows, for titles


# So many unsteady cases are all named; of more, the worst few.
ALL_NAMED, WORST = 8, 3


def unsteady(cases: Iterable[tuple[str, Interval]]) -> list[str]:
    """A paragraph that names the cases whose means are not to be trusted; none if there is none."""
    every = list(cases)
    unstable = [(name, interval) for name, interval in every if not interval.stable]
    if not unstable:
        return []
    counted = ""
    if len(unstable) > ALL_NAMED:
        counted = f"{len(unstable)} of {len(every)}, the worst of them "
        unstable = sorted(unstable, key=lambda case: case[1].uncertainty, reverse=True)[:WORST]
    named = ", ".join(
        f"{name} (± {interval.uncertainty:.0%})" if interval.half != math.inf else name
        for name, interval in unstable
    )
    return [
        f"Unstable, their means known to no better than {UNSTABLE:.0%} (95 % confidence, over the "
        f"runs' means): {counted}{named}."
    ]
