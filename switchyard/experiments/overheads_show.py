# SPDX-License-Identifier: Apache-2.0
"""Overheads of context switches and interrupts for people: figures, tables, and words beside.

What is shown is worked out in `overheads`; `about` is a system in a few words, for titles.
"""

from collections.abc import Sequence

from switchyard.experiments.overheads import (
    ALTOGETHER_PERCENT,
    DIRECT,
    DIRECT_ALL,
    INDIRECT,
    INDIRECT_PERCENT,
    INTERRUPT_ALTOGETHER_PERCENT,
    INTERRUPT_PERCENT,
    INTERRUPT_RUNNING,
    MOST_INTERRUPTS,
    MOST_SWITCHES,
    NAMES,
    OF_TASK,
    PAPER,
    RUNNING,
    Interrupting,
    Pair,
    Switching,
    name_of,
)
from switchyard.figure import Table
from switchyard.plot import Figure, Mark, Series
from switchyard.records import Published
from switchyard.summary import unsteady


def titled(pair: Pair) -> str:
    """A pair in words."""
    return " and ".join(NAMES[task] for task in pair)


def figure_2(found: Switching, about: str) -> Figure:
    """Direct and indirect overheads over the number of switches, all pairs (Fig. 2)."""
    series = []
    for pair in found.pairs:
        marks = [
            Mark(
                n,
                found.ms(found.indirect(pair, n).total),
                half=found.ms(found.indirect_interval(pair, n).half),
            )
            for n in found.counts(pair)
        ]
        series.append(Series(name_of(pair), titled(pair), marks))
    counts = found.counts(found.pairs[0])
    direct = [Mark(n, found.ms(found.direct_of(n))) for n in counts]
    series.append(Series("direct", "direct", direct))
    if found.most == MOST_SWITCHES:
        for pair, value in INDIRECT.items():
            marks = [Mark(1, 0.0), Mark(MOST_SWITCHES, value.value)]
            series.append(Series(name_of(pair), f"published: {titled(pair)}", marks, True))
        marks = [Mark(1, DIRECT.value / 1e3), Mark(MOST_SWITCHES, DIRECT_ALL.value)]
        series.append(Series("direct", "published: direct", marks, True))
    low = min(mark.y for one in series for mark in one.marks)
    high = max(mark.y for one in series for mark in one.marks)
    return Figure(
        title="What context switches cost: direct and indirect overheads",
        subtitle=[
            f"{about}; two tasks that hand over to each other, both together:",
            "indirect overheads by pair, and the direct one, which is the same for all;",
            "bars: 95 % confidence interval of the mean, over the runs",
        ],
        x_title="context switches",
        y_title="overhead, ms",
        description=(
            f"Line chart of indirect overheads of {len(found.pairs)} pairs of tasks and of the "
            f"direct overhead over 1 to {found.most} context switches, between {low:.2f} and "
            f"{high:.2f} ms."
        ),
        series=series,
    )


def figure_3(found: Switching, pair: Pair, about: str) -> Figure:
    """The indirect overhead of one pair by where it is (a panel of Fig. 3)."""
    counts = found.counts(pair)
    parts = {n: found.indirect(pair, n) for n in counts}
    values = {
        NAMES[pair[0]]: [parts[n].first for n in counts],
        NAMES[pair[1]]: [parts[n].second for n in counts],
        "switches, by dirty lines": [parts[n].inflation for n in counts],
    }
    series = [
        Series(label, label, [Mark(n, found.ms(v)) for n, v in zip(counts, cycles, strict=True)])
        for label, cycles in values.items()
    ]
    low, high = OF_TASK["sort"]
    if "sort" in pair and counts[-1] == MOST_SWITCHES and low == high:
        # of the others the text has bounds only
        marks = [Mark(1, 0.0), Mark(MOST_SWITCHES, high)]
        series.append(Series(NAMES["sort"], f"published: {NAMES['sort']}", marks, True))
    at_most = ", ".join(f"{label} {found.ms(cycles[-1]):.2f}" for label, cycles in values.items())
    return Figure(
        title=f"Where the indirect overhead is: {titled(pair)}",
        subtitle=[f"{about}; what each takes longer than with a single switch"],
        x_title="context switches",
        y_title="indirect overhead, ms",
        description=f"Line chart over 1 to {counts[-1]} switches, which ends at, in ms: {at_most}.",
        series=series,
    )


