# SPDX-License-Identifier: Apache-2.0
"""What an experiment's result rests on: its runs again, at the ends of assumed constants' ranges.

One constant at a time, then all at their low and all at their high ends, then what the experiment
itself wants moved together. The runs are few (`Experiment.band_jobs`) and in the store once made.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from switchyard import variants
from switchyard.experiments.experiment import Experiment, Job, Outcome, Settings, Table
from switchyard.records import Parameter, Record
from switchyard.variants import Range

NOMINAL = ""
# So many variants are named in words, those that move a value most, and by this share at least.
TOLD = 3
MOVED = 0.001
ALL_LOW, ALL_HIGH = "all low", "all high"


@dataclass(frozen=True)
class Variant:
    """A machine with some assumed constants elsewhere in their ranges."""

    name: str
    changes: Mapping[str, int]


@dataclass(frozen=True)
class Swing:
    """How a value moves: by each variant, and here without any."""

    job: Job
    nominal: float
    by: Mapping[str, float]  # variants by name

    @property
    def low(self) -> float:
        """The least of all."""
        return min(self.nominal, *self.by.values())

    @property
    def high(self) -> float:
        """The most of all."""
        return max(self.nominal, *self.by.values())


@dataclass(frozen=True)
class Band:
    """The swings by the names of their jobs, and the variants that they went through."""

    metric: str
    unit: str
    variants: Sequence[Variant]
    swings: Mapping[str, Swing]
    machines: Mapping[str, str]  # by job
    ratios: Mapping[str, Swing]  # of two jobs' values, by what they are called

    def changes(self, name: str) -> Mapping[str, int]:
        """What a variant has elsewhere."""
        return next(one.changes for one in self.variants if one.name == name)


def of(ranges: Mapping[str, Range], wanted: Mapping[str, Mapping[str, int]]) -> list[Variant]:
    """The variants of a machine whose assumed constants these are."""
    made = []
    for name, one in ranges.items():
        made += [
            Variant(f"{name} = {value}", {name: value})
            for value in (one.low, one.high)
            if value != one.value
        ]
    if len(ranges) > 1:
        made.append(Variant(ALL_LOW, {name: one.low for name, one in ranges.items()}))
        made.append(Variant(ALL_HIGH, {name: one.high for name, one in ranges.items()}))
    return made + [Variant(name, changes) for name, changes in wanted.items()]


def jobs(
    experiment: Experiment[Any], settings: Settings, folder: Path
) -> list[tuple[Job, Job, Variant | None]]:
    """The runs to make: each with the run that it is a variant of, and the variant, if it is one.

    Machine files are written into `folder`, which has to last as long as the runs.
    """
    made: list[tuple[Job, Job, Variant | None]] = []
    files: dict[tuple[str, str], Path] = {}
    for base in experiment.band_jobs(settings):
        described = variants.describe(base.machine)
        ranges = {
            name: one
            for name, one in variants.ranges(described).items()
            if experiment.rests_on is None or name in experiment.rests_on
        }
        made.append((replace(base, name=f"{base.name}-band"), base, None))
        for place, variant in enumerate(of(ranges, experiment.moved_together)):
            key = (base.machine, variant.name)
            if key not in files:
                changed = variants.changed(described, variant.changes)
                files[key] = variants.save(changed, folder)
            name = f"{base.name}-band-{place:02}"
            made.append((replace(base, name=name, machine=str(files[key])), base, variant))
    return made


def band(
    experiment: Experiment[Any],
    wanted: Sequence[tuple[Job, Job, Variant | None]],
    points: Mapping[str, Any],
) -> Band:
    """The band of the runs' points, by the names of the runs."""
    metric, unit = experiment.band_metric
    by: dict[str, dict[str, float]] = {}
    found: dict[str, Variant] = {}
    bases: dict[str, Job] = {}
    for job, base, variant in wanted:
        value = float(experiment.row(base, points[job.name])[metric])
        bases[base.name] = base
        by.setdefault(base.name, {})[variant.name if variant else NOMINAL] = value
        if variant is not None:
            found.setdefault(variant.name, variant)
    swings = {
        name: Swing(
            bases[name],
            values[NOMINAL],
            {one: value for one, value in values.items() if one != NOMINAL},
        )
        for name, values in by.items()
        if len(values) > 1
    }
    machines = {name: base.machine for name, base in bases.items()}
    ratios = {
        name: _ratio(swings[over], swings[under])
        for name, (over, under) in experiment.band_ratios.items()
    }
    return Band(metric, unit, list(found.values()), swings, machines, ratios)


