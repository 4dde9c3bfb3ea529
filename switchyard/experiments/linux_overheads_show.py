# SPDX-License-Identifier: Apache-2.0
"""Where the cycles of `linux-overheads` went; and why values are not the published ones."""

from collections.abc import Mapping

from switchyard.build_linux import Linux
from switchyard.experiments import overheads as formulas
from switchyard.experiments import overheads_show as show
from switchyard.experiments.linux_overheads_point import (
    WHERE,
    Found,
    interrupt_parts,
    single_parts,
    single_switch_parts,
    switch_parts,
)
from switchyard.experiments.overheads import PAIRS, TASKS
from switchyard.figure import Bar, Bars

ABOUT = f"ARM926EJ-S, 120 MHz, Linux {Linux.version}"


def _bars(
    found: Found, title: str, subtitle: str, unit: str, cases: Mapping[str, Mapping[str, float]]
) -> Bars:
    """Parts below 0 are drawn as 0: what a task waits for by chance may be less than without."""
    totals = {case: found.us(sum(parts.values())) for case, parts in cases.items()}
    return Bars(
        title=title,
        subtitle=[f"{ABOUT}; {subtitle},", "by what it waited for, and the rest"],
        value_title=f"µs {unit}",
        description="Stacked bars, in all: "
        + ", ".join(f"{case} {total:.1f} µs" for case, total in totals.items()),
        bars=[
            Bar(case, part, max(0.0, found.us(parts[part])))
            for case, parts in cases.items()
            for part in WHERE
        ],
    )


def switch_bars(found: Found) -> Bars:
    """Where the time goes that a switch adds."""
    cases = {"alone, caches empty": single_switch_parts(found)}
    cases |= {show.titled(pair): switch_parts(found, pair) for pair in PAIRS}
    return _bars(
        found,
        "Where the time goes that a context switch adds",
        "a switch and all that both tasks take longer after it",
        "a switch",
        cases,
    )


def interrupt_bars(found: Found) -> Bars:
    """Where the time goes that an interrupt adds."""
    cases = {
        "alone, caches warm": single_parts(found, found.interrupt),
        "alone, caches empty": single_parts(found, found.cold_interrupt),
    }
    cases |= {formulas.NAMES[task]: interrupt_parts(found, task) for task in TASKS}
    return _bars(
        found,
        "Where the time goes that an interrupt adds",
        "an interrupt and all that the task takes longer after it",
        "an interrupt",
        cases,
    )


def reasons(found: Found) -> list[str]:
    """Why values differ from the published ones, by what was counted."""
    return [
        _memory(found),
        _direct(found),
        _dirty(found),
        _tables(found),
        _interrupts(found),
        *_spread(found),
        (
            "The runs of a point differ in the pages of the data and in the state of the caches' "
            "pseudo-random replacement at its beginning; the largest coefficient of variation is "
            f"{found.switching.max_cv():.2g} with switches, {found.interrupting.max_cv():.2g} with "
            "interrupts. Nothing else could differ: the simulator is deterministic."
        ),
    ]


def _lines(found: Found, task: str) -> tuple[float, float]:
    """Lines of data and of instructions that a task fills again after each switch back to it."""
    pair = next(pair for pair in PAIRS if task in pair)
    part = pair.index(task)
    data = found.added(pair, part, "dcache_misses")
    return data, found.added(pair, part, "icache_misses")


def _price(found: Found) -> float:
    """Cycles of a line in the paper, by what its sort takes longer and by the lines here."""
    ms = formulas.OF_TASK["sort"][0]
    return _a_turn(found, ms) / sum(_lines(found, "sort"))


