# SPDX-License-Identifier: Apache-2.0
"""What the suite of benchmarks for Unix (`bench/unix`) says: its questions, its samples summed up.

On our machines samples go to the probe, and so into the statistics of the run; elsewhere the suite
prints them. Either way a sample holds its own timing, which is measured beside it and taken off
here.
"""

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from switchyard.data.summary import Interval, Summary, half_interval, summarize
from switchyard.errors import RunError

# The cases of each question whose streams have fixed numbers, as the sources have them.
STREAMS: Mapping[str, Mapping[int, str]] = {
    "potato": {1: "fcntl", 2: "fifo", 3: "pipe", 4: "unix", 5: "fcntl-strict"},
    "bandwidth": {1: "pipe", 2: "unix", 3: "fifo"},
    "process": {1: "fork", 2: "exec", 3: "shell", 4: "vfork"},
    "call": {1: "null", 2: "read-4k", 3: "write-4k"},
    "memory": {1: "fault-file", 2: "fault-zero", 3: "mmap"},
    "signal": {1: "install", 2: "deliver"},
    # IA-32 alone
    "entry": {1: "getpid-int80", 2: "getppid-int80", 3: "getpid-sysenter", 4: "getppid-sysenter"},
}
# And of those that are programs of their own, with something of Debian's (linux/debian).
APPLICATIONS: Mapping[str, Mapping[int, str]] = {
    "database": {1: "simple", 2: "list", 3: "complex"},
    "make": {1: "compile", 2: "make"},
    "web": {1 + i: f"{16 * i}" for i in range(9)},  # pages
    "apache": {1: "apache"},
    "doom": {1: "frame"},
    "x11": {
        1: "dot",
        2: "pointer",
        3: "prop",
        4: "getimage10",
        5: "noop",
        6: "rect10",
        7: "line10",
        8: "ftext",
        9: "putimage10",
        10: "copywinwin10",
        11: "copywinwin100",
        12: "getimage100",
    },
}
# `ctx`: stream n is a ring of n processes, and this much more one process that does it all alone.
ALONE = 128
# `prefork`: stream n is a ring of n processes, and this much more requests to them.
SERVED = 128
# The timing alone, with a probe; without one each stream has its own.
TIMING = 0


@dataclass(frozen=True)
class Timed:
    """Times of an operation, in the samples' unit: the timing is off, batches are divided.

    `means` are those of the runs that the samples are from, `samples` what batches took.
    """

    summary: Summary
    batch: int = 1
    means: tuple[float, ...] = ()
    samples: Sequence[int] = field(default=(), repr=False)

    @property
    def interval(self) -> Interval:
        """Of the runs' means; of the samples, where there is a single run of them."""
        if len(self.means) > 1:
            return Interval.of(self.means)
        return Interval(self.summary.mean, half_interval(self.summary.stddev, self.summary.count))

    @property
    def uncertainty(self) -> float:
        """Half the 95 % confidence interval of the mean, as a share of the mean."""
        return self.interval.uncertainty

    @property
    def stable(self) -> bool:
        """Whether another measurement's mean may be expected to be about the same."""
        return self.interval.stable


def timed(samples: Sequence[int], timing: Sequence[int], batch: int, where: str) -> Timed:
    """Sums samples up; `where` names them in errors."""
    if not samples:
        raise RunError(f"{where}: no samples")
    if not timing:
        raise RunError(f"{where}: no samples of the timing alone")
    overhead = statistics.median_low(timing)
    if min(samples) <= overhead:
        raise RunError(
            f"{where}: a sample of {min(samples)}, where timing takes {overhead}: nothing was timed"
        )
    return _timed([sample - overhead for sample in samples], batch)


def pooled(runs: Sequence[Timed]) -> Timed:
    """Runs of one case together, which have the same batches: every sample counts alike."""
    together = _timed([sample for run in runs for sample in run.samples], runs[0].batch)
    return replace(together, means=tuple(run.summary.mean for run in runs))


def _timed(samples: Sequence[int], batch: int) -> Timed:
    whole = summarize(samples)
    mean = whole.mean / batch
    return Timed(
        Summary(
            count=whole.count,
            mean=mean,
            stddev=whole.stddev / batch,
            p5=whole.p5 / batch,
            median=whole.median / batch,
            p95=whole.p95 / batch,
            least=whole.least,
            most=whole.most,
        ),
        batch,
        (mean,),
        samples,
    )


@dataclass(frozen=True)
class Case:
    """A case as the suite printed it; times in nanoseconds."""

    stream: int
    name: str
    per: int
    timed: Timed


@dataclass(frozen=True)
class Printed:
    """All that one question printed: its cases in their order, and what this system lacks."""

    cases: tuple[Case, ...]
    lacks: tuple[str, ...]


def parse(text: str, where: str) -> Printed:
    """Reads what the suite prints without a probe; `where` names it in errors."""
    heads: list[dict[str, str]] = []
    numbers: dict[tuple[str, int], list[int]] = {}
    lacks = []
    ended = False
    for line in text.replace("\r", "").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "CASE":
            heads.append(dict(word.split("=", 1) for word in rest.split()))
        elif kind in ("SAMPLES", "TIMING"):
            match = re.fullmatch(r"stream=(\d+)((?: \d+)+)", rest)
            if match is None:
                raise RunError(f"{where}: {line[:60]}; expected a stream and its samples")
            values = numbers.setdefault((kind, int(match[1])), [])
            values += [int(word) for word in match[2].split()]
        elif kind == "LACKS":
            lacks.append(rest)
        elif kind == "END":
            ended = rest == "status=0"
    if not ended:
        tail = text.strip().splitlines()[-1:] or ["nothing"]
        raise RunError(f"{where}: the suite did not come to a good end: {tail[0]}")
    cases = []
    for head in heads:
        try:
            stream, batch, per = (int(head[name]) for name in ("stream", "batch", "per"))
            name = head["name"]
        except (KeyError, ValueError):
            raise RunError(f"{where}: CASE {head}; expected stream, name, batch, per") from None
        said = f"{where}: {name}"
        samples = numbers.get(("SAMPLES", stream), [])
        cases.append(
            Case(
                stream, name, per, timed(samples, numbers.get(("TIMING", stream), []), batch, said)
            )
        )
    return Printed(tuple(cases), tuple(lacks))
