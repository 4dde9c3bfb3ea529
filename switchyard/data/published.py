# SPDX-License-Identifier: Apache-2.0
"""What is published of an experiment's values: `published.toml` in its folder.

Each statement names metric and cases, the value with its unit and its place in the paper, and in a
few words why what is measured differs. A value may be a range. A project's own limit is a statement
too, and so is a machine's input: no record says that these were published, and inputs have a table
to themselves.

The file is a list of `[[published]]`. Keys that are fields of `Statement` are those; `at` is the
end of `source`; all others are parameters of the cases. An entry with `columns` is a statement for
each of its `rows`; an empty cell says nothing, and neither do cells that a row lacks at its end.
"""

import dataclasses
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

from switchyard.data.records import Parameter, Published, Record
from switchyard.data.rows import Row, Rows, number
from switchyard.run.experiment import Experiment
from switchyard.show.figure import Table
from switchyard.show.terms import UNITS

# What the titles of the first tables of a chapter begin with.
HEADS = ("Beside what was", "Inputs")


@dataclass(frozen=True)
class Statement:
    """A value that a paper gives for some cases, or a limit for them."""

    metric: str
    value: float
    unit: str
    source: str
    what: str = ""  # empty: it has no line in the chapter's first table
    why: str = ""
    limit: bool = False
    input: bool = False  # a price in the machine's file: that it comes out again checks no more
    to: float | None = None  # the other end of a range; infinite: at least the value
    deviation: float | None = None  # the standard deviation that is published with it
    band: Sequence[str] = ()  # the names of the banded values that it stands beside
    # The cases that it is about: a parameter's value, or a list of them.
    where: Mapping[str, Parameter | list[Parameter]] = field(default_factory=dict, hash=False)
    # What a run must have measured as well to be about the same: a quick one's work may be less.
    needs: Mapping[str, Parameter] = field(default_factory=dict, hash=False)

    def about(self, metric: str, where: Mapping[str, Parameter]) -> bool:
        """Whether it is about that metric of that case."""
        return self.metric == metric and all(
            where.get(name) in (wanted if isinstance(wanted, list) else [wanted])
            for name, wanted in self.where.items()
        )


FIELDS = {field.name for field in dataclasses.fields(Statement)}


def statements(experiment: Experiment[Any], records: Sequence[Record]) -> list[Statement]:
    """All that is published of what these records are of, in the file's order."""
    file = files(experiment.published_in or experiment.package()) / "published.toml"
    if not file.is_file():
        return []
    entries = tomllib.loads(file.read_text("utf-8"))["published"]
    return [
        statement
        for entry in entries
        for statement in _statements(entry)
        if all(
            any(record.parameters.get(name) == value for record in records)
            for name, value in statement.needs.items()
        )
    ]


def _statements(entry: dict[str, Any]) -> Iterator[Statement]:
    """Those of an entry of the file: one, or one a row."""
    columns = entry.pop("columns", [])
    for row in entry.pop("rows", [[]]):
        told = entry | {c: cell for c, cell in zip(columns, row, strict=False) if cell != ""}
        if "at" in told:
            told["source"] += f" {told.pop('at')}"
        where = {name: value for name, value in told.items() if name not in FIELDS}
        yield Statement(**{n: v for n, v in told.items() if n in FIELDS}, where=where)


def beside(records: Iterable[Record], known: Sequence[Statement]) -> list[Record]:
    """The records with the published value beside each that has one."""
    papers = [
        statement
        for statement in known
        if not statement.limit and not statement.input and statement.to is None
    ]
    return [
        replace(record, published=Published(statement.value, statement.source))
        if (statement := find(papers, record.metric, **record.case)) is not None
        else record
        for record in records
    ]


def find(known: Iterable[Statement], metric: str, **where: Parameter) -> Statement | None:
    """The statement on a case, if there is one."""
    return next((s for s in known if s.about(metric, where)), None)


def table(known: Sequence[Statement], rows: Rows) -> list[Table]:
    """The first tables of a chapter: what, published, measured, ratio, why. None without any."""
    given = [statement for statement in known if statement.input]
    checks = [statement for statement in known if not statement.input]
    head = "limit" if all(statement.limit for statement in checks) else "published"
    was = "set as a limit" if head == "limit" else "published"
    return [
        *_table(f"{HEADS[0]} {was}", head, checks, rows),
        *_table(f"{HEADS[1]}: what the model is given, measured again", "input", given, rows),
    ]


def _table(title: str, head: str, known: Sequence[Statement], rows: Rows) -> list[Table]:
    cells = [
        _cells(statement, [row for row in some if statement.about(statement.metric, row.where)])
        for statement in known
        if statement.what
        for some in [rows.select(statement.metric)]
    ]
    listed = [row for row in cells if row]
    if not listed:
        return []
    columns = ["what", head, "measured", f"measured/{head}", "why"]
    if not any(row[-1] for row in listed):  # nothing needs a reason
        columns, listed = columns[:-1], [row[:-1] for row in listed]
    words = [column for column in columns if column == "why"]
    return [Table(title=title, columns=columns, rows=listed, words=words)]


def _cells(statement: Statement, rows: Sequence[Row]) -> list[str]:
    """A statement on several cases stands beside the range of them."""
    if not rows:
        return []
    unit = UNITS.get(statement.unit, statement.unit)
    values = sorted(row[statement.metric] for row in rows)
    ends = list(dict.fromkeys(_number(value) for value in (values[0], values[-1])))
    sign = "" if all(_known(row, statement.metric) for row in rows) else "≈ "
    mean = sum(values) / len(values)
    return [
        statement.what,
        f"{_said(statement)} {unit}".strip(),
        f"{sign}{' to '.join(ends)} {unit}".strip(),
        _ratio(mean, statement),
        statement.why,
    ]


def _said(statement: Statement) -> str:
    """The value as it is published."""
    least = f"{round(statement.value, 2):g}"
    if statement.to is None:
        return least
    return f"≥ {least}" if statement.to == math.inf else f"{least} to {round(statement.to, 2):g}"


def _ratio(mean: float, statement: Statement) -> str:
    """Measured by published: by the nearer end of a range, unless it lies within."""
    ends = (statement.value, statement.value if statement.to is None else statement.to)
    if statement.to is not None and ends[0] <= mean <= ends[1]:
        return "within"
    end = ends[0] if mean <= ends[0] else ends[1]
    return f"{mean / end:.2f}" if end else ""


def _number(value: float) -> str:
    """Counts, of clients or pages, are whole; small shares keep their digits."""
    if isinstance(value, int):
        return f"{value}"
    return f"{value:.2g}" if 0 < abs(value) < 0.1 else number(value)


def _known(row: Row, metric: str) -> bool:
    """Whether it is known well, or is a count of which nothing is to be known."""
    return f"{metric}_uncertainty" not in row or row.interval(metric).stable
