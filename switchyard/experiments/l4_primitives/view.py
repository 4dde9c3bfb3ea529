# SPDX-License-Identifier: Apache-2.0
"""The primitives side by side."""

from switchyard.experiments import l4_pc
from switchyard.experiments.l4 import ABOUT, COLUMNS, MACHINE, UNPROTECTED
from switchyard.run.build import TAGS
from switchyard.show import declared as show

WHAT = {
    "null_syscall": "ThreadSwitch to nobody, and nobody else is ready: in and out again",
    "system_clock": "SystemClock: the cheapest call that answers something",
    "thread_switch": "ThreadSwitch to a ready thread of the space, to its first instruction",
    "ipc_in_space": "an empty message to a thread of the space, one way",
    "lipc_in_space": "the same by local ids (Lipc), between threads that wait for local ones",
    "page_fault": "a load from a missing page: fault, pager in another space, map, restart",
}
# In the words of figures and tables.
NAMES = {
    "null_syscall": "null system call", "system_clock": "SystemClock",
    "thread_switch": "thread switch", "ipc_in_space": "IPC in a space",
    "lipc_in_space": "Lipc in a space", "page_fault": "page fault",
}  # fmt: skip
LINES = [(NAMES[name], name) for name in WHAT]
MEANT = (
    "from the trapping instruction to the first one after it, whoever executes that; the page "
    "fault: of the load that faults, with its pager's instructions"
)
MEANT_PC = (
    "the whole round, as often as it traps: the instructions of a dozen around each trap, and what "
    "they fill again after a flush, are in it"
)
NO_FAULTS = "a space without protection has no page faults"


def view(results: show.Results) -> show.View:
    arm, on_pc = l4_pc.apart(results.rows)
    rows = show.across(arm, "scheme", COLUMNS)
    pc = show.across(on_pc, "scheme", l4_pc.there(on_pc))
    limits = {statement.metric: statement.value for statement in results.statements}
    columns = {scheme: show.value_of(row) for scheme, row in rows.items()}
    columns["what"] = WHAT.__getitem__
    tables = [show.table("Primitives, cycles: median", "", LINES, columns, MEANT, ["what"])]
    values = {
        name: {scheme: row[metric] for scheme, row in rows.items() if metric in row}
        for name, metric in LINES
    }
    figures = {
        "": show.bars(
            "Primitives of the L4 kernel",
            f"{ABOUT}; simulated machine {MACHINE}, median of {rows['fass']['rounds']:,} rounds; "
            "hollow: the project's limits for fass",
            "cycles",
            values,
            beside={"limit": {NAMES[metric]: value for metric, value in limits.items()}},
            log=True,
            empty={"limit": "no limit is set", **dict.fromkeys(UNPROTECTED, NO_FAULTS)},
        )
    }
    if pc:
        columns = {scheme: show.value_of(row) for scheme, row in pc.items()}
        title = f"Primitives on {l4_pc.MACHINE}, cycles: median"
        tables.append(show.table(title, "", LINES, columns, MEANT_PC))
        figures["pc"] = show.bars(
            "Primitives of the L4 kernel on a Pentium 4",
            f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}, median",
            "cycles",
            {name: {s: row[metric] for s, row in pc.items()} for name, metric in LINES},
            log=True,
        )
    return show.View(tables, figures, {**locals(), "fass": rows["fass"], "tags": rows[TAGS]})
