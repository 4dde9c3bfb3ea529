# SPDX-License-Identifier: Apache-2.0
"""The primitives side by side."""

from switchyard.data.rows import Row
from switchyard.experiments import l4_pc
from switchyard.experiments.l4 import ABOUT, COLUMNS, MACHINE, UNPROTECTED
from switchyard.run.build import TAGS
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

WHAT = {
    "null_syscall": "ThreadSwitch to nobody, and nobody else is ready: in and out again",
    "system_clock": "SystemClock: the cheapest call that answers something",
    "thread_switch": "ThreadSwitch to a ready thread of the space, to its first instruction",
    "ipc_in_space": "an empty message to a thread of the space, one way",
    "lipc_in_space": "the same by local ids (Lipc), between threads that wait for local ones",
    "page_fault": "a load from a missing page: fault, pager in another space, map, restart",
}

# The same in the words of figures and tables.
NAMES = {
    "null_syscall": "null system call",
    "system_clock": "SystemClock",
    "thread_switch": "thread switch",
    "ipc_in_space": "IPC in a space",
    "lipc_in_space": "Lipc in a space",
    "page_fault": "page fault",
}
NO_FAULTS = "a space without protection has no page faults"


def view(results: Results) -> View:
    """A table and a figure of the same; and of those on the PC."""
    arm, pc = l4_pc.apart(results.rows)
    rows = {scheme: arm.find(scheme=scheme) for scheme in COLUMNS}
    on_pc = {scheme: pc.find(scheme=scheme) for scheme in l4_pc.there(pc)}
    limits = {statement.metric: statement.value for statement in results.statements}
    table = Table(
        title="Primitives, cycles: median",
        columns=["", *COLUMNS, "what"],
        rows=[
            [
                NAMES[name],
                *(f"{row[name]:.0f}" if name in row else "" for row in rows.values()),
                what,
            ]
            for name, what in WHAT.items()
        ],
        caption="from the trapping instruction to the first one behind it, whoever executes that; "
        "the page fault: of the load that faults, with its pager's instructions",
        words=["what"],
    )
    figure = Bars(
        title="Primitives of the L4 kernel",
        subtitle=[
            f"{ABOUT}; simulated machine {MACHINE}, median of {rows['fass']['rounds']:,} rounds; "
            "hollow: the project's limits for fass"
        ],
        value_title="cycles (log scale)",
        description="Cycles of each primitive under each scheme, beside the limits set for fass.",
        bars=[
            *_bars(rows),
            *(Bar(NAMES[name], "limit", limit, published=True) for name, limit in limits.items()),
        ],
        stacked=False,
        log=True,
        empty={"limit": "no limit is set", **dict.fromkeys(UNPROTECTED, NO_FAULTS)},
    )
    return View(
        [table, *([_pc_table(on_pc)] if on_pc else [])],
        {"": figure, **({"pc": _pc_figure(on_pc)} if on_pc else {})},
        {
            "fass": rows["fass"],
            "tags": rows[TAGS],
            "limits": [*limits],
            "names": NAMES,
            "pc": on_pc,
        },
    )


def _bars(rows: dict[str, Row]) -> list[Bar]:
    return [
        Bar(NAMES[name], scheme, row[name])
        for name in WHAT
        for scheme, row in rows.items()
        if name in row
    ]


def _pc_table(rows: dict[str, Row]) -> Table:
    return Table(
        title=f"Primitives on {l4_pc.MACHINE}, cycles: median",
        columns=["", *rows],
        rows=[[NAMES[name], *(f"{row[name]:.0f}" for row in rows.values())] for name in WHAT],
        caption="the whole round, as often as it traps: the instructions of a dozen around each "
        "trap, and what they fill again behind a flush, are in it",
    )


def _pc_figure(rows: dict[str, Row]) -> Bars:
    told = ", ".join(
        f"{NAMES[name]} {row[name]:.0f} under {s}" for s, row in rows.items() for name in WHAT
    )
    return Bars(
        title="Primitives of the L4 kernel on a Pentium 4",
        subtitle=[f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}, median"],
        value_title="cycles (log scale)",
        description=f"Cycles of each primitive: {told}.",
        bars=_bars(rows),
        stacked=False,
        log=True,
    )
