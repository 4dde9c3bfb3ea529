# SPDX-License-Identifier: Apache-2.0
"""What is shown of applications where Linux is a server on L4: a table a case, and a figure."""

from collections.abc import Iterable, Mapping

from switchyard.data.rows import Row, number
from switchyard.experiments.linux_l4_apps import Application
from switchyard.experiments.linux_servers import EVERY, MACHINE, NATIVE, ON_ALL
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show


def _thousand(metric: str) -> show.Column:
    """A column of a count in thousands."""
    return lambda row: number(row[metric] / 1000)


COLUMNS: show.Columns = {
    "cycles": _thousand("cycles"), "instr.": _thousand("instructions"),
    "traces": _thousand("traces_built"), "I-walks": _thousand("itlb_misses"),
    "D-walks": _thousand("dtlb_misses"), "L2 misses": _thousand("l2_misses"),
    "CR3": ("cr3_loads", 0),
    "saved": lambda row: f"{row['cycles_saved']:.1%}" if "cycles_saved" in row else "",
}  # fmt: skip
MEANT = (
    "all but loads of CR3, which empty TLBs and trace cache, in thousands; traces: built anew; "
    "walks: of page tables, for an entry of the instruction TLB or of the data TLB; saved: of the "
    "cycles of the same server with its programs large, or of the same system without hardware tags"
)

# The rows of an application, by case and system.
Found = Mapping[tuple[str, str], Row]


def found(application: Application, results: show.Results) -> Found:
    """Those of every case on every system."""
    name, value = application.parameter, application.value
    return {
        (case, on): results.rows.find("cycles", **{"on": on, name: value(case)})
        for case in application.names
        for on in EVERY
    }


def tables(
    application: Application, rows: Found, cases: Iterable[str], columns: show.Columns = COLUMNS
) -> list[show.Table]:
    """A table for each of these cases."""
    return [
        show.table(
            f"{application.names[case]}: {MACHINE}, Linux {Linux.version} native and as a server",
            "on",
            [(ON_ALL[on], rows[case, on]) for on in EVERY],
            columns,
            MEANT,
        )
        for case in cases
    ]


def figure(application: Application, rows: Found, title: str) -> show.Bars:
    """All cases, in parts of native Linux' time."""
    times = {
        name: {ON_ALL[on]: rows[case, on]["cycles"] / rows[case, NATIVE]["cycles"] for on in EVERY}
        for case, name in application.names.items()
    }
    return show.bars(
        title,
        f"Linux {Linux.version}; simulated machine {MACHINE}, and the same with hardware tags",
        "times what native Linux takes",
        times,
    )
