# SPDX-License-Identifier: Apache-2.0
"""Figs. 4 and 5 of the uClinux paper: lmbench's lat_ctx over FIFOs, with an MMU and without one.

A ring of 2 to 16 processes, started by vfork(), each touching 0, 1 or 16 KB, passes a token; what
passing and touching take without a switch is taken off, as lmbench does. The paper draws the
figures and gives three of their values in words: how many times faster uClinux is. A kernel that
switches address spaces fast, which it did not have, stands between its two here.
"""

from collections.abc import Mapping

from switchyard.build_linux import Linux
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import rings, uclinux
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.rings import Rings
from switchyard.experiments.uclinux import FASTER, KERNELS, PAPERS, WITH, WITHOUT, Kernel
from switchyard.figure import Bar, Bars, Figure, Mark, Series, Table
from switchyard.machine import Stats
from switchyard.records import Published, Record
from switchyard.suite import ALONE
from switchyard.summary import SPREAD, unsteady

SIZES = (0, 1, 16)  # KB
COUNTS = tuple(range(2, 17))
ROUNDS = 15  # of each boot
QUICK_COUNTS = (2, 4, 8, 16)
SHOWN = (2, 8, 16)  # in tables and breakdowns
PUBLISHED_TRIP = 31.74  # µs, of Table 1: without an MMU, by FIFO
# Times as fast without an MMU, by size and processes (0 for any number).
PUBLISHED = {
    (0, 2): Published(9.7, f"{uclinux.PAPER}, section 5.2: 9.7 times for two processes, 0 KB"),
    (0, 16): Published(4.5, f"{uclinux.PAPER}, section 5.2: 4.5 times for 16 processes, 0 KB"),
    (16, 16): Published(1.0, f"{uclinux.PAPER}, section 5.2: almost the same at 16 KB"),
}


class UclinuxCtx(FromRuns[Run]):
    """Figs. 4 and 5: context switching time."""

    name = "uclinux-ctx"
    question = "What does a switch cost with an MMU, and without one, as processes and memory grow?"
    source = f"{uclinux.PAPER}, Figs. 4 and 5"

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, size and boot, which measures every number of processes."""
        counts = ",".join(str(n) for n in QUICK_COUNTS) if settings.quick else "2-16"
        rounds = settings.rounds or (10 if settings.quick else ROUNDS)
        cases = []
        for size in SIZES:
            words = f"ctx processes={counts} size={size} channel=fifo rounds={rounds}"
            cases.append((f"{size:02}k", words, {"size_kb": size, "quick": settings.quick}))
        return uclinux.jobs(cases, settings)

    def measure(self, job: Job, stats: Stats) -> Run:
        """Each number of processes in the ring, and alone."""
        return rings.measure(job, stats, QUICK_COUNTS if job.parameters["quick"] else COUNTS)

    def outcome(self, runs: Mapping[str, Run]) -> Outcome:
        """Records, tables, figures and what they say."""
        found = Found(suite.together(runs))
        return Outcome(
            records=records(found),
            tables=[times(found), counts(found)],
            figure=figure(found, SIZES, PAPERS, "A switch with an MMU and without one"),
            notes=notes(found),
            more={
                "nothing-touched": figure(
                    found, SIZES[:1], KERNELS, "The same where no memory is touched"
                ),
                "fast": figure(
                    found,
                    (SIZES[0], SIZES[-1]),
                    KERNELS,
                    "A switch with flushes, a fast one, and none",
                ),
                "gain": gains(found, WITH),
                "remains": gains(found, FASTER),
                "breakdown": breakdown(found),
            },
        )


class Found(Rings[Kernel]):
    """The runs, by kernel, size and number of processes."""

    def prefix(self, on: Kernel) -> str:
        """The kernel's scheme."""
        return on.scheme

    def gain(self, size: int, n: int, over: Kernel = WITH) -> float:
        """How many times faster a switch is without an MMU."""
        return self.us(over, size, n) / self.us(WITHOUT, size, n)

    def each(self, kernel: Kernel, size: int, n: int, name: str) -> float:
        """What was counted for one switch."""
        return self.ring(kernel, size, n).rates[name] / n


