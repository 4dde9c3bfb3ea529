# SPDX-License-Identifier: Apache-2.0
"""A system's overheads: the paper's figures again, its tables, and what `text.md` asks for."""

import math
from collections.abc import Mapping

from switchyard.data import summary
from switchyard.data.summary import Interval
from switchyard.experiments.overheads import formulas
from switchyard.experiments.overheads.formulas import NAMES, PAIRS, PAPER, TASKS, Pair, name_of
from switchyard.show import declared as show

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
    "indirect, µs": ("interrupt_indirect", 1), "indirect, %": ("interrupt_indirect_percent", 4),
    "altogether, %": ("interrupt_altogether_percent", 4),
}  # fmt: skip


MOST_SWITCHES, MOST_INTERRUPTS = formulas.MOST_SWITCHES, formulas.MOST_INTERRUPTS


def titled(pair: Pair) -> str:
    """A pair in words."""
    return " and ".join(NAMES[task] for task in pair)


class Overheads:
    """What was measured of a system, which figures call `about` and sentences `name`."""

    altogether, of_task_published, interrupted = ALTOGETHER, OF_TASK, INTERRUPTED
    names, tasks, clock = NAMES, TASKS, formulas.CLOCK_MHZ

    def __init__(self, results: show.Results, scheme: str, about: str, name: str) -> None:
        self.about, self.name, self.scheme, self._results = about, name, scheme, results
        self.rows = rows = results.rows.select(scheme=scheme)
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

    def paper(self, metric: str, **where: str | int) -> float | None:
        """What is published of a case, if something is."""
        return self._results.paper(metric, scheme=self.scheme, **where)

    # ---- with the most switches, and the most interrupts ----

    def pair(self, pair: Pair, n: int | None = None) -> show.Row:
        """A pair with n switches, or the most."""
        return self.rows.find("running", pair=name_of(pair), switches=n or self.most)

    def task(self, task: str, n: int | None = None) -> show.Row:
        """A task with n interrupts, or the most."""
        n = self.most_interrupts if n is None else n
        return self.rows.find("task_running", task=task, interrupts=n)

    def of(self, pair: Pair, task: str, n: int | None = None) -> float:
        """What a pair's task loses itself, in ms."""
        name, n = name_of(pair), n or self.most
        return self.rows.find("indirect_task", pair=name, switches=n, task=task)["indirect_task"]

    def of_task(self, task: str) -> list[float]:
        """What a task loses in every pair, least first."""
        return sorted(self.of(pair, task) for pair in self.pairs if task in pair)

    def over_pairs(self, metric: str) -> list[float]:
        """A metric of every pair."""
        return [self.pair(pair)[metric] for pair in self.pairs]

    def over_tasks(self, metric: str) -> list[float]:
        """A metric of every task."""
        return [self.task(task)[metric] for task in TASKS]

    def overhead(self, pair: Pair) -> Interval:
        """Direct and indirect, in ms."""
        row = self.pair(pair)
        return Interval(row["direct"] + row["indirect"], row.interval("indirect").half)

    def together(self) -> Interval:
        """Direct and indirect of all pairs."""
        each = [self.overhead(pair) for pair in self.pairs]
        return Interval(sum(one.mean for one in each), math.hypot(*(one.half for one in each)))

    def saved(self, other: "Overheads") -> dict[str, float]:
        """The share of another scheme's overhead that this one saves: pairs whose runs can tell."""
        shares = {p: _saved(self.overhead(p), other.overhead(p)) for p in self.pairs}
        return {titled(pair): share for pair, share in shares.items() if share is not None}

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

    # ---- figures ----

    def figures(self, prefix: str) -> dict[str, show.Figure]:
        """The paper's, that of a pair by `prefix` and its name."""
        panels = {prefix + name_of(pair): self._by_place(pair) for pair in self.pairs}
        return {"": self._by_switches(), **panels, "interrupts": self._by_interrupts()}

    def _by_switches(self) -> show.Figure:
        """Direct and indirect overheads over the number of switches, all pairs (Fig. 2)."""
        rows = {pair: [self.pair(pair, n) for n in self.counts] for pair in self.pairs}
        series = [
            show.line(titled(pair), some, "switches", "indirect", kind=name_of(pair))
            for pair, some in rows.items()
        ]
        series.append(show.line("direct", rows[self.pairs[0]], "switches", "direct"))
        if self.full:
            for pair in self.pairs:
                there = self.paper("indirect", pair=name_of(pair), switches=MOST_SWITCHES)
                marks = {} if there is None else {1: 0.0, self.most: there}
                series += show.published(name_of(pair), f"published: {titled(pair)}", marks)
            once, every = self.paper("switch_direct"), self.paper("direct", switches=self.most)
            if once is not None and every is not None:
                marks = {1: once / 1e3, self.most: every}
                series += show.published("direct", "published: direct", marks)
        return show.lines(
            "What context switches cost: direct and indirect overheads",
            f"{self.about}; max CV {self.once['switch_max_cv']:.2g}; two tasks that hand over to "
            "each other, both together:\nindirect overheads by pair, and the direct one, which is "
            "the same for all;\nbars: 95 % confidence interval of the mean, over the runs",
            "overhead, ms over context switches",
            series,
        )

    def _by_place(self, pair: Pair) -> show.Figure:
        """The indirect overhead of one pair by where it is (a panel of Fig. 3)."""
        ns = self.counts
        values = {NAMES[task]: {n: self.of(pair, task, n) for n in ns} for task in pair}
        by_dirty = {n: self.pair(pair, n)["indirect_switches"] for n in ns}
        values["switches, by dirty lines"] = by_dirty
        series = [
            show.Series(label, label, [show.Mark(n, y) for n, y in ys.items()])
            for label, ys in values.items()
        ]
        if "sort" in pair and self.full:
            # of the others the text has bounds only
            name, marks = NAMES["sort"], {1: 0.0, self.most: OF_TASK["sort"][1]}
            series += show.published(name, f"published: {name}", marks)
        return show.lines(
            f"Where the indirect overhead is: {titled(pair)}",
            f"{self.about}; what each takes longer than with a single switch",
            "indirect overhead, ms over context switches",
            series,
        )

    def _by_interrupts(self) -> show.Figure:
        """The indirect overhead of interrupts by task (Fig. 5)."""
        series = [
            show.Series(
                t, NAMES[t], [self._mark(t, n) for n in self.interrupts], band="least to most"
            )
            for t in TASKS
        ]
        running = self.paper("task_running", task="sort", interrupts=0)
        share = self.paper("interrupt_indirect_percent", task="sort", interrupts=MOST_INTERRUPTS)
        if self.full_interrupts and running is not None and share is not None:
            # the one task whose running time is printed
            marks = {0: 0.0, self.most_interrupts: share / 100 * running * 1e6}
            series += show.published("sort", "published: bubble sort", marks)
        return show.lines(
            "What interrupts cost a task beside their own time",
            f"{self.about}; max CV {self.once['interrupt_max_cv']:.2g}; indirect overhead, by "
            "task;\nband: from the least to the most of the runs; bars: 95 % confidence interval",
            "indirect overhead, µs over interrupts",
            series,
        )

    def _mark(self, task: str, n: int) -> show.Mark:
        """With its spread over the runs, which is often as large as it is."""
        row, metric = self.task(task, n), "interrupt_indirect"
        low, high = (row.get(f"{metric}_{end}") for end in ("least", "most"))
        return show.Mark(n, row[metric], low, high, row.interval(metric).half)

    # ---- tables and notes ----

    def tables(self) -> list[show.Table]:
        """With the most switches, and with the most interrupts."""
        direct = self.once["interrupt_direct"]
        switched, interrupted = [], []
        for pair in self.pairs:
            first, second = (self.of(pair, task) for task in pair)
            by = {"together": self.pair(pair, 1)["running"], "first": first, "second": second}
            switched.append((titled(pair), {**self.pair(pair), **by}))
        for task in TASKS:
            alone = self.task(task, 0)["task_running"]
            by = {"alone": alone, "direct": self.most_interrupts * direct}
            interrupted.append((NAMES[task], {**self.task(task), **by}))
        titles = (
            f"{self.about}: {self.most} context switches",
            f"{self.about}: {self.most_interrupts} interrupts of {direct:.2f} µs",
        )
        told = [
            f"published ({PAPER}) altogether: {low:g} to {high:g} % with {n}; max CV {cv:.2g}"
            for (low, high), n, cv in (
                (ALTOGETHER, f"{MOST_SWITCHES} switches", self.once["switch_max_cv"]),
                (INTERRUPTED, f"{MOST_INTERRUPTS} interrupts", self.once["interrupt_max_cv"]),
            )
        ]
        return [
            show.table(titles[0], "tasks", switched, SWITCHED, told[0]),
            show.table(titles[1], "task", interrupted, INTERRUPTS, told[1]),
        ]

    def unsteady(self) -> list[str]:
        """What is not known well of the overheads."""
        pairs, tasks = ((p, self.pair(p)) for p in self.pairs), ((t, self.task(t)) for t in TASKS)
        known = [(f"switches, {titled(pair)}", row.interval("indirect")) for pair, row in pairs]
        indirect = "interrupt_indirect"
        known += [(f"interrupts, {NAMES[task]}", row.interval(indirect)) for task, row in tasks]
        return summary.unsteady(known)


