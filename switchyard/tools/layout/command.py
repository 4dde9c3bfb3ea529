# SPDX-License-Identifier: Apache-2.0
"""The command `switchyard layout`: files in, a file and a table of lines out."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from switchyard.data.fields import Fields
from switchyard.errors import InputError
from switchyard.run import machine
from switchyard.tools.layout import counts as counted
from switchyard.tools.layout.order import Cache
from switchyard.tools.layout.program import Report, lay_out


def run(
    console: Console,
    file: Path,
    linked: Path,
    counts: Sequence[Path],
    out: Path,
    machine_name: str,
    rarer: int,
) -> None:
    """Lays out, and says what came of it."""
    if any(out.resolve() == other.resolve() for other in (file, linked, *counts)):
        raise InputError(f"--out {out}: is read as well; expected a file of its own")
    cache = cache_of(machine_name)
    report = lay_out(file, linked, out, [counted.read(path) for path in counts], cache, rarer)
    show(console, counts, cache, report)


def cache_of(machine_name: str) -> Cache:
    """The instruction cache of a machine."""
    (description,) = machine.machines(machine_name)
    icache = Fields(description, machine_name).inner("icache")
    return Cache(*(icache.whole(name) for name in ("size_bytes", "ways", "line_bytes")))


def show(console: Console, counts: Sequence[Path], cache: Cache, report: Report) -> None:
    """A line a workload, and what could not be moved."""
    table = Table(
        title=f"hot lines; the cache has {cache.size // cache.line}, "
        f"{cache.sets} sets of {cache.ways}",
        title_justify="left",
    )
    table.add_column("workload")
    for title in ("lines", "packed", "in the fullest set", "packed"):
        table.add_column(title, justify="right")
    for workload, before, after in zip(counts, report.before, report.after, strict=True):
        fields = (before.count, after.count, before.fullest, after.fullest)
        table.add_row(workload.stem, *(str(value) for value in fields))
    console.print(table)
    console.print(f"{report.instructions} instructions of {report.functions} functions are packed")
    for name, why in sorted(report.whole.items()):
        console.print(f"{name} stays as it is: {why}", soft_wrap=True)
