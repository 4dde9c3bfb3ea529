# SPDX-License-Identifier: Apache-2.0
"""A system's overheads: the paper's figures again, its tables, and what `text.md` asks for."""

from switchyard import summary
from switchyard.experiments.overheads.formulas import (
    CLOCK_MHZ,
    MOST_INTERRUPTS,
    MOST_SWITCHES,
    NAMES,
    PAIRS,
    PAPER,
    TASKS,
    Pair,
    name_of,
)
from switchyard.figure import Figure, Mark, Series, Table
from switchyard.rows import Row, pivot
from switchyard.views import Results

# What the paper says of ranges, which no single record is beside. Section 3.2: direct and indirect,
# over the pairs, %; of one task at 99 switches, ms ("below 2", "2.5", "between 6 and 8").
ALTOGETHER = (0.17, 0.25)
OF_TASK = {"crc": (0.0, 2.0), "sort": (2.5, 2.5), "aes": (6.0, 8.0), "deflate": (6.0, 8.0)}
# Section 4.2: direct and indirect, over the tasks, %.
INTERRUPTED = (0.28, 0.38)
# The tables' columns: a metric, and so many digits.
SWITCHED = {
    "together, s": ("together", 3), "direct, ms": ("direct", 2), "indirect, ms": ("indirect", 2),
    "1st task": ("first", 2), "2nd task": ("second", 2), "switches": ("indirect_switches", 2),
    "indirect, %": ("indirect_percent", 3), "altogether, %": ("altogether_percent", 3),
}  # fmt: skip
INTERRUPTS = {
    "alone, s": ("alone", 3), "direct, µs": ("direct", 0),
    "indirect, µs": ("interrupt_indirect", 1),
    "indirect, %": ("interrupt_indirect_percent", 4),
    "altogether, %": ("interrupt_altogether_percent", 4),
}  # fmt: skip


def titled(pair: Pair) -> str:
    """A pair in words."""
    return " and ".join(NAMES[task] for task in pair)


