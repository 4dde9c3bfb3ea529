# SPDX-License-Identifier: Apache-2.0
"""Results by content: what a run gave, found again by everything that decides it.

A run is deterministic, so simulator, machine, image and parameters decide its statistics to the
byte. Their hash is the run's key, and a run whose key is in the store is not made again, whichever
checkout, experiment or sweep asks for it. A changed byte in any of them is another key; nothing is
ever out of date, only no longer asked for.

A kept result begins with its hash: what was changed since, cut off or put in another's
place is not believed, and made again.

The store is a cache: it may be deleted at any time, and what was not asked for longest goes first
when it grows past its limit.
"""

import dataclasses
import gzip
import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from switchyard.data import files
from switchyard.errors import InputError
from switchyard.run.machine import Boot

OVERRIDE = "SWITCHYARD_STORE"
# Part of each key: a change of what a key covers, or of what is kept, is another number here.
FORMAT = 2
# A full l4-ipc, 48 runs of 100,000 samples, takes about 6 MB.
LIMIT_BYTES = 2 << 30


@dataclass(frozen=True)
class Hashes:
    """What a run was made of, as SHA-256 of the bytes; machines of the simulator by their name."""

    simulator: str
    machine: str
    files: Mapping[str, str]  # by the name of `Boot`'s field

    def key(self, boot: Boot) -> str:
        """The key of a run: all that `boot` says, with hashes where it names files."""
        said = {field.name: getattr(boot, field.name) for field in dataclasses.fields(boot)}
        said = {name: value for name, value in said.items() if not isinstance(value, Path)}
        if not boot.bios:
            del said["bios"]  # so that what is kept of other machines is found
        said |= {"machine": self.machine, **self.files}
        whole = {"format": FORMAT, "simulator": self.simulator, "boot": said}
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    with readable(path).open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def readable(path: Path) -> Path:
    """The path, if it is a file that can be read."""
    try:
        with path.open("rb"):
            return path
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a file that can be read") from None


class Store:
    """The folder of results. Any number of processes may use one at once."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or place()
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(
                f"{self.folder}: is no folder; expected a folder for kept results "
                f"({OVERRIDE} names another)"
            )
        self._grown = False

    def path(self, key: str) -> Path:
        """Where the result of that key is, or would be."""
        return self.folder / key[:2] / f"{key}.run"

    def __contains__(self, key: str) -> bool:
        """Whether something is there; only `get` says whether it is as it was put there."""
        return self.path(key).exists()

    def get(self, key: str) -> bytes | None:
        """The packed statistics of that run; None if they are not there as they were put there."""
        path = self.path(key)
        try:
            head, _, packed = path.read_bytes().partition(b"\n")
            if head != _head(key, packed):
                return None
            os.utime(path)  # asked for just now: `trim` keeps it
        except OSError:
            return None
        return packed

    def put(self, key: str, packed: bytes) -> None:
        """Keeps the packed statistics of a run: all of them or, if we are killed, nothing.

        Where they cannot be kept the user is warned, once: what they say is as good.
        """
        self._grown = True
        try:
            files.put(self.path(key), _head(key, packed) + b"\n" + packed)
        except OSError as error:
            warnings.warn(
                f"{self.folder}: {error.strerror}; nothing is kept there for the next time "
                f"({OVERRIDE} names another folder)",
                UserWarning,
                stacklevel=1,
            )

    def trim(self, limit: int = LIMIT_BYTES) -> None:
        """Forgets what was not asked for longest until the store is within its limit.

        Nothing is to be forgotten where nothing was put: to look takes long in a full store.
        """
        if not self._grown:
            return
        entries = []
        for path in self.folder.glob("??/*"):
            with suppress(OSError):  # another process was faster
                about = path.stat()
                entries.append((about.st_mtime, about.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= limit:
                break
            with suppress(OSError):
                path.unlink(missing_ok=True)
            total -= size


def _head(key: str, packed: bytes) -> bytes:
    """The first line of a kept result: whose it is and what follows, by their hash."""
    return b"switchyard run " + hashlib.sha256(key.encode() + packed).hexdigest().encode()


def place() -> Path:
    """Where results are kept unless told otherwise: for every checkout of this user."""
    override = os.environ.get(OVERRIDE)
    if override:
        return Path(override)
    return files.cache() / "runs"


def pack(text: bytes) -> bytes:
    """Statistics as they are kept: the same statistics give the same bytes."""
    return gzip.compress(text, compresslevel=6, mtime=0)  # and no file name in the header


def unpack(packed: bytes) -> bytes:
    """The statistics as the simulator wrote them."""
    return gzip.decompress(packed)
