# SPDX-License-Identifier: Apache-2.0
"""What the command line shows: tables, notes and progress, drawn with rich on a terminal.

Elsewhere a table is plain text: a line for each row, whole, for `grep` and for files.
"""

import csv
import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich import box, progress
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from switchyard import machine
from switchyard.build import Guest
from switchyard.build_linux import Linux
from switchyard.doctor import Finding
from switchyard.errors import InputError

if TYPE_CHECKING:  # these draw figures, and take a second to import
    from switchyard.bench import Speed
    from switchyard.experiments.experiment import Experiment, Job, Outcome
    from switchyard.figure import Table as ResultTable


@dataclass(frozen=True)
class Shown:
    """A table: its cells are text, columns of numbers stand to the right."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[int] = ()  # columns, by place
    caption: str = ""

    def show(self, console: Console) -> None:
        """On a terminal with lines, folded where it is narrow; elsewhere as plain text."""
        if not console.is_terminal:
            console.out(self.plain(), end="")
            return
        table = Table(title=self.title, box=box.SIMPLE_HEAD, title_justify="left")
        table.title_style = "bold"
        for place, column in enumerate(self.columns):
            justify: JustifyMethod = "right" if place in self.right else "left"
            table.add_column(column, justify=justify, overflow="fold")
        for row in self.rows:
            table.add_row(*(escape(cell) for cell in row))
        table.caption = self.caption or None
        table.caption_justify = "left"
        console.print(table)

    def plain(self) -> str:
        """The title, a line for the columns and one for each row; an empty line ends it."""
        lines = [[*self.columns], *([" ".join(cell.split()) for cell in row] for row in self.rows)]
        widths = [max(cell_len(line[place]) for line in lines) for place in range(len(lines[0]))]
        text = [self.title]
        for line in lines:
            cells = []
            for place, (cell, width) in enumerate(zip(line, widths, strict=True)):
                blank = " " * (width - cell_len(cell))
                cells.append(blank + cell if place in self.right else cell + blank)
            text.append("  ".join(cells).rstrip())
        if self.caption:
            text.append(self.caption)
        return "\n".join(text) + "\n\n"


def listing(console: Console, table: Shown, form: str, whole: Sequence[Mapping[str, Any]]) -> None:
    """What there is: as a `table`, or its `whole` facts as `json` or `csv`."""
    if form == "table":
        table.show(console)
        return
    if form == "json":
        text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    else:
        names = list(dict.fromkeys(name for row in whole for name in row))
        packed = io.StringIO()
        writer = csv.DictWriter(packed, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in whole)
        text = packed.getvalue()
    console.out(text, end="", highlight=False)


def _cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


class Progress:
    """A bar on a terminal, a line now and then elsewhere. A context, and a runner's listener."""

    def __init__(self, console: Console, name: str) -> None:
        self._console = console
        self._name = name
        self._total = 0
        self._done = 0
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: progress.TaskID | None = None

    def __enter__(self) -> "Progress":
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def building(self, guest: Guest | Linux) -> None:
        """An image is being brought up to date."""
        self._console.print(f"{self._name}: building {guest.name}", soft_wrap=True)

    def started(self, total: int, kept: int = 0) -> None:
        """That many jobs are wanted; `kept` of them need not run."""
        self._total = total
        self._task = self._bar.add_task(f"{self._name}: running", total=total)
        note = f", {kept} of them kept from before" if kept else ""
        self._console.print(f"{self._name}: {total} runs{note}", soft_wrap=True)

    def finished(self, job: "Job") -> None:
        """A job is done."""
        self.tick(job.name)

    def tick(self, what: str = "") -> None:
        """One more is done."""
        self._done += 1
        if self._task is not None:
            self._bar.advance(self._task)
        # a log wants signs of life, not a line for each run
        step = max(1, self._total // 8)
        if self._bar.disable and (self._done % step == 0 or self._done == self._total):
            note = f" ({what})" if what else ""
            self._console.print(
                f"{self._name}: {self._done} of {self._total} runs done{note}", soft_wrap=True
            )


def outcome(console: Console, results: "Outcome") -> None:
    """An experiment's tables and notes."""
    for table in results.tables:
        result_table(console, table)
    for note in results.notes:
        console.print(escape(note))
        console.print()


def result_table(console: Console, table: "ResultTable") -> None:
    """One table of results."""
    right = [place for place in range(len(table.columns)) if not table.left(place)]
    Shown(table.title, table.columns, table.rows, right, table.caption).show(console)


def findings(console: Console, needs: Sequence[Finding], form: str) -> None:
    """What this computer has and lacks."""
    rows = []
    for need in needs:
        state = need.found or "-"
        if need.fault and need.found:
            state += f" ({need.fault})"
        rows.append([need.name, state, need.why, "" if need.good else need.command])
    table = Shown("This computer", ["needed", "found", "for", "install it with"], rows)
    listing(console, table, form, [asdict(need) for need in needs])


def simulator(console: Console) -> None:
    """Where the simulator is."""
    try:
        console.print(f"simulator: {machine.binary()}", soft_wrap=True)
    except InputError as error:
        console.print(f"simulator: {error}", soft_wrap=True)


def machines(console: Console, descriptions: Sequence[Mapping[str, Any]], form: str) -> None:
    """The machine descriptions."""
    rows = [
        [str(description.get("name", "")), str(description.get("description", ""))]
        for description in descriptions
    ]
    # these columns first
    whole = [{"name": None, "description": None, **description} for description in descriptions]
    listing(console, Shown("Machines", ["name", "what it is"], rows), form, whole)


def assumed(console: Console, constants: Mapping[str, Mapping[str, Any]], form: str) -> None:
    """A machine's assumed constants."""
    whole = [{"constant": name, **constant} for name, constant in constants.items()]
    names = ["constant", "value", "low", "high", "why"]
    rows = [[str(constant[name]) for name in names] for constant in whole]
    columns = ["constant", "here", "low", "high", "why"]
    listing(console, Shown("Assumed: what no source gives", columns, rows), form, whole)


def guests(console: Console, images: Iterable[Guest | Linux], form: str) -> None:
    """The images that can be built."""
    whole = [{"name": guest.name, "about": guest.about} for guest in images]
    rows = [list(row.values()) for row in whole]
    listing(console, Shown("Guest images", ["name", "what it is"], rows), form, whole)


def experiments(console: Console, listed: Iterable["Experiment[Any]"], form: str) -> None:
    """What can be reproduced."""
    whole = [
        {
            "name": experiment.name,
            "question": experiment.question,
            "published_in": experiment.source,
        }
        for experiment in listed
    ]
    rows = [list(row.values()) for row in whole]
    columns = ["name", "question", "published in"]
    listing(console, Shown("Experiments", columns, rows), form, whole)


def speeds(console: Console, measured: Sequence["Speed"]) -> None:
    """How fast the simulator is, and beside others."""
    rows = [
        [
            speed.workload.name,
            speed.workload.scheme,
            f"{speed.cycles:,}",
            f"{speed.median:.3f}",
            f"{speed.cycles_per_second / 1e6:.1f}",
            f"{speed.instructions_per_second / 1e6:.1f}",
            f"{speed.spread:.0%}",
        ]
        for speed in measured
    ]
    Shown(
        "Simulated, for each second of host time (median; waiting for interrupts left out)",
        ["workload", "scheme", "cycles", "host s", "Mcycles/s", "Minstr/s", "spread"],
        rows,
        range(2, 7),
    ).show(console)
    for speed in measured:
        for rival in speed.rivals:
            console.print(
                f"{speed.workload.name}: {speed.ratio(rival):.2f} times the instructions a second "
                f"of {rival.about} ({rival.instructions_per_second / 1e6:.1f} million)",
                soft_wrap=True,
            )
        for note in speed.notes:
            console.print(f"{speed.workload.name}: {escape(note)}", soft_wrap=True)
