# SPDX-License-Identifier: Apache-2.0
"""The report: one HTML page over all records at hand, for a browser without a network.

All that the page needs is inside it: the figures' data, the drawing library once for all of them,
and a picture of each figure for printing and for browsers without scripts. Its content security
policy forbids it to ask anybody for anything. Template, style and script are in `page/`.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import vl_convert as vlc
from markupsafe import Markup

from switchyard import __version__, fields, files, flame, outcomes, pages, plot, records
from switchyard.errors import InputError
from switchyard.experiments import EXPERIMENTS
from switchyard.fields import Fields
from switchyard.figure import Drawn, Table
from switchyard.flame import Flame
from switchyard.records import Parameter, Record

META, OUTCOME = ".meta.json", ".outcome.json"
# Digits of a value in text; all of them are in the element that the text is in.
DIGITS = 4


@dataclass(frozen=True)
class Drawing:
    """A figure on the page."""

    title: str
    subtitle: Sequence[str]
    description: str
    legend: Sequence[plot.Entry]
    spec: dict[str, Any]
    picture: str  # the address of an SVG picture that is inside the page


@dataclass(frozen=True)
class Section:
    """What the page says of one record file."""

    name: str
    file: str
    records: Sequence[Record]
    question: str = ""
    source: str = ""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    drawings: Sequence[Drawing] = ()
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def published(self) -> list[Record]:
        """The records that have a published value beside them."""
        return [record for record in self.records if record.published is not None]

    @property
    def several(self) -> dict[str, bool]:
        """Which of machine and system differ among those, and so need a column."""
        return {
            name: len({getattr(record, name) for record in self.published}) > 1
            for name in ("machine", "system")
        }

    @property
    def command(self) -> str:
        """The command that makes these records, as it is typed."""
        return " ".join(str(word) for word in self.meta.get("command", ()))

    @property
    def machines(self) -> list[tuple[str, str]]:
        """The machines by name, and what they are."""
        told = self.meta.get("machines", {})
        names = dict.fromkeys(record.machine for record in self.records)
        every = {**dict.fromkeys(told), **names}
        return [(name, str(told.get(name, {}).get("description", ""))) for name in every]


@dataclass(frozen=True)
class Profile:
    """What the page shows of one profile file."""

    file: str
    flames: Sequence[Flame]

    @property
    def name(self) -> str:
        """Its name on the page."""
        return f"profile-{self.file.removesuffix(flame.ENDING)}"


def profiles(places: Sequence[Path]) -> list[Profile]:
    """The profiles at these places (folders, or files themselves)."""
    found = [
        file
        for place in places
        for file in (sorted(place.glob("*.json")) if place.is_dir() else [place])
        if flame.is_profile(file)
    ]
    return [Profile(file.name, flame.load(file)) for file in dict.fromkeys(found)]


def collect(places: Sequence[Path]) -> list[Section]:
    """The record files at these places (folders, or files themselves).

    A folder's are in the experiments' order, what is of none of them behind, by name.
    """
    order = {name: place for place, name in enumerate(EXPERIMENTS)}
    files: list[Path] = []
    for place in places:
        if place.is_dir():
            recorded = [file for file in sorted(place.glob("*.json")) if is_records(file)]
            recorded.sort(key=lambda file: order.get(file.stem, len(order)))
            if not recorded and not any(map(flame.is_profile, place.glob("*.json"))):
                raise InputError(f"{place}: no records; expected those of: switchyard run NAME")
            files += recorded
        elif not flame.is_profile(place):
            files.append(place)
    return [section(file) for file in dict.fromkeys(files)]


def is_records(file: Path) -> bool:
    """Whether a file of a results folder is a record file, by its name."""
    return not file.name.endswith((META, OUTCOME, flame.ENDING))


def section(file: Path) -> Section:
    """What there is of one record file, and of the files beside it that say more of it."""
    measured = records.load(file)
    meta: dict[str, Any] = {}
    beside = records.meta_path(file)
    if beside.exists():
        meta = fields.parse(beside.read_bytes(), str(beside))
        _check_meta(Fields(meta, str(beside)))
    shown = outcomes.of(file, measured)
    if shown is None:
        return Section(file.stem, file.name, measured, meta=meta)
    return Section(
        name=shown.name,
        file=file.name,
        records=measured,
        question=shown.question,
        source=shown.source,
        tables=shown.tables,
        notes=shown.notes,
        drawings=[drawing(figure) for figure in shown.figures.values()],
        meta=meta,
    )


def _check_meta(entries: Fields) -> None:
    """Refuses metadata that the page cannot show; whatever is missing is left out there."""
    if "command" in entries:
        entries.texts("command")
    if "host" in entries:
        entries.inner("host")
    for name in ("machines", "images"):
        if name in entries:
            several = entries.inner(name)
            for key in several.names():
                inner = several.inner(key)
                if "files" in inner:
                    inner.inner("files")
    if "jobs" in entries:
        for job in entries.items("jobs", Fields):
            for name in ("name", "image", "machine", "append"):
                job.text(name)


def drawing(figure: Drawn) -> Drawing:
    """A figure, ready for the page."""
    picture = base64.b64encode(plot.svg(figure, titled=False).encode()).decode()
    return Drawing(
        title=figure.title,
        subtitle=figure.subtitle,
        description=figure.description,
        legend=plot.legend(figure),
        spec=plot.spec(figure, page=True),
        picture=f"data:image/svg+xml;base64,{picture}",
    )


def render(
    sections: Sequence[Section], missing: Sequence[str] = (), profiles: Sequence[Profile] = ()
) -> str:
    """The page. `missing` names experiments that have no records here."""
    environment = pages.environment()
    environment.filters |= {
        "short": short,
        "percent": percent,
        "parameters": parameters,
        "whole": lambda value: json.dumps(value),
    }
    drawn = any(section.drawings for section in sections)
    return environment.get_template("report.html.j2").render(
        sections=sections,
        profiles=profiles,
        missing=missing,
        version=__version__,
        style=pages.source("report.css"),
        script=pages.source("report.js"),
        library=Markup(library() if drawn else ""),  # noqa: S704
    )


def write(page: str, path: Path) -> None:
    """Writes the page."""
    files.write(path, page)


@cache
def library() -> str:
    """Vega, Vega-Lite and their embedding, as one script that sets `window.vegaEmbed`."""
    script = vlc.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # within a script element these would end it, or begin a comment
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def short(value: float) -> str:
    """A value with few digits, none of them lost before the point."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 10 ** (DIGITS - 1):
        return f"{value:,.0f}"
    return f"{value:.{DIGITS}g}"


def percent(record: Record) -> str:
    """How far a record is from what was published."""
    if record.published is None or record.published.value == 0:
        return ""
    return f"{record.value / record.published.value - 1:+.0%}"


def parameters(values: dict[str, Parameter]) -> str:
    """Parameters in one line."""
    return ", ".join(f"{name} {value}" for name, value in values.items())
