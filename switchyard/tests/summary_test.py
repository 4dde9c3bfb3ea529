# SPDX-License-Identifier: Apache-2.0
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.data.summary import half_interval, percentile, spread, summarize

samples = st.lists(st.integers(0, 2**32 - 1), min_size=2, max_size=200)


@given(samples)
def test_agrees_with_the_textbook(values: list[int]) -> None:
    summary = summarize(values)
    assert summary.count == len(values)
    assert math.isclose(summary.mean, statistics.fmean(values))
    assert math.isclose(summary.stddev, statistics.stdev(values), rel_tol=1e-12, abs_tol=1e-12)
    assert math.isclose(summary.median, statistics.median(values))
    assert (summary.least, summary.most) == (min(values), max(values))


@given(samples)
def test_agrees_with_inclusive_quantiles(values: list[int]) -> None:
    summary = summarize(values)
    cuts = statistics.quantiles(values, n=20, method="inclusive")
    assert math.isclose(summary.p5, cuts[0])
    assert math.isclose(summary.p95, cuts[-1])


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


def test_an_interval_is_wider_than_a_normal_ones_where_samples_are_few() -> None:
    # Student's t for 4 degrees of freedom, as in any table of it
    assert half_interval(1.0, 5) == pytest.approx(2.776 / 5**0.5)
    assert half_interval(1.0, 31) == pytest.approx(2.042 / 31**0.5)
    assert half_interval(1.0, 1000) == pytest.approx(1.96 / 1000**0.5)
    assert half_interval(1.0, 1) == math.inf


def test_a_spread_is_no_interval() -> None:
    humps = summarize([10] * 50 + [100] * 50)
    text = spread(f"{humps.mean:g}", (f"{humps.p5:g}", f"{humps.p95:g}"))
    assert text == "55 (10–100)"
    assert "±" not in text
