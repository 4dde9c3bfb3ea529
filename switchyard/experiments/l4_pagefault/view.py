# SPDX-License-Identifier: Apache-2.0
"""Kinds of faults by scheme, and what each access met."""

from switchyard.data.rows import pivot
from switchyard.experiments.l4 import ABOUT, MACHINE
from switchyard.experiments.l4_pagefault.measure import SCHEMES
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

WHAT = {
    "none": "no fault: a load from a page that is mapped, which misses TLB and cache",
    "page_4k": "the pager maps a page of 4 KB",
    "page_64k": "the pager maps a large page of 64 KB",
    "page_1m": "the pager maps a section of 1 MB",
    "more_rights": "a store to a page mapped for reading; the pager maps it again",
    "synonym_read": "a load from a page whose cache lines the pager has, no message",
    "synonym_write": "a store to such a page",
    "directory": "a load through a directory entry that the scheme has not copied yet",
    "collision": "a load where another space's section is in the copied directory",
}
# The same in the words of figures and tables.
NAMES = {
    "none": "no fault",
    "page_4k": "page of 4 KB",
    "page_64k": "page of 64 KB",
    "page_1m": "section of 1 MB",
    "more_rights": "more rights",
    "synonym_read": "synonym, read",
    "synonym_write": "synonym, written",
    "directory": "directory entry",
    "collision": "collision",
}

COUNTED = {
    "rounds": ("accesses", 0),
    "cycles": ("page_fault", 0),
    "instr.": ("instructions", 0),
    "line fills": ("line_fills", 1),
    "waiting": ("fill_stall_cycles", 0),
    "cache fl.": ("cache_flushes", 2),
}


def view(results: Results) -> View:
    """Tables and a figure; the text has the rows by scheme and kind."""
    rows = {
        scheme: {kind: results.rows.find(scheme=scheme, kind=kind) for kind in WHAT}
        for scheme in SCHEMES
    }
    (limit,) = results.statements
    times = Table(
        title="Page faults, cycles of the access: median",
        columns=["kind", *SCHEMES, "what"],
        rows=[
            [
                NAMES[kind],
                *(f"{rows[scheme][kind]['page_fault']:.0f}" for scheme in SCHEMES),
                what,
            ]
            for kind, what in WHAT.items()
        ],
        words=["what"],
    )
    counted = [
        pivot(
            f"{scheme}: counted for each access",
            "kind",
            [(NAMES[kind], row) for kind, row in kinds.items()],
            COUNTED,
            "with the few instructions of the loop around the access",
        )
        for scheme, kinds in rows.items()
    ]
    bars = [
        Bar(NAMES[kind], scheme, max(rows[scheme][kind]["page_fault"], 1))
        for kind in WHAT
        for scheme in SCHEMES
    ]
    figure = Bars(
        title="Page faults by kind",
        subtitle=[
            f"{ABOUT}; simulated machine {MACHINE}; median of the accesses that fault; hollow: the "
            "project's limit for fass"
        ],
        value_title="cycles of the access (log scale)",
        description="Cycles of an access by the kind of fault that it causes, for each scheme.",
        bars=[*bars, Bar(NAMES["page_4k"], "limit", limit.value, published=True)],
        stacked=False,
        log=True,
        empty={"limit": "no limit is set"},
    )
    return View([times, *counted], {"": figure}, {**rows, "names": NAMES})
