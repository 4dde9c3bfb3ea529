# SPDX-License-Identifier: Apache-2.0
"""Table 1 of the uClinux paper: tokens and bytes through FIFOs, with an MMU and without one.

The paper's kernels were Linux and uClinux 2.6.7 on a Samsung S3C24A0; a kernel that switches
address spaces fast stands between them here. The same by pipes without names has no published
value; it shows that the name does not matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from switchyard.build_linux import Linux
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import repeats, uclinux
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings, Table
from switchyard.experiments.lines import MEGABYTE, Case, Lines
from switchyard.experiments.linux_suite import Point
from switchyard.experiments.uclinux import FASTER, KERNELS, PAPERS, WITH, WITHOUT, Kernel
from switchyard.figure import Bar, Bars
from switchyard.machine import Stats
from switchyard.records import Published, Record
from switchyard.rows import number, times
from switchyard.summary import SPREAD

PAPER = f"{uclinux.PAPER}, Table 1"
QUICK_SHARE = 5


@dataclass(frozen=True)
class Line(Case):
    """A line of the table: a case of the suite, and what the paper has for each kernel."""

    rounds: int = 0
    published: Mapping[Kernel, float] | None = None


FIFO = Line("potato", "fifo", "us", 1000, {WITH: 160.64, WITHOUT: 31.74})
BW_FIFO = Line("bandwidth", "fifo", "MB/s", 20, {WITH: 12.58, WITHOUT: 25.55})
LINES = (
    FIFO,
    BW_FIFO,
    Line("potato", "pipe", "us", 1000),
    Line("bandwidth", "pipe", "MB/s", 20),
)
# Linux 2.6.7 keeps one page in a pipe, as 2.4 did (its include/linux/pipe_fs_i.h, PIPE_SIZE); the
# ring of 16 pages came with 2.6.11. A megabyte is 256 pages, each filled and emptied.
SWITCHES_THERE = 2 * MEGABYTE // 4096


class UclinuxIpc(FromRuns[Point]):
    """Table 1: FIFO latency and bandwidth."""

    name = "uclinux-ipc"
    question = "What do tokens and bytes through a FIFO cost with an MMU, and without one?"
    source = PAPER

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, line and boot."""
        cases = []
        for line in LINES:
            rounds = line.rounds // QUICK_SHARE if settings.quick else line.rounds
            words = f"{line.question} case={line.case} rounds={settings.rounds or rounds}"
            cases.append((line.name, words, {"case": line.name}))
        return uclinux.jobs(cases, settings)

    def measure(self, job: Job, stats: Stats) -> Point:
        """The line's case."""
        (line,) = [line for line in LINES if line.name == job.parameters["case"]]
        return suite.measure(job, stats, [line.stream])

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, the table, the figures and the reasons for each deviation."""
        found = Found(suite.together(points))
        return Outcome(
            records=records(found),
            tables=[values(found), costs(found)],
            figure=figure(found, FIFO, "A token to another process and back", "µs"),
            notes=notes(found),
            more={
                "bandwidth": figure(found, BW_FIFO, "Bytes to another process", "MB/s"),
                "breakdown": breakdown(found),
            },
        )


@dataclass(frozen=True)
class Found(Lines[Kernel, Line]):
    """The points, by kernel and line, each of which has a run of its own."""

    def run(self, on: Kernel, line: Line) -> str:
        """By the kernel's scheme and the line."""
        return f"{on.scheme}-{line.name}"

    def us(self, kernel: Kernel, line: Line) -> float:
        """The time of an operation."""
        return self.point(kernel, line).us(self.case(kernel, line).timed.summary.mean)

    def gain(self, line: Line, over: Kernel = WITH) -> float:
        """How much better it is without an MMU."""
        return self.us(over, line) / self.us(WITHOUT, line)


def published_gain(line: Line) -> float | None:
    """The paper's ratio, from its own values."""
    if line.published is None:
        return None
    slow, fast = sorted(line.published.values())[::-1]
    return slow / fast


def records(found: Found) -> list[Record]:
    """Every measured value, and how much better one kernel is than the other."""
    made = []
    for line in LINES:
        for kernel in KERNELS:
            published = None
            if line.published is not None and kernel in PAPERS:
                published = Published(line.published[kernel], f"{PAPER}: {kernel.paper}")
            made += suite.records(
                "uclinux-ipc",
                found.point(kernel, line),
                found.case(kernel, line),
                "bandwidth" if line.unit == "MB/s" else "latency",
                {"case": line.case},
                value=found.unit(kernel, line),
                unit=line.unit,
                published=published,
                scheme=kernel.scheme,
            )
        ratio = published_gain(line)
        papers = None if ratio is None else Published(ratio, f"{PAPER}: Ratio")
        for metric, over, published in (("gain", WITH, papers), ("gain_over_fass", FASTER, None)):
            made.append(
                Record(
                    experiment="uclinux-ipc",
                    machine=found.point(WITHOUT, line).machine,
                    system=suite.SYSTEM,
                    scheme=WITHOUT.scheme,
                    metric=metric,
                    parameters={"case": line.name},
                    value=round(found.gain(line, over), 6),
                    unit="1",
                    published=published,
                )
            )
    return made