class Overheads:
    """What was measured of a system, which figures call `about` and sentences `name`."""

    altogether, of_task_published, interrupted = ALTOGETHER, OF_TASK, INTERRUPTED
    names, tasks, clock = NAMES, TASKS, CLOCK_MHZ
    titled = staticmethod(titled)

    def __init__(self, results: Results, scheme: str, about: str, name: str) -> None:
        self.about, self.name, self.scheme = about, name, scheme
        self._results = results
        rows = results.rows.select(scheme=scheme)
        self.rows = rows
        # what is of all pairs and tasks
        self.once = rows.find("switch_max_cv")
        self.pairs = [pair for pair in PAIRS if rows.select("running", pair=name_of(pair))]
        first = rows.select("running", pair=name_of(self.pairs[0]))
        self.counts = [int(row.where["switches"]) for row in first]
        of_task = rows.select("task_running", task=TASKS[0])
        self.interrupts = [int(row.where["interrupts"]) for row in of_task]
        self.most, self.most_interrupts = self.counts[-1], self.interrupts[-1]
        # whether what the paper says of its most is about these
        self.full = self.most == MOST_SWITCHES
        self.full_interrupts = self.most_interrupts == MOST_INTERRUPTS

    # ---- rows ----

    def pair(self, pair: Pair, n: int | None = None) -> Row:
        """A pair with n switches, or the most."""
        return self.rows.find("running", pair=name_of(pair), switches=n or self.most)

    def of(self, pair: Pair, task: str, n: int | None = None) -> float:
        """What a pair's task loses itself, in ms."""
        row = self.rows.find(
            "indirect_task", pair=name_of(pair), switches=n or self.most, task=task
        )
        return row["indirect_task"]

    def of_task(self, task: str) -> list[float]:
        """The same with most switches, in every pair, least first."""
        return sorted(self.of(pair, task) for pair in self.pairs if task in pair)

    def over_pairs(self, metric: str) -> list[float]:
        """A metric with most switches, of every pair."""
        return [self.pair(pair)[metric] for pair in self.pairs]

    def over_tasks(self, metric: str) -> list[float]:
        """A metric with most interrupts, of every task."""
        return [self.task(task)[metric] for task in TASKS]

    @property
    def largest(self) -> str:
        """The pair whose switches add most indirectly."""
        return titled(max(self.pairs, key=lambda pair: self.pair(pair)["indirect_percent"]))

    @property
    def smaller(self) -> str:
        """The pairs whose indirect overhead is not larger than the direct one."""
        rows = {titled(pair): self.pair(pair) for pair in self.pairs}
        return "; ".join(name for name, row in rows.items() if row["indirect"] <= row["direct"])

    def task(self, task: str, n: int | None = None) -> Row:
        """A task with n interrupts, or the most."""
        n = self.most_interrupts if n is None else n
        return self.rows.find("task_running", task=task, interrupts=n)

    def paper(self, metric: str, **where: str | int) -> float | None:
        """What is published of a case, if something is."""
        return self._results.paper(metric, scheme=self.scheme, **where)

    # ---- figures ----

    def figure_2(self) -> Figure:
        """Direct and indirect overheads over the number of switches, all pairs (Fig. 2)."""
        rows = {pair: [self.pair(pair, n) for n in self.counts] for pair in self.pairs}
        papers = {pair: self.paper("indirect", **_most(pair)) for pair in self.pairs}
        series = [
            Series(name_of(pair), titled(pair), [row.mark("switches", "indirect") for row in some])
            for pair, some in rows.items()
        ]
        direct = [row.mark("switches", "direct") for row in rows[self.pairs[0]]]
        series.append(Series("direct", "direct", direct))
        if self.full:
            for pair, value in papers.items():
                if value is not None:
                    marks = [Mark(1, 0.0), Mark(self.most, value)]
                    label = f"published: {titled(pair)}"
                    series.append(Series(name_of(pair), label, marks, published=True))
            once, every = self.paper("switch_direct"), self.paper("direct", switches=self.most)
            if once is not None and every is not None:
                marks = [Mark(1, once / 1e3), Mark(self.most, every)]
                series.append(Series("direct", "published: direct", marks, published=True))
        drawn = [mark.y for line in series for mark in line.marks]
        return Figure(
            title="What context switches cost: direct and indirect overheads",
            subtitle=[
                f"{self.about}; max CV {self.once['switch_max_cv']:.2g}; two tasks that hand over "
                "to each other, both together:",
                "indirect overheads by pair, and the direct one, which is the same for all;",
                "bars: 95 % confidence interval of the mean, over the runs",
            ],
            x_title="context switches",
            y_title="overhead, ms",
            description=(
                f"Line chart of indirect overheads of {len(self.pairs)} pairs of tasks and of the "
                f"direct overhead over 1 to {self.most} context switches, between {min(drawn):.2f} "
                f"and {max(drawn):.2f} ms."
            ),
            series=series,
        )

    def figure_3(self, pair: Pair) -> Figure:
        """The indirect overhead of one pair by where it is (a panel of Fig. 3)."""
        values = {NAMES[task]: [self.of(pair, task, n) for n in self.counts] for task in pair}
        values["switches, by dirty lines"] = [
            self.pair(pair, n)["indirect_switches"] for n in self.counts
        ]
        series = [
            Series(label, label, [Mark(n, y) for n, y in zip(self.counts, ys, strict=True)])
            for label, ys in values.items()
        ]
        if "sort" in pair and self.full:
            # of the others the text has bounds only
            marks = [Mark(1, 0.0), Mark(self.most, OF_TASK["sort"][1])]
            series.append(Series(NAMES["sort"], f"published: {NAMES['sort']}", marks, True))
        ends = ", ".join(f"{label} {ys[-1]:.2f}" for label, ys in values.items())
        return Figure(
            title=f"Where the indirect overhead is: {titled(pair)}",
            subtitle=[f"{self.about}; what each takes longer than with a single switch"],
            x_title="context switches",
            y_title="indirect overhead, ms",
            description=f"Line chart over 1 to {self.most} switches, which ends at, in ms: {ends}.",
            series=series,
        )

    def figure_5(self) -> Figure:
        """The indirect overhead of interrupts by task (Fig. 5)."""
        series = [
            Series(
                task,
                NAMES[task],
                [self._mark(task, n) for n in self.interrupts],
                band="least to most",
            )
            for task in TASKS
        ]
        ends = ", ".join(f"{line.label} {line.marks[-1].y:.1f}" for line in series)
        running = self.paper("task_running", task="sort", interrupts=0)
        share = self.paper("interrupt_indirect_percent", task="sort", interrupts=MOST_INTERRUPTS)
        if self.full_interrupts and running is not None and share is not None:
            # the one task whose running time is printed
            marks = [Mark(0, 0.0), Mark(self.most_interrupts, share / 100 * running * 1e6)]
            series.append(Series("sort", "published: bubble sort", marks, published=True))
        return Figure(
            title="What interrupts cost a task beside their own time",
            subtitle=[
                f"{self.about}; max CV {self.once['interrupt_max_cv']:.2g}; indirect overhead, by "
                "task;",
                "band: from the least to the most of the runs; bars: 95 % confidence interval",
            ],
            x_title="interrupts",
            y_title="indirect overhead, µs",
            description=(
                f"Line chart over 0 to {self.most_interrupts} interrupts, which ends at, in µs: "
                f"{ends}."
            ),
            series=series,
        )

    def _mark(self, task: str, n: int) -> Mark:
        """With its spread over the runs, which is often as large as it is."""
        row, metric = self.task(task, n), "interrupt_indirect"
        low, high = (row.get(f"{metric}_{end}") for end in ("least", "most"))
        return Mark(n, row[metric], low, high, row.interval(metric).half)

    # ---- tables and notes ----

    def tables(self) -> list[Table]:
        """With the most switches, and with the most interrupts."""
        direct = self.once["interrupt_direct"]
        return [
            pivot(
                f"{self.about}: {self.most} context switches",
                "tasks",
                [(titled(pair), self._switched(pair)) for pair in self.pairs],
                SWITCHED,
                f"published ({PAPER}) altogether: {ALTOGETHER[0]:g} to {ALTOGETHER[1]:g} % with "
                f"{MOST_SWITCHES} switches; max CV {self.once['switch_max_cv']:.2g}",
            ),
            pivot(
                f"{self.about}: {self.most_interrupts} interrupts of {direct:.2f} µs",
                "task",
                [(NAMES[task], self._interrupted(task)) for task in TASKS],
                INTERRUPTS,
                f"published ({PAPER}) altogether: {INTERRUPTED[0]:g} to {INTERRUPTED[1]:g} % with "
                f"{MOST_INTERRUPTS} interrupts; max CV {self.once['interrupt_max_cv']:.2g}",
            ),
        ]

    def _switched(self, pair: Pair) -> Row:
        """A pair's row of the table: its time with one switch, and its tasks, in it."""
        row, (first, second) = self.pair(pair), (self.of(pair, task) for task in pair)
        together = self.pair(pair, 1)["running"]
        return Row(row.where, {**row, "together": together, "first": first, "second": second})

    def _interrupted(self, task: str) -> Row:
        """A task's: its time without interrupts, and what they take directly, in it."""
        row, alone = self.task(task), self.task(task, 0)["task_running"]
        direct = self.most_interrupts * self.once["interrupt_direct"]
        return Row(row.where, {**row, "alone": alone, "direct": direct})

    def unsteady(self) -> list[str]:
        """What is not known well of the overheads."""
        return summary.unsteady(
            [
                *(
                    (f"switches, {titled(pair)}", self.pair(pair).interval("indirect"))
                    for pair in self.pairs
                ),
                *(
                    (f"interrupts, {NAMES[task]}", self.task(task).interval("interrupt_indirect"))
                    for task in TASKS
                ),
            ]
        )


def _most(pair: Pair) -> dict[str, str | int]:
    return {"pair": name_of(pair), "switches": MOST_SWITCHES}
