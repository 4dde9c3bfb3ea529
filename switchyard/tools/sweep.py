# SPDX-License-Identifier: Apache-2.0
"""Sweeps: an experiment's runs over a grid of machines and parameters, as one table.

An axis of the grid is a key of the machine's description (`dcache.size-bytes`; several keys joined
by `+` change together) or a parameter of the experiment's jobs (`clients`, `scheme`). A point is a
run like any other, so the store has those that were made before, and a sweep that was interrupted,
or lost a computer, goes on with what is missing.
"""

import io
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars

from switchyard import __version__
from switchyard.data import files, meta
from switchyard.data.records import Parameter
from switchyard.errors import InputError, RunError, StoppedError
from switchyard.run import jobs, variants
from switchyard.run.experiment import Experiment, Job, Settings
from switchyard.run.jobs import Listener, Prepared, Workers
from switchyard.run.machine import Stats
from switchyard.run.store import Store
from switchyard.run.variants import Value

# What `--grid clients=1..24` may not grow to by a slip of the finger.
MOST_VALUES = 1000


@dataclass(frozen=True)
class Axis:
    """Names that take the same value together, and the values that they take."""

    names: tuple[str, ...]
    values: tuple[Value, ...]

    @classmethod
    def parse(cls, text: str) -> "Axis":
        """From the command line: `NAME[+NAME]...=VALUE[,VALUE]...`, a value may be `FROM..TO`."""
        left, equals, right = text.partition("=")
        names = tuple(left.split("+"))
        words = right.split(",")
        if not equals or not all(names) or not all(words):
            raise InputError(
                f"--grid {text}: expected NAME=VALUE,VALUE,... as in dcache.size-bytes=4096,8192"
            )
        values = tuple(dict.fromkeys(value for word in words for value in _values(word, text)))
        return cls(names, values)


def _values(word: str, text: str) -> Sequence[Value]:
    if re.search(r"\d{19}", word):
        raise InputError(f"--grid {text[:60]}: expected whole numbers of at most 18 digits")
    span = re.fullmatch(r"(\d+)\.\.(\d+)", word)
    if span is None:
        return [int(word)] if re.fullmatch(r"\d+", word) else [word]
    first, last = int(span[1]), int(span[2])
    if not first <= last < first + MOST_VALUES:
        raise InputError(f"--grid {text}: {word}; expected at most {MOST_VALUES} rising numbers")
    return range(first, last + 1)


@dataclass(frozen=True)
class GridPoint:
    """A run of the grid, and the columns that tell it from the others."""

    job: Job
    columns: Mapping[str, Parameter]
    described: Mapping[str, Any]  # its machine


@dataclass(frozen=True)
class Table:
    """What a sweep gave."""

    path: Path  # written if there are rows
    rows: int
    failed: Sequence[tuple[GridPoint, RunError]]
    frame: polars.DataFrame
    axes: Sequence[tuple[str, ...]]  # those of the grid that take several values


def points(
    experiment: Experiment[Any],
    settings: Settings,
    grid: Sequence[Axis],
    machine_name: str | None,
    folder: Path,
) -> list[GridPoint]:
    """The grid's runs; machine files are written to `folder`.

    Machine by machine, so that what is made first says something already.
    """
    every = [
        replace(job, machine=machine_name) if machine_name else job
        for job in experiment.choices(settings)
    ]
    if not every:
        raise InputError(f"{experiment.name}: makes no runs; expected an experiment with some")
    parameters = sorted({name for job in every for name in job.parameters})
    job_axes = [axis for axis in grid if all(name in parameters for name in axis.names)]
    machine_axes = [axis for axis in grid if axis not in job_axes]
    every = _with_new_values(every, job_axes)
    chosen = [job for job in every if _chosen(job, job_axes)]
    described = {name: variants.describe(name) for name in {job.machine for job in chosen or every}}
    known = {name: set(variants.keys(description)) for name, description in described.items()}
    for axis in machine_axes:
        _must_be_keys(axis, known, parameters)
    _must_be_apart(grid)
    for axis in job_axes:
        _must_be_there(axis, every)
    if not chosen:
        raise InputError(f"{experiment.name}: no run has all of these parameters at once")
    grid_points: list[GridPoint] = []
    for values in itertools.product(*(axis.values for axis in machine_axes)):
        changes = {
            name: value
            for axis, value in zip(machine_axes, values, strict=True)
            for name in axis.names
        }
        files: dict[str, tuple[Path, dict[str, Any]]] = {}
        for job in chosen:
            if job.machine not in files:
                description = variants.changed(described[job.machine], changes)
                files[job.machine] = variants.save(description, folder), description
            file, description = files[job.machine]
            others = {name: value for name, value in job.parameters.items() if name != "machine"}
            columns = {"machine": job.machine, **changes, **others}
            grid_points.append(GridPoint(replace(job, machine=str(file)), columns, description))
    return grid_points


