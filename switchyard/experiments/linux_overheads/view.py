# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and tables, and where the cycles went that switches and interrupts add."""

from collections.abc import Mapping

from switchyard.build_linux import Linux
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_overheads.spent import PARTS
from switchyard.experiments.overheads.formulas import (
    CLOCK_MHZ,
    MOST_SWITCHES,
    NAMES,
    PAIRS,
    TASKS,
    name_of,
)
from switchyard.experiments.overheads.view import OF_TASK, Overheads, titled
from switchyard.figure import Bar, Bars
from switchyard.rows import Row
from switchyard.views import Results, View

ABOUT = f"ARM926EJ-S, 120 MHz, Linux {Linux.version}"
REFILLED = ("refilled_dcache_misses", "refilled_icache_misses")


def view(results: Results) -> View:
    """All of it."""
    linux = Overheads(results, suite.SCHEME, ABOUT, f"Linux {Linux.version}")
    by_task = {task: linux.rows.find(*REFILLED, task=task) for task in TASKS}
    lines = sum(by_task["sort"][metric] for metric in REFILLED)
    # of a line in the paper, by what its sort takes longer and by the lines here
    price = _a_turn(OF_TASK["sort"][0]) / lines
    return View(
        tables=linux.tables(),
        figures={
            "": linux.figure_2(),
            **{f"tasks-{name_of(pair)}": linux.figure_3(pair) for pair in linux.pairs},
            "interrupts": linux.figure_5(),
            "breakdown": _switches(linux),
            "breakdown-interrupts": _interrupts(linux),
        },
        words={
            "linux": linux,
            "once": linux.once,
            "refilled": by_task,
            "lines": lines,
            "price": price,
            "at_price": [_a_turn(ms) / price for ms in OF_TASK["deflate"]],
            "published": linux.paper("switch_direct"),
            "sort_published": linux.paper("task_running", task="sort", interrupts=0),
            "told": suite.told,
            "interrupting_first": _parts(
                linux.rows.find(f"interrupt_part: {suite.FLUSH}", task=PAIRS[0][0]),
                "interrupt_part",
            ),
            "spreads": _spreads(linux),
            "first": NAMES[PAIRS[0][0]],
            "behind": linux.pair(PAIRS[0], 1),
            "version": Linux.version,
        },
        notes=linux.unsteady(),
    )


def _spreads(linux: Overheads) -> list[tuple[float, str, float, float]]:
    """By how much single runs of each task differ, and their ends, where there are several."""
    rows = {NAMES[task]: linux.task(task) for task in TASKS}
    ends = {
        name: (row["interrupt_indirect_least"], row["interrupt_indirect_most"])
        for name, row in rows.items()
        if "interrupt_indirect_most" in row
    }
    return [(high - low, name, low, high) for name, (low, high) in ends.items()]


def _a_turn(ms: float) -> float:
    """Cycles of a task after each switch back to it, of what the paper has for all switches."""
    return ms * 1e3 * CLOCK_MHZ / (MOST_SWITCHES // 2)


def _parts(row: Row, metric: str) -> dict[str, float]:
    return {part: row[f"{metric}: {part}"] for part in PARTS}


def _switches(linux: Overheads) -> Bars:
    """Where the time goes that a switch adds."""
    metric = "switch_part"
    cases = {"alone, caches empty": _parts(linux.once, "switch_direct_part")}
    for pair in linux.pairs:
        row = linux.rows.find(f"{metric}: {suite.FLUSH}", pair=name_of(pair))
        cases[titled(pair)] = _parts(row, metric)
    return _bars(
        "Where the time goes that a context switch adds",
        "a switch and all that both tasks take longer after it",
        "a switch",
        cases,
    )


def _interrupts(linux: Overheads) -> Bars:
    """Where the time goes that an interrupt adds."""
    metric = "interrupt_part"
    cases = {
        "alone, caches warm": _parts(linux.once, "interrupt_direct_part"),
        "alone, caches empty": _parts(linux.once, "interrupt_direct_cold_part"),
    }
    for task in TASKS:
        row = linux.rows.find(f"{metric}: {suite.FLUSH}", task=task)
        cases[NAMES[task]] = _parts(row, metric)
    return _bars(
        "Where the time goes that an interrupt adds",
        "an interrupt and all that the task takes longer after it",
        "an interrupt",
        cases,
    )


def _bars(title: str, subtitle: str, unit: str, cases: Mapping[str, Mapping[str, float]]) -> Bars:
    """Parts below 0 are drawn as 0: what a task waits for by chance may be less than without."""
    return Bars(
        title=title,
        subtitle=[f"{ABOUT}; {subtitle},", "by what it waited for, and the rest"],
        value_title=f"µs {unit}",
        description="Stacked bars, in all: "
        + ", ".join(f"{case} {sum(parts.values()):.1f} µs" for case, parts in cases.items()),
        bars=[
            Bar(case, part, max(0.0, us))
            for case, parts in cases.items()
            for part, us in parts.items()
        ],
    )