def _indirect(found: Interrupting, task: str, n: int) -> Mark:
    """I with its spread over the runs, which is often as large as it is."""
    low, high = found.indirect_spread(task, n) or (None, None)
    return Mark(
        n,
        found.us(found.indirect(task, n)),
        found.us(low) if low is not None else None,
        found.us(high) if high is not None else None,
        found.us(found.indirect_interval(task, n).half),
    )


def figure_5(found: Interrupting, about: str) -> Figure:
    """The indirect overhead of interrupts by task (Fig. 5)."""
    series = [
        Series(
            task,
            NAMES[task],
            [_indirect(found, task, n) for n in found.counts(task)],
        )
        for task in found.tasks
    ]
    ends = ", ".join(f"{one.label} {one.marks[-1].y:.1f}" for one in series)
    if found.most == MOST_INTERRUPTS and "sort" in found.tasks:
        # the one task whose running time is printed
        paper = INTERRUPT_PERCENT["sort"].value / 100 * INTERRUPT_RUNNING["sort"].value * 1e6
        marks = [Mark(0, 0.0), Mark(MOST_INTERRUPTS, paper)]
        series.append(Series("sort", "published: bubble sort", marks, True))
    return Figure(
        title="What interrupts cost a task beside their own time",
        subtitle=[
            f"{about}; indirect overhead, by task;",
            "band: from the least to the most of the runs; bars: 95 % confidence interval",
        ],
        x_title="interrupts",
        y_title="indirect overhead, µs",
        description=f"Line chart over 0 to {found.most} interrupts, which ends at, in µs: {ends}.",
        series=series,
    )


