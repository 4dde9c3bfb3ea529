# SPDX-License-Identifier: Apache-2.0
"""Kinds of faults by scheme, and what each access met."""

from operator import itemgetter
from typing import Any

from switchyard.experiments.l4 import ABOUT, MACHINE
from switchyard.experiments.l4_pagefault.measure import SCHEMES
from switchyard.show import declared as show

# Each kind in the words of figures and tables, and in full.
KINDS = {
    "none": ("no fault", "no fault: a load from a page that is mapped, which misses TLB and cache"),
    "page_4k": ("page of 4 KB", "the pager maps a page of 4 KB"),
    "page_64k": ("page of 64 KB", "the pager maps a large page of 64 KB"),
    "page_1m": ("section of 1 MB", "the pager maps a section of 1 MB"),
    "more_rights": ("more rights", "a store to a page mapped for reading; the pager maps it again"),
    "synonym_read": (
        "synonym, read", "a load from a page whose cache lines the pager has, no message"
    ),
    "synonym_write": ("synonym, written", "a store to such a page"),
    "directory": (
        "directory entry", "a load through a directory entry that the scheme has not copied yet"
    ),
    "collision": ("collision", "a load where another space's section is in the copied directory"),
}  # fmt: skip
COUNTED = {
    "rounds": ("accesses", 0), "cycles": ("page_fault", 0), "instr.": ("instructions", 0),
    "line fills": ("line_fills", 1), "waiting": ("fill_stall_cycles", 0),
    "cache fl.": ("cache_flushes", 2),
}  # fmt: skip


def view(results: show.Results) -> show.View:
    rows = {s: show.across(results.rows, "kind", KINDS, scheme=s) for s in SCHEMES}
    names = {kind: name for kind, (name, _) in KINDS.items()}
    cases: dict[str, dict[str, Any]] = {
        name: {"what": what, **{scheme: rows[scheme][kind] for scheme in SCHEMES}}
        for kind, (name, what) in KINDS.items()
    }
    columns = {scheme: show.under(scheme, ("page_fault", 0)) for scheme in SCHEMES}
    columns["what"] = itemgetter("what")
    title = "Page faults, cycles of the access: median"
    tables = [show.table(title, "kind", cases, columns, words=["what"])]
    for scheme, kinds in rows.items():
        counted = [(names[kind], row) for kind, row in kinds.items()]
        title = f"{scheme}: counted for each access"
        told = "with the few instructions of the loop around the access"
        tables.append(show.table(title, "kind", counted, COUNTED, told))
    values = {
        name: {scheme: max(case[scheme]["page_fault"], 1) for scheme in SCHEMES}
        for name, case in cases.items()
    }
    (limit,) = results.statements
    figure = show.bars(
        "Page faults by kind",
        f"{ABOUT}; simulated machine {MACHINE}; median of the accesses that fault; hollow: the "
        "project's limit for fass",
        "cycles of the access",
        values,
        beside={"limit": {names["page_4k"]: limit.value}},
        log=True,
        empty={"limit": "no limit is set"},
    )
    return show.View(tables, {"": figure}, {**rows, "names": names})
