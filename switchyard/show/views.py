# SPDX-License-Identifier: Apache-2.0
"""Tables, figures and sentences from records alone: what `run`, `report` and `docs` show.

An experiment's folder says what they are: `view.py` has a function `view` of its rows, its band and
what is published, which gives tables, figures (`declared`) and words. `text.md` is a template
(Jinja): each of its paragraphs is one of the notes, and may be empty. It knows the names of
`view.py` and the view's words, which may be all names of the function `view`: its `locals()`.
`brief.md`, where there is one, is what a first look says (`run --brief`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import jinja2

from switchyard.data import band as bands
from switchyard.data import published
from switchyard.data.band import Band
from switchyard.data.published import Statement
from switchyard.data.records import Parameter, Record
from switchyard.data.rows import Rows, times
from switchyard.run.experiment import Experiment, Outcome
from switchyard.show.figure import Drawn, Table

# How many digits stand after the point is the template's to say.
FILTERS = {
    "n": lambda value, digits=0: f"{value:.{digits}f}",
    "plus": lambda value, digits=0: f"{value:+z.{digits}f}",
    "more": lambda value, digits=0: f"{abs(value):.{digits}f} {'fewer' if value < 0 else 'more'}",
    "percent": lambda value, digits=0: f"{value:.{digits}%}",
    "plus_percent": lambda value, digits=0: f"{value:+z.{digits}%}",
    "longer": lambda value, digits=0: (
        f"{abs(value):.{digits}%} {'shorter' if value < 0 else 'longer'}"
    ),
    "g": lambda value: f"{value:g}",
    "times": times,
}


@dataclass(frozen=True)
class View:
    """What an experiment shows of its rows; its figures by what their files' names end in."""

    tables: Sequence[Table]
    figures: Mapping[str, Drawn]
    words: Mapping[str, Any] = field(default_factory=dict)  # for the text, beside the module's
    notes: Sequence[str] = ()  # after the text


@dataclass(frozen=True)
class Results:
    """What a view is made of."""

    rows: Rows
    statements: Sequence[Statement]
    band: Band | None

    def statement(self, metric: str, **where: Parameter) -> Statement | None:
        """What is published of a case, with its source and its range, if something is."""
        return published.find(self.statements, metric, **where)

    def paper(self, metric: str, **where: Parameter) -> float | None:
        """Its value."""
        statement = self.statement(metric, **where)
        return statement.value if statement else None

    def papers(self, metric: str, *names: str, **where: Parameter) -> Callable[..., float | None]:
        """What finds the published value of a case by the values of these parameters."""
        return lambda *values: self.paper(metric, **where, **dict(zip(names, values, strict=True)))

    def published(self, metric: str, **where: Parameter) -> float:
        """The published value; it is an error if there is none."""
        value = self.paper(metric, **where)
        if value is None:
            raise LookupError(f"nothing is published of {metric}, {where}")
        return value


def outcome(experiment: Experiment[Any], records: Sequence[Record]) -> Outcome:
    """All that is shown of an experiment's records."""
    known = published.statements(experiment, records)
    results = Results(Rows.of(records), known, bands.of(experiment, records))
    module = import_module(f"{experiment.package()}.view")
    view: View = module.view(results)
    words = {"rows": results.rows, **vars(module), **view.words}
    notes = [*text(experiment.package(), words), *view.notes]
    brief = text(experiment.package(), words, "brief.md")
    tables = [*published.table(known, results.rows), *view.tables]
    if results.band:
        tables.append(bands.table(results.band))
        notes += bands.sentences(results.band, {n: s.value for s in known for n in s.band})
    first, *more = view.figures
    return Outcome(
        records,
        tables,
        view.figures[first],
        notes,
        {name: view.figures[name] for name in more},
        brief or notes[:3],
    )


def of_runs(
    experiment: Experiment[Any], samples: Mapping[str, Any], band: Iterable[Record] = ()
) -> Outcome:
    """The outcome of an experiment's runs, by their jobs' names, and of its band's records."""
    records = experiment.records(samples)
    known = published.statements(experiment, records)
    return outcome(experiment, [*published.beside(records, known), *band])


@cache
def _environment() -> jinja2.Environment:
    # plain text: the page escapes what it shows
    environment = jinja2.Environment(  # noqa: S701
        loader=jinja2.PackageLoader("switchyard", "experiments"),  # for what texts share
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {**FILTERS, "against": against}
    return environment


def text(package: str, words: Mapping[str, Any], file: str = "text.md") -> list[str]:
    """The paragraphs of one of an experiment's texts, each on one line; none without the file."""
    place = files(package) / file
    template = place.read_text("utf-8") if place.is_file() else ""
    whole = _environment().from_string(template).render(words)
    return [" ".join(part.split()) for part in whole.split("\n\n") if part.strip()]


def against(value: float, published: float) -> str:
    """How a value lies to the published one, in per cent."""
    difference = value / published - 1
    if abs(difference) <= 0.01:
        return "equal to"
    return f"{abs(difference):.0%} {'above' if difference > 0 else 'below'}"
