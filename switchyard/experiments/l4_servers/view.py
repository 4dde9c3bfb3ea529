# SPDX-License-Identifier: Apache-2.0
"""Cycles of a ping by scheme, and what it met."""

from typing import Any

from switchyard.build import TAGS
from switchyard.experiments.l4 import COLUMNS, called
from switchyard.experiments.l4_servers.measure import LOADS, MACHINE
from switchyard.figure import Bar, Bars, Table
from switchyard.rows import Row
from switchyard.views import Results, View

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
LAST = {"interruption": "interruption"}
INTERRUPTION = "; interruption: cycles between the program's reads around a ping, median"
# The paper's, on its own machine: large and small spaces.
PAPER = "p4-willamette"


def interrupts(load: int) -> str:
    """What a ping interrupts, in words."""
    return f"a program that reads {load} KB" if load else "nobody"


def cell(value: float) -> str:
    """Of misses and flushes the tenths count."""
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def view(results: Results) -> View:
    """A table for each load, and the figure."""

    def at(scheme: str, load: int) -> Row:
        return results.rows.find(scheme=scheme, load=load)

    def paper(metric: str) -> dict[str, float]:
        return {
            kind: results.published(metric, scheme=scheme, machine=PAPER)
            for kind, scheme in (("large", "flush"), ("small", "small-spaces"))
        }

    def saved(what: str, metric: str) -> list[str]:
        """Of the paper's, and of ours where a program is interrupted."""
        pairs = [
            (paper(metric)["large"], paper(metric)["small"]),
            (at("flush", LOADS[-1])[metric], at("fass", LOADS[-1])[metric]),
        ]
        return [
            what,
            *(
                text
                for old, new in pairs
                for text in (*map(cell, (old, new)), f"{1 - new / old:.0%}")
            ),
        ]

    beside = Table(
        title="What is saved where a switch flushes nothing, beside the paper's Pentium 4",
        columns=["", "large spaces", "small", "saved", "flush", "fass", "saved here"],
        rows=[saved(SHOWN[metric], metric) for metric in ("cycles", "dtlb_misses", "itlb_misses")],
        caption=f"here a ping interrupts {interrupts(LOADS[-1])}; the paper's values are published",
    )
    tables = [
        Table(
            title=f"A ping that interrupts {interrupts(load)}",
            columns=["scheme", *(SHOWN | LAST if load else SHOWN).values()],
            rows=[
                [called(scheme), *(cell(row[metric]) for metric in SHOWN | LAST if metric in row)]
                for scheme in COLUMNS
                for row in [at(scheme, load)]
            ],
            caption="from the interrupt's arrival in the driver's space to the reply's being in "
            "line at the interface; means" + (INTERRUPTION if load else ""),
        )
        for load in LOADS
    ]
    figure = Bars(
        title="A ping answered by a driver and an IP stack in spaces of their own",
        subtitle=[
            f"simulated machine {MACHINE}; by the program that the ping interrupts: none, or one",
            f"that reads {LOADS[-1]} KB over and over",
        ],
        value_title="cycles",
        description="Cycles of a ping under each scheme: "
        + ", ".join(f"{called(s)} {at(s, LOADS[-1])['cycles']:.0f}" for s in COLUMNS)
        + " where a program is interrupted.",
        bars=[
            Bar(called(scheme), "none" if load == 0 else f"{load} KB", at(scheme, load)["cycles"])
            for scheme in COLUMNS
            for load in LOADS
        ],
        stacked=False,
    )
    words: dict[str, Any] = {
        "at": at,
        "busy": LOADS[-1],
        "paper": {metric: paper(metric) for metric in ("cycles", "dtlb_misses", "itlb_misses")},
        "tags": TAGS,
    }
    return View([beside, *tables], {"": figure}, words)
