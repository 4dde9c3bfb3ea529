# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and tables, and where the cycles went that switches and interrupts add."""

from collections.abc import Mapping

from switchyard.data.rows import Row
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_overheads.measure import SCHEMES
from switchyard.experiments.linux_overheads.spent import PARTS
from switchyard.experiments.overheads.formulas import (
    CLOCK_MHZ,
    MOST_SWITCHES,
    NAMES,
    PAIRS,
    TASKS,
    name_of,
)
from switchyard.experiments.overheads.view import (
    OF_TASK,
    Overheads,
    interrupt_table,
    scheme_bars,
    scheme_table,
    titled,
)
from switchyard.run.build_linux import Linux
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

ABOUT = f"ARM926EJ-S, 120 MHz, Linux {Linux.version}"
# Fast switching saves of what the same kernel takes without it: the unmodified one lies elsewhere.
BESIDE = {suite.SHORT[fast]: suite.SHORT[suite.OFF] for fast in (suite.FAST, suite.SHARED)}
REFILLED = ("refilled_dcache_misses", "refilled_icache_misses")
SPARED = "refilled_dcache_writebacks"


def view(results: Results) -> View:
    """All of it."""
    schemes = {
        scheme: Overheads(results, scheme, f"{ABOUT}{suite.HOW[scheme]}", f"Linux {Linux.version}")
        for scheme in SCHEMES
    }
    called = {suite.SHORT[scheme]: overheads for scheme, overheads in schemes.items()}
    linux = schemes[suite.SCHEME]
    by_task = {task: linux.rows.find(*REFILLED, task=task) for task in TASKS}
    lines = sum(by_task["sort"][metric] for metric in REFILLED)
    # of a line in the paper, by what its sort takes longer and by the lines here
    price = _a_turn(OF_TASK["sort"][0]) / lines
    return View(
        tables=[*linux.tables(), scheme_table(called, BESIDE), _interrupt_table(called)],
        figures={
            "": linux.figure_2(),
            **{f"tasks-{name_of(pair)}": linux.figure_3(pair) for pair in linux.pairs},
            "interrupts": linux.figure_5(),
            "schemes": scheme_bars(called, ABOUT),
            "switch": _single_switches(called),
            "breakdown": _switches(linux),
            **{f"breakdown-{scheme}": _switches(schemes[scheme]) for scheme in SCHEMES[1:]},
            "breakdown-interrupts": _interrupts(linux),
        },
        words={
            "linux": linux,
            "schemes": called,
            "beside": BESIDE,
            "elsewhere": _elsewhere(linux, schemes[suite.OFF]),
            "once": linux.once,
            "refilled": by_task,
            "spared": {
                NAMES[task]: -linux.rows.find(SPARED, task=task)[SPARED]
                for task in TASKS
                if linux.of_task(task)[-1] < 0
            },
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


def _elsewhere(linux: Overheads, off: Overheads) -> tuple[str, list[tuple[float, float]]]:
    """The task that loses most otherwise to interrupts in a kernel that lies elsewhere.

    With what it loses to one here and there, in all and to the TLBs, in µs.
    """

    def lost(overheads: Overheads, task: str) -> tuple[float, float]:
        metric = f"interrupt_part: {suite.WALKS}"
        walks = overheads.rows.find(metric, task=task)[metric]
        indirect = overheads.task(task)["interrupt_indirect"] / overheads.most_interrupts
        return indirect, walks

    each = {task: [lost(linux, task), lost(off, task)] for task in TASKS}
    most = max(each, key=lambda task: abs(each[task][0][0] - each[task][1][0]))
    return NAMES[most], each[most]


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


def _interrupt_table(schemes: Mapping[str, Overheads]) -> Table:
    """An interrupt switches to nobody, but finds another kernel under each scheme."""
    direct = {
        name: {
            "caches warm": scheme.once["interrupt_direct"],
            "caches empty": scheme.once["interrupt_direct_cold"],
        }
        for name, scheme in schemes.items()
    }
    return interrupt_table(schemes, direct)


def _single_switches(schemes: Mapping[str, Overheads]) -> Bars:
    """Where the time of one switch from cold caches goes, by scheme."""
    cases = {name: _parts(scheme.once, "switch_direct_part") for name, scheme in schemes.items()}
    return Bars(
        title="Where the time of one context switch goes, from cold caches",
        subtitle=[f"{ABOUT}; the direct overhead, by what it waited for, and the rest"],
        value_title="µs a switch",
        description="Stacked bars, in all: "
        + ", ".join(f"{case} {sum(parts.values()):.1f} µs" for case, parts in cases.items()),
        bars=[Bar(case, part, us) for case, parts in cases.items() for part, us in parts.items()],
    )


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
        linux.about,
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
        linux.about,
    )


def _bars(
    title: str, subtitle: str, unit: str, cases: Mapping[str, Mapping[str, float]], about: str
) -> Bars:
    """Parts below 0 are drawn as 0: what a task waits for by chance may be less than without."""
    return Bars(
        title=title,
        subtitle=[f"{about}; {subtitle},", "by what it waited for, and the rest"],
        value_title=f"µs {unit}",
        description="Stacked bars, in all: "
        + ", ".join(f"{case} {sum(parts.values()):.1f} µs" for case, parts in cases.items()),
        bars=[
            Bar(case, part, max(0.0, us))
            for case, parts in cases.items()
            for part, us in parts.items()
        ],
    )
