# SPDX-License-Identifier: Apache-2.0
"""Fig. 2 of the FASS paper: lmbench's lat_ctx on Linux that flushes at each switch, and fast.

A ring of 2 to 40 processes, each touching 0 to 16 KB, passes a token; what passing and touching
take
without a switch is measured by one process alone and taken off, as lmbench does. The paper draws
the
figure and gives none of its values for the original kernel in words; what it does say in numbers is
what a switch can cost at worst (section 2), and that is the line here.
"""

from collections.abc import Mapping
from dataclasses import replace

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import rings
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings
from switchyard.experiments.linux_suite import BOARDS, KERNELS, ORIGINAL, Kernel, Run
from switchyard.experiments.rings import Rings
from switchyard.figure import Bar, Bars, Figure, Mark, Series, Table
from switchyard.machine import Stats
from switchyard.records import Parameter, Published, Record
from switchyard.summary import SPREAD, unsteady

PAPER = "Wiggins et al., ACSAC 2003"
WORST = Published(350.0, f"{PAPER}, section 2: worst case around 75,000 cycles, or about 350 µs")
SIZES = (0, 1, 4, 8, 16)  # KB
COUNTS = (*range(2, 13), 14, 16, 20, 24, 28, 32, 36, 40)
ROUNDS = 15  # of each boot
BAND_ROUNDS = 40
QUICK_COUNTS = (2, 4, 8, 16, 24, 32, 40)
SHOWN = (2, 8, 16, 40)  # in tables and breakdowns; quick runs have them too


class LinuxCtx(FromRuns[Run]):
    """Fig. 2: lmbench context switching latency."""

    name = "linux-ctx"
    question = "What does a switch cost as processes and the memory that they touch grow?"
    source = "Wiggins et al., ACSAC 2003, Fig. 2"

    band_metric = (f"switch_{SHOWN[0]}_us", "us")
    band_system = suite.SYSTEM
    band_scheme = suite.SCHEME
    band_label = "{machine}-{size_kb:02}k"

    def band_jobs(self, settings: Settings) -> list[Job]:
        """The paper's machine, two processes that touch nothing: one boot, the same at all ends."""
        rounds = settings.rounds or BAND_ROUNDS
        words = f"ctx processes={SHOWN[0]} size=0 rounds={rounds}"
        parameters = {"size_kb": 0, "processes": SHOWN[0]}
        (job,) = suite.jobs(ORIGINAL, "00k", words, parameters, settings, boots=1)
        return [replace(job, name=f"{ORIGINAL}-00k")]

    def row(self, job: Job, run: Run) -> dict[str, Parameter]:
        """A switch by the number of processes, in microseconds."""
        size = int(job.parameters["size_kb"])
        kernel = suite.kernel(job)
        found = Found({f"{kernel}-{size:02}k": run})
        times = {f"switch_{n}_us": found.us(kernel, size, n) for n in found.counts}
        return {**job.parameters, **times}

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, size and boot, which measures every number of processes."""
        found = []
        counts = ",".join(str(n) for n in (QUICK_COUNTS if settings.quick else COUNTS))
        rounds = settings.rounds or (10 if settings.quick else ROUNDS)
        for kernel in KERNELS:
            for size in SIZES:
                words = f"ctx processes={counts} size={size} rounds={rounds}"
                quick = {"size_kb": size, "quick": settings.quick}
                found += suite.jobs(kernel, f"{size:02}k", words, quick, settings)
        return found

    def measure(self, job: Job, stats: Stats) -> Run:
        """Each number of processes in the ring, and alone."""
        if "processes" in job.parameters:
            return rings.measure(job, stats, [int(job.parameters["processes"])])
        return rings.measure(job, stats, QUICK_COUNTS if job.parameters["quick"] else COUNTS)

    def outcome(self, runs: Mapping[str, Run]) -> Outcome:
        """Records, tables, figures and what they say."""
        found = Found(suite.together(runs))
        return Outcome(
            records=records(found),
            tables=[*(times(found, kernel) for kernel in KERNELS)],
            figure=figure(found, ORIGINAL),
            notes=notes(found),
            more={
                **{suite.named("gain", board[0]): gain(found, *board) for board in BOARDS},
                **{str(kernel): figure(found, kernel) for kernel in KERNELS[1:]},
                **{
                    suite.named("breakdown", kernel): breakdown(found, kernel) for kernel in KERNELS
                },
            },
        )


class Found(Rings[Kernel]):
    """The runs, by kernel, size and number of processes."""

    def prefix(self, on: Kernel) -> str:
        """The kernel's name."""
        return str(on)


