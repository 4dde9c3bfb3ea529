# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment: images, jobs side by side, raw results, records, figures.

Files under the output folder, for an experiment `e`:

    e.json              records; the same bytes for the same images, machine and settings
    e.outcome.json      tables, notes and figures, of what is no experiment (`bench-host`)
    e.meta.json         when and with what they were made
    e.svg, e.png        the figure; e-MORE.svg and .png where there are more of them
    e.md                the reasons for each deviation
    raw/e/JOB.json.gz   the statistics of each run with its raw samples; the same bytes too
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from switchyard.data import band, files, meta, records
from switchyard.errors import InputError, RunError, StoppedError
from switchyard.run import jobs
from switchyard.run.experiment import Experiment, Job, Outcome, Settings
from switchyard.run.jobs import Here, Listener, Prepared
from switchyard.run.machine import Stats
from switchyard.run.store import Store
from switchyard.show import drawings, outcomes, views


@dataclass(frozen=True)
class Written:
    """An experiment that was run, and the files that it left."""

    outcome: Outcome
    records: Path
    figures: list[Path]
    raw: Path


def run(
    experiment: Experiment[Any],
    settings: Settings,
    out: Path,
    workers: int,
    listener: Listener,
    fresh: bool = False,
    command: Sequence[str] = (),
    with_band: bool = False,
) -> Written:
    """Sees to it that all jobs of an experiment are done, `workers` at a time, and writes it up.

    Jobs that were done before are not done again, unless all are to be `fresh`. `command` is what
    the metadata call the command line that does the same. `with_band` has it show as well what the
    result rests on.
    """
    if with_band and experiment.band is None:
        raise InputError(f"{experiment.name}: has no band; expected one of {banded_names()}")
    with tempfile.TemporaryDirectory(prefix="switchyard-band-") as folder:
        banded = band.jobs(experiment, settings, Path(folder)) if with_band else []
        return _run(experiment, settings, out, workers, listener, fresh, command, banded)


def banded_names() -> str:
    """The experiments that can show what they rest on."""
    from switchyard.experiments import EXPERIMENTS

    return ", ".join(name for name, experiment in EXPERIMENTS.items() if experiment.band)


def _run(
    experiment: Experiment[Any],
    settings: Settings,
    out: Path,
    workers: int,
    listener: Listener,
    fresh: bool,
    command: Sequence[str],
    banded: Sequence[tuple[Job, Job, band.Variant | None]],
) -> Written:
    wanted = [*experiment.jobs(settings), *(job for job, _, _ in banded)]
    bases = {job.name: base for job, base, _ in banded}
    raw = _folder(out / "raw" / experiment.name)
    packed_by_path: dict[Path, bytes] = {}
    samples: dict[str, Any] = {}
    store = Store()

    def done(prepared: Prepared, packed: bytes, stats: Stats) -> None:
        packed_by_path[raw / f"{prepared.job.name}.json.gz"] = packed
        samples[prepared.job.name] = experiment.measure(
            bases.get(prepared.job.name, prepared.job), stats
        )

    def failed(_prepared: Prepared, error: RunError) -> None:
        raise error

    try:
        jobs.ensure((guest for job in wanted for guest in job.guests), listener.building)
        begun = datetime.now(UTC)
        with jobs.prepared(wanted) as batch:
            jobs.run(batch, Here(workers), store, fresh, listener, done, failed)
            # the band's machines are in its records: their files are gone when we are done
            told = [prepared for prepared in batch if prepared.job.name not in bases]
            about = meta.collect(begun, command, settings.quick, told)
    except KeyboardInterrupt as cause:
        raise StoppedError("interrupted", cause) from None
    store.trim()
    # in the jobs' order, whatever order they ended in
    own = {job.name: samples[job.name] for job in wanted if job.name not in bases}
    outcome = views.of_runs(experiment, own, band.records(experiment, banded, samples))
    path, figures = write(experiment, outcome, about, out, packed_by_path)
    return Written(outcome, path, figures, raw)


def write(
    experiment: Experiment[Any],
    outcome: Outcome,
    about: dict[str, object],
    out: Path,
    raw: Mapping[Path, bytes] | None = None,
) -> tuple[Path, list[Path]]:
    """Writes records, metadata, notes, figures and raw results, all of them or none.

    Says where the records and figures are.
    """
    path = out / f"{experiment.name}.json"
    pictures: dict[Path, bytes] = {}
    for name, figure in outcome.figures(experiment.name).items():
        pictures |= drawings.pictures(figure, out / name)
    with files.together() as whole:
        for file, content in {**(raw or {}), **pictures}.items():
            whole.write(file, content)
        whole.write(out / f"{experiment.name}.md", notes_text(experiment, outcome))
        if outcomes.has_file(experiment.name):
            whole.write(outcomes.path(path), outcomes.dumps(experiment, outcome))
        whole.write(records.meta_path(path), meta.dumps(about))
        # last: whoever is stopped between two names has left no records without the rest
        whole.write(path, records.dumps(outcome.records))
    return path, list(pictures)


def notes_text(experiment: Experiment[Any], outcome: Outcome) -> str:
    """The notes as a small Markdown file."""
    head = f"# {experiment.name}: {experiment.question}\n\nPublished: {experiment.source}.\n"
    return head + "".join(f"\n{note}\n" for note in outcome.notes)


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a folder for results") from None
    return path
