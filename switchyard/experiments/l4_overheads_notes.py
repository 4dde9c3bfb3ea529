# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-overheads for people: its figures, its tables, and why it deviates."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from switchyard.experiments import overheads_show
from switchyard.experiments.overheads import (
    DIRECT,
    INDIRECT,
    INTERRUPT_ALTOGETHER_PERCENT,
    INTERRUPT_PERCENT,
    INTERRUPT_RUNNING,
    MOST_INTERRUPTS,
    MOST_SWITCHES,
    NAMES,
    OF_TASK,
    Interrupting,
    Pair,
    Switching,
    name_of,
    variation,
)
from switchyard.figure import Table
from switchyard.plot import Bar, Bars, Figure

ABOUT = "ARM926EJ-S, 120 MHz, L4"


class Parts:
    """Where cycles go, in the order in which they are drawn."""

    FLUSH = "emptying caches and TLBs"
    IFILL = "filling the instruction cache"
    DFILL = "filling the data cache"
    WALKS = "filling the TLBs"
    BUFFER = "waiting for the write buffer"
    KERNEL = "the kernel's instructions"
    PROGRAM = "the programs' instructions"
    ALL = (FLUSH, IFILL, DFILL, WALKS, BUFFER, KERNEL, PROGRAM)


# The same of tasks, whose instructions are the same ones however often they are interrupted.
TASKS_PARTS = {part: part for part in Parts.ALL} | {Parts.PROGRAM: "the rest"}


@dataclass(frozen=True)
class Found:
    """What was measured under one scheme."""

    machine: str
    scheme: str
    switching: Switching
    interrupting: Interrupting
    other_handler: float  # cycles of an interrupt whose handler is in another space
    parts: Mapping[str, float] = field(hash=False)  # cycles of a switch from cold caches
    # of each pair, what the tasks' indirect overhead waits for, in cycles at most switches
    causes: Mapping[Pair, Mapping[str, float]] = field(hash=False)

    def saved(self, other: "Found", pair: Pair) -> float:
        """The share of another scheme's overhead, direct and indirect, that this one saves."""
        ours, theirs = (
            one.switching.total(pair, one.switching.most) - one.switching.work(pair)
            for one in (self, other)
        )
        return 1 - ours / theirs


def figures(schemes: Mapping[str, Found]) -> dict[str, Figure | Bars]:
    """By what their files' names end in; the first, Fig. 2, by nothing."""
    flush = schemes["flush"]
    about = f"{ABOUT}, flush"
    made: dict[str, Figure | Bars] = {"": overheads_show.figure_2(flush.switching, about)}
    for pair in flush.switching.pairs:
        made[name_of(pair)] = overheads_show.figure_3(flush.switching, pair, about)
    made["interrupts"] = overheads_show.figure_5(flush.interrupting, about)
    made["schemes"] = scheme_bars(schemes)
    made["switch"] = switch_bars(schemes)
    made["causes"] = cause_bars(schemes)
    return made


def scheme_bars(schemes: Mapping[str, Found]) -> Bars:
    """What the switches add to a pair's running time, by scheme."""
    flush = schemes["flush"].switching
    n = flush.most
    bars = [
        Bar(
            overheads_show.titled(pair),
            scheme,
            found.switching.ms(found.switching.total(pair, n) - found.switching.work(pair)),
        )
        for pair in flush.pairs
        for scheme, found in schemes.items()
    ]
    return Bars(
        title="What context switches add to the running time, by switching scheme",
        subtitle=[f"{ABOUT}; direct and indirect overheads of {n} context switches together"],
        value_title="overhead, ms",
        description=(
            f"Bars for each pair of tasks and scheme; with flush {_range(bars, 'flush')} ms, with "
            f"fass {_range(bars, 'fass')} ms."
        ),
        bars=bars,
        stacked=False,
    )


def _range(bars: list[Bar], part: str) -> str:
    values = [bar.value for bar in bars if bar.part == part]
    return f"{min(values):.2f} to {max(values):.2f}"


def switch_bars(schemes: Mapping[str, Found]) -> Bars:
    """Where the time of one switch goes."""
    bars = [
        Bar(scheme, part, found.interrupting.us(found.parts[part]))
        for scheme, found in schemes.items()
        for part in Parts.ALL
    ]
    said = ", ".join(
        f"{scheme} {found.interrupting.us(found.switching.direct):.1f}"
        for scheme, found in schemes.items()
    )
    return Bars(
        title="Where the time of one context switch goes, from cold caches",
        subtitle=[f"{ABOUT}; the direct overhead, by function and by what it waited for"],
        value_title="µs a switch",
        description=f"Stacked bars, one a scheme; a switch takes, in µs: {said}.",
        bars=bars,
    )


