# SPDX-License-Identifier: Apache-2.0
"""Full disks: results are there whole or not at all; a cache that cannot keep them only warns."""

import errno
import json
import multiprocessing
import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from switchyard import cli
from switchyard.data import files, records
from switchyard.experiments import EXPERIMENTS
from switchyard.run import store
from switchyard.tests.jobs_test import Few
from switchyard.tests.runs import digest

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def few(fake_machine: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], int]:
    """Runs the experiment `few` into a folder; its exit status."""
    assert fake_machine.exists()
    monkeypatch.setitem(EXPERIMENTS, "few", Few())
    return lambda out: cli.execute(["run", "few", "--out", str(out)])


def failing(number: int, patch: pytest.MonkeyPatch) -> list[int]:
    """Lets so many writes pass, and the next fail as on a full disk; those that there were."""
    real = os.write
    written: list[int] = []

    def write(file: int, what: bytes) -> int:
        written.append(len(what))
        if len(written) > number:
            raise FULL
        return real(file, what)

    patch.setattr(os, "write", write)
    return written


def test_a_disk_that_is_full_at_any_write_leaves_nothing_half(
    few: Callable[[Path], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert few(tmp_path / "kept") == 0  # all runs are in the store
    whole = digest(tmp_path / "kept")
    old = tmp_path / "old"
    (old / "raw" / "few").mkdir(parents=True)
    before = dict.fromkeys(("few.json", "few.meta.json", "raw/few/run-1.json.gz"), "of before")
    for name, text in before.items():
        (old / name).write_text(text)
    capsys.readouterr()
    for number in range(100):
        new = tmp_path / f"new-{number}"
        for out in (new, old):
            with pytest.MonkeyPatch.context() as patch:
                written = failing(number, patch)
                status = few(out)
            if status == 0:
                break
            assert status == 1
            last = capsys.readouterr().err.splitlines()[-1]
            assert last.startswith(f"switchyard: {out}")
            assert last.endswith(": No space left on device; what was there before is as it was")
            there = {
                str(path.relative_to(out)): path.read_text()
                for path in out.rglob("*")
                if path.is_file()
            }
            assert there == (before if out == old else {})
        if status == 0:
            break
    # a write each for six runs, notes, metadata and records; two empty pictures take none
    assert number == len(written) == 9
    assert digest(new) == whole
    assert (new / "few.meta.json").exists()


def limited(out: Path, limit: int, few: Callable[[Path], int]) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    os._exit(few(out))


def test_a_limit_of_the_system_is_a_full_disk(few: Callable[[Path], int], tmp_path: Path) -> None:
    assert few(tmp_path / "kept") == 0
    size = (tmp_path / "kept" / "few.json").stat().st_size
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=limited, args=(tmp_path / "out", size - 1, few))
    process.start()
    process.join()
    assert process.exitcode == 1
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []


def test_a_cache_that_is_full_warns_once_and_all_is_there(
    few: Callable[[Path], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real = files.put

    def put(path: Path, content: bytes) -> None:
        if path.is_relative_to(store.place()):
            raise FULL
        real(path, content)

    monkeypatch.setattr(files, "put", put)
    for out in ("one", "two"):
        assert few(tmp_path / out) == 0
        warned = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
        assert warned == [
            f"switchyard: warning: {store.place()}: No space left on device; nothing is kept "
            "there for the next time (SWITCHYARD_STORE names another folder)"
        ]
    assert json.loads((tmp_path / "one" / "few.meta.json").read_text())["jobs"]
    assert len(records.load(tmp_path / "one" / "few.json")) == 6
    assert digest(tmp_path / "one") == digest(tmp_path / "two")


def test_records_on_standard_output_are_alone_there(
    few: Callable[[Path], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert few(Path("out")) == 0
    capfdbinary.readouterr()
    for command in (
        ["run", "few", "--out", "out", "--json", "-"],
        ["bench", "compute", "--repeats", "1", "--json", "-"],
    ):
        assert cli.execute(command) == 0
        said = capfdbinary.readouterr()
        assert records.loads(said.out, "standard output")
        assert b"\nwritten: standard output\n" in said.err
    assert cli.execute(["report", "out", "--out", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"<!")
    assert not Path("-").exists()
