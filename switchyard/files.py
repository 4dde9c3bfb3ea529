# SPDX-License-Identifier: Apache-2.0
"""Files that others may read, and folders that nobody else needs, whatever happens meanwhile.

A result is written beside its place under a name of its own and renamed at the end: any number of
processes may write one result at once, readers see one of them whole, and a full disk leaves the
old. Nobody waits for the disk: a loss of power may cost what was written last.

Who writes holds a lock on what is not finished, which ends with its process however that ends; so
the next to come knows leftovers from what is in use, and removes them.
"""

import fcntl
import functools
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from switchyard.errors import InputError

WRITABLE = "expected a file that can be written"
# What is not finished yet, and what is needed for a while; a scratch folder's lock is in it.
UNFINISHED = ".switchyard-{}.new"
SCRATCH = "switchyard-scratch-{}"
LOCK = ".lock"


def write(path: Path, content: str | bytes) -> None:
    """Writes a file: all of it, or the old one stays, and the user is told in one line."""
    # a file's name that is no text gets into texts by way of the command line
    packed = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    try:
        put(path, packed)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; {WRITABLE}") from None


def put(path: Path, content: bytes) -> None:
    """The same; what goes wrong is an `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a device or a pipe, which is written to and stays what it is
    elif not _holds(path, content):
        _replace(_target(path), content)


def _holds(path: Path, content: bytes) -> bool:
    """Whether it is there already: a new file costs its folder's disk far more than a look."""
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def writable(path: Path) -> None:
    """Refuses a place where `write` could put nothing, before there is something to be put."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            os.close(os.open(path, os.O_WRONLY))
        if path.is_file() or not path.exists():
            with _new(_target(path).parent) as (_, name):
                name.unlink()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; {WRITABLE}") from None


def _target(path: Path) -> Path:
    """The file itself, where `path` is a link to it; one that may not be written is refused."""
    if path.exists():
        os.close(os.open(path, os.O_WRONLY))
    return Path(os.path.realpath(path))


def _replace(path: Path, content: bytes) -> None:
    with _new(path.parent) as (file, name):
        try:
            written = 0
            while written < len(content):
                written += os.write(file, content[written:])
            if path.exists():
                os.fchmod(file, stat.S_IMODE(path.stat().st_mode))
            name.rename(path)
        except BaseException:
            name.unlink(missing_ok=True)
            raise


@contextmanager
def _new(folder: Path) -> Iterator[tuple[int, Path]]:
    """A new file in that folder, locked while it is open."""
    _clean(folder)
    while True:
        name = folder / UNFINISHED.format(secrets.token_hex(8))
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            if _locked(file, name):
                yield file, name
                return
        finally:
            os.close(file)


def cache() -> Path:
    """Where things are kept for every checkout of this user; all there can be made again."""
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "switchyard"
    except RuntimeError:
        message = "HOME: not set, and this user has no entry; expected a folder (or XDG_CACHE_HOME)"
        raise InputError(message) from None


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for as long as the context lasts."""
    place = Path(tempfile.gettempdir())
    _clean(place)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH.format(""), dir=place))
        lock = folder / LOCK
        file = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            if _locked(file, lock):
                yield folder
                return
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(file)


def _locked(file: int, name: Path) -> bool:
    """Locks a file; whether it is still there then, for who cleans may have been faster."""
    with suppress(OSError):  # a file system without locks, where nobody cleans
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(file), name.stat())
    except FileNotFoundError:
        return False


@functools.cache
def _clean(place: Path) -> None:
    """Removes what processes that are no more have left there; once for each process of ours."""
    for name in place.glob(UNFINISHED.format("*")):
        with _unheld(name) as left:
            if left:
                name.unlink(missing_ok=True)
    for folder in place.glob(SCRATCH.format("*")):
        with _unheld(folder / LOCK) as left:
            if left and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _unheld(name: Path) -> Iterator[bool]:
    """Whether a file is this user's, and nobody holds its lock; we do while the context lasts."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # somebody else's, or gone
        yield False
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ours = os.fstat(file).st_uid == os.geteuid()
    except OSError:  # held
        ours = False
    try:
        yield ours
    finally:
        os.close(file)