def cause_bars(schemes: Mapping[str, Found]) -> Bars:
    """What all switches cost a pair, by where and by what."""
    bars = []
    for scheme in ("flush", "fass"):
        found = schemes[scheme]
        n = found.switching.most
        for pair in found.switching.pairs:
            case = f"{overheads_show.titled(pair)}, {scheme}"
            ms = found.switching.ms
            inflation = found.switching.indirect(pair, n).inflation
            parts = {
                # what finds warm lines of its own is shorter than the direct overhead says
                "switches, had all been clean": found.switching.direct_of(n) + min(0.0, inflation),
                "switches, by dirty lines": max(0.0, inflation),
                **{f"tasks: {TASKS_PARTS[part]}": c for part, c in found.causes[pair].items()},
            }
            bars += [Bar(case, part, ms(max(0.0, cycles))) for part, cycles in parts.items()]
    n = schemes["flush"].switching.most
    return Bars(
        title="What context switches cost a pair of tasks, by where and by what",
        subtitle=[
            f"{ABOUT}; {n} context switches: the time of the switches themselves,",
            "and what the tasks take longer",
        ],
        value_title="overhead, ms",
        description="Stacked bars, one for each pair and scheme flush or fass.",
        bars=bars,
    )


# ---- tables ----


def tables(schemes: Mapping[str, Found]) -> list[Table]:
    """The paper's numbers, then the schemes beside each other."""
    flush = schemes["flush"]
    about = f"{ABOUT}, flush"
    return [
        overheads_show.switch_table(flush.switching, about),
        overheads_show.interrupt_table(flush.interrupting, about),
        scheme_table(schemes),
        interrupt_scheme_table(schemes),
    ]


def scheme_table(schemes: Mapping[str, Found]) -> Table:
    """Every pair under every scheme."""
    flush = schemes["flush"].switching
    n = flush.most
    rows = []
    for pair in flush.pairs:
        for scheme, found in schemes.items():
            one = found.switching
            rows.append(
                [
                    overheads_show.titled(pair),
                    scheme,
                    f"{one.ms(one.direct_of(n)):.2f}",
                    f"{one.ms(one.indirect(pair, n).total):.2f}",
                    f"{one.altogether_percent(pair, n):.4f}",
                    f"{found.saved(schemes['flush'], pair):.0%}",
                ]
            )
    return Table(
        title=f"Schemes: {n} context switches",
        columns=["tasks", "scheme", "direct, ms", "indirect, ms", "altogether, %", "saved"],
        rows=rows,
        caption="direct: n times a switch from cold caches; saved: of flush's overhead altogether",
    )


def interrupt_scheme_table(schemes: Mapping[str, Found]) -> Table:
    """D, with the handler in the task's own space and in another."""
    rows = [
        [
            scheme,
            f"{found.interrupting.us(found.interrupting.direct):.2f}",
            f"{found.interrupting.us(found.other_handler):.2f}",
            *(
                f"{found.interrupting.altogether_percent(task, found.interrupting.most):.4f}"
                for task in found.interrupting.tasks
            ),
        ]
        for scheme, found in schemes.items()
    ]
    first = schemes["flush"].interrupting
    return Table(
        title=f"Schemes: an interrupt, µs; {first.most} of them, altogether, %",
        columns=["scheme", "own space", "other space", *(NAMES[task] for task in first.tasks)],
        rows=rows,
        caption="the handler is a thread in the interrupted task's space, or in one of its own",
    )


# ---- notes ----


def notes(schemes: Mapping[str, Found]) -> list[str]:
    """Worked out from the points."""
    flush = schemes["flush"]
    made = overheads_show.switch_notes(flush.switching, "flush")
    made.insert(1, _direct(flush))
    if flush.switching.most == MOST_SWITCHES:
        made.append(_indirect(flush))
    made += overheads_show.interrupt_notes(flush.interrupting, "flush")
    if flush.interrupting.most == MOST_INTERRUPTS:
        made.append(_interrupts(flush))
    made.append(_handlers(schemes))
    made += [_scheme(found, flush) for found in schemes.values() if found is not flush]
    made.append(
        f"Max CV of running times: {flush.switching.max_cv():.2g} (switches), "
        f"{flush.interrupting.max_cv():.2g} (interrupts). The simulator repeats itself; the runs "
        "of a point differ in the state of the caches' generator of victims alone, and a running "
        f"time with it by up to {flush.switching.ms(flush.switching.max_deviation()):.2f} ms "
        "(standard deviation): smaller differences say nothing, and an indirect overhead may come "
        f"out negative. {_steadiest(flush)}"
    )
    return made


def _steadiest(flush: Found) -> str:
    """Which task's running times vary least with interrupts; the paper's is bubble sort."""
    found = flush.interrupting
    n = found.most
    if len(found.runs[found.tasks[0], n]) < 2:
        return "There is a single run a point."
    least = min(found.tasks, key=lambda task: variation(found.runs[task, n]))
    return f"Interrupted, {NAMES[least]} varies least (published: bubble sort)."


