# SPDX-License-Identifier: Apache-2.0
"""Sources and objects of a kernel in which faults are planted, beside those that all share.

They are made from the cache of Linux's builds: sources by hard links, of which a changed file is
always a new one; objects by copies, in which the names of both folders are put right. So a fault
costs the compilation of what it changes, and the next begins from the same objects.
"""

import hashlib
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from switchyard.data import files
from switchyard.errors import InputError, RunError
from switchyard.run import build, build_linux
from switchyard.run.child_process import leashed
from switchyard.tools.faults.catalogue import Fault

CONFIG = "sa1110-fass"
SOURCE = "linux-source-6.12"
PATCHED = "linux-source-6.12-fass"
ZIMAGE = Path("arch") / "arm" / "boot" / "zImage"
# Lines of a failed compilation that are told.
TAIL = 10


def sources() -> Path:
    """The patched sources that all checkouts share."""
    return build_linux.cache() / PATCHED


def planted(fault: Fault) -> str:
    """The text of the fault's file with the fault in it."""
    path = sources() / fault.file
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(
            f"fault {fault.name}: {path}: {error.strerror}; expected a file of the sources"
        ) from None
    return fault.plant(text)


class Workshop:
    """A folder with sources, objects as they were built, and objects to build in."""

    def __init__(self, jobs: int) -> None:
        self.folder = files.cache() / "linux-faults"
        self._jobs = jobs
        self._usual = build_linux.cache() / CONFIG
        self._tree = self.folder / PATCHED
        self._objects = self.folder / CONFIG
        self._pristine = self.folder / f"{CONFIG}.pristine"
        self._stamp = self.folder / "made-of"
        self.passed = self.folder / "passed"  # boots that the usual kernel gets through
        self._changed = self.folder / "changed"  # names the file that has a fault in it

    @property
    def kernel(self) -> Path:
        """The kernel that was built last."""
        return self._objects / ZIMAGE

    @property
    def usual(self) -> Path:
        """The kernel without a fault."""
        return self._usual / ZIMAGE

    def only_user(self) -> AbstractContextManager[int]:
        """Others wait meanwhile."""
        return build.only_builder(self.folder)

    def prepare(self) -> bool:
        """Makes the folder unless it is there, of these sources; whether that was needed.

        The first kernel, without a fault, must be that of the usual build, to the byte.
        """
        made_of = hashlib.sha256(self.usual.read_bytes()).hexdigest()
        if self._stamp.exists() and self._stamp.read_text("utf-8") == made_of:
            return False
        self._stamp.unlink(missing_ok=True)
        self._changed.unlink(missing_ok=True)
        for old in (self._tree, self._objects, self._pristine):
            shutil.rmtree(old, ignore_errors=True)
        (self.folder / SOURCE).unlink(missing_ok=True)
        (self.folder / SOURCE).symlink_to(build_linux.cache() / SOURCE)
        _copy("-al", sources(), self._tree)
        _copy("-a", self._usual, self._pristine)
        self._rename()
        # made of files that a checkout may have touched since
        for name in (".fragment", ".configured"):
            os.utime(self._pristine / name)
        _copy("-a", self._pristine, self._objects)
        said = self._make()
        if said or self.kernel.read_bytes() != self.usual.read_bytes():
            differs = f"{self.kernel}: differs from {self.usual}, without a fault in it"
            raise RunError(said or differs)
        self._stamp.write_text(made_of, "utf-8")
        return True

    def make(self, fault: Fault) -> str:
        """Builds the kernel with the fault; what the build said if it failed."""
        text = planted(fault)
        self._put_back()
        path = self._tree / fault.file
        self._changed.write_text(fault.file, "utf-8")
        path.unlink()  # and not written to: it is a link
        path.write_text(text, "utf-8")
        return self._make()

    def _put_back(self) -> None:
        """Links the file that had a fault in it to the shared one again."""
        if self._changed.exists():
            file = self._changed.read_text("utf-8")
            (self._tree / file).unlink(missing_ok=True)
            os.link(sources() / file, self._tree / file)
            self._changed.unlink()

    def _make(self) -> str:
        renew(self._objects, self._pristine)
        self.kernel.unlink()
        given = {"CONFIG": CONFIG, "CACHE": self.folder, "JOBS": self._jobs}
        words = [*(f"{name}={value}" for name, value in given.items()), str(self.kernel)]
        done = _run(["make", "-C", str(build.root() / "linux"), *words])
        if done.returncode == 0 and self.kernel.exists():
            return ""
        return "\n".join(["the build failed", *done.stdout.splitlines()[-TAIL:]])

    def _rename(self) -> None:
        """Puts the folders' names right in what make compares commands by."""
        names = {self._usual: self._objects, sources(): self._tree}
        (self._pristine / "source").unlink()
        (self._pristine / "source").symlink_to(self._tree)
        for path in [self._pristine / "Makefile", *self._pristine.rglob(".*.cmd")]:
            text = path.read_bytes()
            for before, now in names.items():
                text = text.replace(bytes(before), bytes(now))
            path.write_bytes(text)


def renew(folder: Path, pristine: Path) -> None:
    """Makes a folder as the other is: few of its files have another time, or are not in that."""
    for path in _files(folder) - _files(pristine):
        (folder / path).unlink()
    for path in _files(pristine):
        if not os.path.lexists(folder / path) or _age(folder / path) != _age(pristine / path):
            (folder / path).unlink(missing_ok=True)
            shutil.copy2(pristine / path, folder / path, follow_symlinks=False)


def _files(folder: Path) -> set[Path]:
    """All files of a folder, by their paths in it."""
    levels = os.walk(folder)
    return {Path(place, name).relative_to(folder) for place, _, names in levels for name in names}


def _age(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_mtime_ns, status.st_size


def _copy(how: str, source: Path, to: Path) -> None:
    done = _run(["cp", how, str(source), str(to)])
    if done.returncode != 0:
        raise RunError(f"{source}: not copied: {done.stdout.strip()}")


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    # A make above us passes on its flags and its job server, which are not for this one.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}
    return subprocess.run(
        leashed(list(command), signal.SIGTERM),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
