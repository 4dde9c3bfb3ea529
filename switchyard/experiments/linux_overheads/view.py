# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and tables, and where the cycles went that switches and interrupts add."""

from collections.abc import Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_overheads.measure import SCHEMES
from switchyard.experiments.linux_overheads.spent import PARTS
from switchyard.experiments.overheads import formulas
from switchyard.experiments.overheads import view as overheads
from switchyard.experiments.overheads.formulas import MOST_SWITCHES, NAMES, PAIRS, TASKS, name_of
from switchyard.experiments.overheads.view import OF_TASK, Overheads
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

ABOUT = f"ARM926EJ-S, 120 MHz, Linux {Linux.version}"
# Fast switching saves of what the same kernel takes without it: the unmodified one lies elsewhere.
BESIDE = {suite.SHORT[fast]: suite.SHORT[suite.OFF] for fast in (suite.FAST, suite.SHARED)}
REFILLED = ("refilled_dcache_misses", "refilled_icache_misses")
SPARED = "refilled_dcache_writebacks"
FIRST = NAMES[PAIRS[0][0]]


def view(results: show.Results) -> show.View:
    by_scheme = {
        s: Overheads(results, s, f"{ABOUT}{suite.HOW[s]}", f"Linux {Linux.version}")
        for s in SCHEMES
    }
    schemes = {suite.SHORT[scheme]: overheads for scheme, overheads in by_scheme.items()}
    linux, off = by_scheme[suite.SCHEME], by_scheme[suite.OFF]
    once, told = linux.once, suite.told
    refilled = {task: linux.rows.find(*REFILLED, task=task) for task in TASKS}
    lines = sum(refilled["sort"][metric] for metric in REFILLED)
    # of a line in the paper, by what its sort takes longer and by the lines here
    price = _a_turn(OF_TASK["sort"][0]) / lines
    at_price = [_a_turn(ms) / price for ms in OF_TASK["deflate"]]
    lost = [task for task in TASKS if linux.of_task(task)[-1] < 0]
    spared = {NAMES[task]: -linux.rows.find(SPARED, task=task)[SPARED] for task in lost}
    published = linux.paper("switch_direct")
    sort_published = linux.paper("task_running", task="sort", interrupts=0)
    # the task that loses most otherwise to interrupts in a kernel that lies elsewhere
    each = {task: [_to_one(linux, task), _to_one(off, task)] for task in TASKS}
    most = max(each, key=lambda task: abs(each[task][0][0] - each[task][1][0]))
    elsewhere = NAMES[most], each[most]
    by_task = {NAMES[task]: linux.task(task) for task in TASKS}
    # by how much single runs of each task differ, and their ends, where there are several
    ends = {
        name: [row[f"interrupt_indirect_{end}"] for end in ("least", "most")]
        for name, row in by_task.items()
        if "interrupt_indirect_most" in row
    }
    spreads = [(high - low, name, low, high) for name, (low, high) in ends.items()]
    interrupting_first = _added(linux, "interrupt_part", task=PAIRS[0][0])
    behind = linux.pair(PAIRS[0], 1)
    # an interrupt switches to nobody, but finds another kernel under each scheme
    kinds = {"caches warm": "interrupt_direct", "caches empty": "interrupt_direct_cold"}
    direct = {
        name: {kind: scheme.once[metric] for kind, metric in kinds.items()}
        for name, scheme in schemes.items()
    }
    tables = [
        *linux.tables(),
        overheads.scheme_table(schemes, BESIDE),
        overheads.interrupt_table(schemes, direct),
    ]
    alone = "switch_direct_part"
    figures = {
        **linux.figures("tasks-"),
        "schemes": overheads.scheme_bars(schemes, ABOUT),
        "switch": _stacked(
            "Where the time of one context switch goes, from cold caches",
            f"{ABOUT}; the direct overhead, by what it waited for, and the rest",
            "a switch",
            {name: _parts(scheme.once, alone) for name, scheme in schemes.items()},
        ),
        **{
            "breakdown" if scheme is linux else f"breakdown-{name}": _stacked(
                "Where the time goes that a context switch adds",
                f"{scheme.about}; a switch and all that both tasks take longer after it,\n"
                "by what it waited for, and the rest",
                "a switch",
                {"alone, caches empty": _parts(scheme.once, alone)}
                | {
                    overheads.titled(pair): _added(scheme, "switch_part", pair=name_of(pair))
                    for pair in scheme.pairs
                },
            )
            for name, scheme in by_scheme.items()
        },
        "breakdown-interrupts": _stacked(
            "Where the time goes that an interrupt adds",
            f"{linux.about}; an interrupt and all that the task takes longer after it,\n"
            "by what it waited for, and the rest",
            "an interrupt",
            {f"alone, {kind}": _parts(once, f"{metric}_part") for kind, metric in kinds.items()}
            | {NAMES[task]: _added(linux, "interrupt_part", task=task) for task in TASKS},
        ),
    }
    return show.View(tables, figures, locals(), linux.unsteady())


def _to_one(overheads: Overheads, task: str) -> tuple[float, float]:
    """What a task loses to an interrupt, in all and to the TLBs, in µs."""
    metric = f"interrupt_part: {suite.WALKS}"
    indirect = overheads.task(task)["interrupt_indirect"] / overheads.most_interrupts
    return indirect, overheads.rows.find(metric, task=task)[metric]


def _a_turn(ms: float) -> float:
    """Cycles of a task after each switch back to it, of what the paper has for all switches."""
    return ms * 1e3 * formulas.CLOCK_MHZ / (MOST_SWITCHES // 2)


def _parts(row: show.Row, metric: str) -> dict[str, float]:
    return {part: row[f"{metric}: {part}"] for part in PARTS}


def _added(overheads: Overheads, metric: str, **where: str) -> dict[str, float]:
    """What a switch or an interrupt adds, by what is waited for."""
    return _parts(overheads.rows.find(f"{metric}: {suite.FLUSH}", **where), metric)


def _stacked(
    title: str, subtitle: str, unit: str, cases: Mapping[str, Mapping[str, float]]
) -> show.Bars:
    """Parts below 0 are drawn as 0: what a task waits for by chance may be less than without."""
    values = {c: {part: max(0.0, us) for part, us in by.items()} for c, by in cases.items()}
    return show.bars(title, subtitle, f"µs {unit}", values, stacked=True)
