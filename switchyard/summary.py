# SPDX-License-Identifier: Apache-2.0
"""Statistics of raw samples. Guests hand over raw samples; every statistic is made here."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


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
    squares = sum(x * x for x in samples)
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
