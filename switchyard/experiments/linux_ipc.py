# SPDX-License-Identifier: Apache-2.0
"""Table 1 of the FASS paper: Linux that flushes at each switch, and Linux that switches fast.

Hot-potato latency and bandwidth, and process creation, as lmbench measures them. The paper's Linux
was a 2.4 on a 200 MHz SA-1100; this is 6.12, unmodified and with linux/6.12/fass, on the same
processor, and on an ARM926EJ-S, which the paper did not have; with linux/6.12/fass where shared
mappings have a domain of their own, of which these programs have next to none; and unmodified where
the hardware has ideal address-space tags, the bound of all ways to switch. A value beside each of
lmbench's cases is what the paper gives; the other cases of the suite (system calls, faults,
signals) have none, and show what one such thing takes here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import repeats
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings, Table
from switchyard.experiments.lines import MEGABYTE, Case, Lines
from switchyard.experiments.linux_suite import (
    BOARDS,
    FASTER,
    KERNELS,
    ORIGINAL,
    Kernel,
    Point,
)
from switchyard.figure import Bar, Bars
from switchyard.machine import Stats
from switchyard.records import Parameter, Published, Record
from switchyard.suite import STREAMS
from switchyard.summary import SPREAD

PAPER = "Wiggins et al., ACSAC 2003, Table 1"
BAND_ROUNDS = 80
QUICK_SHARE = 5  # a quick run makes a fifth of the rounds


@dataclass(frozen=True)
class Line(Case):
    """A line of the table: a case of the suite, and what the paper has for it."""

    unit: str = "us"
    # The paper's original and fast kernels; its processor is the first machine's.
    published: float | None = None
    deviation: float | None = None
    fast: float | None = None

    def source(self, kernel: Kernel) -> Published | None:
        """The published value, where there is one."""
        if kernel == ORIGINAL and self.published is not None:
            found = f"original: {self.published:g} ({self.deviation:g})"
            return Published(self.published, f"{PAPER}, {found}")
        if kernel == FASTER and self.fast is not None:
            return Published(self.fast, f"{PAPER}, fast: {self.fast:g}")
        return None


PIPE = Line("potato", "pipe", published=257, deviation=3, fast=15.4)
LINES = (
    Line("potato", "fcntl", published=39, deviation=50, fast=25),
    Line("potato", "fifo", published=263, deviation=1, fast=15.6),
    PIPE,
    Line("potato", "unix", published=511, deviation=10, fast=30.7),
    Line("potato", "fcntl-strict"),
    Line("bandwidth", "pipe", "MB/s", published=8.77, deviation=0.02, fast=14.76),
    Line("bandwidth", "unix", "MB/s", published=12.31, deviation=0.02, fast=12.94),
    Line("bandwidth", "fifo", "MB/s"),
    Line("process", "fork", published=4061, deviation=4, fast=3650),
    Line("process", "exec", published=4321, deviation=12, fast=3980),
    Line("process", "shell", published=54533, deviation=40, fast=51726),
    Line("process", "vfork"),
    *(Line("call", case) for case in STREAMS["call"].values()),
    *(Line("memory", case) for case in STREAMS["memory"].values()),
    *(Line("signal", case) for case in STREAMS["signal"].values()),
)
# Of each boot of full runs; the paper says how many lmbench made of none.
ROUNDS = {
    "potato": 400,
    "bandwidth": 10,
    "process": 30,
    "call": 1000,
    "memory": 100,
    "signal": 200,
}
# A null call takes one of two times by boot, one of them in few boots (3 of 20 when this was
# written): as many as meet both nearly always.
BOOTS = {"call": 20}


class LinuxIpc(FromRuns[Point]):
    """Table 1: lmbench on the original Linux and on the fast one."""

    name = "linux-ipc"
    question = "What do tokens, bytes and processes cost on Linux with slow and fast switches?"
    source = "Wiggins et al., ACSAC 2003, Table 1"

    band_metric = ("pipe_us", "us")
    band_system = suite.SYSTEM
    band_scheme = suite.SCHEME
    band_label = "{machine}-{case}"
    band_published: Mapping[str, float] = {f"{ORIGINAL}-pipe": PIPE.published or 0}

    def band_jobs(self, settings: Settings) -> list[Job]:
        """A round trip by a pipe on the paper's machine: one boot, the same at all ends."""
        rounds = settings.rounds or BAND_ROUNDS
        words = f"{PIPE.question} case={PIPE.case} rounds={rounds}"
        parameters = {"question": PIPE.question, "case": PIPE.case}
        (job,) = suite.jobs(ORIGINAL, PIPE.case, words, parameters, settings, boots=1)
        return [replace(job, name=f"{ORIGINAL}-{PIPE.case}")]

    def row(self, job: Job, point: Point) -> dict[str, Parameter]:
        """The mean of each case, in microseconds."""
        names = STREAMS[str(job.parameters["question"])]
        times = {
            f"{names[stream]}_us": point.us(one.timed.summary.mean)
            for stream, one in point.cases.items()
        }
        return {**job.parameters, **times}

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, question of the suite, and boot."""
        found = []
        for kernel in KERNELS:
            for question, full in ROUNDS.items():
                rounds = settings.rounds or (full // QUICK_SHARE if settings.quick else full)
                parameters = {"question": question}
                words = f"{question} rounds={rounds}"
                few = settings.quick or settings.rounds
                boots = None if few else BOOTS.get(question)
                found += suite.jobs(kernel, question, words, parameters, settings, boots)
        return found

    def measure(self, job: Job, stats: Stats) -> Point:
        """Every case of the question, or the one that was asked for."""
        streams = STREAMS[str(job.parameters["question"])]
        only = job.parameters.get("case")
        return suite.measure(job, stats, [n for n, case in streams.items() if only in (None, case)])

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, the table, the figures and the reasons for each deviation."""
        found = Found(suite.together(points))
        return Outcome(
            records=records(found),
            tables=[
                *(times(found, *board) for board in BOARDS),
                *(costs(found, kernel) for kernel in KERNELS),
            ],
            figure=figure(found, *BOARDS[0]),
            notes=notes(found),
            more={
                **{str(board[0]): figure(found, *board) for board in BOARDS[1:]},
                **{
                    suite.named("breakdown", kernel): breakdown(found, kernel) for kernel in KERNELS
                },
            },
        )