def records(found: Found) -> list[Record]:
    """Every measured value; what was counted is a share of the way around, nothing taken off."""
    made = []
    for kernel in KERNELS:
        for size in SIZES:
            for n in found.counts:
                made += suite.records(
                    "linux-ctx",
                    found.run(kernel, size),
                    found.ring(kernel, size, n),
                    "switch",
                    {"processes": n, "size_kb": size},
                    value=found.switch(kernel, size, n),
                    interval=found.interval(kernel, size, n),
                    divide=n,
                    scheme=kernel.scheme,
                )
    return made


def times(found: Found, kernel: Kernel) -> Table:
    """The figure in numbers, where it is worth it."""
    rows = []
    for n in SHOWN:
        one = found.ring(kernel, 0, n)
        rows.append(
            [
                f"{n}",
                *(found.shown(kernel, size, n) for size in SIZES),
                f"{one.rates['address_space_switches'] / n:.2f}",
                f"{one.rates['instructions'] / n:.0f}",
                f"{one.rates['icache_misses'] / n:.0f}",
                f"{one.rates['dcache_misses'] / n:.0f}",
            ]
        )
    return Table(
        title=f"{kernel}: a switch, µs, {SPREAD}; and what one at 0 KB met",
        columns=[
            "processes", *(f"{size} KB" for size in SIZES),
            "switches", "instr.", "I-miss", "D-miss",
        ],
        rows=rows,
        caption=f"published: about {WORST.value:g} µs at worst ({PAPER}, section 2), SA-1100",
    )  # fmt: skip


def figure(found: Found, kernel: Kernel) -> Figure:
    """Fig. 2 again."""
    series = []
    for size in SIZES:
        marks = [Mark(n, found.us(kernel, size, n)) for n in found.counts]
        series.append(Series(f"{size} KB", f"{size} KB", marks))
    first, last = found.counts[0], found.counts[-1]
    if kernel == ORIGINAL:
        worst = [Mark(first, WORST.value), Mark(last, WORST.value)]
        label = "published: about 350 µs at worst"
        series.append(Series("worst", label, worst, published=True))
    low = min(found.us(kernel, size, n) for size in SIZES for n in found.counts)
    high = max(found.us(kernel, size, n) for size in SIZES for n in found.counts)
    y_range, y_ticks = suite.ticks(max(high, WORST.value), 50)
    return Figure(
        title=f"A switch between processes on Linux that {kernel.does}",
        subtitle=[
            f"{kernel.about}; a ring of processes, each touching its own memory;",
            "means; what passing the token and touching take without a switch is taken off",
        ],
        x_title="processes",
        y_title="a switch, µs",
        description=(
            f"Line chart of context-switch times over {first} to {last} processes, a line for each "
            f"size from 0 to 16 KB, between {low:.0f} and {high:.0f} microseconds."
        ),
        series=series,
        y_range=y_range,
        y_ticks=y_ticks,
        x_ticks=[2, *range(5, 41, 5)],
    )


def gain(found: Found, *kernels: Kernel) -> Figure:
    """A machine's kernels with no memory touched: the paper's Fig. 3 where nothing is shared."""
    series = []
    for kernel in kernels:
        marks = [Mark(n, found.us(kernel, 0, n)) for n in found.counts]
        series.append(Series(kernel.short, kernel.short, marks))
    high = max(mark.y for one in series for mark in one.marks)
    low = min(mark.y for one in series for mark in one.marks)
    y_range, y_ticks = suite.ticks(high, 50)
    return Figure(
        title="A switch between processes: flushing, fast, with hardware tags",
        subtitle=[
            f"{kernels[0].about}; a ring of processes that touch no memory; means; what passing",
            "the token takes without a switch is taken off; 13 processes have domains at a time",
        ],
        x_title="processes",
        y_title="a switch, µs",
        description=(
            f"Line chart of context-switch times over {found.counts[0]} to {found.counts[-1]} "
            f"processes for each kernel on {kernels[0].board}, between {low:.0f} and {high:.0f} "
            "microseconds."
        ),
        series=series,
        y_range=y_range,
        y_ticks=y_ticks,
        x_ticks=[2, *range(5, 41, 5)],
    )


def breakdown(found: Found, kernel: Kernel) -> Bars:
    """Where the time of a switch goes, passing the token and touching memory included."""
    bars: list[Bar] = []
    for size in (0, 4, 16):
        for n in SHOWN:
            run, one = found.run(kernel, size), found.ring(kernel, size, n)
            bars += suite.bars(f"{n} processes, {size} KB", run, one, divide=n)
    first = found.ring(kernel, 0, SHOWN[0])
    return Bars(
        title="Where the time of a switch goes",
        subtitle=[
            f"{kernel.about}; every cycle of a token's way to the next process,",
            "by the function that took it and by what it waited for; nothing taken off",
        ],
        value_title="µs a switch",
        description=f"Stacked bars; with {SHOWN[0]} processes and 0 KB: {suite.said(first)}.",
        bars=bars,
    )