def _beside(value: float, paper: Published | None, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text if paper is None else f"{text} ({paper.value:g})"


def switch_table(found: Switching, about: str) -> Table:
    """The text's numbers again, at the largest number of switches."""
    n = found.most
    full = n == MOST_SWITCHES
    rows = []
    for pair in found.pairs:
        indirect = found.indirect(pair, n)
        rows.append(
            [
                titled(pair),
                _beside(
                    found.ms(found.total(pair, 1)) / 1e3, RUNNING.get(pair) if full else None, 3
                ),
                f"{found.ms(found.direct_of(n)):.2f}",
                _beside(found.ms(indirect.total), INDIRECT.get(pair) if full else None, 2),
                f"{found.ms(indirect.first):.2f}",
                f"{found.ms(indirect.second):.2f}",
                f"{found.ms(indirect.inflation):.2f}",
                _beside(
                    found.indirect_percent(pair, n),
                    INDIRECT_PERCENT.get(pair) if full else None,
                    3,
                ),
                f"{found.altogether_percent(pair, n):.3f}",
            ]
        )
    low, high = ALTOGETHER_PERCENT
    return Table(
        title=f"{about}: {n} context switches",
        columns=[
            "tasks", "together, s", "direct, ms", "indirect, ms", "1st task", "2nd task",
            "switches", "indirect, %", "altogether, %",
        ],
        rows=rows,
        caption=(
            f"published ({PAPER}) in brackets; direct {DIRECT_ALL.value:g} ms, altogether "
            f"{low:g} to {high:g} % with {MOST_SWITCHES} switches; max CV {_cv(found.max_cv())}"
        ),
    )  # fmt: skip


def interrupt_table(found: Interrupting, about: str) -> Table:
    """Likewise of interrupts."""
    n = found.most
    full = n == MOST_INTERRUPTS
    rows = [
        [
            NAMES[task],
            f"{found.us(found.total(task, 0)) / 1e6:.3f}",
            f"{found.us(n * found.direct):.0f}",
            f"{found.us(found.indirect(task, n)):.1f}",
            _beside(
                found.indirect_percent(task, n), INTERRUPT_PERCENT.get(task) if full else None, 4
            ),
            f"{found.altogether_percent(task, n):.4f}",
        ]
        for task in found.tasks
    ]
    low, high = INTERRUPT_ALTOGETHER_PERCENT
    return Table(
        title=f"{about}: {n} interrupts of {found.us(found.direct):.2f} µs",
        columns=["task", "alone, s", "direct, µs", "indirect, µs", "indirect, %", "altogether, %"],
        rows=rows,
        caption=(
            f"published ({PAPER}) in brackets; altogether {low:g} to {high:g} % with "
            f"{MOST_INTERRUPTS} interrupts; max CV {_cv(found.max_cv())}"
        ),
    )


def _cv(value: float) -> str:
    return f"{value:.2g}"


def switch_notes(found: Switching, about: str) -> list[str]:
    """What was measured beside what the text says; why they differ is the experiment's to say."""
    c_us = found.ms(found.direct) * 1e3
    notes = [
        f"{about}: a switch takes {c_us:.1f} µs with cold caches ({c_us / DIRECT.value:.2f} times "
        f"the published {DIRECT.value:g} µs)."
    ]
    n = found.most
    if n != MOST_SWITCHES:
        return notes
    indirect = {pair: found.indirect_percent(pair, n) for pair in found.pairs}
    largest = max(indirect, key=lambda pair: indirect[pair])
    said = ", ".join(
        f"{value:.3f} % {titled(pair)}"
        + (f" (published {INDIRECT_PERCENT[pair].value:g})" if pair in INDIRECT_PERCENT else "")
        for pair, value in indirect.items()
    )
    notes.append(
        f"{about}: {n} switches add indirectly {said}; most with {titled(largest)} (published: "
        "most with AES and deflate)."
    )
    whole = [found.altogether_percent(pair, n) for pair in found.pairs]
    low, high = ALTOGETHER_PERCENT
    notes.append(
        f"{about}: altogether {min(whole):.3f} to {max(whole):.3f} % (published {low:g} to "
        f"{high:g} %)."
    )
    smaller = [
        titled(pair) for pair in found.pairs if found.indirect(pair, n).total <= found.direct_of(n)
    ]
    notes.append(
        f"{about}: the indirect overhead is larger than the direct one with "
        + ("all pairs, as published." if not smaller else f"all pairs but {_list(smaller)}.")
    )
    notes.append(f"{about}: by task, {n} switches: {_by_task(found, n)}.")
    return notes + unsteady(
        (f"{about}: indirect overhead of {titled(pair)}", found.indirect_interval(pair, n))
        for pair in found.pairs
    )


def _list(words: Sequence[str]) -> str:
    return "; ".join(words)


def _by_task(found: Switching, n: int) -> str:
    """Each task's own indirect overhead over the pairs that it is in, beside the text's."""
    said = []
    for task, (low, high) in OF_TASK.items():
        values = [
            found.ms((indirect.first, indirect.second)[pair.index(task)])
            for pair in found.pairs
            if task in pair
            for indirect in [found.indirect(pair, n)]
        ]
        if values:
            paper = f"below {high:g}" if low == 0 else f"{low:g} to {high:g}"
            paper = f"{high:g}" if low == high else paper
            said.append(
                f"{NAMES[task]} {min(values):.2f} to {max(values):.2f} ms (published {paper})"
            )
    return ", ".join(said)


def interrupt_notes(found: Interrupting, about: str) -> list[str]:
    """What interrupts cost beside what the text says."""
    n = found.most
    notes = [
        f"{about}: an interrupt takes {found.us(found.direct):.2f} µs with warm caches (mean of "
        "the invocations in a loop; the paper gives none)."
    ]
    if n != MOST_INTERRUPTS:
        return notes
    said = ", ".join(
        f"{found.indirect_percent(task, n):.3f} % {NAMES[task]} (published "
        f"{INTERRUPT_PERCENT[task].value:g})"
        for task in found.tasks
    )
    whole = [found.altogether_percent(task, n) for task in found.tasks]
    low, high = INTERRUPT_ALTOGETHER_PERCENT
    notes.append(
        f"{about}: {n} interrupts add indirectly {said}; altogether {min(whole):.3f} to "
        f"{max(whole):.3f} % (published {low:g} to {high:g} %)."
    )
    return notes + unsteady(
        (f"{about}: indirect overhead of {NAMES[task]}", found.indirect_interval(task, n))
        for task in found.tasks
    )
