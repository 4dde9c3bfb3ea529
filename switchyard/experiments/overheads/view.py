# SPDX-License-Identifier: Apache-2.0
"""A system's overheads: the paper's figures again, its tables, and what `text.md` asks for."""

import math
from collections.abc import Mapping

from switchyard.data import summary
from switchyard.data.rows import Row, pivot
from switchyard.data.summary import Interval
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
from switchyard.show.figure import Bar, Bars, Figure, Mark, Series, Table
from switchyard.show.views import Results

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

    def overhead(self, pair: Pair) -> Interval:
        """Direct and indirect with most switches, in ms."""
        row = self.pair(pair)
        return Interval(row["direct"] + row["indirect"], row.interval("indirect").half)

    def together(self) -> Interval:
        """The same of all pairs."""
        each = [self.overhead(pair) for pair in self.pairs]
        return Interval(sum(one.mean for one in each), math.hypot(*(one.half for one in each)))

    def saved(self, other: "Overheads") -> dict[str, float]:
        """The share of another scheme's overhead that this one saves: pairs whose runs can tell."""
        shares = {
            titled(pair): _saved(self.overhead(pair), other.overhead(pair)) for pair in self.pairs
        }
        return {pair: share for pair, share in shares.items() if share is not None}

    def placed(self) -> list[float]:
        """What a switch takes where it is, with what tasks leave in the caches: µs, least first."""
        rows = (self.pair(pair) for pair in self.pairs)
        return sorted(1e3 * (row["direct"] + row["indirect_switches"]) / self.most for row in rows)

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


def _saved(one: Interval, other: Interval) -> float | None:
    """What one saves of another; nothing that runs differ by themselves."""
    if abs(other.mean - one.mean) <= math.hypot(one.half, other.half):
        return None
    return 1 - one.mean / other.mean


def scheme_bars(schemes: Mapping[str, Overheads], about: str) -> Bars:
    """What the switches add to a pair's running time, by scheme."""
    first = next(iter(schemes.values()))
    told = {
        name: sorted(scheme.overhead(pair).mean for pair in first.pairs)
        for name, scheme in schemes.items()
    }
    return Bars(
        title="What context switches add to the running time, by switching scheme",
        subtitle=[
            f"{about}; direct and indirect overheads of {first.most} context switches together"
        ],
        value_title="overhead, ms",
        description="Bars for each pair of tasks and scheme; "
        + ", ".join(f"with {s} {ms[0]:.2f} to {ms[-1]:.2f} ms" for s, ms in told.items())
        + ".",
        bars=[
            Bar(titled(pair), name, scheme.overhead(pair).mean)
            for pair in first.pairs
            for name, scheme in schemes.items()
        ],
        stacked=False,
    )


def scheme_table(schemes: Mapping[str, Overheads], beside: Mapping[str, str]) -> Table:
    """Every pair under every scheme; `beside` which others they save of, if not of the first."""
    first = next(iter(schemes))
    bases = {name: schemes[beside.get(name, first)] for name in schemes}
    rows = []
    for pair in schemes[first].pairs:
        for name, scheme in schemes.items():
            row = scheme.pair(pair)
            rows.append(
                [
                    titled(pair),
                    name,
                    f"{row['direct']:.2f}",
                    _known(row.interval("indirect")),
                    f"{sum(scheme.of(pair, task) for task in pair):.2f}",
                    f"{row['altogether_percent']:.4f}",
                    _told(scheme.overhead(pair), bases[name].overhead(pair), name != first),
                ]
            )
    for name, scheme in schemes.items():
        direct = sum(scheme.pair(pair)["direct"] for pair in scheme.pairs)
        known = scheme.together()
        rows.append(
            [
                "all pairs",
                name,
                f"{direct:.2f}",
                _known(Interval(known.mean - direct, known.half)),
                f"{sum(scheme.of(pair, task) for pair in scheme.pairs for task in pair):.2f}",
                "",
                _told(known, bases[name].together(), name != first),
            ]
        )
    others = "".join(f", by {name} with {base}" for name, base in beside.items())
    return Table(
        title=f"Schemes: {schemes[first].most} context switches",
        columns=[
            "tasks", "scheme", "direct, ms", "indirect, ms", "of it tasks, ms", "altogether, %",
            "saved",
        ],
        rows=rows,
        caption="direct: n times a switch from cold caches; indirect: with half its 95 % "
        "confidence interval; tasks: what they take longer; saved: of the overhead altogether with "
        f"{first}{others}; -: runs differ by more",
        words=["scheme"],
    )  # fmt: skip


def interrupt_table(
    schemes: Mapping[str, Overheads], direct: Mapping[str, Mapping[str, float]], caption: str = ""
) -> Table:
    """An interrupt under each scheme: `direct` by scheme and kind, then of every task."""
    first = next(iter(schemes.values()))
    kinds = next(iter(direct.values()))
    return Table(
        title=f"Schemes: an interrupt, µs; {first.most_interrupts} of them, altogether, %",
        columns=["scheme", *kinds, *(NAMES[task] for task in TASKS)],
        rows=[
            [
                name,
                *(f"{us:.2f}" for us in direct[name].values()),
                *(f"{scheme.task(task)['interrupt_altogether_percent']:.4f}" for task in TASKS),
            ]
            for name, scheme in schemes.items()
        ],
        caption=caption,
    )


def _known(value: Interval) -> str:
    """With half its interval, where there is one."""
    return f"{value.mean:.2f}" + (f" ± {value.half:.2f}" if value.half < math.inf else "")


def _told(one: Interval, other: Interval, asked: bool) -> str:
    """What one saves of another, if that is asked."""
    share = _saved(one, other)
    told = "-" if share is None else f"{share:.0%}"
    return told if asked else ""


def _most(pair: Pair) -> dict[str, str | int]:
    return {"pair": name_of(pair), "switches": MOST_SWITCHES}
