# SPDX-License-Identifier: Apache-2.0
"""The report: one HTML page over all records at hand, for a browser without a network.

All that the page needs is inside it: the figures' data, the drawing library once for all of them,
and a picture of each figure for printing and for browsers without scripts. Its content security
policy forbids it to ask anybody for anything. Template, style and script are in `page/`.
"""

import base64
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import vl_convert as vlc
from markupsafe import Markup

from switchyard import __version__
from switchyard.data import band, files, published, results
from switchyard.data.fields import Fields
from switchyard.data.records import Parameter, Record
from switchyard.errors import InputError
from switchyard.experiments import EXPERIMENTS
from switchyard.show import drawings, flame, outcomes, pages, papers, plot
from switchyard.show.figure import Drawn, Table, several, to_csv
from switchyard.show.flame import Flame
from switchyard.show.terms import ABBREVIATIONS, abbreviations, unit, words

# Digits of a value in text; all of them are in the element that the text is in.
DIGITS = 4
ROWS = 200  # of records, that a section shows of its file: all of them would be most of the page
NEAR = 0.1  # a measured value that is as near to the published one is said to be near it


@dataclass(frozen=True)
class Drawing:
    """A figure on the page."""

    name: str  # of its files
    title: str
    subtitle: Sequence[str]
    description: str
    legend: Sequence[plot.Entry]
    spec: dict[str, Any]
    picture: str  # the address of an SVG picture, with its title, that is inside the page
    csv: str  # the address of its values, inside the page too


@dataclass(frozen=True)
class Beside:
    """What is published of a case and measured: of one record, or of several that say the same."""

    what: str
    records: Sequence[Record]
    low: float | None = None  # the 5th percentile of the samples, if it is known
    high: float | None = None  # the 95th

    @property
    def first(self) -> Record:
        """The one whose publication is shown: the others' is the same."""
        return self.records[0]

    @property
    def ends(self) -> list[float]:
        """The least and the greatest value measured, or the only one."""
        values = [record.value for record in self.records]
        return sorted({min(values), max(values)})

    @property
    def machine(self) -> str:
        """All machines that they are of."""
        return ", ".join(dict.fromkeys(record.machine for record in self.records))

    @property
    def system(self) -> str:
        """The system that they are of: one, or they would not be one line."""
        return self.first.system

    @property
    def source(self) -> str:
        """Where it is published; each place once."""
        places = [record.published.source for record in self.records if record.published]
        return "; ".join(dict.fromkeys(places))

    @property
    def ratio(self) -> float | None:
        """The mean of the measured values over the published one."""
        paper = self.first.published
        if paper is None or paper.value == 0:
            return None
        return sum(record.value for record in self.records) / len(self.records) / paper.value


