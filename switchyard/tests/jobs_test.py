# SPDX-License-Identifier: Apache-2.0
"""Runs are kept by content: nothing runs twice, nothing stale is found, nothing half is kept."""

import dataclasses
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from switchyard import cli
from switchyard.data.records import Record
from switchyard.experiments import EXPERIMENTS
from switchyard.run import build, runner, store
from switchyard.run.experiment import Experiment, Job, Settings
from switchyard.run.machine import Stats
from switchyard.run.runner import Written
from switchyard.tests import fake_machine as fake
from switchyard.tests.conftest import held, runs_made
from switchyard.tests.runs import Silent, digest

ROUNDS = 12


class Few(Experiment[float]):
    """Six runs, and what they sum up to."""

    name = "few"
    question = "How many cycles?"
    source = "nobody"
    machine = "sa1110"

    def jobs(self, settings: Settings) -> list[Job]:
        guest = build.GUESTS["assabet-flush-bench-ipc"]
        append = f"clients={{0}}-{{0}} rounds={settings.rounds or ROUNDS}"
        return [Job(f"run-{i}", guest, self.machine, append.format(i), 10**9) for i in range(1, 7)]

    def measure(self, job: Job, stats: Stats) -> float:
        return float(sum(stats.samples[int(job.name[4])]))

    def records(self, samples: Mapping[str, float]) -> list[Record]:
        return [
            Record(self.name, self.machine, "none", "none", name, value, "cycles")
            for name, value in samples.items()
        ]

    @classmethod
    def package(cls) -> str:
        return f"{__package__}.few"


@pytest.fixture
def log(fake_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many runs were made since it was asked last."""
    assert fake_machine.exists()
    return runs_made(tmp_path, monkeypatch)


def run(out: Path, experiment: Few | None = None, fresh: bool = False) -> Written:
    few = experiment or Few()
    return runner.run(few, Settings(rounds=ROUNDS), out, 2, Silent(), fresh)


def test_nothing_runs_twice(log: Callable[[], int], tmp_path: Path) -> None:
    run(tmp_path / "one")
    assert log() == 6
    run(tmp_path / "two")
    assert log() == 0
    assert digest(tmp_path / "one") == digest(tmp_path / "two")
    run(tmp_path / "three", fresh=True)
    assert log() == 6
    assert digest(tmp_path / "one") == digest(tmp_path / "three")


@pytest.mark.slow
def test_whatever_decides_a_result_is_in_its_key(
    log: Callable[[], int], fake_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "out")
    assert log() == 6
    # the simulator
    fake_machine.write_text(fake_machine.read_text() + "# another build\n")
    run(tmp_path / "out")
    assert log() == 6
    # the image
    monkeypatch.setattr(build, "_make", lambda guest: guest.image.write_text(f"{guest.name} 2"))
    run(tmp_path / "out")
    assert log() == 6
    # the machine: another name, and a file of the user's of the same name with other bytes
    described = tmp_path / "mine.toml"
    few = Few()
    few.machine = str(described)
    for text in ("one", "two"):
        described.write_text(text)
        run(tmp_path / "out", few)
        assert log() == 6
        run(tmp_path / "out", few)
        assert log() == 0
    # how much is measured
    runner.run(Few(), Settings(rounds=ROUNDS + 3), tmp_path / "out", 2, Silent())
    assert log() == 6


def test_two_jobs_of_the_same_content_are_one_run(log: Callable[[], int], tmp_path: Path) -> None:
    class Twice(Few):
        def jobs(self, settings: Settings) -> list[Job]:
            first, *others = super().jobs(settings)
            return [first, *others[:-1], dataclasses.replace(first, name="run-1-again")]

    run(tmp_path / "out", Twice())
    assert log() == 5
    assert (tmp_path / "out/raw/few/run-1-again.json.gz").exists()


def test_a_damaged_result_is_made_again(log: Callable[[], int], tmp_path: Path) -> None:
    run(tmp_path / "one")
    assert log() == 6
    kept = store.Store()
    cut, empty, other, moved, another, whole = sorted(kept.folder.glob("??/*.run"))
    cut.write_bytes(cut.read_bytes()[:-9])
    empty.write_bytes(b"")
    # good gzip and good statistics, but not what the simulator wrote
    head, _, packed = other.read_bytes().partition(b"\n")
    altered = store.unpack(packed).replace(b'"cycles": ', b'"cycles": 1')
    assert altered != store.unpack(packed)
    other.write_bytes(head + b"\n" + store.pack(altered))
    moved.write_bytes(whole.read_bytes())
    # as another Switchyard may have put it there, whose statistics had another form
    kept.put(another.stem, store.pack(b'{"schema": 0}'))
    run(tmp_path / "two")
    assert log() == 5
    assert digest(tmp_path / "one") == digest(tmp_path / "two")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_an_interrupted_run_goes_on_where_it_stopped(
    log: Callable[[], int],
    number: signal.Signals,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "few", Few())
    hold = held(tmp_path, monkeypatch, 0)
    command = ["run", "few", "--jobs", "2", "--out", str(tmp_path / "out")]
    before = {
        signal.SIGTERM: signal.signal(signal.SIGTERM, cli._terminated),
        # as in the foreground: in a shell's background it is ignored
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
    }
    file = Path(os.environ[fake.LOG])

    def strike() -> None:
        while len(file.read_text().splitlines()) < 2:
            time.sleep(0.05)
        # the two that run are stuck; those that the next wave would start are not to be
        os.kill(os.getpid(), number)

    threading.Thread(target=strike, daemon=True).start()
    assert cli.execute(command) == status
    for signal_number, handler in before.items():
        signal.signal(signal_number, handler)
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == (
        "switchyard: interrupted; 0 of 6 runs are kept, the same command goes on from there"
    )
    # it did not wait for the runs, which have no end
    assert log() == 2
    assert not (tmp_path / "out" / "few.json").exists()
    hold.unlink()
    assert cli.execute(command) == 0
    assert log() == 6


def test_a_killed_run_keeps_what_was_finished(
    log: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = held(tmp_path, monkeypatch, 2)
    file = Path(os.environ[fake.LOG])
    process = multiprocessing.get_context("fork").Process(target=run, args=(tmp_path / "one",))
    process.start()
    # two have ended, two are stuck
    while (
        len(list(store.Store().folder.glob("??/[!.]*"))) < 2
        or len(file.read_text().splitlines()) < 4
    ):
        assert process.is_alive()
        time.sleep(0.02)
    process.kill()
    process.join()
    hold.unlink()
    assert log() == 4
    run(tmp_path / "two")
    assert log() == 4


def test_a_store_that_cannot_be_written_is_one_line(
    log: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert log() == 0
    monkeypatch.setitem(EXPERIMENTS, "few", Few())
    (tmp_path / "file").touch()
    monkeypatch.setenv(store.OVERRIDE, str(tmp_path / "file"))
    assert cli.execute(["run", "few", "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"switchyard: {tmp_path / 'file'}: ")
    assert "expected a folder for kept results (SWITCHYARD_STORE" in said


def test_what_was_not_asked_for_longest_goes_first(tmp_path: Path) -> None:
    kept = store.Store(tmp_path)
    for i in range(5):
        key = f"{i}{i}" * 32
        kept.put(key, store.pack(bytes(1000)))
        os.utime(kept.path(key), (i, i))
    size = kept.path("00" * 32).stat().st_size
    assert kept.get("00" * 32) is not None  # asked for just now
    kept.trim(3 * size)
    assert [f"{i}{i}" * 32 in kept for i in range(5)] == [True, False, False, True, True]
