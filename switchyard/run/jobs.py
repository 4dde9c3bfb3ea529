# SPDX-License-Identifier: Apache-2.0
"""Jobs side by side, none of them twice: what `run` and `sweep` have in common.

Files that a job is made of are copied before the first job begins, so that a build that goes on
meanwhile changes nothing; what a job gave is in the store as soon as it ends. So an interrupted
command loses the jobs that were under way, and the next one takes up where it stopped.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from switchyard.data import files
from switchyard.errors import InputError, RunError, StoppedError
from switchyard.run import build, build_linux, machine
from switchyard.run.build import Guest
from switchyard.run.build_linux import Linux
from switchyard.run.experiment import Job
from switchyard.run.machine import Stats
from switchyard.run.store import Hashes, Store, pack, readable, sha256, unpack


class Listener(Protocol):
    """Who hears how far it is; the command line draws it."""

    def building(self, guest: Guest | Linux) -> None:
        """An image is being brought up to date."""

    def started(self, total: int, kept: int) -> None:
        """That many jobs are wanted, `kept` of which the store has."""

    def doing(self, jobs: Sequence[Job]) -> None:
        """These are under way, as far as that is known; told now and then."""

    def finished(self, job: Job) -> None:
        """A job is done."""


@dataclass(frozen=True)
class Prepared:
    """A job whose files, the simulator too, are copies; and what its result is known by."""

    job: Job
    boot: machine.Boot
    program: Path
    hashes: Hashes
    key: str
    originals: Mapping[Path, Path]  # by their copies


class Workers(Protocol):
    """Where runs are made: on this computer, or on others."""

    def submit(self, prepared: Prepared) -> "Future[bytes]":
        """The packed statistics of a run, some day."""

    def end(self) -> None:
        """Stops all that is under way; nothing more will be asked for."""


class Here:
    """Runs on this computer, so many at once."""

    def __init__(self, count: int) -> None:
        self._pool = ThreadPoolExecutor(max_workers=count)
        self._processes = machine.Processes()

    def submit(self, prepared: Prepared) -> "Future[bytes]":
        """The packed statistics of a run, some day."""
        return self._pool.submit(make, prepared, self._processes)

    def end(self) -> None:
        """Kills the simulators that run."""
        self._processes.end()
        self._pool.shutdown(wait=True, cancel_futures=True)


def make(prepared: Prepared, processes: machine.Processes | None = None) -> bytes:
    """Makes a run on this computer, and packs its statistics."""
    try:
        return pack(machine.run(prepared.boot, processes=processes, program=prepared.program).text)
    except InputError as error:
        message = str(error)
        for copy, original in prepared.originals.items():
            message = message.replace(str(copy), str(original))
        raise InputError(message) from None


def ensure(guests: Iterable[Guest | Linux], say: Callable[[Guest | Linux], None]) -> None:
    """Brings the images up to date."""
    for guest in dict.fromkeys(guests):
        if isinstance(guest, Linux):
            build_linux.ensure([guest], say)
        else:
            build.ensure([guest], say)


@contextmanager
def prepared(jobs: Sequence[Job]) -> Iterator[list[Prepared]]:
    """The jobs with copies of their files, which last as long as the context."""
    with files.scratch() as folder:
        copies: dict[Path, tuple[Path, str]] = {}

        def copy(path: Path) -> tuple[Path, str]:
            """The copy of a file, and its hash."""
            if path not in copies:
                there = folder / str(len(copies)) / path.name
                there.parent.mkdir()
                readable(path)
                shutil.copy(path, there)
                copies[path] = there, sha256(there)
            return copies[path]

        program, simulator = copy(machine.binary())
        originals: dict[Path, Path] = {}
        batch = []
        for job in jobs:
            boot = job.boot(job.guest.images)
            copied = {name: copy(path) for name, path in boot.files().items()}
            described = boot.machine
            if machine.is_file(boot.machine):
                there, described = copy(Path(boot.machine))
                boot = replace(boot, machine=str(there))
            changes: dict[str, Any] = {name: there for name, (there, _) in copied.items()}
            boot = replace(boot, **changes)
            digests = {name: digest for name, (_, digest) in copied.items()}
            hashes = Hashes(simulator, described, digests)
            batch.append(Prepared(job, boot, program, hashes, hashes.key(boot), originals))
        originals |= {there: path for path, (there, _) in copies.items()}
        yield batch


def run(
    wanted: Sequence[Prepared],
    workers: Workers,
    store: Store,
    fresh: bool,
    listener: Listener,
    done: Callable[[Prepared, bytes, Stats], None],
    failed: Callable[[Prepared, RunError], None],
) -> None:
    """Sees to it that every job has its result, from the store or, if `fresh`, made anew.

    `done` hears of each result, packed and read, and `failed` of each run that gave none, one at a
    time; what they raise ends it all. What is kept and cannot be read is made again. Raises
    `StoppedError` after Ctrl-C.
    """
    finished = 0
    missing: dict[str, list[Prepared]] = {}  # two jobs of the same content are one run
    try:
        kept = [] if fresh else [prepared for prepared in wanted if prepared.key in store]
        listener.started(len(wanted), len(kept))
        for prepared in wanted:
            packed = None if fresh else store.get(prepared.key)
            stats = _kept(prepared, packed) if packed else None
            if packed is None or stats is None:
                missing.setdefault(prepared.key, []).append(prepared)
            else:
                done(prepared, packed, stats)
                finished += 1
                listener.finished(prepared.job)
        running = {workers.submit(same[0]): same for same in missing.values()}
        waiting = set(running)
        while waiting:
            listener.doing([running[future][0].job for future in running if future.running()])
            # not for ever: a signal that comes just before it blocks would not end it
            ready, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
            for future in ready:
                same = running[future]
                try:
                    packed = future.result()
                except RunError as error:
                    for prepared in same:
                        failed(prepared, error)
                    continue
                store.put(same[0].key, packed)
                stats = _read(same[0], packed)
                for prepared in same:
                    done(prepared, packed, stats)
                    finished += 1
                    listener.finished(prepared.job)
    except KeyboardInterrupt as cause:
        stopped = StoppedError(
            f"interrupted; {finished} of {len(wanted)} runs are kept, "
            "the same command goes on from there",
            cause,
        )
        with suppress(KeyboardInterrupt):  # once more, from an impatient user
            workers.end()
        raise stopped from None
    finally:
        workers.end()


def _read(prepared: Prepared, packed: bytes) -> Stats:
    return Stats.parse(unpack(packed), f"statistics of {prepared.job.name}")


def _kept(prepared: Prepared, packed: bytes) -> Stats | None:
    """What the store has of a run; nothing if another Switchyard put it there, in other words."""
    try:
        return _read(prepared, packed)
    except InputError:
        return None