@dataclass(frozen=True)
class Section:
    """What the page says of one record file."""

    name: str
    file: str
    records: Sequence[Record]
    path: Path | None = None  # where the file is
    question: str = ""
    source: str = ""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    drawings: Sequence[Drawing] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def published(self) -> list[Record]:
        """The records that have a published value beside them."""
        return [record for record in self.records if record.published is not None]

    @property
    def beside(self) -> list[Beside]:
        """Published and measured; what says the same is one."""
        return _joined(self._lines)

    @cached_property
    def _lines(self) -> list[Beside]:
        """What is published, for each metric and machine; cases along one parameter are one."""
        groups: dict[tuple[object, ...], list[Record]] = {}
        for record in self.published:
            same = (record.metric, record.scheme, record.machine, record.system, record.unit)
            key = (*same, record.published, percent(record))
            groups.setdefault(key, []).append(record)
        lines = []
        for group in groups.values():
            varied = _varied(group)
            each = [group] if len(varied) <= 1 else [[record] for record in group]
            lines += [Beside(_what(some), some, *self._percentiles(some)) for some in each]
        return lines

    @property
    def spread(self) -> bool:
        """Whether of any of these it is known how its samples spread."""
        return any(line.low is not None for line in self._lines)

    def _percentiles(self, some: Sequence[Record]) -> tuple[float | None, float | None]:
        """The ends of the samples' distribution, over all of these records."""
        wanted = [(record, f"{record.metric}_{end}") for end in ("p5", "p95") for record in some]
        known = [self._values.get((metric, _key(record))) for record, metric in wanted]
        values = [value for value in known if value is not None]
        if len(values) < len(known):
            return None, None
        return min(values[: len(some)]), max(values[len(some) :])

    @cached_property
    def _values(self) -> dict[tuple[str, frozenset[object]], float]:
        return {(record.metric, _key(record)): record.value for record in self.records}

    @property
    def summary(self) -> str:
        """How what is measured lies to what is published, in a line; nothing without any."""
        ratios = sorted(line.ratio for line in self._lines if line.ratio is not None)
        if not ratios:
            return ""
        near = sum(abs(ratio - 1) <= NEAR for ratio in ratios)
        ends = " to ".join(dict.fromkeys(f"{ratio:.2f}" for ratio in (ratios[0], ratios[-1])))
        return f"{near} of {len(ratios)} within {NEAR:.0%} of what is published; {ends} times it"

    @property
    def first_tables(self) -> list[Table]:
        """Those that say how far it is from what is published, and why."""
        return [table for table in self.tables if table.title.startswith(published.HEADS)]

    @property
    def other_tables(self) -> list[Table]:
        """All others."""
        return [table for table in self.tables if not table.title.startswith(published.HEADS)]

    @property
    def rests(self) -> list[str]:
        """The notes on what the assumed constants move: which interest least."""
        return [note for note in self.notes if note.startswith(band.BEGINS)]

    @property
    def reasons(self) -> list[str]:
        """All other notes."""
        return [note for note in self.notes if not note.startswith(band.BEGINS)]

    @property
    def texts(self) -> list[str]:
        """What a reader may meet abbreviations in."""
        texts = [self.question, *self.notes]
        for table in self.tables:
            texts += [table.title, table.caption, *table.columns, *(row[0] for row in table.rows)]
        for drawing in self.drawings:
            texts += [drawing.title, *drawing.subtitle]
        return texts

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

    A folder's are in the experiments' order, what is of none of them after, by name.
    """
    order = {name: place for place, name in enumerate(EXPERIMENTS)}
    files: list[Path] = []
    for place in places:
        if place.is_dir():
            recorded = [file for file in sorted(place.iterdir()) if results.is_records(file)]
            recorded.sort(key=lambda file: order.get(results.name_of(file), len(order)))
            if not recorded and not any(map(flame.is_profile, place.glob("*.json"))):
                raise InputError(f"{place}: no records; expected those of: switchyard run NAME")
            files += recorded
        elif not flame.is_profile(place):
            files.append(place)
    return [section(file) for file in dict.fromkeys(files)]


def section(file: Path) -> Section:
    """What there is of one record file, and of the files beside it that say more of it."""
    read = results.read(file)
    measured, meta = read.records, read.meta
    _check_meta(Fields(meta, str(results.meta_path(file))))
    shown = outcomes.of(file, measured)
    if shown is None:
        return Section(read.name, file.name, measured, file, meta=meta)
    return Section(
        name=shown.name,
        file=file.name,
        records=measured,
        path=file,
        question=shown.question,
        source=shown.source,
        tables=shown.tables,
        notes=shown.notes,
        drawings=[
            drawing(name, figure, title)
            for (name, figure), title in zip(
                shown.figures.items(), titles(list(shown.figures.values())), strict=True
            )
        ],
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


def _key(record: Record) -> frozenset[object]:
    """The case of a record, to look others of it up."""
    return frozenset(record.case.items())


def _varied(some: Sequence[Record]) -> list[str]:
    """The parameters that differ among records."""
    names = dict.fromkeys(name for record in some for name in record.parameters)
    return [name for name in names if len({record.parameters.get(name) for record in some}) > 1]


def _joined(lines: Sequence[Beside]) -> list[Beside]:
    """Lines that differ in the machine alone as one, then those in what they are of alone."""

    def by(line: Beside) -> tuple[object, ...]:
        first, paper = line.first, line.first.published
        told = (*line.ends, line.low, line.high, first.unit, paper.value if paper else None)
        return (first.system, first.scheme, *told)

    machines: dict[tuple[object, ...], list[Beside]] = {}
    for line in lines:
        machines.setdefault((*by(line), line.what), []).append(line)
    merged = [_as_one(some[0].what, some) for some in machines.values()]
    subjects: dict[tuple[object, ...], list[Beside]] = {}
    for line in merged:
        # a case that has parameters is too long to be named beside another
        alone = line.what if line.first.parameters else ""
        subjects.setdefault((*by(line), line.machine, alone), []).append(line)
    return [_as_one(", ".join(line.what for line in some), some) for some in subjects.values()]


def _as_one(what: str, some: Sequence[Beside]) -> Beside:
    """Lines that say the same, as one under that name."""
    records = [record for line in some for record in line.records]
    return Beside(what, records, some[0].low, some[0].high)


def _what(some: Sequence[Record]) -> str:
    """What records are of that differ in one parameter at most."""
    first = some[0]
    scheme = f"{first.scheme} " if first.scheme not in ("", "none") else ""
    told = [f"{scheme}{words(first.metric)}"]
    for name in first.parameters:
        values = list(dict.fromkeys(str(record.parameters.get(name)) for record in some))
        told.append(f"{words(name)} {several(values)}")
    return ", ".join(told)


def titles(figures: Sequence[Drawn]) -> list[str]:
    """The figures' titles; those of the same are told apart by what their subtitles begin with."""
    count = Counter(figure.title for figure in figures)
    begins = [
        figure.subtitle[0].partition(";")[0].rstrip(",") if figure.subtitle else ""
        for figure in figures
    ]
    return [
        f"{figure.title}: {begin}" if count[figure.title] > 1 and begin else figure.title
        for figure, begin in zip(figures, begins, strict=True)
    ]


