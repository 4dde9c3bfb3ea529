# SPDX-License-Identifier: Apache-2.0
"""Files that others may read, and folders that nobody else needs, whatever happens meanwhile.

A result is written beside its place under a name of its own and renamed at the end: any number of
processes may write one result at once, readers see one of them whole, and a full disk leaves the
old. Results of several files appear together, or none of them does (`together`). Nobody waits for
the disk: a loss of power may cost what was written last.

What is not finished is in a folder beside its place, whose lock ends with the process that holds
it, however that ends; so the next to come knows leftovers from what is in use, and removes them.
"""

import errno
import fcntl
import functools
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from switchyard.errors import InputError, RunError

# As a file to be written: standard output, as with most programs.
STDOUT = Path("-")
WRITABLE = "expected a file that can be written"
# Folders of what is not finished yet, and of what is needed for a while; their locks are in them.
UNFINISHED = ".switchyard-{}.new"
SCRATCH = "switchyard-scratch-{}"
LOCK = ".lock"


# What is no mistake of the user's: the disk is full, or fails.
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def write(path: Path, content: str | bytes) -> None:
    """Writes a file: all of it, or the old one stays, and the user is told in one line."""
    with together() as whole:
        whole.write(path, content)


def put(path: Path, content: bytes) -> None:
    """Writes a file as `write` does; what goes wrong is an `OSError`."""
    with Together() as whole:
        whole.put(path, content)


@contextmanager
def together() -> Iterator["Together"]:
    """Files that appear when the context ends, all of them; after an error all is as it was."""
    whole = Together()
    try:
        with whole:
            yield whole
    except BrokenPipeError:  # whoever read standard output has gone
        raise
    except OSError as error:
        raise _refused(whole.at, error) from None


def _refused(path: Path, error: OSError) -> InputError | RunError:
    if error.errno in DISK:
        return RunError(f"{path}: {error.strerror}; what was there before is as it was")
    return InputError(f"{path}: {error.strerror}; {WRITABLE}")


class Together:
    """New files beside their places, each to be renamed when all are written."""

    def __init__(self) -> None:
        self.at = Path()  # what is being written, for errors
        self._folders: dict[Path, Path] = {}  # where what is not finished is, by folder
        self._renames: dict[Path, Path] = {}
        self._streams: dict[Path, bytes] = {}
        self._left = ExitStack()

    def write(self, path: Path, content: str | bytes) -> None:
        """Writes a file, which is not to be seen yet."""
        if isinstance(content, str):
            # a file's name that is no text gets into texts by way of the command line
            content = content.encode(errors="backslashreplace")
        self.put(path, content)

    def put(self, path: Path, content: bytes) -> None:
        """Puts the content there when all is whole."""
        self.at = path
        if path == STDOUT:
            self._streams[path] = content
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            self._streams[path] = content  # a device or a pipe, which stays what it is
        elif not _holds(path, content):
            target = _target(path)
            name = self._folder(target.parent) / str(len(self._renames))
            with open(name, "wb", buffering=0) as file:
                written = 0
                while written < len(content):
                    written += os.write(file.fileno(), content[written:])
                if target.exists():
                    os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            self._renames[target] = name

    def _folder(self, place: Path) -> Path:
        if place not in self._folders:
            self._folders[place] = self._left.enter_context(_locked(place, UNFINISHED))
        return self._folders[place]

    def __enter__(self) -> "Together":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._left:
            if kind is None:
                for path, content in self._streams.items():
                    self.at = path
                    _stream(path, content)
                for path, name in self._renames.items():
                    self.at = path
                    name.rename(path)


def _holds(path: Path, content: bytes) -> bool:
    """Whether it is there already: a new file costs its folder's disk far more than a look."""
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def _stream(path: Path, content: bytes) -> None:
    if path == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    else:
        path.write_bytes(content)


def writable(path: Path) -> None:
    """Refuses a place where `write` could put nothing, before there is something to be put."""
    if path == STDOUT:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            os.close(os.open(path, os.O_WRONLY))
        if path.is_file() or not path.exists():
            with _locked(_target(path).parent, UNFINISHED):
                pass
    except OSError as error:
        raise _refused(path, error) from None


def _target(path: Path) -> Path:
    """The file itself, where `path` is a link to it; one that may not be written is refused."""
    if path.exists():
        os.close(os.open(path, os.O_WRONLY))
    return Path(os.path.realpath(path))


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
    with _locked(Path(tempfile.gettempdir()), SCRATCH) as folder:
        yield folder


@contextmanager
def _locked(place: Path, name: str) -> Iterator[Path]:
    """A new folder in that place, locked while the context lasts, and removed then."""
    _clean(place)
    while True:
        prefix, _, suffix = name.partition("{}")
        folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=suffix, dir=place))
        lock = folder / LOCK
        try:
            file = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                if _holds_lock(file, lock):
                    yield folder
                    return
            finally:
                os.close(file)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _holds_lock(file: int, name: Path) -> bool:
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
    for pattern in (UNFINISHED, SCRATCH):
        for folder in place.glob(pattern.format("*")):
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
