# SPDX-License-Identifier: Apache-2.0
"""What an experiment's result rests on: its runs again, at the ends of assumed constants' ranges.

One constant at a time, then all at their low and all at their high ends, then what the experiment
itself wants moved together. The runs are few (`BandPlan`) and in the store once made.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from switchyard.data.constants import said
from switchyard.data.records import Parameter, Record
from switchyard.data.rows import ASSUMED
from switchyard.run import variants
from switchyard.run.experiment import BandPlan, Experiment, Job, Settings
from switchyard.run.variants import Range
from switchyard.show import terms
from switchyard.show.figure import Table

BEGINS = "Over the ranges of the assumed constants"  # each sentence
NOMINAL = "nominal"
RATIO = "ratio"  # the parameter that names a ratio
CASE = ("scheme", "machine")  # what a record has beside its parameters
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
    """The swings of values, and of ratios of two of them, by what they are called."""

    metric: str
    unit: str
    swings: Mapping[str, Swing]
    ratios: Mapping[str, Swing]

    @property
    def all(self) -> Mapping[str, Swing]:
        """Both."""
        return {**self.swings, **self.ratios}


def ends(ranges: Mapping[str, Range], wanted: Mapping[str, Mapping[str, int]]) -> list[Variant]:
    """The variants of a machine whose assumed constants these are."""
    variants_ = [
        Variant(f"{name} = {value}", {name: value})
        for name, range_ in ranges.items()
        for value in (range_.low, range_.high)
        if value != range_.value
    ]
    if len(ranges) > 1:
        variants_.append(Variant(ALL_LOW, {name: range_.low for name, range_ in ranges.items()}))
        variants_.append(Variant(ALL_HIGH, {name: range_.high for name, range_ in ranges.items()}))
    return variants_ + [Variant(name, changes) for name, changes in wanted.items()]


def _plan(experiment: Experiment[Any]) -> BandPlan:
    if experiment.band is None:
        raise LookupError(f"{experiment.name} has no band")
    return experiment.band


def bases(experiment: Experiment[Any], settings: Settings) -> list[Job]:
    """The runs that are varied, as they are without."""
    plan = _plan(experiment)
    if callable(plan.jobs):
        return plan.jobs(settings)
    names = plan.jobs or [name for both in plan.ratios.values() for name in both]
    quick = experiment.jobs(Settings(quick=True, rounds=settings.rounds))
    return [job for job in quick if job.name in names]


def jobs(
    experiment: Experiment[Any], settings: Settings, folder: Path
) -> list[tuple[Job, Job, Variant | None]]:
    """The runs to make: each with the run that it is a variant of, and the variant, if it is one.

    Machine files are written into `folder`, which has to last as long as the runs.
    """
    plan = _plan(experiment)
    runs: list[tuple[Job, Job, Variant | None]] = []
    files: dict[tuple[str, str], Path] = {}
    for base in bases(experiment, settings):
        described = variants.describe(base.machine)
        runs.append((replace(base, name=f"{base.name}-band"), base, None))
        variants_ = ends(variants.ranges(described), plan.moved_together)
        for place, variant in enumerate(variants_):
            key = (base.machine, variant.name)
            if key not in files:
                changed = variants.changed(described, variant.changes)
                files[key] = variants.save(changed, folder)
            name = f"{base.name}-band-{place:02}"
            runs.append((replace(base, name=name, machine=str(files[key])), base, variant))
    return runs


def records(
    experiment: Experiment[Any],
    wanted: Sequence[tuple[Job, Job, Variant | None]],
    samples: Mapping[str, Any],
) -> list[Record]:
    """Every value of the runs, its variant among the parameters, and how long the runs were."""
    if not wanted:
        return []
    plan = _plan(experiment)
    values: dict[str, dict[str, float]] = {}
    bases: dict[str, Job] = {}
    for job, base, variant in wanted:
        bases[base.name] = base
        value = float(experiment.row(base, samples[job.name])[plan.metric])
        values.setdefault(base.name, {})[variant.name if variant else NOMINAL] = value
    banded = []
    for name, by in values.items():
        if len(by) > 1:
            own = {k: v for k, v in bases[name].parameters.items() if k not in CASE}
            metric = f"band_{plan.metric}"
            banded += _records(experiment, bases[name], metric, plan.unit, own, by)
    for name, (over, under) in plan.ratios.items():
        # both move, and it may move less than they
        by = {ends: value / values[under][ends] for ends, value in values[over].items()}
        banded += _records(experiment, bases[over], "band_ratio", "1", {RATIO: name}, by)
    return banded


def _records(
    experiment: Experiment[Any],
    job: Job,
    metric: str,
    unit: str,
    parameters: Mapping[str, Parameter],
    by: Mapping[str, float],
) -> list[Record]:
    return [
        Record(
            experiment=experiment.name,
            machine=job.machine,
            system=experiment.system,
            scheme=str(job.parameters.get("scheme", _plan(experiment).scheme)),
            metric=metric,
            parameters={**parameters, **lengths(job), ASSUMED: variant},
            value=round(value, 6),
            unit=unit,
        )
        for variant, value in by.items()
    ]


def of(experiment: Experiment[Any], records: Iterable[Record]) -> Band | None:
    """The band that is among an experiment's records, if one is."""
    plan = experiment.band
    if plan is None:
        return None
    swings: dict[str, dict[str, float]] = {}
    ratios: dict[str, dict[str, float]] = {}
    for record in records:
        if ASSUMED in record.parameters:
            told = record.case
            name = str(told.get(RATIO) or plan.called(told))
            kind = ratios if RATIO in told else swings
            kind.setdefault(name, {})[str(told[ASSUMED])] = record.value
    if not swings:
        return None
    return Band(
        plan.metric,
        plan.unit,
        {name: Swing(by.pop(NOMINAL), by) for name, by in swings.items()},
        {name: Swing(by.pop(NOMINAL), by) for name, by in ratios.items()},
    )