def _a_turn(found: Found, ms: float) -> float:
    """Cycles of a task after each switch back to it, of what the paper has for 99 switches."""
    return ms / 1e3 * found.clock_hz / (formulas.MOST_SWITCHES // 2)


def _memory(found: Found) -> str:
    return (
        "The price of memory, which the paper does not give: its bubble sort takes "
        f"{formulas.OF_TASK['sort'][0]:g} ms longer for {formulas.MOST_SWITCHES} switches, which "
        f"for the {sum(_lines(found, 'sort')):.0f} lines that it fills again here after each would "
        f"be {_price(found):.0f} cycles a line; {found.line:.0f} are modelled."
    )


def _direct(found: Found) -> str:
    single, price = found.switch, _price(found)
    counts = single.counts
    published = formulas.DIRECT.value * found.clock_hz / 1e6
    dearer = single.cycles - single.waits + single.reads * price
    return (
        f"The direct cost: {single.cycles:.0f} cycles for {counts['instructions']:.0f} "
        f"instructions, of which {single.waits:.0f} wait for {counts['icache_misses']:.0f} lines "
        f"of instructions, {counts['dcache_misses']:.0f} of data and "
        f"{counts['table_walk_reads']:.0f} words of page tables. Were each of these "
        f"{price:.0f} cycles, it would be {dearer:.0f}: memory does not make the "
        f"published {published:.0f}, which are unexplained. Linux 6.12 loads the page directory "
        "after the registers where interrupts are off, 2.6.20 did before; the flush is the same "
        "loop of test, clean and invalidate."
    )


def _dirty(found: Found) -> str:
    pair = PAIRS[0]
    ones = [one.cases[1][2] for one in found.runs("switch", pair)]
    cycles = sum(one.cycles for one in ones) / len(ones)
    halves = sum(one.counts["dcache_writebacks"] for one in ones) / len(ones)
    return (
        f"Behind the whole {formulas.NAMES[pair[0]]}, whose {halves:.0f} dirty half lines are "
        f"written back, the same switch takes {found.us(cycles):.1f} µs. That is no explanation of "
        f"the published {formulas.DIRECT.value:g} µs: by the paper's definition (section 3.1) they "
        "are the time of context_switch with empty caches and a drained write buffer. They are "
        "unexplained."
    )


def _tables(found: Found) -> str:
    said = []
    for task in TASKS:
        data, instructions = _lines(found, task)
        said.append(f"{formulas.NAMES[task]} {data:.0f} (and {instructions:.0f} of instructions)")
    low, high = (_a_turn(found, ms) / _price(found) for ms in formulas.OF_TASK["deflate"])
    return (
        "Lines of data that a task fills again each time it goes on: "
        + ", ".join(said)
        + ". The cache has 256, and as its replacement is random, a line is filled more than once "
        "until all are in. CRC's table has 8 KB in Linux 6.12 (CONFIG_CRC32_SLICEBY8), a byte's "
        "step in 2.6.20 used 1 KB; AES is 2.6.20's, by tables of 8 KB. What the paper has for "
        f"deflate and AES would be {low:.0f} to {high:.0f} lines at the price above, as many as "
        "both caches together have (768): its tasks touched more."
    )


def _interrupts(found: Found) -> str:
    warm, cold = found.interrupt, found.cold_interrupt
    low, high = formulas.INTERRUPT_ALTOGETHER_PERCENT
    seconds = formulas.INTERRUPT_RUNNING["sort"].value
    least, most = (
        percent / 100 * seconds * 1e6 / formulas.MOST_INTERRUPTS for percent in (low, high)
    )
    measured = found.interrupting
    n = measured.most
    more = [found.us(measured.indirect(task, n)) / n for task in TASKS]
    text = (
        f"An interrupt is {warm.counts['instructions']:.0f} instructions from its request to the "
        f"task's next instruction, {found.us(warm.cycles):.1f} µs with warm caches and "
        f"{found.us(cold.cycles):.1f} with empty ones. The published {low:g} to {high:g} % of "
        f"sort's {seconds:g} s for {formulas.MOST_INTERRUPTS} interrupts are {least:.0f} to "
        f"{most:.0f} µs each, which no state of the caches makes here. They are unexplained: the "
        "paper does not say where they go, and its board's interrupt controllers and timer are not "
        "modelled. "
    )
    if min(more) <= found.us(warm.cycles):
        return text + "As published, the direct cost is not always the smaller one."
    return text + (
        "So its direct cost is larger than the indirect one. Here the indirect one is the larger, "
        f"{min(more):.1f} to {max(more):.1f} µs each: when an interrupt comes its handler's lines "
        "are gone, and when they are back lines of the task are not."
    )


def _spread(found: Found) -> list[str]:
    measured = found.interrupting
    n = measured.most
    widths: dict[str, float] = {}
    said = []
    for task in TASKS:
        spread = measured.indirect_spread(task, n)
        if spread is None:
            return []
        low, high = (found.us(cycles) for cycles in spread)
        widths[task] = high - low
        said.append(f"{formulas.NAMES[task]} {low:.0f} to {high:.0f}")
    least = min(widths, key=lambda task: widths[task])
    return [
        f"The indirect overhead of {n} interrupts in single runs, µs: {', '.join(said)}. It varies "
        f"least with {formulas.NAMES[least]} (published: with bubble sort, and highly with others)."
    ]