def records(found: Found) -> list[Record]:
    """Every measured value; what was counted is a share of the way around, nothing taken off."""
    made = []
    for size in SIZES:
        for n in found.counts:
            parameters = {"processes": n, "size_kb": size}
            for kernel in KERNELS:
                made += suite.records(
                    "uclinux-ctx",
                    found.run(kernel, size),
                    found.ring(kernel, size, n),
                    "switch",
                    parameters,
                    value=found.switch(kernel, size, n),
                    interval=found.interval(kernel, size, n),
                    divide=n,
                    scheme=kernel.scheme,
                )
            for metric, over, published in (
                ("gain", WITH, PUBLISHED.get((size, n))),
                ("gain_over_fass", FASTER, None),
            ):
                made.append(
                    Record(
                        experiment="uclinux-ctx",
                        machine=found.run(WITHOUT, size).machine,
                        system=suite.SYSTEM,
                        scheme=WITHOUT.scheme,
                        metric=metric,
                        parameters=parameters,
                        value=round(found.gain(size, n, over), 6),
                        unit="1",
                        published=published,
                    )
                )
    return made


def times(found: Found) -> Table:
    """The figures in numbers, where it is worth it."""
    rows = []
    for size in SIZES:
        for n in SHOWN:
            paper = PUBLISHED.get((size, n))
            rows.append(
                [
                    f"{size} KB, {n} processes",
                    *(found.shown(kernel, size, n) for kernel in KERNELS),
                    f"{found.gain(size, n):.2f}",
                    f"{paper.value:g}" if paper else "",
                    f"{found.gain(size, n, FASTER):.2f}",
                ]
            )
    return Table(
        title=f"A switch, µs, {SPREAD}; and how many times faster it is without an MMU",
        columns=[
            "touched by each",
            *(k.short for k in KERNELS),
            "ratio",
            "paper's ratio",
            "ratio, fast",
        ],
        rows=rows,
        caption=f"published: {uclinux.PAPER}, section 5.2; its figures' other values are not given",
    )


def counts(found: Found) -> Table:
    """What a switch met."""
    names = ("address_space_switches", "instructions", "icache_misses", "dcache_misses")
    walks = ("itlb_misses", "dtlb_misses")
    rows = []
    for size in SIZES:
        for n in SHOWN:
            for kernel in KERNELS:
                rows.append(
                    [
                        f"{size} KB, {n} processes, {kernel.short}",
                        f"{found.each(kernel, size, n, names[0]):.1f}",
                        *(f"{found.each(kernel, size, n, name):.0f}" for name in names[1:]),
                        f"{sum(found.each(kernel, size, n, name) for name in walks):.0f}",
                    ]
                )
    return Table(
        title="Counted on the token's way to the next process, nothing taken off",
        columns=["touched by each", "switches", "instr.", "I-miss", "D-miss", "TLB miss"],
        rows=rows,
        caption="switches: of the page tables; without an MMU there is one set of them",
    )


def figure(found: Found, sizes: tuple[int, ...], kernels: tuple[Kernel, ...], title: str) -> Figure:
    """Fig. 4, or Fig. 5, which is its lines at 0 KB."""
    series = []
    for kernel in kernels:
        for size in sizes:
            name = kernel.label if len(sizes) == 1 else f"{size} KB, {kernel.label}"
            marks = [Mark(n, found.us(kernel, size, n)) for n in found.counts]
            series.append(Series(name, name, marks))
    every = [found.us(k, size, n) for k in kernels for size in sizes for n in found.counts]
    y_range, y_ticks = suite.ticks(max(every), 50 if max(every) > 250 else 25)
    return Figure(
        title=title,
        subtitle=[
            f"{uclinux.ABOUT}; a ring of processes over FIFOs, each touching its own",
            "memory; means; what passing the token and touching take without a switch is taken off",
        ],
        x_title="processes",
        y_title="a switch, µs",
        description=(
            f"Line chart of context-switch times over 2 to 16 processes, with an MMU and without "
            f"one, at {', '.join(str(size) for size in sizes)} KB, between {min(every):.0f} and "
            f"{max(every):.0f} microseconds."
        ),
        series=series,
        y_range=y_range,
        y_ticks=y_ticks,
        x_ticks=[2, 4, 6, 8, 10, 12, 14, 16],
    )