def drawing(name: str, figure: Drawn, title: str) -> Drawing:
    """A figure, ready for the page."""
    picture = base64.b64encode(drawings.svg(figure).encode()).decode()
    return Drawing(
        name=name,
        title=title,
        subtitle=figure.subtitle,
        description=figure.description,
        legend=plot.legend(figure),
        spec=drawings.on_page(figure),
        picture=f"data:image/svg+xml;base64,{picture}",
        csv=f"data:text/csv;charset=utf-8,{quote(to_csv(figure))}",
    )


def render(
    sections: Sequence[Section],
    missing: Sequence[str] = (),
    profiles: Sequence[Profile] = (),
    folder: Path | None = None,
) -> str:
    """The page. `missing` names experiments that have no records here.

    `folder` is where the page goes: from there it links the files of its records.
    """

    def beside(path: Path) -> str:
        """A file as a link from the page."""
        return quote(Path(os.path.relpath(path, folder)).as_posix()) if folder else ""

    environment = pages.environment()
    environment.filters |= {
        "short": short,
        "percent": percent,
        "parameters": parameters,
        "whole": lambda value: json.dumps(value),
        "words": words,
        "unit": unit,
        "linked": papers.linked,
        "beside": beside,
        "meant": lambda text: ABBREVIATIONS.get(text, ""),
    }
    drawn = any(section.drawings for section in sections)
    return environment.get_template("report.html.j2").render(
        sections=sections,
        profiles=profiles,
        missing=missing,
        meanings=abbreviations(text for section in sections for text in section.texts),
        colours=[(colour, plot.DARK[colour]) for colour in (*plot.COLOURS, plot.INK)],
        dark=plot.DARK,
        rows=ROWS,
        version=__version__,
        wide_style=pages.source("wide.css"),
        wide=pages.source("wide.js"),
        style=pages.source("report.css"),
        script=pages.source("report.js"),
        chapters=pages.source("chapters.js"),
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
    return f"{record.value / record.published.value - 1:+z.0%}"


def parameters(values: dict[str, Parameter]) -> str:
    """Parameters in one line."""
    return ", ".join(f"{words(name)} {value}" for name, value in values.items())
