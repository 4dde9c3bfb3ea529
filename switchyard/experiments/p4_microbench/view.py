# SPDX-License-Identifier: Apache-2.0
"""Cases and series side by side; curves by working set, by code, and by what is filled again."""

from collections.abc import Iterator, Mapping

from switchyard.experiments.p4_microbench.cases import CASES
from switchyard.experiments.p4_microbench.measure import MACHINES, TLB_ENTRIES, TRACE_UOPS
from switchyard.show import declared as show

PAGE_KB = 4
SIZES = tuple(float(2**n) for n in range(1, 13))  # KB, of an axis
CODE_SIZES = tuple(float(n * 4096) for n in range(7))  # µops, of an axis
KNEES = [show.Knee(8, "8 KB", 0.1), show.Knee(256, "256 KB, 64 pages", 0.62)]
# What a published latency is drawn over: the place that it stands at, and from where to where.
LEVELS = {4: ("L1", 2, 8), 64: ("L2", 16, 256), 4096: ("memory", 1024, 4096)}
# What follows from several cases, after them in the table.
DERIVED = {
    "misprediction": "a mispredicted branch, by those that are counted",
    "self_modification": "a store into code, beyond one beside it",
    "dtlb_miss": "a miss in the data TLB, by the pages",
    "itlb_miss": "a miss in the instruction TLB, by the pages, and what it takes along",
    "dtlb_reach": "pages that the data TLB reaches",
    "itlb_reach": "pages that the instruction TLB reaches",
    "trace_reach": "µops of a byte each that the trace cache holds",
    "dtlb_refill_whole": f"refilling the data TLB: {TLB_ENTRIES} times an entry of the last point",
    "itlb_refill_whole": "refilling the instruction TLB, in the same way",
    "trace_refill_whole": f"refilling the trace cache: {TRACE_UOPS:,} µops, as 8,192 of them",
}
# A table of each series: the parameter and how its column is called, a metric that is along it, the
# columns, and what they mean.
SERIES = {
    "Memory": ("kb", "KB", "load_latency", {"a load": ("load_latency", 1)},
        "a chain of pointers through all lines of a large page, in random order"),
    "Stores": ("kb", "KB", "store_through", {"a store": ("store_through", 2)},
        "words one after the other"),
    "Pages": ("pages", "pages", "line", {
        "a line": ("line", 1), "in one page": ("line_in_one_page", 1), "walks": ("line_walks", 2),
        "a jump": ("jump", 1), "jump, one page": ("jump_in_one_page", 1),
        "jump: walks": ("jump_walks", 2),
    }, "a line a page, in random order, and a jump a page; the same lines and jumps in one large "
        "page; walks of page tables for each"),
    "Code": ("uops", "µops", "uop", {
        "a µop": ("uop", 3), "traces built": ("uop_builds", 3), "refill": ("trace_refill", 0),
    }, "instructions of a byte and a µop each: cycles, and traces built, for each; refill: what "
        "all of them take more after a load of CR3, which is taken off"),
    "Behind a load of CR3": ("entries", "entries", "dtlb_refill", {
        "data TLB": ("dtlb_refill", 0), "instruction TLB": ("itlb_refill", 0),
        "global: lines": ("dtlb_kept", 0), "global: jumps": ("itlb_kept", 0),
    }, "what so many lines or jumps take more, each in a page of its own, than in global pages; "
        "and what the load of CR3 with those takes itself"),
}  # fmt: skip


class Machine:
    """What was measured of a machine."""

    def __init__(self, rows: show.Rows, name: str) -> None:
        self.name, self._rows = name, rows
        self.there = bool(rows.select("empty", machine=name))

    @property
    def cases(self) -> show.Row:
        """The cases, and what follows of the series."""
        return self._rows.find("empty", machine=self.name)

    def along(self, metric: str) -> show.Rows:
        """The places of a series."""
        return self._rows.select(metric, machine=self.name)

    def at(self, metric: str, **place: int) -> float:
        """A value of a series."""
        return self._rows.find(metric, machine=self.name, **place)[metric]

    def last(self, metric: str) -> show.Row:
        """The last place of a series."""
        return self.along(metric)[-1]

    def tables(self) -> Iterator[show.Table]:
        """Its series."""
        for title, (parameter, head, metric, columns, caption) in SERIES.items():
            lines = [(f"{row.where[parameter]:,}", row) for row in self.along(metric)]
            yield show.table(f"{title}, {self.name}: cycles", head, lines, columns, caption)

    def line(self, label: str, parameter: str, metric: str, factor: float = 1) -> show.Series:
        """A series for a figure."""
        places = [(float(row.where[parameter]) * factor, row) for row in self.along(metric)]
        marks = [show.Mark(x, row[metric]) for x, row in places]
        return show.Series(metric + self.name, label, marks)


