# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and tables, and the schemes beside each other."""

from collections.abc import Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.l4_overheads.measure import PAPERS, PARTS, SCHEMES, TASK_PARTS
from switchyard.experiments.overheads.formulas import MOST_SWITCHES, NAMES, TASKS, Pair, name_of
from switchyard.experiments.overheads.view import OF_TASK, Overheads, titled
from switchyard.figure import Bar, Bars, Table
from switchyard.views import Results, View

ABOUT = "ARM926EJ-S, 120 MHz, L4"
FAST = "fass"
# Of tasks, whose instructions are the same ones however often they are interrupted.
CALLED = {part: part for part in TASK_PARTS} | {suite.PROGRAM: "the rest"}


def view(results: Results) -> View:
    """All of it."""
    schemes = {scheme: Scheme(results, scheme, f"{ABOUT}, {scheme}", scheme) for scheme in SCHEMES}
    flush = schemes[PAPERS]
    waiting = sum(flush.parts[part] for part in (suite.IFILL, suite.DFILL, suite.WALKS))
    every = [flush.pair(pair, n) for pair in flush.pairs for n in flush.counts]
    return View(
        tables=[*flush.tables(), _switch_table(schemes), _interrupt_table(schemes)],
        figures={
            "": flush.figure_2(),
            **{name_of(pair): flush.figure_3(pair) for pair in flush.pairs},
            "interrupts": flush.figure_5(),
            "schemes": _scheme_bars(schemes),
            "switch": _switch_bars(schemes),
            "causes": _cause_bars([schemes[PAPERS], schemes[FAST]]),
        },
        words={
            "schemes": schemes,
            "flush": flush,
            "published": flush.paper("switch_direct"),
            "told": suite.told,
            "waiting": waiting / sum(flush.parts.values()),
            "pair": flush.pairs[0],
            "causes": {part: ms for part, ms in flush.causes(flush.pairs[0]).items() if ms > 0},
            "paper": flush.paper("indirect", pair=name_of(flush.pairs[0]), switches=MOST_SWITCHES),
            "sort": OF_TASK["sort"][1],
            "sort_running": flush.paper("task_running", task="sort", interrupts=0),
            "sort_share": flush.paper(
                "interrupt_indirect_percent", task="sort", interrupts=flush.most_interrupts
            ),
            "deviation": max(row["running"] * row["running_cv"] * 1e3 for row in every),
            "steadiest": _steadiest(flush),
        },
        notes=flush.unsteady(),
    )


class Scheme(Overheads):
    """A scheme, with where its cycles went."""

    @property
    def parts(self) -> dict[str, float]:
        """Of a switch from cold caches, in µs."""
        return {part: self.once[f"switch_part: {part}"] for part in PARTS}

    @property
    def other_handler(self) -> float:
        """An interrupt whose handler is in another space, in µs."""
        return self.rows.find("interrupt_direct", handler="other")["interrupt_direct"]

    def causes(self, pair: Pair) -> dict[str, float]:
        """What a pair's tasks take longer with most switches, and for what, in ms."""
        row = self.pair(pair)
        return {part: row[f"tasks_part: {part}"] for part in TASK_PARTS}

    def overhead(self, pair: Pair) -> float:
        """Direct and indirect with most switches, in ms."""
        row = self.pair(pair)
        return row["direct"] + row["indirect"]

    def saved(self, other: "Scheme") -> dict[str, float]:
        """The share of another scheme's overhead that this one saves, by pair."""
        return {titled(pair): 1 - self.overhead(pair) / other.overhead(pair) for pair in self.pairs}

    def left(self) -> float:
        """The most that a switch costs the tasks of a pair, in cycles."""
        return max(sum(self.causes(pair).values()) for pair in self.pairs) * (
            self.clock * 1e3 / self.most
        )


def _steadiest(flush: Scheme) -> str | None:
    """Which task's running times vary least with interrupts, where there are several runs."""
    if "task_running_uncertainty" not in flush.task(TASKS[0]):
        return None
    return NAMES[min(TASKS, key=lambda task: flush.task(task)["task_running_cv"])]