def gains(found: Found, over: Kernel) -> Figure:
    """How many times faster it is without an MMU; beside it what the paper gives in words."""
    series = []
    for size in SIZES:
        marks = [Mark(n, found.gain(size, n, over)) for n in found.counts]
        series.append(Series(f"{size} KB", f"{size} KB", marks))
        runs = [Mark(n, one.value) for (k, n), one in PUBLISHED.items() if k == size]
        if runs and over in PAPERS:
            label = f"published, {size} KB"
            series.append(Series(f"{size} KB", label, runs, published=True))
    highest = max(mark.y for one in series for mark in one.marks)
    y_range, y_ticks = suite.ticks(highest, 1)
    beside = over in PAPERS
    return Figure(
        title="How many times faster a switch is without an MMU"
        + ("" if beside else " than a fast one with it"),
        subtitle=[
            f"{uclinux.ABOUT}, the same programs on both kernels"
            + (";" if beside else "; nothing is published of fast switching"),
            *(
                ["published: three values of Samsung 2005, section 5.2, joined by dashes; 2.6.7"]
                if beside
                else []
            ),
        ],
        x_title="processes",
        y_title="times as fast",
        description=(
            "Line chart of the ratio of context-switch times over 2 to 16 processes; at 0 KB "
            f"{found.gain(0, 2, over):.1f} with 2 and {found.gain(0, 16, over):.1f} with 16"
            + (", published 9.7 and 4.5." if beside else ".")
        ),
        series=series,
        y_range=y_range,
        y_ticks=y_ticks,
        x_ticks=[2, 4, 6, 8, 10, 12, 14, 16],
    )


def breakdown(found: Found) -> Bars:
    """Where the time of a switch goes, passing the token and touching memory included."""
    bars: list[Bar] = []
    for size in SIZES:
        for n in (SHOWN[0], SHOWN[-1]):
            for kernel in KERNELS:
                case = f"{size} KB, {n} processes, {kernel.short}"
                one = found.ring(kernel, size, n)
                bars += suite.bars(case, found.run(kernel, size), one, divide=n)
    said = "; ".join(f"{k.label}: {suite.said(found.ring(k, 0, SHOWN[0]))}" for k in KERNELS)
    return Bars(
        title="Where the time of a switch goes, with an MMU and without one",
        subtitle=[
            f"{uclinux.ABOUT}; every cycle of a token's way to the next process,",
            "by the function that took it and by what it waited for; nothing taken off",
        ],
        value_title="µs a switch",
        description=f"Stacked bars; with {SHOWN[0]} processes and 0 KB, {said}.",
        bars=bars,
    )


def notes(found: Found) -> list[str]:
    """What deviates from the paper, and why, by the counters."""
    made = [_ratio(found, n) for n in (SHOWN[0], SHOWN[-1])]
    made += [_growth(found, kernel) for kernel in KERNELS]
    made += [_remains(found), _full(found)]
    return made + unsteady(
        (f"{n} processes, {size} KB, {kernel.label}", found.interval(kernel, size, n))
        for kernel in KERNELS
        for size in SIZES
        for n in SHOWN
    )


def _ratio(found: Found, n: int) -> str:
    """Why the gain at 0 KB is what it is."""
    slow, fast = (found.us(kernel, 0, n) for kernel in PAPERS)
    run, one = found.run(WITHOUT, 0), found.ring(WITHOUT, 0, n)
    alone = run.cases[ALONE + n]
    own = run.us(one.parts[suite.KERNEL] - alone.parts[suite.KERNEL]) / n
    paper = PUBLISHED[(0, n)].value
    text = (
        f"{n} processes, 0 KB: {slow:.0f} µs with an MMU, {fast:.1f} without, {slow / fast:.1f} "
        f"times as fast; published: {paper:g} times. Without an MMU {own:.1f} µs of it are the "
        f"kernel's instructions, {found.each(WITHOUT, 0, n, 'instructions'):.0f} from one process "
        f"to the next with the token's, and they fill "
        f"{found.each(WITHOUT, 0, n, 'icache_misses'):.0f} lines of instructions and "
        f"{found.each(WITHOUT, 0, n, 'dcache_misses'):.0f} of data that others had pushed out."
    )
    if slow / fast < paper:
        text += (
            f" To be {paper:g} times as fast it would have to take {slow / paper:.1f} µs"
            + (
                ", less than its instructions alone"
                if slow / paper < own
                else f", of which {own:.1f} would be its instructions"
            )
            + "."
        )
        # two processes' way around is Table 1's round trip
        trip = run.us(found.ring(WITHOUT, 0, 2).parts[suite.KERNEL])
        if n == SHOWN[0] and trip > PUBLISHED_TRIP:
            text += (
                f" The paper's whole round trip takes {PUBLISHED_TRIP:g} µs without an MMU, the "
                f"kernel's instructions alone here {trip:.0f}: the path through {Linux.version} is "
                "longer than that through 2.6.7. With an MMU that counts for less, since filling "
                "the caches costs most."
            )
    return text


