# SPDX-License-Identifier: Apache-2.0
"""What is shown of a record file: a view of its records, or what stands in a file beside it.

An outcome file is for what is no experiment and so has no view (`bench-host`): it has a question,
tables, notes and figures. A figure is kept as what it shows (`figure.Drawn`), not as how it is
drawn.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from switchyard.data import fields, results
from switchyard.data.fields import Fields
from switchyard.data.records import Record
from switchyard.errors import InputError
from switchyard.experiments import EXPERIMENTS
from switchyard.run.experiment import Experiment, Outcome
from switchyard.show import figure as figures_of
from switchyard.show import views
from switchyard.show.figure import Table

SCHEMA = 1


@dataclass(frozen=True)
class Shown:
    """What people see of an experiment's results."""

    name: str
    question: str
    source: str
    tables: Sequence[Table]
    notes: Sequence[str]
    figures: Mapping[str, figures_of.Drawn]


def path(record_file: Path) -> Path:
    """Where the outcome goes whose records are in that file."""
    return record_file.with_name(results.name_of(record_file) + ".outcome.json")


def has_file(name: str) -> bool:
    """Whether results of that name have an outcome file: those that no experiment shows may."""
    return name not in EXPERIMENTS


def of(file: Path, records: Sequence[Record]) -> Shown | None:
    """What there is to be seen of a record file; None of bare records.

    A file is an experiment's by its name, and by that of all of its records.
    """
    name = results.name_of(file)
    if has_file(name) or {record.experiment for record in records} != {name}:
        return load(path(file)) if path(file).exists() else None
    experiment = EXPERIMENTS[name]
    try:
        outcome = views.outcome(experiment, records)
    except (InputError, LookupError, ValueError, ArithmeticError, TemplateError) as error:
        # of another version, or of a part of a run
        raise InputError(
            f"{file}: {error}; expected the records of: switchyard run {name}"
        ) from error
    return Shown(
        name,
        experiment.question,
        experiment.source,
        outcome.tables,
        outcome.notes,
        outcome.figures(name),
    )


def dumps(experiment: Experiment[Any], outcome: Outcome) -> str:
    """The text of an outcome file; the same outcome gives the same text."""
    whole = {
        "schema": SCHEMA,
        "name": experiment.name,
        "question": experiment.question,
        "source": experiment.source,
        "tables": [dataclasses.asdict(table) for table in outcome.tables],
        "notes": list(outcome.notes),
        "figures": {
            name: figures_of.to_json(figure)
            for name, figure in outcome.figures(experiment.name).items()
        },
    }
    return json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def load(file: Path) -> Shown:
    """Reads an outcome file."""
    try:
        text = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; expected an outcome file") from None
    entries = Fields(fields.parse(text, str(file)), str(file))
    if entries.whole("schema") != SCHEMA:
        raise entries.wrong("schema", f"{SCHEMA}, the version that this Switchyard reads")
    figures = entries.inner("figures")
    return Shown(
        name=entries.text("name"),
        question=entries.text("question"),
        source=entries.text("source"),
        tables=entries.items("tables", _table),
        notes=entries.texts("notes"),
        figures={
            name: figures_of.from_json(figures.raw(name), f"{file}: figures: {name}")
            for name in figures.names()
        },
    )


def _table(value: object, where: str) -> Table:
    entries = Fields(value, where)
    rows = entries.raw("rows")
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise entries.wrong("rows", "a list of lists of strings")
    return Table(
        title=entries.text("title"),
        columns=entries.texts("columns"),
        rows=[[str(cell) for cell in row] for row in rows],
        caption=entries.text("caption"),
        words=entries.texts("words") if "words" in entries else (),
    )