def view(results: show.Results) -> show.View:
    listed = [Machine(results.rows, machine) for machine in MACHINES]
    machines = {machine.name: machine for machine in listed if machine.there}
    first = next(iter(machines.values()))
    inputs = [statement.what for statement in results.statements if statement.input]
    cases = [(what, name) for name, what in {**CASES, **DERIVED}.items()]
    columns = {name: _case(machine.cases) for name, machine in machines.items()}
    told = "the loop itself is taken off; of those that take the time themselves, an RDTSC"
    tables = [show.table("Instructions, cycles", "", cases, columns, told)]
    tables += [table for machine in machines.values() for table in machine.tables()]
    code = first.line("a µop", "uops", "uop")
    most = max(mark.y for mark in code.marks)
    figures = {
        "": _latencies(results, machines),
        "traces": show.lines(
            "Code in the trace cache of a Pentium 4",
            f"simulated machine {first.name}: instructions of a byte and a µop each",
            show.Axes("cycles for each over µops", x_ticks=CODE_SIZES, y_range=(0, max(1.2, most))),
            [code],
            knees=[show.Knee(TRACE_UOPS, "12 K µops: 2,048 traces", 0.8)],
        ),
        "refills": _refills(results, first),
    }
    return show.View(tables, figures, locals())


def _case(row: show.Row) -> show.Column:
    return lambda name: show.number(row[name])


def _latencies(results: show.Results, machines: Mapping[str, Machine]) -> show.Figure:
    """Loads and jumps by how much memory they go through; pages of the first machine alone."""
    first = next(iter(machines.values()))
    series = [m.line(f"a load, {name}", "kb", "load_latency") for name, m in machines.items()]
    for metric, what in (("line", "a load"), ("jump", "a jump")):
        series.append(first.line(f"{what}, each in a page of 4 KB", "pages", metric, PAGE_KB))
    # a line for each latency that is published of a cache, or two for a range
    for statement in results.statements:
        kb = statement.where.get("kb")
        if statement.metric == "load_latency" and isinstance(kb, int):
            level, low, high = LEVELS[kb]
            ends = {"": statement.value}
            if statement.to is not None:
                ends = {", least": statement.value, ", most": statement.to}
            for end, value in ends.items():
                marks = {low: value, high: value}
                series += show.published("published", f"{level}, published{end}", marks)
    return show.lines(
        "Memory and pages of a Pentium 4",
        f"simulated machines: chains through large pages; on {first.name} a line or a jump a page, "
        "too\nhollow: what manual and NetBurst paper say of a load, for a Willamette at 1.4 GHz",
        show.Axes("cycles over gone through, KB", log="xy", x_ticks=SIZES),
        series,
        knees=KNEES,
    )


def _refills(results: show.Results, machine: Machine) -> show.Figure:
    """What is filled again after a load of CR3."""
    series = []
    for tlb, what in (("dtlb", "data TLB"), ("itlb", "instruction TLB")):
        line = machine.line(what, "entries", f"{tlb}_refill")
        paper = results.paper(f"{tlb}_refill_whole", machine=machine.name)
        label = f"{what}, the paper's: an input"
        series += [line, *show.published(line.kind, label, {TLB_ENTRIES: paper})]
    return show.lines(
        "What a load of CR3 takes from the TLBs",
        f"simulated machine {machine.name}: what lines or jumps, each in a page, take more than in "
        "global pages",
        show.Axes("cycles over pages", x_ticks=tuple(float(n * 8) for n in range(9))),
        series,
    )