def _ratio(over: Swing, under: Swing) -> Swing:
    """Of two values on the same machines: both move, and it may move less than they."""
    by = {name: value / under.by[name] for name, value in over.by.items() if name in under.by}
    return Swing(over.job, over.nominal / under.nominal, by)


def added(experiment: Experiment[Any], outcome: Outcome, found: Band) -> Outcome:
    """The outcome with the band's records and table, and with what the experiment says of it."""
    made = replace(
        outcome,
        records=[*outcome.records, *records(experiment, found)],
        tables=[*outcome.tables, table(found)],
        notes=[*outcome.notes, *sentences(experiment, found)],
    )
    return experiment.banded(made, found)


def sentences(experiment: Experiment[Any], found: Band) -> list[str]:
    """What is said of each value, and of each ratio."""
    unit = found.unit.replace("us", "µs")
    published = experiment.band_published
    # a metric that says no more than its unit need not be named
    what = "" if found.metric in ("us", "cycles") else f", {found.metric.removesuffix('_us')}"
    return [
        *(
            sentence(name + what, one, unit, published.get(name))
            for name, one in found.swings.items()
        ),
        *(sentence(name, one, "times", published.get(name)) for name, one in found.ratios.items()),
    ]


def sentence(name: str, swing: Swing, unit: str, published: float | None = None) -> str:
    """What the assumed constants move, and whether what is published lies within."""
    moved = [
        one
        for one in swing.by.items()
        if one[0] not in (ALL_LOW, ALL_HIGH) and abs(one[1] / swing.nominal - 1) >= MOVED
    ]
    moved.sort(key=lambda item: -abs(item[1] - swing.nominal))
    told = ", ".join(f"{one} ({number(value)})" for one, value in moved[:TOLD])
    nominal = f"{number(swing.nominal)} with the machine as it is"
    if published is not None:
        inside = "within" if swing.low <= published <= swing.high else "outside"
        nominal += f"; the published {published:g} lies {inside}"
    text = (
        f"Over the ranges of the assumed constants {name} goes from {number(swing.low)} to "
        f"{number(swing.high)} {unit} ({nominal})."
    )
    return f"{text} Most is done by {told}." if told else f"{text} Nothing moves it."


def number(value: float) -> str:
    """A value with as many digits as say something."""
    return f"{value:.2f}" if value < 1000 else f"{value:.0f}"


def records(experiment: Experiment[Any], found: Band) -> list[Record]:
    """Every value, its variant among the parameters, and how long its runs were."""

    def made(
        swing: Swing, metric: str, unit: str, parameters: Mapping[str, Parameter]
    ) -> list[Record]:
        return [
            Record(
                experiment=experiment.name,
                machine=found.machines[swing.job.name],
                system=experiment.band_system,
                scheme=str(swing.job.parameters.get("scheme", experiment.band_scheme)),
                metric=metric,
                parameters={**parameters, "assumed": variant or "nominal"},
                value=round(value, 6),
                unit=unit,
            )
            for variant, value in {NOMINAL: swing.nominal, **swing.by}.items()
        ]

    every = []
    for swing in found.swings.values():
        own = {k: v for k, v in swing.job.parameters.items() if k not in ("scheme", "machine")}
        every += made(swing, f"band_{found.metric}", found.unit, own | lengths(swing.job))
    for name, swing in found.ratios.items():
        every += made(swing, "band_ratio", "1", {"ratio": name, **lengths(swing.job)})
    return every


def lengths(job: Job) -> dict[str, Parameter]:
    """How much a run measured: what its command line says of it. Bands are of short runs."""
    words = re.findall(r"\b(rounds|bursts|hops|times)=(\d+)", job.append)
    return {name: int(value) for name, value in words}


def table(found: Band) -> Table:
    """What each constant moves, a row each."""
    swings = [*found.swings.values(), *found.ratios.values()]
    rows = [["nominal", *(number(swing.nominal) for swing in swings)]]
    for variant in found.variants:
        cells = []
        for swing in swings:
            value = swing.by.get(variant.name)
            moved = "" if value is None else f"{number(value)} ({value / swing.nominal - 1:+.1%})"
            cells.append(moved)
        rows.append([variant.name, *cells])
    return Table(
        title=f"What it rests on: {found.metric}, {found.unit}, by the assumed constants",
        columns=["", *found.swings, *found.ratios],
        rows=rows,
        caption="each constant at the ends of its range, the others as they are; ranges and "
        "reasons: switchyard machines NAME; records say how long the runs were",
    )
