# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and tables, and the schemes beside each other."""

from collections.abc import Mapping

from switchyard.experiments import l4
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.l4_overheads.measure import PAPERS, PARTS, SCHEMES, TASK_PARTS
from switchyard.experiments.overheads.formulas import MOST_SWITCHES, NAMES, TASKS, Pair, name_of
from switchyard.experiments.overheads.view import (
    OF_TASK,
    Overheads,
    interrupt_table,
    scheme_bars,
    scheme_table,
    titled,
)
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

ABOUT = "ARM926EJ-S, 120 MHz, L4"
FAST = "fass"
# Of tasks, whose instructions are the same ones however often they are interrupted.
CALLED = {part: part for part in TASK_PARTS} | {suite.PROGRAM: "the rest"}


def view(results: Results) -> View:
    """All of it."""
    schemes = {
        called: Scheme(results, scheme, f"{ABOUT}, {called}", called)
        for scheme in SCHEMES
        for called in [l4.called(scheme)]
    }
    flush = schemes[PAPERS]
    waiting = sum(flush.parts[part] for part in (suite.IFILL, suite.DFILL, suite.WALKS))
    every = [flush.pair(pair, n) for pair in flush.pairs for n in flush.counts]
    return View(
        tables=[*flush.tables(), scheme_table(schemes, {}), _interrupt_table(schemes)],
        figures={
            "": flush.figure_2(),
            **{name_of(pair): flush.figure_3(pair) for pair in flush.pairs},
            "interrupts": flush.figure_5(),
            "schemes": scheme_bars(schemes, ABOUT),
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


def _steadiest(flush: Scheme) -> str | None:
    """Which task's running times vary least with interrupts, where there are several runs."""
    if "task_running_uncertainty" not in flush.task(TASKS[0]):
        return None
    return NAMES[min(TASKS, key=lambda task: flush.task(task)["task_running_cv"])]


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


def _interrupt_table(schemes: Mapping[str, Scheme]) -> Table:
    """D, with the handler in the task's own space and in another."""
    direct = {
        name: {"own space": scheme.once["interrupt_direct"], "other space": scheme.other_handler}
        for name, scheme in schemes.items()
    }
    caption = "the handler is a thread in the interrupted task's space, or in one of its own"
    return interrupt_table(schemes, direct, caption)
