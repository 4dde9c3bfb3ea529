# SPDX-License-Identifier: Apache-2.0
"""Cases and series side by side; curves by working set, by code, and by what is filled again."""

from collections.abc import Sequence

from switchyard.data.rows import Row, Rows, number, pivot
from switchyard.experiments.p4_microbench.cases import CASES
from switchyard.experiments.p4_microbench.measure import MACHINES, TLB_ENTRIES, TRACE_UOPS
from switchyard.show.figure import Figure, Knee, Mark, Series, Table, log_axis
from switchyard.show.views import Results, View

PAGE_KB = 4
SIZES = tuple(float(2**n) for n in range(1, 13))  # KB, of an axis
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
KNEES = ((8, "8 KB", 0.1), (256, "256 KB, 64 pages", 0.62))
# What a published latency is drawn over: the place that it stands at, and from where to where.
LEVELS = {4: ("L1", 2, 8), 64: ("L2", 16, 256), 4096: ("memory", 1024, 4096)}
# What follows from several cases, behind them in the table.
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
PAGES = {
    "a line": ("line", 1), "in one page": ("line_in_one_page", 1), "walks": ("line_walks", 2),
    "a jump": ("jump", 1), "jump, one page": ("jump_in_one_page", 1),
    "jump: walks": ("jump_walks", 2),
}  # fmt: skip
UOPS = {"a µop": ("uop", 3), "traces built": ("uop_builds", 3), "refill": ("trace_refill", 0)}
REFILLS = {
    "data TLB": ("dtlb_refill", 0), "instruction TLB": ("itlb_refill", 0),
    "global: lines": ("dtlb_kept", 0), "global: jumps": ("itlb_kept", 0),
}  # fmt: skip


def view(results: Results) -> View:
    """Tables of each machine; figures of all."""
    listed = [Machine(results.rows, machine) for machine in MACHINES]
    machines = {machine.name: machine for machine in listed if machine.there}
    return View(
        tables=[
            _cases(list(machines.values())),
            *(table for machine in machines.values() for table in machine.tables()),
        ],
        figures={
            "": _latencies(results, [*machines.values()]),
            "traces": _traces(next(iter(machines.values()))),
            "refills": _refills(results, next(iter(machines.values()))),
        },
        words={"machines": machines, "inputs": [s.what for s in results.statements if s.input]},
    )


class Machine:
    """What was measured of a machine."""

    def __init__(self, rows: Rows, name: str) -> None:
        self.name = name
        self._rows = rows
        self.there = bool(rows.select("empty", machine=name))

    @property
    def cases(self) -> Row:
        """The cases, and what follows of the series."""
        return self._rows.find("empty", machine=self.name)

    def along(self, metric: str) -> Rows:
        """The places of a series."""
        return self._rows.select(metric, machine=self.name)

    def at(self, metric: str, **place: int) -> float:
        """A value of a series."""
        return self._rows.find(metric, machine=self.name, **place)[metric]

    def last(self, metric: str) -> Row:
        """The last place of a series."""
        return self.along(metric)[-1]

    def tables(self) -> list[Table]:
        """Its series."""
        return [
            self._series(
                "Memory", "kb", "load_latency", {"a load": ("load_latency", 1)},
                "a chain of pointers through all lines of a large page, in random order",
            ),
            self._series(
                "Stores", "kb", "store_through", {"a store": ("store_through", 2)},
                "words one behind the other",
            ),
            self._series(
                "Pages", "pages", "line", PAGES,
                "a line a page, in random order, and a jump a page; the same lines and jumps in "
                "one large page; walks of page tables for each",
            ),
            self._series(
                "Code", "uops", "uop", UOPS,
                "instructions of a byte and a µop each: cycles, and traces built, for each; "
                "refill: what all of them take more behind a load of CR3, which is taken off",
            ),
            self._series(
                "Behind a load of CR3", "entries", "dtlb_refill", REFILLS,
                "what so many lines or jumps take more, each in a page of its own, than in global "
                "pages; and what the load of CR3 with those takes itself",
            ),
        ]  # fmt: skip

    def _series(
        self,
        title: str,
        parameter: str,
        metric: str,
        columns: dict[str, tuple[str, int]],
        caption: str,
    ) -> Table:
        rows = [(f"{row.where[parameter]:,}", row) for row in self.along(metric)]
        head = {"kb": "KB", "uops": "µops"}.get(parameter, parameter)
        return pivot(f"{title}, {self.name}: cycles", head, rows, columns, caption)

    def marks(self, parameter: str, metric: str, factor: float = 1) -> list[Mark]:
        """A series for a figure."""
        return [
            Mark(float(row.where[parameter]) * factor, row[metric]) for row in self.along(metric)
        ]