@dataclass(frozen=True)
class Found(Lines[Kernel, Line]):
    """The points, by kernel and line; a run is a question's."""

    def run(self, on: Kernel, line: Line) -> str:
        """By the kernel and the question."""
        return f"{on}-{line.question}"

    def gain(self, original: Kernel, faster: Kernel, line: Line) -> float:
        """How many times faster one kernel is than the other."""
        ratio = self.value(original, line) / self.value(faster, line)
        return 1 / ratio if line.unit == "MB/s" else ratio


def records(found: Found) -> list[Record]:
    """Every measured value."""
    made = []
    for kernel in KERNELS:
        for line in LINES:
            made += suite.records(
                "linux-ipc",
                found.point(kernel, line),
                found.case(kernel, line),
                "bandwidth" if line.unit == "MB/s" else "latency",
                {"question": line.question, "case": line.case},
                value=found.unit(kernel, line),
                unit=line.unit,
                published=line.source(kernel),
                scheme=kernel.scheme,
            )
    return made


def times(found: Found, original: Kernel, faster: Kernel, sharing: Kernel, bound: Kernel) -> Table:
    """The paper's columns beside ours, and what the fast switch brings of what could be brought."""
    published = original == ORIGINAL
    rows = []
    for line in LINES:
        others = (faster, sharing, bound)
        rows.append(
            [
                line.name,
                line.unit.replace("us", "µs"),
                *(_published(line) if published else []),
                *(found.shown(kernel, line) for kernel in (original, *others)),
                *(f"{found.gain(original, kernel, line):.2f}" for kernel in others),
            ]
        )
    papers = ["paper", "paper, fast", "times"] if published else []
    return Table(
        title=f"Linux 6.12 on {original.board}, flushing at each switch, switching fast, and on "
        f"hardware with ideal tags: {SPREAD}",
        columns=[
            "benchmark", "unit", *papers, *(kernel.scheme for kernel in (original, *others)),
            *(f"flush/{kernel.scheme}" for kernel in others),
        ],
        rows=rows,
        caption=(f"published: {PAPER} (deviations), and their ratio. " if published else "")
        + "Ratios: by how much less it takes (of MB/s: more). ≈: unstable, see the notes",
    )  # fmt: skip


