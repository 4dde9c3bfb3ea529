# SPDX-License-Identifier: Apache-2.0
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.summary import percentile, summarize

samples = st.lists(st.integers(0, 2**32 - 1), min_size=2, max_size=200)


@given(samples)
def test_agrees_with_the_textbook(values: list[int]) -> None:
    found = summarize(values)
    assert found.count == len(values)
    assert math.isclose(found.mean, statistics.fmean(values))
    assert math.isclose(found.stddev, statistics.stdev(values), rel_tol=1e-12, abs_tol=1e-12)
    assert math.isclose(found.median, statistics.median(values))
    assert (found.least, found.most) == (min(values), max(values))


@given(samples)
def test_agrees_with_inclusive_quantiles(values: list[int]) -> None:
    found = summarize(values)
    cuts = statistics.quantiles(values, n=20, method="inclusive")
    assert math.isclose(found.p5, cuts[0])
    assert math.isclose(found.p95, cuts[-1])


@given(samples, st.randoms())
def test_order_does_not_matter(values: list[int], random: object) -> None:
    other = list(values)
    random.shuffle(other)  # type: ignore[attr-defined]
    assert summarize(values) == summarize(other)


def test_small_ones() -> None:
    assert summarize([7]).stddev == 0
    assert summarize([7]).p95 == 7
    assert percentile([0, 10], 50) == 5
    with pytest.raises(ValueError, match="no samples"):
        summarize([])
