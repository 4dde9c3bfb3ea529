# SPDX-License-Identifier: Apache-2.0
"""Cycles of a ping by scheme and machine, and what it met."""

from collections.abc import Mapping, Sequence
from typing import Any

from switchyard.data.rows import Row, Rows
from switchyard.experiments import l4_pc
from switchyard.experiments.l4 import COLUMNS, called
from switchyard.experiments.l4_pc import LARGE
from switchyard.experiments.l4_servers.measure import BESIDE_PORTS, LOADS, MACHINE
from switchyard.run.build import TAGS
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

SHOWN = {
    "cycles": "cycles",
    "instructions": "instructions",
    "itlb_misses": "ITLB misses",
    "dtlb_misses": "DTLB misses",
    "icache_misses": "lines of instructions",
    "dcache_misses": "lines of data",
    "fill_stall_cycles": "waiting for lines",
    "walk_stall_cycles": "for page tables",
    "cache_flushes": "cache flushes",
    "tlb_flushes": "TLB flushes",
}
PC_SHOWN = {
    "cycles": "cycles",
    "port_accesses": "ports",
    "port_cycles": "their cycles",
    BESIDE_PORTS: "the other cycles",
    "instructions": "instructions",
    "itlb_misses": "ITLB misses",
    "dtlb_misses": "DTLB misses",
    "traces_built": "traces built",
    "trace_build_cycles": "building them",
    "cr3_loads": "loads of CR3",
}
INTERRUPTION = "interruption"
MEANT = (
    "from the interrupt's arrival in the driver's space to the reply's being in line at the "
    "interface; means"
)
MEANT_INTERRUPTION = "; interruption: cycles between the program's reads around a ping, median"
SMALL = "small-spaces"
BUSY = LOADS[-1]


def interrupts(load: int) -> str:
    """What a ping interrupts, in words."""
    return f"a program that reads {load} KB" if load else "nobody"


def cell(value: float) -> str:
    """Of misses and flushes the tenths count."""
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def view(results: Results) -> View:
    """A table and bars for each machine and load, and the paper's beside them."""
    arm, pc = l4_pc.apart(results.rows)
    on_pc = l4_pc.there(pc)

    def at(scheme: str, load: int) -> Row:
        return arm.find(scheme=scheme, load=load)

    words: dict[str, Any] = {
        "at": at,
        "busy": BUSY,
        "tags": TAGS,
        "pc": {scheme: pc.find(scheme=scheme, load=BUSY) for scheme in on_pc},
        "large": LARGE,
        "small": SMALL,
        "paper": _paper(results) if on_pc else {},
    }
    return View(
        [
            *([_beside(results, pc)] if on_pc else []),
            *(_table(pc, on_pc, load, PC_SHOWN) for load in LOADS if on_pc),
            *(_table(arm, COLUMNS, load, SHOWN) for load in LOADS),
        ],
        {"": _figure(arm), **({"pc": _pc_figure(results, pc, on_pc)} if on_pc else {})},
        words,
    )


def _paper(results: Results) -> dict[str, dict[str, float]]:
    """What is published, of large spaces and of small ones, by metric."""
    return {
        metric: {
            scheme: results.published(metric, scheme=scheme, machine=l4_pc.MACHINE, load=BUSY)
            for scheme in (LARGE, SMALL)
        }
        for metric in ("cycles", "dtlb_misses", "itlb_misses")
    }


def _beside(results: Results, pc: Rows) -> Table:
    """What is saved: the paper's, and ours with ports and without."""
    paper = _paper(results)
    rows = []
    for metric, theirs in (
        ("cycles", paper["cycles"]),
        (BESIDE_PORTS, paper["cycles"]),
        ("dtlb_misses", paper["dtlb_misses"]),
        ("itlb_misses", paper["itlb_misses"]),
    ):
        ours = {scheme: pc.find(scheme=scheme, load=BUSY)[metric] for scheme in (LARGE, SMALL)}
        rows.append(
            [
                "cycles, ours without ports" if metric == BESIDE_PORTS else PC_SHOWN[metric],
                *(
                    text
                    for one in (theirs, ours)
                    for text in (
                        cell(one[LARGE]),
                        cell(one[SMALL]),
                        f"{1 - one[SMALL] / one[LARGE]:.0%}",
                    )
                ),
            ]
        )
    return Table(
        title=f"What small spaces save of a ping: the paper's Pentium 4, and {l4_pc.MACHINE}",
        columns=["", "published: large", "small", "saved", LARGE, SMALL, "saved here"],
        rows=rows,
        caption=f"here a ping interrupts {interrupts(BUSY)}",
    )


def _table(rows: Rows, schemes: Sequence[str], load: int, shown: Mapping[str, str]) -> Table:
    (machine,) = {row.where["machine"] for row in rows.select(scheme=schemes[0])}
    columns = {**shown, **({INTERRUPTION: INTERRUPTION} if load else {})}
    return Table(
        title=f"A ping that interrupts {interrupts(load)}, on {machine}",
        columns=["scheme", *columns.values()],
        rows=[
            [called(scheme), *(cell(row[metric]) for metric in columns)]
            for scheme in schemes
            for row in [rows.find(scheme=scheme, load=load)]
        ],
        caption=MEANT + (MEANT_INTERRUPTION if load else ""),
    )


def _figure(rows: Rows) -> Bars:
    return Bars(
        title="A ping answered by a driver and an IP stack in spaces of their own",
        subtitle=[
            f"simulated machine {MACHINE}; by the program that the ping interrupts: none, or one",
            f"that reads {BUSY} KB over and over",
        ],
        value_title="cycles",
        description="Cycles of a ping under each scheme: "
        + ", ".join(f"{called(s)} {rows.find(scheme=s, load=BUSY)['cycles']:.0f}" for s in COLUMNS)
        + " where a program is interrupted.",
        bars=[
            Bar(
                called(scheme),
                f"{load} KB" if load else "none",
                rows.find(scheme=scheme, load=load)["cycles"],
            )
            for scheme in COLUMNS
            for load in LOADS
        ],
        stacked=False,
    )


def _pc_figure(results: Results, rows: Rows, schemes: Sequence[str]) -> Bars:
    paper = _paper(results)["cycles"]
    told = ", ".join(f"{s} {rows.find(scheme=s, load=BUSY)[BESIDE_PORTS]:.0f}" for s in schemes)
    ports = rows.find(scheme=LARGE, load=BUSY)["port_cycles"]
    return Bars(
        title="A ping on a Pentium 4, without what access to ports takes",
        subtitle=[
            f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}; by the program that the ping",
            f"interrupts: none, or one that reads {BUSY} KB over and over; hollow: the paper's.",
            f"Ports take about {round(ports, -3):,.0f} cycles more, whatever the scheme is",
        ],
        value_title="cycles",
        description=f"Cycles of a ping without ports: {told} where a program is interrupted; "
        f"published {paper[LARGE]} with large spaces and {paper[SMALL]} with small ones.",
        bars=[
            bar
            for scheme in schemes
            for bar in (
                *(
                    Bar(
                        scheme,
                        f"{load} KB" if load else "none",
                        rows.find(scheme=scheme, load=load)[BESIDE_PORTS],
                    )
                    for load in LOADS
                ),
                *(
                    [Bar(scheme, "published", paper[scheme], published=True)]
                    if scheme in paper
                    else []
                ),
            )
        ],
        stacked=False,
    )
