# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and tables, and the schemes beside each other."""

from switchyard.experiments import l4
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.l4_overheads.measure import PAPERS, PARTS, SCHEMES, TASK_PARTS
from switchyard.experiments.overheads import view as overheads
from switchyard.experiments.overheads.formulas import MOST_SWITCHES, NAMES, TASKS, Pair, name_of
from switchyard.show import declared as show

ABOUT = "ARM926EJ-S, 120 MHz, L4"
FAST = "fass"
# Of tasks, whose instructions are the same ones however often they are interrupted.
CALLED = {part: part for part in TASK_PARTS} | {suite.PROGRAM: "the rest"}
HANDLER = "the handler is a thread in the interrupted task's space, or in one of its own"


class Scheme(overheads.Overheads):
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

    def by_cause(self, pair: Pair) -> dict[str, float]:
        """What all switches cost a pair, by where and by what: nothing is less than nothing."""
        row = self.pair(pair)
        inflation = row["indirect_switches"]
        parts = {
            # what finds warm lines of its own is shorter than the direct overhead says
            "switches, had all been clean": row["direct"] + min(0.0, inflation),
            "switches, by dirty lines": inflation,
            **{f"tasks: {CALLED[part]}": ms for part, ms in self.causes(pair).items()},
        }
        return {part: max(0.0, ms) for part, ms in parts.items()}


def view(results: show.Results) -> show.View:
    schemes = {
        called: Scheme(results, scheme, f"{ABOUT}, {called}", called)
        for scheme in SCHEMES
        for called in [l4.called(scheme)]
    }
    flush = schemes[PAPERS]
    pair, told = flush.pairs[0], suite.told
    waiting = sum(flush.parts[part] for part in (suite.IFILL, suite.DFILL, suite.WALKS))
    waiting /= sum(flush.parts.values())
    published = flush.paper("switch_direct")
    causes = {part: ms for part, ms in flush.causes(pair).items() if ms > 0}
    paper = flush.paper("indirect", pair=name_of(pair), switches=MOST_SWITCHES)
    sort = overheads.OF_TASK["sort"][1]
    sort_running = flush.paper("task_running", task="sort", interrupts=0)
    most = flush.most_interrupts
    sort_share = flush.paper("interrupt_indirect_percent", task="sort", interrupts=most)
    every = [flush.pair(pair, n) for pair in flush.pairs for n in flush.counts]
    deviation = max(row["running"] * row["running_cv"] * 1e3 for row in every)
    # which task's running times vary least with interrupts, where there are several runs
    known = "task_running_uncertainty" in flush.task(TASKS[0])
    by_cv = sorted(TASKS, key=lambda task: flush.task(task)["task_running_cv"]) if known else []
    steadiest = NAMES[by_cv[0]] if known else None
    direct = {
        name: {"own space": scheme.once["interrupt_direct"], "other space": scheme.other_handler}
        for name, scheme in schemes.items()
    }
    drawn = {s.scheme: s for s in (flush, schemes[FAST])}
    tables = [
        *flush.tables(),
        overheads.scheme_table(schemes, {}),
        overheads.interrupt_table(schemes, direct, HANDLER),
    ]
    figures: dict[str, show.Figure | show.Bars] = {
        **flush.figures(""),
        "schemes": overheads.scheme_bars(schemes, ABOUT),
        "switch": show.bars(
            "Where the time of one context switch goes, from cold caches",
            f"{ABOUT}; the direct overhead, by function and by what it waited for",
            "µs a switch",
            {name: scheme.parts for name, scheme in schemes.items()},
            stacked=True,
        ),
        "causes": show.bars(
            "What context switches cost a pair of tasks, by where and by what",
            f"{ABOUT}; {flush.most} context switches: the time of the switches themselves,\n"
            "and what the tasks take longer",
            "overhead, ms",
            {
                f"{overheads.titled(pair)}, {name}": scheme.by_cause(pair)
                for name, scheme in drawn.items()
                for pair in scheme.pairs
            },
            stacked=True,
        ),
    }
    return show.View(tables, figures, locals(), flush.unsteady())