def _with_new_values(every: Sequence[Job], axes: Sequence[Axis]) -> list[Job]:
    """Beside these runs those with numbers that they do not list, if their programs take them.

    A program does whose command line has the parameter by its name, as a word of its own. Whether
    it can do with the number is the program's to say: a run of it fails.
    """
    made = list(every)
    for axis in axes:
        for name in axis.names:
            known = {job.parameters[name] for job in made if name in job.parameters}
            for value in axis.values:
                if value in known or not isinstance(value, int):
                    continue
                made += _with_value(made, name, value)
    return made


def _words(name: str, number: int) -> set[str]:
    """How a command line has a number: by itself, or as all from it to itself."""
    return {f"{name}={number}", f"{name}={number}-{number}"}


def _with_value(every: Sequence[Job], name: str, value: int) -> list[Job]:
    """A run with that value for all that differ otherwise, each from the nearest that there is."""
    nearest: dict[tuple[object, ...], Job] = {}
    for job in every:
        given = job.parameters.get(name)
        if not isinstance(given, int) or not _words(name, given) & set(job.append.split()):
            continue
        others = tuple(sorted((k, v) for k, v in job.parameters.items() if k != name))
        best = nearest.get((job.guest, *others))
        if best is None or abs(given - value) < abs(int(best.parameters[name]) - value):
            nearest[job.guest, *others] = job
    made = []
    for job in nearest.values():
        given = int(job.parameters[name])
        changed = {
            word: word.replace(str(given), str(value)) if word in _words(name, given) else word
            for word in job.append.split()
        }
        longer = max(1, -(-value // max(given, 1)))
        made.append(
            replace(
                job,
                name=f"{job.name}-{name}-{value}",
                append=" ".join(changed.values()),
                max_cycles=job.max_cycles * longer,
                parameters={**job.parameters, name: value},
            )
        )
    return made


def no_grid(experiment: Experiment[Any], settings: Settings) -> str:
    """The line for a sweep over nothing: what it could be over."""
    every = experiment.choices(settings)
    parameters = sorted({name for job in every for name in job.parameters})
    machines = dict.fromkeys(job.machine for job in every)
    keys = sorted({key for name in machines for key in variants.keys(variants.describe(name))})
    some = ", ".join([*parameters, *(key for key in keys if key not in ("name", "description"))])
    return f"--grid: missing; expected KEY=VALUE,VALUE,... or KEY=FROM..TO, a key one of {some}"


def _must_be_keys(axis: Axis, known: Mapping[str, set[str]], parameters: Sequence[str]) -> None:
    for name in axis.names:
        for machine, keys in known.items():
            if name not in keys or name in ("name", "description"):
                near = sorted(
                    key for key in keys if key.partition(".")[0] == name.partition(".")[0]
                )
                expected = ", ".join([*parameters, *(near or sorted(keys))])
                raise InputError(
                    f"--grid {name}: neither a parameter nor a key of the machine {machine}; "
                    f"expected one of {expected}"
                )


def _must_be_apart(grid: Sequence[Axis]) -> None:
    names = [name for axis in grid for name in axis.names]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--grid {name}: given twice; expected all its values at once")


def _must_be_there(axis: Axis, every: Sequence[Job]) -> None:
    for name in axis.names:
        known = list(dict.fromkeys(job.parameters[name] for job in every if name in job.parameters))
        for value in axis.values:
            if value not in known:
                some = ", ".join(str(value) for value in known)
                raise InputError(f"--grid {name}={value}: no run has it; expected some of {some}")


def _chosen(job: Job, axes: Sequence[Axis]) -> bool:
    return all(job.parameters.get(name) in axis.values for axis in axes for name in axis.names)


def fitted(grid_points: Sequence[GridPoint]) -> list[GridPoint]:
    """The points with guests that fit their machines, each of which the simulator has looked at."""
    seen: set[str] = set()
    for point in grid_points:
        if point.job.machine not in seen:
            changes = {k: v for k, v in point.columns.items() if k not in point.job.parameters}
            changes.pop("machine", None)
            base = str(point.columns["machine"])
            variants.check(Path(point.job.machine), base, changes)
            seen.add(point.job.machine)
    return [
        replace(
            point, job=replace(point.job, guest=variants.fitted(point.job.guest, point.described))
        )
        for point in grid_points
    ]


def run(
    experiment: Experiment[Any],
    settings: Settings,
    grid: Sequence[Axis],
    out: Path,
    workers: Workers,
    listener: Listener,
    machine_name: str | None = None,
    fresh: bool = False,
) -> Table:
    """Sees to it that every point of the grid is measured, and writes the table.

    A run that fails costs its point alone: the table is written without it. If all of them fail,
    there is no table, and one of before stays.
    """
    path = out / f"{experiment.name}.sweep.parquet"
    rows: dict[int, dict[str, Parameter]] = {}
    failures: list[tuple[GridPoint, RunError]] = []
    store = Store()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: {error.strerror}; expected a folder for results") from None
    try:
        with files.scratch() as folder:
            grid_points = fitted(points(experiment, settings, grid, machine_name, folder))
            jobs.ensure(
                (guest for point in grid_points for guest in point.job.guests), listener.building
            )
            with jobs.prepared([point.job for point in grid_points]) as batch:
                places = {id(prepared): place for place, prepared in enumerate(batch)}

                def done(prepared: Prepared, _packed: bytes, stats: Stats) -> None:
                    place = places[id(prepared)]
                    try:
                        values = experiment.row(
                            prepared.job, experiment.measure(prepared.job, stats)
                        )
                    except RunError as error:
                        failures.append((grid_points[place], error))
                    else:
                        rows[place] = {**values, **grid_points[place].columns}

                def failed(prepared: Prepared, error: RunError) -> None:
                    failures.append((grid_points[places[id(prepared)]], error))

                jobs.run(batch, workers, store, fresh, listener, done, failed)
                simulator = batch[0].hashes.simulator
    except KeyboardInterrupt as cause:
        raise StoppedError("interrupted", cause) from None
    finally:
        workers.end()
    store.trim()
    about = {
        "experiment": experiment.name,
        "grid": json.dumps([[axis.names, axis.values] for axis in grid]),
        "rounds": str(settings.rounds or ("quick" if settings.quick else "full")),
        "simulator": simulator,
        "switchyard": __version__,
        "commit": meta.commit(),
    }
    frame = tabulate([rows[place] for place in sorted(rows)], list(grid_points[0].columns))
    if rows:
        save(frame, about, path)
    axes = [axis.names for axis in grid if len(axis.values) > 1]
    return Table(path, len(rows), failures, frame, axes)


def tabulate(rows: Sequence[Mapping[str, Parameter]], first: Sequence[str]) -> polars.DataFrame:
    """The rows as a table: the grid's columns first, then whatever was measured."""
    order = {**dict.fromkeys(first), **{name: None for row in rows for name in row}}
    columns = {name: [row.get(name) for row in rows] for name in order}
    return polars.DataFrame(columns, strict=False)


def save(frame: polars.DataFrame, about: Mapping[str, str], path: Path) -> None:
    """Writes a Parquet file with what it is about as its metadata."""
    parquet = io.BytesIO()
    frame.write_parquet(parquet, metadata=dict(about))
    files.write(path, parquet.getvalue())
    files.write(path.with_suffix(".csv"), frame.write_csv())