def values(found: Found) -> Table:
    """The paper's table beside ours."""
    rows = []
    for line in LINES:
        ratio = published_gain(line)
        rows.append(
            [
                line.name,
                line.unit.replace("us", "µs"),
                *(f"{line.published[k]:g}" if line.published else "" for k in PAPERS),
                f"{ratio:.2f}" if ratio else "",
                *(found.shown(kernel, line) for kernel in KERNELS),
                f"{found.gain(line):.2f}",
                f"{found.gain(line, FASTER):.2f}",
            ]
        )
    return Table(
        title=f"A FIFO with an MMU and without one: {SPREAD}",
        columns=[
            "benchmark", "unit", *(f"paper, {k.paper}" for k in PAPERS), "ratio",
            *(f"{Linux.version}, {k.short}" for k in KERNELS), "ratio", "ratio, fast",
        ],
        rows=rows,
        caption=f"published: {PAPER}; Linux and uClinux 2.6.7. Ratios: to no MMU. ≈: known to no "
        "better than 5 %",
    )  # fmt: skip


def costs(found: Found) -> Table:
    """What each operation met, counted; and where its time went."""
    rows = []
    for line in LINES:
        for kernel in KERNELS:
            point, one = found.point(kernel, line), found.case(kernel, line)
            rows.append(
                [
                    f"{line.name}, {kernel.short}",
                    f"{one.rates['address_space_switches']:.1f}",
                    f"{one.rates['instructions']:.0f}",
                    f"{one.rates['icache_misses']:.0f}",
                    f"{one.rates['dcache_misses']:.0f}",
                    *(number(point.us(cycles)) for cycles in one.parts.values()),
                ]
            )
    return Table(
        title="Counted for a round trip or a megabyte, and its parts in µs",
        columns=[
            "benchmark", "switches", "instr.", "I-miss", "D-miss",
            "flush", "I-fill", "D-fill", "walks", "buffer", "kernel", "program",
        ],
        rows=rows,
        caption="switches: of the page tables; without an MMU there is one set of them",
    )  # fmt: skip


def figure(found: Found, line: Line, title: str, unit: str) -> Bars:
    """A line of the table, published and measured."""
    assert line.published is not None
    bars = []
    for kernel in KERNELS:
        if kernel in PAPERS:
            value = line.published[kernel]
            bars.append(Bar(kernel.label, "published, 2.6.7", value, published=True))
        bars.append(Bar(kernel.label, f"measured, {Linux.version}", found.value(kernel, line)))
    said = ", ".join(
        f"{kernel.label} "
        + (f"{line.published[kernel]:g} published and " if kernel in PAPERS else "")
        + f"{number(found.value(kernel, line))} measured"
        for kernel in KERNELS
    )
    return Bars(
        title=f"{title}, through a FIFO",
        subtitle=[
            "published: Samsung 2005, Table 1 (without an MMU: uClinux); measured: means,",
            f"{uclinux.ABOUT}; without an MMU {published_gain(line):.2f} times "
            f"better there, {found.gain(line):.2f} times here ({found.gain(line, FASTER):.2f} than "
            "switching fast)",
        ],
        value_title=unit,
        description=f"Bars in {unit}: {said}.",
        bars=bars,
        stacked=False,
    )


def breakdown(found: Found) -> Bars:
    """Where the time of a round trip went."""
    lines = [line for line in LINES if line.question == "potato"]
    bars = []
    for line in lines:
        for kernel in KERNELS:
            point, one = found.point(kernel, line), found.case(kernel, line)
            case = f"{line.case}, {kernel.short}"
            bars += suite.bars(case, point, one)
            if line.published is not None and kernel in PAPERS:
                total = line.published[kernel]
                bars.append(Bar(case, "published, in all", total, published=True))
    said = "; ".join(
        f"{kernel.label}: {suite.said(found.case(kernel, FIFO))}" for kernel in KERNELS
    )
    return Bars(
        title="Where the time of a round trip goes",
        subtitle=[
            f"{uclinux.ABOUT}; every cycle of the measured loop, by the",
            "function that took it and by what it waited for; fills are those outside the flush",
        ],
        value_title="µs a round trip",
        description=f"Stacked bars; by FIFO, {said}.",
        bars=bars,
    )


def notes(found: Found) -> list[str]:
    """A paragraph for each value that deviates, worked out from the counters."""
    made = [_latency(found, kernel) for kernel in PAPERS]
    made += [_gain(found), _remains(found), _bandwidth(found)]
    return made + repeats.unsteady(
        (f"{line.name} {kernel.label}", found.case(kernel, line).timed.interval)
        for line in LINES
        for kernel in KERNELS
    )


def _latency(found: Found, kernel: Kernel) -> str:
    assert FIFO.published is not None
    point, one = found.point(kernel, FIFO), found.case(kernel, FIFO)
    us, published = found.us(kernel, FIFO), FIFO.published[kernel]
    return (
        f"A round trip by FIFO {kernel.label} takes {us:.1f} µs, {times(us, published)} "
        f"the published {published:g} µs ({kernel.paper} 2.6.7), with "
        f"{one.rates['address_space_switches']:.1f} switches of page tables: {suite.said(one)}. "
        + uclinux.shorter(point, one, us, published)
    )


