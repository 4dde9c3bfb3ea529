# SPDX-License-Identifier: Apache-2.0
"""Records: one measured value each, and the files that hold them.

A file is a JSON list of records in a stable order and form, without dates: two runs of the same
experiment write the same bytes. What differs from run to run (the date, the versions) goes into a
sibling file, see `meta_path`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from switchyard.data import fields, files
from switchyard.data.fields import Fields
from switchyard.errors import InputError

Parameter = int | float | str | bool


@dataclass(frozen=True)
class Published:
    """A value that a paper gives for the same thing, and where it stands."""

    value: float
    source: str


@dataclass(frozen=True)
class Record:
    """One measured value."""

    experiment: str
    machine: str
    system: str
    scheme: str
    metric: str
    value: float
    unit: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    published: Published | None = None

    @property
    def case(self) -> dict[str, Parameter]:
        """What it is of: machine, system, scheme and the parameters."""
        return {
            "machine": self.machine,
            "system": self.system,
            "scheme": self.scheme,
            **self.parameters,
        }

    def to_json(self) -> dict[str, object]:
        """The record as a JSON object, its fields in the documented order."""
        published = None
        if self.published is not None:
            published = {"value": self.published.value, "source": self.published.source}
        return {
            "experiment": self.experiment,
            "machine": self.machine,
            "system": self.system,
            "scheme": self.scheme,
            "metric": self.metric,
            "parameters": dict(sorted(self.parameters.items())),
            "value": self.value,
            "unit": self.unit,
            "published": published,
        }

    @classmethod
    def from_json(cls, value: object, where: str) -> "Record":
        """A record from a JSON object; `where` names it in errors."""
        entries = Fields(value, where)
        entries.only(*NAMES)
        return cls(
            experiment=entries.text("experiment"),
            machine=entries.text("machine"),
            system=entries.text("system"),
            scheme=entries.text("scheme"),
            metric=entries.text("metric"),
            parameters=_parameters(entries),
            value=entries.number("value"),
            unit=entries.text("unit"),
            published=_published(entries),
        )


def of_case(
    experiment: str,
    machine: str,
    system: str,
    scheme: str,
    parameters: Mapping[str, Parameter],
    values: Iterable[tuple[str, float, str]],
    digits: int = 6,
) -> list[Record]:
    """The records of one case: metric, value and unit of each."""
    return [
        Record(experiment, machine, system, scheme, metric, round(value, digits), unit, parameters)
        for metric, value, unit in values
    ]


NAMES = (
    "experiment",
    "machine",
    "system",
    "scheme",
    "metric",
    "parameters",
    "value",
    "unit",
    "published",
)


def _parameters(entries: Fields) -> dict[str, Parameter]:
    inner = entries.inner("parameters")
    parameters: dict[str, Parameter] = {}
    for name in inner.names():
        value = inner.raw(name)
        if isinstance(value, str | bool):
            parameters[name] = value
        else:
            parameters[name] = inner.number(name)
    return parameters


def _published(entries: Fields) -> Published | None:
    if "published" not in entries:
        raise entries.wrong("published", "an object with value and source, or null")
    if entries.raw("published") is None:
        return None
    inner = entries.inner("published")
    inner.only("value", "source")
    return Published(inner.number("value"), inner.text("source"))


def dumps(records: Iterable[Record]) -> str:
    """The text of a record file: one record a line, so that a difference is a line."""
    lines = [
        json.dumps(record.to_json(), ensure_ascii=False, allow_nan=False) for record in records
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def loads(text: str | bytes, where: str) -> list[Record]:
    """The records in the text of a record file; `where` names the file in errors."""
    values = fields.parse(text, where)
    if not isinstance(values, list):
        raise InputError(f"{where}: found {fields.shown(values)}; expected a list of records")
    return [Record.from_json(value, f"{where}: record {i}") for i, value in enumerate(values)]


def save(records: Iterable[Record], path: Path) -> None:
    """Writes a record file, or to standard output (`files.STDOUT`)."""
    files.write(path, dumps(records))


def load(path: Path) -> list[Record]:
    """Reads a record file."""
    try:
        return loads(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a record file") from None


def meta_path(path: Path) -> Path:
    """Where the metadata of the run that wrote the record file `path` goes."""
    return path.with_name(path.stem + ".meta.json")


def rows(file: Path | str) -> list[dict[str, Parameter | None]]:
    """Records as rows for a table of any library: `pandas.DataFrame(switchyard.rows("e.json"))`.

    Of each its case, metric, value and unit, and what is published of it.
    """
    return [
        {
            "experiment": record.experiment,
            **record.case,
            "metric": record.metric,
            "value": record.value,
            "unit": record.unit,
            "published": record.published.value if record.published else None,
        }
        for record in load(Path(file))
    ]
