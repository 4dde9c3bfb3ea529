# SPDX-License-Identifier: Apache-2.0
"""What the command line shows: tables and notes, drawn with rich on a terminal.

Elsewhere a table is plain text: a line for each row, whole, for `grep` and for files.
"""

import csv
import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from switchyard.errors import InputError
from switchyard.run import machine
from switchyard.run.build import Guest
from switchyard.run.build_linux import Linux
from switchyard.show import text_table
from switchyard.tools.doctor import Finding

if TYPE_CHECKING:  # these draw figures, and take a second to import
    from switchyard.run.experiment import Experiment, Outcome
    from switchyard.show.figure import Table as ResultTable
    from switchyard.tools.bench import Speed
    from switchyard.tools.compare import Change
    from switchyard.tools.compare import Outcome as Compared
    from switchyard.tools.exercises import Point


# How the parts of a table look on a terminal.
STYLES = {"title": "bold", "head": "bold", "rule": "dim", "row": "", "caption": "italic"}


@dataclass(frozen=True)
class Shown:
    """A table: its cells are text, columns of numbers stand to the right."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[int] = ()  # columns, by place
    caption: str = ""

    def show(self, console: Console) -> None:
        """On a terminal no wider than that is; elsewhere as plain text."""
        if not console.is_terminal:
            console.out(self.plain(), end="")
            return
        grid = text_table.Grid(self.columns, self.rows, self.right)
        lines = text_table.table(self.title, grid, self.caption, console.width)
        text = Text("\n").join(Text(line.text, STYLES[line.kind]) for line in lines)
        console.print(text, soft_wrap=True, end="\n\n")

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


def duration(seconds: float) -> str:
    """A time to wait, in a word or two."""
    whole = round(seconds)
    if whole < 60:
        return f"{max(whole, 1)} s"
    if whole < 3600:
        return f"{round(whole / 60)} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def outcome(console: Console, results: "Outcome") -> None:
    """An experiment's tables and notes."""
    for table in results.tables:
        result_table(console, table)
    for note in results.notes:
        console.print(escape(note))
        console.print()


def brief(console: Console, results: "Outcome") -> None:
    """A few sentences in place of tables and notes."""
    for sentence in results.brief:
        console.print(escape(sentence))


def result_table(console: Console, table: "ResultTable") -> None:
    """One table of results: for people, equal rows are one; for other programs, each is a line."""
    right = [place for place in range(len(table.columns)) if not table.left(place)]
    rows = table.folded if console.is_terminal else table.rows
    Shown(table.title, table.columns, rows, right, table.caption).show(console)


def findings(console: Console, needs: Sequence[Finding], form: str) -> None:
    """What this computer has and lacks."""
    rows = []
    for need in needs:
        state = need.found or ("- (optional)" if need.optional else "-")
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
    from switchyard.data import meta

    whole: list[dict[str, Any]] = [
        {
            "name": experiment.name,
            "question": experiment.question,
            "published_in": experiment.source,
            "seconds": meta.seconds(experiment.name),
            "needs_linux": experiment.needs_linux(),
        }
        for experiment in listed
    ]
    rows = [
        [
            row["name"],
            row["question"],
            row["published_in"],
            duration(row["seconds"]) if row["seconds"] else "",
            "Linux" if row["needs_linux"] else "",
        ]
        for row in whole
    ]
    columns = ["name", "question", "published in", "takes", "needs"]
    caption = (
        "takes: a full run, on two cores, without what is kept from before; --quick takes a small "
        "part of it. needs Linux: `switchyard doctor linux` says whether it can be built here"
    )
    listing(console, Shown("Experiments", columns, rows, caption=caption), form, whole)


def points(console: Console, asked: "Sequence[Point]", form: str) -> None:
    """What an exercise asks for, and how much of it is there."""
    whole = [asdict(point) for point in asked]
    if form != "table":
        listing(console, Shown("", [], []), form, whole)
        return
    for point in asked:
        word = "yes" if point.good else "NO"
        console.print(f"{word:<4}{point.asked}: {point.seen}", soft_wrap=True, markup=False)
    console.print(f"{sum(point.good for point in asked)} of {len(asked)} points")


def changes(console: Console, found: "Compared", changed: "Sequence[Change]", form: str) -> None:
    """What a comparison found: a row a case that changed."""
    whole = [
        {
            "case": change.name,
            "metric": change.before.metric,
            "before": change.before.value,
            "after": change.after.value,
            "difference": change.difference,
            "unit": change.before.unit,
            "why": change.reasons(),
        }
        for change in changed
    ]
    rows = [
        [
            change.name,
            f"{change.before.value:,.10g}",
            f"{change.after.value:,.10g}",
            f"{change.difference:+,.6g} {change.before.unit}",
            f"{change.share:+.2%}",
            ", ".join(change.reasons()),
        ]
        for change in changed
    ]
    columns = ["case", "before", "after", "change", "", "with it"]
    if changed or form != "table":
        shown = Shown("What changed, beyond noise", columns, rows, (1, 2, 3, 4))
        listing(console, shown, form, whole)
    if form == "table":
        for side, names in (("before", found.only_before), ("after", found.only_after)):
            if names:
                console.print(f"only {side}: {', '.join(names)}", soft_wrap=True, markup=False)
        equal = len(found.changes) - len(changed)
        console.print(f"{len(changed)} of {len(found.changes)} changed, {equal} did not")


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
            f"{speed.processor_median:.3f}",
            f"{speed.others:.0%}",
        ]
        for speed in measured
    ]
    Shown(
        "Simulated, for each second of host time (median; waiting for interrupts left out)",
        [
            "workload",
            "scheme",
            "cycles",
            "host s",
            "Mcycles/s",
            "Minstr/s",
            "spread",
            "processor s",
            "others",
        ],
        rows,
        range(2, 9),
        "processor s: all that the process took, from its start to its end; others: what other "
        "programs took of the computer's processors meanwhile",
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
    if any(speed.disturbed for speed in measured):
        console.print(
            "The computer was busy with other programs: these rates are lower than it can, and "
            "differ from run to run.",
            soft_wrap=True,
        )
