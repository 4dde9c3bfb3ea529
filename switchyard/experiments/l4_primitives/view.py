# SPDX-License-Identifier: Apache-2.0
"""The primitives side by side."""

from switchyard.build import TAGS
from switchyard.experiments.l4 import ABOUT, COLUMNS, MACHINE
from switchyard.figure import Bar, Bars, Table
from switchyard.views import Results, View

WHAT = {
    "null_syscall": "ThreadSwitch to nobody, and nobody else is ready: in and out again",
    "system_clock": "SystemClock: the cheapest call that answers something",
    "thread_switch": "ThreadSwitch to a ready thread of the space, to its first instruction",
    "ipc_in_space": "an empty message to a thread of the space, one way",
    "lipc_in_space": "the same by local ids (Lipc), between threads that wait for local ones",
    "page_fault": "a load from a missing page: fault, pager in another space, map, restart",
}


def view(results: Results) -> View:
    """A table and a figure of the same."""
    rows = {scheme: results.rows.find(scheme=scheme) for scheme in COLUMNS}
    limits = {statement.metric: statement.value for statement in results.statements}
    table = Table(
        title="Primitives, cycles: median",
        columns=["", *COLUMNS, "what"],
        rows=[
            [
                name,
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
            *(
                Bar(name, scheme, row[name])
                for name in WHAT
                for scheme, row in rows.items()
                if name in row
            ),
            *(Bar(name, "limit", limit, published=True) for name, limit in limits.items()),
        ],
        stacked=False,
        log=True,
    )
    return View(
        [table], {"": figure}, {"fass": rows["fass"], "tags": rows[TAGS], "limits": [*limits]}
    )
