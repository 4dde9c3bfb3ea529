# SPDX-License-Identifier: Apache-2.0
"""Files that several write at once, on full disks, in places that are no folders."""

import errno
import fcntl
import multiprocessing
import os
import shutil
import signal
import stat
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from switchyard.data import files
from switchyard.errors import InputError, RunError
from switchyard.tests.patience import SECONDS

SIZE = 200_000


def write_often(path: Path, letter: str, times: int) -> None:
    for _ in range(times):
        files.write(path, letter * SIZE)


def test_writers_of_one_file_do_not_destroy_each_others(tmp_path: Path) -> None:
    path = tmp_path / "table"
    fork = multiprocessing.get_context("fork")
    writers = [fork.Process(target=write_often, args=(path, letter, 40)) for letter in "abc"]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        if path.exists():
            text = path.read_text()
            assert len(text) == SIZE
            assert len(set(text)) == 1
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert os.listdir(tmp_path) == ["table"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table"
    files.write(path, "old")
    real = os.write

    # as a disk does that is nearly full: a part, and then nothing more
    def write(file: int, what: bytes) -> int:
        if len(what) <= 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(file, what[:2])

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(RunError, match="No space left on device; what was there before is"):
        files.write(path, "newer")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["table"]


def test_what_a_file_was_it_stays(tmp_path: Path) -> None:
    path, link = tmp_path / "there", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    files.write(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    files.write(tmp_path / "pipe", "said")
    assert os.read(reader, 10) == b"said"
    os.close(reader)
    mask = os.umask(0o077)
    files.write(tmp_path / "mine", "")
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o600


@pytest.mark.parametrize("place", ["file/below", "folder", "folder/../file/x"])
def test_a_place_for_nothing_is_refused_before_and_after(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for attempt in (files.writable, lambda path: files.write(path, "")):
        with pytest.raises(InputError, match="expected a file that can be written"):
            attempt(tmp_path / place)


def test_trying_a_place_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "records"
    files.writable(path)
    assert not path.exists()
    path.write_text("old")
    files.writable(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["records"]


def killed_with_leftovers(place: Path, ready: Event) -> None:
    tempfile.tempdir = str(place)
    with files.scratch() as folder, files._locked(place, files.UNFINISHED):
        (folder / "image").write_text("much")
        ready.set()
        time.sleep(SECONDS)


def test_leftovers_of_the_killed_go_and_what_is_in_use_stays(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    ready = fork.Event()
    process = fork.Process(target=killed_with_leftovers, args=(tmp_path, ready))
    process.start()
    assert ready.wait(SECONDS)
    (tmp_path / "switchyard-mine").mkdir()  # somebody's own
    before = set(os.listdir(tmp_path))
    assert len(before) == 3
    files._clean.cache_clear()
    files._clean(tmp_path)
    assert set(os.listdir(tmp_path)) == before
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    files._clean.cache_clear()
    files._clean(tmp_path)
    assert os.listdir(tmp_path) == ["switchyard-mine"]


def test_a_file_that_a_cleaner_took_is_made_again(tmp_path: Path) -> None:
    """Between the making of an unfinished file and its lock a cleaner may hold and remove it."""
    real = fcntl.flock
    taken: list[Path] = []

    def flock(file: int, how: int) -> None:
        if not taken:
            taken.append(next(tmp_path.glob(".switchyard-*.new")))
            shutil.rmtree(taken[0])
        real(file, how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fcntl, "flock", flock)
        files.write(tmp_path / "table", "whole")
    assert taken
    assert os.listdir(tmp_path) == ["table"]
