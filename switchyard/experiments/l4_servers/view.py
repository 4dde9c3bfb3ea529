# SPDX-License-Identifier: Apache-2.0
"""Cycles of a ping by scheme and machine, and what it met."""

from collections.abc import Mapping, Sequence

from switchyard.experiments import l4_pc
from switchyard.experiments.l4 import COLUMNS, called
from switchyard.experiments.l4_pc import LARGE
from switchyard.experiments.l4_servers.measure import BESIDE_PORTS, LOADS, MACHINE
from switchyard.show import declared as show

SHOWN = {
    "cycles": "cycles", "instructions": "instructions", "ITLB misses": "itlb_misses",
    "DTLB misses": "dtlb_misses", "lines of instructions": "icache_misses",
    "lines of data": "dcache_misses", "waiting for lines": "fill_stall_cycles",
    "for page tables": "walk_stall_cycles", "cache flushes": "cache_flushes",
    "TLB flushes": "tlb_flushes",
}  # fmt: skip
PC_SHOWN = {
    "cycles": "cycles", "ports": "port_accesses", "their cycles": "port_cycles",
    "the other cycles": BESIDE_PORTS, "instructions": "instructions",
    "ITLB misses": "itlb_misses", "DTLB misses": "dtlb_misses", "traces built": "traces_built",
    "building them": "trace_build_cycles", "loads of CR3": "cr3_loads",
}  # fmt: skip
# Lines of the table beside the paper: what ours is called, and what theirs.
BESIDE = {
    "cycles": ("cycles", "cycles"), "cycles, ours without ports": (BESIDE_PORTS, "cycles"),
    "DTLB misses": ("dtlb_misses", "dtlb_misses"), "ITLB misses": ("itlb_misses", "itlb_misses"),
}  # fmt: skip
MEANT = (
    "from the interrupt's arrival in the driver's space to the reply's being in line at the "
    "interface; means"
)
MEANT_INTERRUPTION = "; interruption: cycles between the program's reads around a ping, median"
SMALL = "small-spaces"
BUSY = LOADS[-1]
FORMS = {load: f"{load} KB" if load else "none" for load in LOADS}


def interrupts(load: int) -> str:
    """What a ping interrupts, in words."""
    return f"a program that reads {load} KB" if load else "nobody"


def cell(value: float) -> str:
    """Of misses and flushes the tenths count."""
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def view(results: show.Results) -> show.View:
    arm, pc_rows = l4_pc.apart(results.rows)
    on_pc = l4_pc.there(pc_rows)
    pc = show.across(pc_rows, "scheme", on_pc, load=BUSY)

    at = arm.by("scheme", "load")
    tables = [_table(arm, COLUMNS, load, SHOWN) for load in LOADS]
    figures = {
        "": show.bars(
            "A ping answered by a driver and an IP stack in spaces of their own",
            f"simulated machine {MACHINE}; by the program that the ping interrupts: none, or one\n"
            f"that reads {BUSY} KB over and over",
            "cycles",
            {called(s): {FORMS[n]: at(s, n)["cycles"] for n in LOADS} for s in COLUMNS},
        )
    }
    if pc:
        known: dict[str, show.Parameter] = {"machine": l4_pc.MACHINE, "load": BUSY}
        paper = {
            metric: {s: results.published(metric, scheme=s, **known) for s in (LARGE, SMALL)}
            for metric in ("cycles", "dtlb_misses", "itlb_misses")
        }
        on_loads = [_table(pc_rows, on_pc, load, PC_SHOWN) for load in LOADS]
        tables = [_beside(paper, pc), *on_loads, *tables]
        values = {
            s: {FORMS[n]: pc_rows.find(scheme=s, load=n)[BESIDE_PORTS] for n in LOADS}
            for s in on_pc
        }
        theirs = paper["cycles"]
        for scheme, there in theirs.items():
            values[scheme]["published"] = there
        ports = round(pc[LARGE]["port_cycles"], -3)
        figures["pc"] = show.bars(
            "A ping on a Pentium 4, without what access to ports takes",
            f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}; by the program that the ping\n"
            f"interrupts: none, or one that reads {BUSY} KB over and over; hollow: the paper's.\n"
            f"Ports take about {ports:,.0f} cycles more, whatever the scheme is",
            "cycles",
            values,
            published=["published"],
        )
    return show.View(tables, figures, locals())


def _beside(paper: Mapping[str, Mapping[str, float]], pc: Mapping[str, show.Row]) -> show.Table:
    """What is saved: the paper's, and ours with ports and without."""

    def cells(by: Mapping[str, float]) -> list[str]:
        return [cell(by[LARGE]), cell(by[SMALL]), f"{1 - by[SMALL] / by[LARGE]:.0%}"]

    rows = [
        [name, *cells(paper[theirs]), *cells({s: row[ours] for s, row in pc.items()})]
        for name, (ours, theirs) in BESIDE.items()
    ]
    title = f"What small spaces save of a ping: the paper's Pentium 4, and {l4_pc.MACHINE}"
    heads = ["", "published: large", "small", "saved", LARGE, SMALL, "saved here"]
    return show.Table(title, heads, rows, f"here a ping interrupts {interrupts(BUSY)}")


def _table(
    rows: show.Rows, schemes: Sequence[str], load: int, shown: Mapping[str, str]
) -> show.Table:
    (machine,) = {row.where["machine"] for row in rows.select(scheme=schemes[0])}
    columns, meant = {**shown}, MEANT
    if load:
        columns["interruption"], meant = "interruption", MEANT + MEANT_INTERRUPTION
    by = show.across(rows, "scheme", schemes, load=load)
    cells = [[called(s), *(cell(row[m]) for m in columns.values())] for s, row in by.items()]
    title = f"A ping that interrupts {interrupts(load)}, on {machine}"
    return show.Table(title, ["scheme", *columns], cells, meant)
