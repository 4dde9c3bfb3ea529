# SPDX-License-Identifier: Apache-2.0
"""What the suite prints, and how its samples are summed up."""

import re

import pytest

from switchyard.data import suite
from switchyard.errors import RunError
from switchyard.run.build import root

PRINTED = """\
CASE stream=3 name=pipe batch=4 per=1 unit=ns
TIMING stream=3 20 20 90
SAMPLES stream=3 4020 4020
SAMPLES stream=3 8020
LACKS turns no right
CASE stream=4 name=unix batch=1 per=1 unit=ns
TIMING stream=4 10
SAMPLES stream=4 1010
END status=0
"""


def test_samples_are_divided_and_lose_their_timing() -> None:
    printed = suite.parse(PRINTED, "here")
    pipe, unix = printed.cases
    assert (pipe.stream, pipe.name, pipe.per, pipe.timed.batch) == (3, "pipe", 1, 4)
    assert pipe.timed.summary.mean == pytest.approx((4000 + 4000 + 8000) / 3 / 4)
    assert pipe.timed.summary.median == 1000
    assert unix.timed.summary.mean == 1000
    assert printed.lacks == ("turns no right",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("END status=0", "END status=1", "did not come to a good end"),
        ("END status=0\n", "", "did not come to a good end"),
        ("SAMPLES stream=4 1010", "SAMPLES stream=4 x", "expected a stream and its samples"),
        ("SAMPLES stream=4 1010\n", "", "here: unix: no samples"),
        ("TIMING stream=4 10\n", "", "no samples of the timing alone"),
        ("SAMPLES stream=4 1010", "SAMPLES stream=4 1010 10", "nothing was timed"),
        ("CASE stream=4 name=unix batch=1", "CASE stream=4 name=unix", "expected stream, name"),
    ],
)
def test_what_is_malformed_is_no_result(old: str, new: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        suite.parse(PRINTED.replace(old, new), "here")


def test_a_mean_that_is_not_known_well_is_unstable() -> None:
    assert suite.timed([1010] * 50, [10], 1, "x").stable
    wild = suite.timed([110, 2010] * 25, [10], 1, "x")
    assert not wild.stable
    # 1.96 standard deviations of the mean, as a share of it
    assert wild.uncertainty == pytest.approx(1.96 * wild.summary.stddev / 50**0.5 / 1050)
    assert suite.timed([110, 2010] * 2000, [10], 1, "x").stable  # more of them will do


def test_the_cases_are_those_of_the_sources() -> None:
    """The numbers of the streams are the order of each question's table in C."""
    for question, streams in suite.STREAMS.items():
        text = (root() / "bench" / "unix" / f"{question}.c").read_text()
        table = text[text.index("} cases[] = {") :]
        names = re.findall(r'^\s+\{"([a-z0-9-]+)",', table, re.M)
        assert list(streams.items()) == list(enumerate(names, 1)), question
