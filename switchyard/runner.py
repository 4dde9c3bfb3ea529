# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment: images, jobs side by side, raw results, records, figures.

Files under the output folder, for an experiment `e`:

    e.json              records; the same bytes for the same images, machine and settings
    e.meta.json         when and with what they were made
    e.svg, e.png        the figure
    e.md                the reasons for each deviation
    raw/e/JOB.json.gz   the statistics of each run with its raw samples; the same bytes too
"""

import gzip
import json
import os
import platform
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from switchyard import __version__, build, build_linux, machine, plot, records
from switchyard.build import Guest, Images
from switchyard.build_linux import Linux
from switchyard.errors import InputError
from switchyard.experiments.experiment import Experiment, Job, Outcome, Settings


class Listener(Protocol):
    """Who hears how far a run is; the command line draws it."""

    def building(self, guest: Guest | Linux) -> None:
        """An image is being brought up to date."""

    def started(self, total: int) -> None:
        """That many jobs are about to run."""

    def finished(self, job: Job) -> None:
        """A job is done."""


@dataclass(frozen=True)
class Written:
    """An experiment that was run, and the files that it left."""

    outcome: Outcome
    records: Path
    figures: list[Path]
    raw: Path


def run(
    experiment: Experiment[Any], settings: Settings, out: Path, workers: int, listener: Listener
) -> Written:
    """Runs all jobs of an experiment, `workers` at a time, and writes what they gave."""
    jobs = experiment.jobs(settings)
    raw = _folder(out / "raw" / experiment.name)
    guests = unique(job.guest for job in jobs)
    for guest in guests:
        _ensure(guest, listener)
    begun = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="switchyard-") as folder:
        images = {guest: guest.images.copied(Path(folder, guest.name)) for guest in guests}
        hashes = {name: one for copy in images.values() for name, one in copy.hashes().items()}
        points = _points(experiment, jobs, images, raw, workers, listener)
    outcome = experiment.outcome(points)
    path = out / f"{experiment.name}.json"
    records.save(outcome.records, path)
    _write(
        records.meta_path(path), json.dumps(_meta(begun, settings, jobs, hashes), indent=2) + "\n"
    )
    _write(out / f"{experiment.name}.md", notes_text(experiment, outcome))
    figures = plot.save(outcome.figure, out / experiment.name)
    return Written(outcome, path, figures, raw)


def unique(guests: Iterable[Guest | Linux]) -> list[Guest | Linux]:
    """Each guest once, in order of first use."""
    return list(dict.fromkeys(guests))


def _ensure(guest: Guest | Linux, listener: Listener) -> None:
    if isinstance(guest, Linux):
        build_linux.ensure([guest], listener.building)
    else:
        build.ensure([guest], listener.building)


def notes_text(experiment: Experiment[Any], outcome: Outcome) -> str:
    """The notes as a small Markdown file."""
    head = f"# {experiment.name}: {experiment.question}\n\nPublished: {experiment.source}.\n"
    return head + "".join(f"\n{note}\n" for note in outcome.notes)


def _points(
    experiment: Experiment[Any],
    jobs: list[Job],
    images: Mapping[Guest | Linux, Images],
    raw: Path,
    workers: int,
    listener: Listener,
) -> dict[str, Any]:
    """Each job's point by the job's name, in the jobs' order whatever order they end in."""
    points: dict[str, Any] = {}
    listener.started(len(jobs))
    with ThreadPoolExecutor(max_workers=workers) as pool:
        running: dict[Future[Any], Job] = {
            pool.submit(_point, experiment, job, images[job.guest], raw): job for job in jobs
        }
        try:
            waiting = set(running)
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    points[running[future].name] = future.result()
                    listener.finished(running[future])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {job.name: points[job.name] for job in jobs}


def _point(experiment: Experiment[Any], job: Job, images: Images, raw: Path) -> Any:
    done = machine.run(job.boot(images))
    # mtime=0 and no file name in the header: the same statistics make the same file.
    _write(raw / f"{job.name}.json.gz", gzip.compress(done.text, compresslevel=6, mtime=0))
    return experiment.measure(job, done.stats)


def _meta(
    begun: datetime, settings: Settings, jobs: list[Job], hashes: Mapping[str, str]
) -> dict[str, object]:
    return {
        "date": begun.isoformat(timespec="seconds"),
        "seconds": round((datetime.now(UTC) - begun).total_seconds(), 1),
        "switchyard": __version__,
        "commit": _commit(),
        "quick": settings.quick,
        "images": dict(hashes),
        "jobs": [
            {"name": j.name, "image": j.guest.name, "machine": j.machine, "append": j.append}
            for j in jobs
        ],
        "host": {
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
    }


def _commit() -> str:
    """The checkout's commit, with a plus where files differ from it; empty where git cannot say."""
    command = ["git", "-C", str(build.root()), "describe", "--always", "--abbrev=12", "--dirty=+"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a folder for results") from None
    return path


def _write(path: Path, content: str | bytes) -> None:
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a file that can be written") from None