def _published(line: Line) -> list[str]:
    """Original, fast, and by how much the fast kernel is faster."""
    if not line.published or not line.fast:
        return ["", "", ""]
    ratio = line.published / line.fast
    return [
        f"{line.published:g} ({line.deviation:g})",
        f"{line.fast:g}",
        f"{1 / ratio if line.unit == 'MB/s' else ratio:.2f}",
    ]


def costs(found: Found, kernel: Kernel) -> Table:
    """What each operation met, counted; and where its time went."""
    rows = []
    for line in LINES:
        point, one = found.point(kernel, line), found.case(kernel, line)
        rows.append(
            [
                line.name,
                f"{one.rates['address_space_switches']:.1f}",
                f"{one.rates['instructions']:.0f}",
                f"{one.rates['icache_misses']:.0f}",
                f"{one.rates['dcache_misses']:.0f}",
                *(suite.number(point.us(cycles)) for cycles in one.parts.values()),
            ]
        )
    return Table(
        title=f"{kernel}: counted for each operation, and its parts in µs",
        columns=[
            "benchmark", "switches", "instr.", "I-miss", "D-miss",
            "flush", "I-fill", "D-fill", "walks", "buffer", "kernel", "program",
        ],
        rows=rows,
    )  # fmt: skip


def figure(found: Found, *kernels: Kernel) -> Bars:
    """The latencies of Table 1 on a machine; beside the published ones, if it is the paper's."""
    lines = [line for line in LINES if line.published and line.unit == "us"]
    beside = ORIGINAL in kernels
    bars, said = [], []
    for line in lines:
        published = {"SA-1100, Linux 2.4": line.published, "fast switching": line.fast}
        for part, value in published.items() if beside else ():
            if value is not None:
                bars.append(Bar(line.case, f"published, {part}", value, published=True))
        values = [found.value(kernel, line) for kernel in kernels]
        for kernel, value in zip(kernels, values, strict=True):
            bars.append(Bar(line.case, f"measured, {kernel.about}", value))
        text = f"{line.case} " + ", ".join(f"{value:.0f}" for value in values)
        if beside:
            text += f" measured, {line.published:g} and {line.fast:g} published"
        said.append(text)
    return Bars(
        title="lmbench on Linux that flushes at each switch, one that does not, and hardware tags",
        subtitle=[
            "hot potato round trips (fcntl to unix) and process creation (fork to shell): means"
            + (";" if beside else ""),
            *(["published: Wiggins et al. 2003, Table 1"] if beside else []),
        ],
        value_title="latency, µs (log scale)",
        description=f"Bars of latencies in microseconds, {kernels[0].board}: {'; '.join(said)}.",
        bars=bars,
        stacked=False,
        log=True,
    )


def breakdown(found: Found, kernel: Kernel) -> Bars:
    """Where the time of the round trips went."""
    bars = []
    for line in LINES:
        if line.question == "potato":
            point, one = found.point(kernel, line), found.case(kernel, line)
            bars += suite.bars(line.case, point, one)
            if line.published and kernel == ORIGINAL:
                bars.append(Bar(line.case, "published, in all", line.published, published=True))
    said = "; ".join(
        f"{line.case}: {suite.said(found.case(kernel, line))}"
        for line in LINES
        if line.question == "potato"
    )
    return Bars(
        title="Where the time of a round trip goes",
        subtitle=[
            f"{kernel.about}; every cycle of the measured loop, by the function",
            "that took it and by what it waited for; fills are those outside the flush itself",
        ],
        value_title="µs a round trip",
        description=f"Stacked bars: {said}.",
        bars=bars,
    )