def _scheme_bars(schemes: Mapping[str, Scheme]) -> Bars:
    """What the switches add to a pair's running time, by scheme."""
    pairs = schemes[PAPERS].pairs
    told = {
        scheme: sorted(schemes[scheme].overhead(pair) for pair in pairs)
        for scheme in (PAPERS, FAST)
    }
    return Bars(
        title="What context switches add to the running time, by switching scheme",
        subtitle=[
            f"{ABOUT}; direct and indirect overheads of "
            f"{schemes[PAPERS].most} context switches together"
        ],
        value_title="overhead, ms",
        description="Bars for each pair of tasks and scheme; "
        + ", ".join(f"with {s} {ms[0]:.2f} to {ms[-1]:.2f} ms" for s, ms in told.items())
        + ".",
        bars=[
            Bar(titled(pair), name, scheme.overhead(pair))
            for pair in pairs
            for name, scheme in schemes.items()
        ],
        stacked=False,
    )


def _switch_bars(schemes: Mapping[str, Scheme]) -> Bars:
    """Where the time of one switch goes."""
    told = ", ".join(
        f"{name} {scheme.once['switch_direct']:.1f}" for name, scheme in schemes.items()
    )
    return Bars(
        title="Where the time of one context switch goes, from cold caches",
        subtitle=[f"{ABOUT}; the direct overhead, by function and by what it waited for"],
        value_title="µs a switch",
        description=f"Stacked bars, one a scheme; a switch takes, in µs: {told}.",
        bars=[
            Bar(name, part, us)
            for name, scheme in schemes.items()
            for part, us in scheme.parts.items()
        ],
    )


def _cause_bars(schemes: list[Scheme]) -> Bars:
    """What all switches cost a pair, by where and by what."""
    bars = []
    for scheme in schemes:
        for pair in scheme.pairs:
            row = scheme.pair(pair)
            inflation = row["indirect_switches"]
            parts = {
                # what finds warm lines of its own is shorter than the direct overhead says
                "switches, had all been clean": row["direct"] + min(0.0, inflation),
                "switches, by dirty lines": inflation,
                **{f"tasks: {CALLED[part]}": ms for part, ms in scheme.causes(pair).items()},
            }
            case = f"{titled(pair)}, {scheme.scheme}"
            bars += [Bar(case, part, max(0.0, ms)) for part, ms in parts.items()]
    return Bars(
        title="What context switches cost a pair of tasks, by where and by what",
        subtitle=[
            f"{ABOUT}; {schemes[0].most} context switches: the time of the switches themselves,",
            "and what the tasks take longer",
        ],
        value_title="overhead, ms",
        description="Stacked bars, one for each pair and scheme flush or fass.",
        bars=bars,
    )


def _switch_table(schemes: Mapping[str, Scheme]) -> Table:
    """Every pair under every scheme."""
    rows = []
    for pair in schemes[PAPERS].pairs:
        for name, scheme in schemes.items():
            row = scheme.pair(pair)
            rows.append(
                [
                    titled(pair),
                    name,
                    f"{row['direct']:.2f}",
                    f"{row['indirect']:.2f}",
                    f"{row['altogether_percent']:.4f}",
                    f"{scheme.saved(schemes[PAPERS])[titled(pair)]:.0%}",
                ]
            )
    return Table(
        title=f"Schemes: {schemes[PAPERS].most} context switches",
        columns=["tasks", "scheme", "direct, ms", "indirect, ms", "altogether, %", "saved"],
        rows=rows,
        caption="direct: n times a switch from cold caches; saved: of flush's overhead altogether",
        words=["scheme"],
    )


def _interrupt_table(schemes: Mapping[str, Scheme]) -> Table:
    """D, with the handler in the task's own space and in another."""
    return Table(
        title=f"Schemes: an interrupt, µs; {schemes[PAPERS].most_interrupts} of them, "
        "altogether, %",
        columns=["scheme", "own space", "other space", *(NAMES[task] for task in TASKS)],
        rows=[
            [
                name,
                f"{scheme.once['interrupt_direct']:.2f}",
                f"{scheme.other_handler:.2f}",
                *(f"{scheme.task(task)['interrupt_altogether_percent']:.4f}" for task in TASKS),
            ]
            for name, scheme in schemes.items()
        ],
        caption="the handler is a thread in the interrupted task's space, or in one of its own",
    )