def _said(parts: Mapping[str, float]) -> str:
    total = sum(parts.values())
    ordered = sorted(parts.items(), key=lambda item: -item[1])
    return ", ".join(
        f"{cycles / total:.0%} {part}" for part, cycles in ordered if cycles > total / 50
    )


def _direct(flush: Found) -> str:
    cycles, clock = flush.switching.direct, flush.switching.clock_hz
    paper = DIRECT.value * clock / 1e6
    waiting = sum(flush.parts[part] for part in (Parts.IFILL, Parts.DFILL, Parts.WALKS))
    return (
        f"Of a switch's {cycles:.0f} cycles under flush: {_said(flush.parts)}. From cold caches a "
        f"switch is {waiting / sum(flush.parts.values()):.0%} waiting for lines and tables, "
        f"proportional to the code and data that it touches. The {paper - cycles:.0f} cycles by "
        "which the published one is longer are unexplained: another kernel has another path, but "
        "Linux's own takes far less than published as well (linux-overheads); and dirty lines are "
        "none of it, for the paper measures with empty caches and a drained write buffer. How dear "
        "its lines were is seen by bubble sort, whose data set is the same."
    )


def _own(found: Switching, task: str) -> tuple[float, float]:
    """The least and most that the task itself loses in any pair, in ms."""
    n = found.most
    lost = [
        found.ms((one.first, one.second)[pair.index(task)])
        for pair in found.pairs
        if task in pair
        for one in [found.indirect(pair, n)]
    ]
    return min(lost), max(lost)


def _indirect(flush: Found) -> str:
    pair: Pair = ("sort", "deflate")
    found, n = flush.switching, flush.switching.most
    ours = found.indirect(pair, n).total / n
    paper = INDIRECT[pair].value * 1e-3 * found.clock_hz / n
    causes = {part: cycles for part, cycles in flush.causes[pair].items() if cycles > 0}
    sort, aes, deflate = (_own(found, task)[1] for task in ("sort", "aes", "deflate"))
    price = sort / OF_TASK["sort"][1]
    return (
        f"Bubble sort and deflate: a switch costs {ours:.0f} cycles indirectly (published: "
        f"{paper:.0f}); of what the tasks take longer {_said(causes)}. Bubble sort, whose data "
        f"have the cache's size here and there, loses {sort:.2f} ms (published: "
        f"{OF_TASK['sort'][1]:g}), so that filling lines costs {price:.2f} times what it did on "
        f"the board. The rest is the number of lines: AES loses {aes:.2f} ms and deflate "
        f"{deflate:.2f} (published: 6 to 8), being small loops here with one set of tables each, "
        "of which deflate's do not fit the cache and lose little; the paper's are the kernel's "
        "libraries."
    )


def _interrupts(flush: Found) -> str:
    found, n = flush.interrupting, flush.interrupting.most
    each = [found.us(found.indirect(task, n)) / n for task in found.tasks]
    low, high = (
        (percent - INTERRUPT_PERCENT["sort"].value)
        / 100
        * INTERRUPT_RUNNING["sort"].value
        / n
        * 1e6
        for percent in INTERRUPT_ALTOGETHER_PERCENT
    )
    return (
        "The paper does not print the price of an interrupt, but its percentages make it "
        f"{low:.0f} to {high:.0f} µs (bubble sort), several times its context switch; here it is "
        f"{found.us(found.direct):.1f} µs with the message that the kernel makes of it and the "
        "handler's acknowledgement, so that the altogether column is smaller by as much. "
        f"Indirectly one costs {min(each):.1f} to {max(each):.1f} µs: its price is that with warm "
        "caches, and between two of them a task takes most lines of data from kernel and handler."
    )


def _handlers(schemes: Mapping[str, Found]) -> str:
    said = ", ".join(
        f"{scheme} {found.interrupting.us(found.other_handler):.1f} µs "
        f"({found.other_handler / found.interrupting.direct:.1f} times)"
        for scheme, found in schemes.items()
    )
    return (
        "A handler in a space of its own, as drivers on L4 are, makes an interrupt two switches "
        f"more: {said} beside one in the task's space."
    )


def _scheme(found: Found, flush: Found) -> str:
    n = found.switching.most
    saved = {pair: found.saved(flush, pair) for pair in found.switching.pairs}
    best = max(saved, key=lambda pair: saved[pair])
    worst = min(saved, key=lambda pair: saved[pair])
    left = max(sum(found.causes[pair].values()) / n for pair in found.switching.pairs)
    return (
        f"{found.scheme} saves {saved[worst]:.0%} ({overheads_show.titled(worst)}) to "
        f"{saved[best]:.0%} ({overheads_show.titled(best)}) of flush's overhead altogether. What "
        f"is left is competition for the same cache lines: up to {left:.0f} cycles of the tasks a "
        "switch, which no scheme avoids."
    )