def notes(found: Found) -> list[str]:
    """What the curves say, beside what the paper says of its own."""
    made = []
    for kernel in KERNELS:
        few, many = found.us(kernel, 0, SHOWN[0]), found.us(kernel, 0, SHOWN[-1])
        one = found.ring(kernel, 0, SHOWN[0])
        made.append(
            f"{kernel}, 0 KB: {few:.0f} µs with {SHOWN[0]} processes, {many:.0f} with {SHOWN[-1]} "
            f"({many / few - 1:+.0%}). Of the token's way with {SHOWN[0]} processes: "
            f"{suite.said(one)}. " + _shape(found, kernel)
        )
    for original, faster, sharing, bound in BOARDS:

        def ratios(over: Kernel, under: Kernel) -> str:
            return ", ".join(
                f"{found.us(over, 0, n) / found.us(under, 0, n):.1f} with {n}" for n in SHOWN
            )

        made.append(
            f"{original.board}: a fast switch takes so many times less, 0 KB: "
            f"{ratios(original, faster)} processes; with shared TLB entries "
            f"{ratios(original, sharing)}; with hardware tags, the bound, "
            f"{ratios(original, bound)}. {PAPER}, Fig. 2: 57 with 2 processes, 4 with 13, and "
            "below 60 % of the original beyond."
        )
    worst, size, n = max(
        (found.us(ORIGINAL, size, n), size, n) for size in SIZES for n in found.counts
    )
    one = found.ring(ORIGINAL, size, n)
    made.append(
        f"The paper estimates {WORST.value:g} µs at worst: one flush, and all of both caches and "
        "TLBs "
        f"filled once. The largest switch measured on the SA-1110 is {worst:.0f} µs ({n} "
        "processes, "
        f"{size} KB): {one.rates['icache_misses'] / n:.0f} lines are filled for "
        f"{one.rates['instructions'] / n:.0f} instructions, in a cache that holds 512, and "
        f"{one.rates['dcache_misses'] / n:.0f} of data, those included by which the flush writes "
        "the "
        "cache back; the cache holds 256."
    )
    largest = [found.us(ORIGINAL, size, SHOWN[-1]) for size in SIZES]
    text = (
        "lmbench takes off what the token and the memory cost one process alone, whose caches stay "
        "warm as long as its memory fits. Lines that must be filled again after each switch "
        "remain; "
        "those that would have been filled anyway do not."
    )
    if max(largest[-2:]) < max(largest[:-2]):
        text += (
            f" So on the SA-1110, whose data cache has 8 KB, a switch seems to cost less with "
            f"{SIZES[-2]} KB ({largest[-2]:.0f} µs, {SHOWN[-1]} processes) than with {SIZES[2]} KB "
            f"({largest[2]:.0f})."
        )
    made.append(text)
    return made + unsteady(
        (f"{n} processes, {size} KB on {kernel}", found.interval(kernel, size, n))
        for kernel in KERNELS
        for size in SIZES
        for n in SHOWN
    )


def _shape(found: Found, kernel: Kernel) -> str:
    """Whether more processes cost more, and what it is that they cost more for."""
    few, many = found.ring(kernel, 0, SHOWN[0]), found.ring(kernel, 0, SHOWN[-1])

    def each(rates: Mapping[str, float], n: int, name: str) -> float:
        return rates.get(name, 0.0) / n

    grown = {
        name.replace("_", " "): each(many.rates, SHOWN[-1], name) - each(few.rates, SHOWN[0], name)
        for name in ("instructions", "icache_misses", "dcache_misses", "dtlb_misses")
    }
    words = ", ".join(f"{value:+.0f} {name}" for name, value in grown.items() if abs(value) >= 1)
    if not words:
        return "Nothing that is counted grows with the number of processes."
    names = {*few.functions, *many.functions}
    longer = sorted(
        (
            (each(many.functions, SHOWN[-1], name) - each(few.functions, SHOWN[0], name), name)
            for name in names
        ),
        reverse=True,
    )
    most = ", ".join(f"{name} ({value:+.0f})" for value, name in longer[:4] if value >= 1)
    return (
        f"From {SHOWN[0]} to {SHOWN[-1]} processes a switch has {words}; instructions grow most in "
        f"{most or 'no function'}."
        + (
            " A flushed cache has nothing left to lose to other processes."
            if kernel.scheme == suite.SCHEME
            else ""
        )
    )