def notes(found: Found) -> list[str]:
    """A paragraph for each group of lines, worked out from the counters."""
    by_name = {line.name: line for line in LINES}
    made = [_level(found, by_name["pipe"]), _fast(found, by_name["pipe"]), _locks(found, by_name)]
    made.append(_socket(found, by_name))
    made += [_bandwidth(found, by_name), _processes(found, by_name)]
    return made + repeats.unsteady(
        (f"{line.name} on {kernel}", found.case(kernel, line).timed.interval)
        for kernel in KERNELS
        for line in LINES
    )


def _level(found: Found, line: Line) -> str:
    """Why a pipe's round trip takes what it takes, and what a shorter one could have touched."""
    assert line.published is not None
    point, one = found.point(ORIGINAL, line), found.case(ORIGINAL, line)
    value, switches = found.value(ORIGINAL, line), one.rates["address_space_switches"]
    text = (
        f"A round trip by {line.case} takes {value:.0f} µs, {suite.against(value, line.published)} "
        f"the published {line.published:g} µs, with {switches:.1f} switches of address spaces, "
        f"each with a full flush; {suite.said(one)}."
    )
    # Nearly all fills for instructions are outside of the flush, so these tell the price of one.
    price = one.parts[suite.IFILL] / max(one.rates["icache_misses"], 1)
    lines = (one.parts[suite.IFILL] + one.parts[suite.DFILL]) / max(price, 1)
    missing = (value - line.published) * point.clock_hz / 1e6
    if missing > 0 and lines > 0:
        text += (
            f" Its {one.rates['instructions']:.0f} instructions, four system calls and two "
            "switches, "
            f"fill {lines:.0f} lines of {price:.0f} cycles (the paper says about 70 a line), "
            "since a "
            f"flush has left none: a path with {missing / price:.0f} lines fewer would take the "
            f"paper's time, and the two flushes here cost {point.us(one.parts[suite.FLUSH]):.0f} "
            "µs "
            "of it. So the deviation is the size of the kernel's path from 2.4 to 6.12, not the "
            "price of the flush."
        )
    return text


def _fast(found: Found, line: Line) -> str:
    """What a fast switch leaves of a pipe's round trip."""
    assert line.published is not None
    assert line.fast is not None
    texts = []
    for original, faster, sharing, bound in BOARDS:
        one, point = found.case(faster, line), found.point(faster, line)
        texts.append(
            f"{found.value(faster, line):.0f} µs in place of {found.value(original, line):.0f} on "
            f"{original.board}, {found.gain(original, faster, line):.1f} times as fast (median "
            f"{point.us(one.timed.summary.median):.0f}; {found.value(sharing, line):.0f} where "
            "shared mappings may be in the TLBs once; the bound, by hardware tags, is "
            f"{found.value(bound, line):.0f}), with {one.rates['flushes']:.2f} flushes "
            f"and {one.rates['icache_misses']:.0f} fills of the instruction cache for "
            f"{one.rates['instructions']:.0f} instructions: {suite.said(one)}"
        )
    return (
        f"Switching fast, a round trip by {line.case} takes "
        + "; ".join(texts)
        + f". Published: {line.fast:g} in place of {line.published:g}, "
        f"{line.published / line.fast:.0f} times. What remains is the path's own size in the "
        "caches, which the paper's kernel of 2.4 fitted."
    )