def _saved(one: Interval, other: Interval) -> float | None:
    """What one saves of another; nothing that runs differ by themselves."""
    if abs(other.mean - one.mean) <= math.hypot(one.half, other.half):
        return None
    return 1 - one.mean / other.mean


def scheme_bars(schemes: Mapping[str, Overheads], about: str) -> show.Bars:
    """What the switches add to a pair's running time, by scheme."""
    first = next(iter(schemes.values()))
    ms = {s: {p: by.overhead(p).mean for p in first.pairs} for s, by in schemes.items()}
    return show.bars(
        "What context switches add to the running time, by switching scheme",
        f"{about}; direct and indirect overheads of {first.most} context switches together",
        "overhead, ms",
        {titled(pair): {name: by[pair] for name, by in ms.items()} for pair in first.pairs},
    )


def scheme_table(schemes: Mapping[str, Overheads], beside: Mapping[str, str]) -> show.Table:
    """Every pair under every scheme; `beside` which others they save of, if not of the first."""
    first = next(iter(schemes))
    pairs = schemes[first].pairs
    rows = []
    for pair in (*pairs, None):  # the last lines are all of them
        for name, scheme in schemes.items():
            base, some = schemes[beside.get(name, first)], [pair] if pair else pairs
            one, other = (s.overhead(pair) if pair else s.together() for s in (scheme, base))
            direct = sum(scheme.pair(each)["direct"] for each in some)
            indirect = Interval(one.mean - direct, one.half)
            altogether, share = "", _saved(one, other)
            if pair:
                indirect = scheme.pair(pair).interval("indirect")
                altogether = f"{scheme.pair(pair)['altogether_percent']:.4f}"
            half = f" ± {indirect.half:.2f}" if indirect.half < math.inf else ""
            tasks = sum(scheme.of(each, task) for each in some for task in each)
            saved = "" if name == first else "-" if share is None else f"{share:.0%}"
            cells = [f"{direct:.2f}", f"{indirect.mean:.2f}{half}", f"{tasks:.2f}"]
            rows.append([titled(pair) if pair else "all pairs", name, *cells, altogether, saved])
    others = "".join(f", by {name} with {base}" for name, base in beside.items())
    heads = ["direct, ms", "indirect, ms", "of it tasks, ms", "altogether, %", "saved"]
    return show.Table(
        f"Schemes: {schemes[first].most} context switches",
        ["tasks", "scheme", *heads],
        rows,
        "direct: n times a switch from cold caches; indirect: with half its 95 % confidence "
        "interval; tasks: what they take longer; saved: of the overhead altogether with "
        f"{first}{others}; -: runs differ by more",
        ["scheme"],
    )


def interrupt_table(
    schemes: Mapping[str, Overheads], direct: Mapping[str, Mapping[str, float]], caption: str = ""
) -> show.Table:
    """An interrupt under each scheme: `direct` by scheme and kind, then of every task."""
    first, kinds, share = next(iter(schemes)), next(iter(direct.values())), "altogether_percent"
    cases = {
        name: {**direct[name], **{t: scheme.task(t)[f"interrupt_{share}"] for t in TASKS}}
        for name, scheme in schemes.items()
    }
    columns = {kind: (kind, 2) for kind in kinds} | {NAMES[task]: (task, 4) for task in TASKS}
    most = schemes[first].most_interrupts
    title = f"Schemes: an interrupt, µs; {most} of them, altogether, %"
    return show.table(title, "scheme", cases, columns, caption)