def _cases(machines: Sequence[Machine]) -> Table:
    return Table(
        title="Instructions, cycles",
        columns=["", *(machine.name for machine in machines)],
        rows=[
            [what, *(number(machine.cases[name]) for machine in machines)]
            for name, what in {**CASES, **DERIVED}.items()
        ],
        caption="the loop itself is taken off; of those that take the time themselves, an RDTSC",
    )


def _latencies(results: Results, machines: Sequence[Machine]) -> Figure:
    """Loads and jumps by how much memory they go through; pages of the first machine alone."""
    first = machines[0]
    series = [
        Series(machine.name, f"a load, {machine.name}", machine.marks("kb", "load_latency"))
        for machine in machines
    ]
    for metric, what in (("line", "a load"), ("jump", "a jump")):
        marks = first.marks("pages", metric, PAGE_KB)
        series.append(Series(metric, f"{what}, each in a page of 4 KB", marks))
    series += _published_loads(results)
    y_range, y_ticks = log_axis(TICKS, [mark.y for curve in series for mark in curve.marks])
    return Figure(
        title="Memory and pages of a Pentium 4",
        subtitle=[
            f"simulated machines: chains through large pages; on {first.name} a line or a jump a "
            "page, too",
            "hollow: what manual and NetBurst paper say of a load, for a Willamette at 1.4 GHz",
        ],
        x_title="gone through, KB (log scale)",
        y_title="cycles (log scale)",
        description="Cycles of a load by the memory that a chain of pointers goes through, and of "
        "a load and a jump by the pages, beside published latencies.",
        series=series,
        knees=[Knee(*knee) for knee in KNEES],
        log_x=True,
        log_y=True,
        x_ticks=SIZES,
        y_range=y_range,
        y_ticks=y_ticks,
    )


def _published_loads(results: Results) -> list[Series]:
    """A line for each latency that is published of a cache, or two for a range."""
    series = []
    for statement in results.statements:
        kb = statement.where.get("kb")
        if statement.metric != "load_latency" or not isinstance(kb, int):
            continue
        level, low, high = LEVELS[kb]
        ends = {"": statement.value}
        if statement.to is not None:
            ends = {", least": statement.value, ", most": statement.to}
        for end, value in ends.items():
            marks = [Mark(low, value), Mark(high, value)]
            series.append(Series("published", f"{level}, published{end}", marks, True))
    return series


def _traces(machine: Machine) -> Figure:
    """Cycles of a µop by how many there are."""
    marks = machine.marks("uops", "uop")
    return Figure(
        title="Code in the trace cache of a Pentium 4",
        subtitle=[f"simulated machine {machine.name}: instructions of a byte and a µop each"],
        x_title="µops",
        y_title="cycles for each",
        description="Cycles of a µop by the number of µops that a loop goes through.",
        series=[Series("uop", "a µop", marks)],
        knees=[Knee(TRACE_UOPS, "12 K µops: 2,048 traces", 0.8)],
        x_ticks=tuple(float(n * 4096) for n in range(7)),
        y_range=(0, max(1.2, *(mark.y for mark in marks))),
    )


def _refills(results: Results, machine: Machine) -> Figure:
    """What is filled again behind a load of CR3."""
    series = []
    for tlb, what in (("dtlb", "data TLB"), ("itlb", "instruction TLB")):
        series.append(Series(tlb, what, machine.marks("entries", f"{tlb}_refill")))
        value = results.paper(f"{tlb}_refill_whole", machine=machine.name)
        if value is not None:
            marks = [Mark(TLB_ENTRIES, value)]
            series.append(Series(tlb, f"{what}, the paper's: an input", marks, True))
    return Figure(
        title="What a load of CR3 takes from the TLBs",
        subtitle=[
            f"simulated machine {machine.name}: what lines or jumps, each in a page, take more "
            "than in global pages"
        ],
        x_title="pages",
        y_title="cycles",
        description="Cycles to fill TLB entries again by their number, beside the paper's values.",
        series=series,
        x_ticks=tuple(float(n * 8) for n in range(9)),
    )