def _locks(found: Found, by_name: Mapping[str, Line]) -> str:
    loose, strict = by_name["fcntl"], by_name["fcntl-strict"]
    assert loose.published is not None
    assert loose.deviation is not None
    one, other = found.case(ORIGINAL, loose), found.case(ORIGINAL, strict)
    value = found.value(ORIGINAL, loose)
    deviation = found.point(ORIGINAL, loose).us(one.timed.summary.stddev)
    switches = one.rates["address_space_switches"]
    text = (
        f"fcntl: {value:.0f} µs with a standard deviation of {deviation:.0f} (published: "
        f"{loose.published:g}, {loose.deviation:g}); {switches:.2f} switches a round trip"
    )
    if switches < 1:
        text += (
            ": nothing makes the one who gave a lock back wait until the other, who was woken, has "
            "run, so that most rounds need no partner"
        )
    text += "."
    if deviation > value and loose.deviation > loose.published:
        text += (
            " A deviation larger than the mean, here and there, is what such rounds have; the "
            "paper "
            "puts its low value down to a small working set."
        )
    return (
        f"{text} Locks that force the turns (fcntl-strict) take "
        f"{found.value(ORIGINAL, strict):.0f} µs with "
        f"{other.rates['address_space_switches']:.2f} switches; a pipe takes "
        f"{found.value(ORIGINAL, by_name['pipe']):.0f}."
    )


def _socket(found: Found, by_name: Mapping[str, Line]) -> str:
    line, pipe = by_name["unix"], by_name["pipe"]
    one, other = found.case(ORIGINAL, line), found.case(ORIGINAL, pipe)
    assert line.published is not None
    assert pipe.published is not None
    ratio = found.value(ORIGINAL, line) / found.value(ORIGINAL, pipe)
    more, less = one.rates["address_space_switches"], other.rates["address_space_switches"]
    text = (
        f"A Unix socket takes {ratio:.1f} times a pipe's time (published: "
        f"{line.published / pipe.published:.1f})"
    )
    if more < less + 0.5:
        return f"{text}, with as many switches."
    return (
        f"{text}: {more:.1f} switches a round trip in place of {less:.1f}. The reader that frees a "
        "message wakes the socket's writer (it may write again), which waits for an answer and "
        "goes "
        "back to sleep: a switch there and back for nothing."
    )


def _bandwidth(found: Found, by_name: Mapping[str, Line]) -> str:
    texts = []
    for case in ("pipe", "unix"):
        line = by_name[f"bw-{case}"]
        assert line.published is not None
        one = found.case(ORIGINAL, line)
        value = found.value(ORIGINAL, line)
        each = one.rates["address_space_switches"]
        texts.append(
            f"{case} {value:.1f} MB/s ({suite.against(value, line.published)} the published "
            f"{line.published:g}), {each:.0f} switches a megabyte; {suite.said(one)}"
        )
    pipe, latency = by_name["bw-pipe"].published, by_name["pipe"].published
    assert pipe is not None
    assert latency is not None
    # Linux 2.4 keeps one page in a pipe (PIPE_SIZE, include/linux/pipe_fs_i.h): it is filled and
    # emptied 256 times for a megabyte, two switches each.
    there = 2 * MEGABYTE / 4096
    return (
        "Bandwidth: "
        + ". ".join(texts)
        + f". A pipe of Linux 2.4 holds one page, this one 16: at its own {latency / 2:g} µs a "
        "switch, "
        f"the {there:.0f} switches of a megabyte were {there * latency / 2000:.0f} ms of the "
        "paper's "
        f"{MEGABYTE / pipe / 1000:.0f}."
    )


def _processes(found: Found, by_name: Mapping[str, Line]) -> str:
    texts = []
    for case in ("fork", "exec", "shell"):
        line = by_name[case]
        assert line.published is not None
        one = found.case(ORIGINAL, line)
        value = found.value(ORIGINAL, line)
        texts.append(
            f"{case} {value:.0f} µs ({suite.against(value, line.published)} the published "
            f"{line.published:g}; {one.rates['aborts']:.0f} page faults, "
            f"{one.rates['address_space_switches']:.1f} switches)"
        )
    return (
        "Process creation: "
        + ", ".join(texts)
        + ". The programs here are small static ones of a few pages; the paper's shell was a full "
        "one "
        "with shared libraries, each of whose pages takes a fault and a relocation."
    )