def _growth(found: Found, kernel: Kernel) -> str:
    """What more processes cost."""
    few, many = SHOWN[0], SHOWN[-1]
    first, last = found.us(kernel, 0, few), found.us(kernel, 0, many)
    grown = {
        name.replace("_", " "): found.each(kernel, 0, many, name) - found.each(kernel, 0, few, name)
        for name in ("instructions", "icache_misses", "dcache_misses", "itlb_misses", "dtlb_misses")
    }
    words = ", ".join(f"{value:+.0f} {name}" for name, value in grown.items() if abs(value) >= 1)
    expected = {
        WITH: "; the paper's line is almost flat, since a flushed cache has nothing left to lose",
        WITHOUT: "; the paper's line is growing with the processes, whose lines push each other "
        "out",
    }.get(kernel, "")
    before, after = (found.ring(kernel, 0, n).functions for n in (few, many))
    longer = sorted(
        ((after.get(name, 0.0) / many - before.get(name, 0.0) / few, name) for name in after),
        reverse=True,
    )
    most = ", ".join(f"{name} ({value:+.0f})" for value, name in longer[:4] if value >= 1)
    return (
        f"A switch {kernel.label} takes {first:.1f} µs with {few} processes and {last:.1f} with "
        f"{many} ({last / first - 1:+.0%}; 0 KB){expected}. Here it has "
        f"{words or 'nothing more of what is counted'}; instructions grow most in "
        f"{most or 'no function'}."
    )


def _remains(found: Found) -> str:
    """What a fast switch leaves of the advantage."""
    texts = []
    for size in (SIZES[0], SIZES[-1]):
        for n in (SHOWN[0], SHOWN[-1]):
            slow, fast, least = (found.us(kernel, size, n) for kernel in KERNELS)
            texts.append(
                f"{size} KB, {n} processes: {slow:.0f} µs with flushes, {fast:.0f} fast, "
                f"{least:.0f} without an MMU, {slow / least:.1f} and {fast / least:.1f} times"
            )
    n = SHOWN[-1]
    return (
        "Where address spaces are switched fast, the advantage of having none is what remains of "
        "it: "
        + "; ".join(texts)
        + f". With {n} processes, more than have domains at a time, a fast switch has "
        f"{found.each(FASTER, 0, n, 'flushes'):.2f} flushes and "
        f"{found.each(FASTER, 0, n, 'aborts'):.2f} faults (0 KB). The paper had no such kernel."
    )


def _full(found: Found) -> str:
    """Whether what the processes touch makes both the same."""
    size = SIZES[-1]
    gains = {n: found.gain(size, n) for n in found.counts}
    n = SHOWN[-1]
    slow, fast = (found.us(kernel, size, n) for kernel in PAPERS)
    text = (
        f"{size} KB, as much as the data cache holds: {slow:.0f} µs with an MMU and {fast:.0f} "
        f"without, for {n} processes, {gains[n]:.2f} times as fast (over all numbers "
        f"{min(gains.values()):.2f} to {max(gains.values()):.2f}); the paper finds almost the "
        f"same. A switch fills {found.each(WITHOUT, size, n, 'dcache_misses'):.0f} lines of data "
        f"without an MMU and {found.each(WITH, size, n, 'dcache_misses'):.0f} with one"
    )
    if gains[n] > 1.1:
        nothing = found.us(WITH, 0, n) - found.us(WITHOUT, 0, n)
        text += (
            ": of data there is little left to save, but of instructions it fills "
            f"{found.each(WITHOUT, size, n, 'icache_misses'):.0f} lines in place of "
            f"{found.each(WITH, size, n, 'icache_misses'):.0f}, which data do not push out of a "
            f"cache of their own. So {slow - fast:.0f} µs are saved, {nothing:.0f} where nothing "
            "is touched. Why instructions should count for nothing on its processor, whose caches "
            "have 16 KB each as here, the paper does not say"
        )
    return text + "."