def _gain(found: Found) -> str:
    ratio = published_gain(FIFO)
    assert ratio is not None
    slow, fast = found.case(WITH, FIFO), found.case(WITHOUT, FIFO)
    point = found.point(WITH, FIFO)
    lost = {
        part: point.us(slow.parts[part] - fast.parts[part])
        for part in suite.PARTS
        if abs(point.us(slow.parts[part] - fast.parts[part])) >= 1
    }
    words = ", ".join(
        f"{us:.0f} µs {part}" for part, us in sorted(lost.items(), key=lambda item: -item[1])
    )
    return (
        f"Without an MMU a round trip is {found.gain(FIFO):.2f} times as fast; the paper has "
        f"{ratio:.2f}. What it saves: {words or 'less than 1 µs of anything'}. It fills "
        f"{fast.rates['icache_misses']:.0f} lines of instructions in place of "
        f"{slow.rates['icache_misses']:.0f} and {fast.rates['dcache_misses']:.0f} of data in place "
        f"of {slow.rates['dcache_misses']:.0f}. The flushes themselves are "
        f"{lost.get(suite.FLUSH, 0.0) / sum(lost.values()) if lost else 0:.0%} of what they cost. "
        f"What remains is the kernel's path, {fast.rates['instructions']:.0f} instructions without "
        "an MMU as well, whose lines push each other out of a cache of 512: the longer the path, "
        "the less an empty cache counts."
    )


def _remains(found: Found) -> str:
    """What the fast switch leaves of the advantage."""
    point, one = found.point(FASTER, FIFO), found.case(FASTER, FIFO)
    slow, us, least = (found.us(kernel, FIFO) for kernel in KERNELS)
    text = (
        f"Where address spaces are switched fast a round trip takes {us:.1f} µs, "
        f"{slow / us:.2f} times as fast as with flushes, with {one.rates['flushes']:.2f} flushes: "
        f"{suite.said(one)}. Without an MMU it is {us / least:.2f} times as fast as that, where it "
        f"was {slow / least:.2f} times: of {slow - least:.0f} µs that the MMU costs "
        f"{max(us - least, 0):.0f} remain"
    )
    other = found.case(WITHOUT, FIFO)
    rest = {
        part: point.us(one.parts[part] - other.parts[part])
        for part in suite.PARTS
        if point.us(one.parts[part] - other.parts[part]) >= 1
    }
    words = ", ".join(
        f"{value:.0f} {part}" for part, value in sorted(rest.items(), key=lambda item: -item[1])
    )
    return (
        f"{text}{f': {words}' if words else ''}. A megabyte goes {found.gain(BW_FIFO, FASTER):.2f} "
        f"times as fast without an MMU as with a fast switch, {found.gain(BW_FIFO):.2f} with "
        "flushes. The question is not the paper's, which had no such kernel."
    )


def _bandwidth(found: Found) -> str:
    assert BW_FIFO.published is not None
    assert FIFO.published is not None
    texts = []
    for kernel in PAPERS:
        value, published = found.value(kernel, BW_FIFO), BW_FIFO.published[kernel]
        one = found.case(kernel, BW_FIFO)
        whole = MEGABYTE / published / 1000
        switching = SWITCHES_THERE * FIFO.published[kernel] / 2000
        texts.append(
            f"{kernel.label} {value:.1f} MB/s, {times(value, published)} the published "
            f"{published:g}; {suite.said(one)}; of the paper's {whole:.0f} ms a megabyte "
            f"{switching:.0f} were switches by its own latency, which leaves "
            f"{whole - switching:.0f}, here a megabyte takes "
            f"{found.us(kernel, BW_FIFO) / 1000:.0f} in all"
        )
    slow, fast = found.case(WITH, BW_FIFO), found.case(WITHOUT, BW_FIFO)
    each = slow.rates["address_space_switches"]
    waits = [found.point(WITH, BW_FIFO).us(one.parts[suite.BUFFER]) / 1000 for one in (slow, fast)]
    ratio = published_gain(BW_FIFO)
    return (
        f"Bandwidth is {found.gain(BW_FIFO):.2f} times as high without an MMU, where the paper has "
        f"{ratio:.2f}: "
        + ". And ".join(texts)
        + ". A FIFO of Linux 2.6.7 holds one page, so that a megabyte takes "
        f"{SWITCHES_THERE} switches; here it holds 16 and takes {each:.0f}: so few flushes matter "
        "little. The rest of the difference is in the copies. With an MMU the kernel reads and "
        "writes a program's memory word by word, with instructions that check the program's rights "
        "(LDRT, STRT: arch/arm/lib/copy_to_user.S), without one in memcpy's bursts of registers: "
        f"{slow.rates['instructions']:.0f} and {fast.rates['instructions']:.0f} instructions a "
        f"megabyte, {waits[0]:.1f} and {waits[1]:.1f} ms of waiting for the write buffer."
    )
