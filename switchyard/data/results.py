# SPDX-License-Identifier: Apache-2.0
"""The files of an experiment's results, as `run` writes them and as the book keeps them.

`run` writes `NAME.json`, one record a value, and `NAME.meta.json`. The book keeps the same in a
tenth of the size, as tables that can be compared line by line and that pandas, R and spreadsheets
read:

    NAME.cases.csv   one row a case: machine, system, scheme, parameters, then its values, in
                     columns that are called METRIC [UNIT]; empty where a case has no such value
    NAME.runs.csv    one row a run: what ran where, its command line, and its key in the store
    NAME.meta.json   what all runs have in common: date, versions, hashes of images

Published values are not kept: they are in the experiment's `published.toml`, and are put beside the
values when these are read.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from switchyard.data import fields, files, published, records
from switchyard.data.fields import Fields
from switchyard.data.records import Parameter, Record
from switchyard.errors import InputError
from switchyard.experiments import EXPERIMENTS
from switchyard.show import flame

RECORDS, META = ".json", ".meta.json"
CASES, RUNS = ".cases.csv", ".runs.csv"
# What stands beside records under their name, and holds none.
BESIDE = (META, ".outcome.json", flame.ENDING)
# What every case has, before its parameters.
PLACE = ("machine", "system", "scheme")
# A column of values: the metric, and its unit in brackets.
COLUMN = re.compile(r"(.+) \[(\S+)\]", re.DOTALL)
WHOLE = re.compile(r"-?\d+")


@dataclass(frozen=True)
class Results:
    """What one experiment found, and with what; `meta` is empty where nothing says it."""

    name: str
    records: Sequence[Record]
    meta: Mapping[str, Any] = field(default_factory=dict)


def name_of(path: Path) -> str:
    """The experiment whose results a file has, by the file's name."""
    return path.name.removesuffix(CASES) if is_kept(path) else path.stem


def is_kept(path: Path) -> bool:
    """Whether a file has the form in which the book keeps records."""
    return path.name.endswith(CASES)


def is_records(path: Path) -> bool:
    """Whether a file of a results folder holds records, by its name."""
    return path.name.endswith((RECORDS, CASES)) and not path.name.endswith(BESIDE)


def meta_path(path: Path) -> Path:
    """Where the metadata of the runs go whose records are in the file `path`."""
    return records.meta_path(path.with_name(name_of(path) + RECORDS))


def read(path: Path) -> Results:
    """Reads records, in either form, and their metadata if they are there."""
    name = name_of(path)
    found = _cases(path, name) if is_kept(path) else records.load(path)
    meta: dict[str, Any] = {}
    beside = meta_path(path)
    if beside.exists():
        meta = fields.parse(beside.read_bytes(), str(beside))
        Fields(meta, str(beside))  # an object, or it is refused
        runs = path.with_name(name + RUNS)
        if is_kept(path) and runs.exists():
            meta["jobs"] = _runs(runs)
    return Results(name, found, meta)


def keep(results: Results, folder: Path) -> None:
    """Writes results in the form in which the book keeps them."""
    common = {key: value for key, value in results.meta.items() if key != "jobs"}
    write = {
        CASES: cases_text(results.records, results.name),
        RUNS: _runs_text(results.meta.get("jobs", [])),
        META: _meta_text(common),
    }
    for ending, text in write.items():
        files.write(folder / f"{results.name}{ending}", text)


def cases_text(kept: Iterable[Record], name: str) -> str:
    """Records as a table, one row a case, in the order in which cases and metrics come first."""
    parameters: dict[str, None] = {}
    columns: dict[str, None] = {}
    cases: dict[tuple[object, ...], tuple[Record, dict[str, float]]] = {}
    for record in kept:
        _check(record, name)
        parameters.update(dict.fromkeys(sorted(record.parameters)))
        column = f"{record.metric} [{record.unit}]"
        columns[column] = None
        case = (*(getattr(record, place) for place in PLACE), *sorted(record.parameters.items()))
        _, values = cases.setdefault(case, (record, {}))
        if column in values:
            raise InputError(f"{name}: {record.metric} is there twice of {record.case}")
        values[column] = record.value
    rows = (
        [
            *(getattr(record, place) for place in PLACE),
            *(_text(record.parameters.get(name)) for name in parameters),
            *(values.get(column, "") for column in columns),
        ]
        for record, values in cases.values()
    )
    return _csv([*PLACE, *parameters, *columns], rows)


def _check(record: Record, name: str) -> None:
    """Refuses what would not come back from a table as it was."""
    if record.experiment != name:
        raise InputError(f"{name}: a record of {record.experiment}; expected those of {name}")
    if not COLUMN.fullmatch(f"{record.metric} [{record.unit}]"):
        raise InputError(
            f"{name}: {record.metric} in {record.unit}; expected a unit without spaces"
        )
    for key, value in record.parameters.items():
        back = _parameter(_text(value))
        if value == "" or (type(back), back) != (type(value), value):
            raise InputError(f"{name}: {key} = {value!r} would be read as {back!r}")


def _cases(path: Path, name: str) -> list[Record]:
    head, rows = _table(path)
    if tuple(head[: len(PLACE)]) != PLACE:
        raise InputError(f"{path}: expected the columns {', '.join(PLACE)} first")
    named = [COLUMN.fullmatch(column) for column in head]
    found = []
    for row, cells in enumerate(rows, 2):
        machine, system, scheme, *_ = cells
        parameters = {
            column: _parameter(cell)
            for column, match, cell in zip(head, named, cells, strict=True)
            if match is None and cell and column not in PLACE
        }
        for match, cell in zip(named, cells, strict=True):
            if match and cell:
                metric, unit = match.groups()
                value = _value(cell, f"{path}:{row}: {match[0]}")
                found.append(Record(name, machine, system, scheme, metric, value, unit, parameters))
    known = published.statements(EXPERIMENTS[name], found) if name in EXPERIMENTS else []
    return published.beside(found, known)


def _value(cell: str, where: str) -> float:
    try:
        return int(cell) if WHOLE.fullmatch(cell) else float(cell)
    except ValueError:
        raise InputError(f"{where}: found {cell!r}; expected a number") from None


def _text(value: Parameter | None) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _parameter(cell: str) -> Parameter:
    """A parameter as its cell says it: a number if it is one, `true` or `false`, else a word."""
    if cell in ("true", "false"):
        return cell == "true"
    try:
        return int(cell) if WHOLE.fullmatch(cell) else float(cell)
    except ValueError:
        return cell


def _runs_text(runs: Sequence[Mapping[str, object]]) -> str:
    columns = list(dict.fromkeys(key for run in runs for key in run))
    return _csv(columns, ([run.get(column, "") for column in columns] for run in runs))


def _runs(path: Path) -> list[dict[str, object]]:
    head, rows = _table(path)
    return [dict(zip(head, cells, strict=True)) for cells in rows]


def _meta_text(common: Mapping[str, Any]) -> str:
    """Metadata with a line for each key, and for each machine and image."""
    lines = []
    for key, value in common.items():
        if key in ("machines", "images") and value:
            inner = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{json.dumps(key)}: {{\n{inner}\n}}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    """A table's head and its rows, all of one length."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a table") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text; expected a table") from None
    head, *rows = list(csv.reader(io.StringIO(text))) or [[]]
    for number, cells in enumerate(rows, 2):
        if len(cells) != len(head):
            raise InputError(f"{path}:{number}: {len(cells)} cells; expected {len(head)}")
    return head, rows