def sentences(band: Band, published: Mapping[str, float]) -> list[str]:
    """What is said of each value, and of each ratio, beside what is published of some."""
    unit = terms.unit(band.unit)
    # a metric that says no more than its unit need not be named
    what = "" if band.metric in ("us", "cycles") else f", {terms.words(band.metric)}"
    return [
        *(sentence(n + what, swing, unit, published.get(n)) for n, swing in band.swings.items()),
        *(sentence(n, swing, "times", published.get(n)) for n, swing in band.ratios.items()),
    ]


def sentence(name: str, swing: Swing, unit: str, published: float | None = None) -> str:
    """What the assumed constants move, and whether what is published lies within."""
    moved = [
        (name, value)
        for name, value in swing.by.items()
        if name not in (ALL_LOW, ALL_HIGH) and abs(value / swing.nominal - 1) >= MOVED
    ]
    moved.sort(key=lambda item: -abs(item[1] - swing.nominal))
    told = ", ".join(f"{said(name)} ({number(value)})" for name, value in moved[:TOLD])
    nominal = f"{number(swing.nominal)} with the machine as it is"
    if published is not None:
        inside = "within" if swing.low <= published <= swing.high else "outside"
        nominal += f"; the published {published:g} lies {inside}"
    ends = f"{number(swing.low)} to {number(swing.high)} {unit}"
    text = f"{BEGINS}, {name} goes from {ends} ({nominal})."
    return f"{text} Most is done by {told}." if told else f"{text} Nothing moves it."


def number(value: float) -> str:
    """A value with as many digits as say something."""
    return f"{value:.2f}" if value < 1000 else f"{value:.0f}"


def lengths(job: Job) -> dict[str, Parameter]:
    """How much a run measured: what its command line says of it. Bands are of short runs."""
    words = re.findall(r"\b(rounds|bursts|hops|times)=(\d+)", job.append)
    return {name: int(value) for name, value in words}


def table(band: Band) -> Table:
    """What each constant moves, a row each."""
    metric = "" if band.metric in ("us", "cycles") else f"{terms.words(band.metric)}, "
    variants_ = dict.fromkeys(variant for swing in band.all.values() for variant in swing.by)
    rows = [["the machine as it is", *(number(swing.nominal) for swing in band.all.values())]]
    for variant in variants_:
        values = [(swing, swing.by.get(variant)) for swing in band.all.values()]
        rows.append(
            [
                said(variant),
                *(
                    "" if v is None else f"{number(v)} ({v / swing.nominal - 1:+z.1%})"
                    for swing, v in values
                ),
            ]
        )
    return Table(
        title=f"What it rests on: {metric}{terms.unit(band.unit)}, by the assumed constants",
        columns=["", *band.all],
        rows=rows,
        caption="each constant at the ends of its range, the others as they are; ranges and "
        "reasons: switchyard machines NAME; records say how long the runs were",
    )
