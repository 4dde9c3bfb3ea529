# SPDX-License-Identifier: Apache-2.0
"""Where the guests' sources are, where they are built, and which images there are already.

In a checkout sources are beside the package and are built in `build/`. An installed package has a
copy of them inside, as a wheel brings it (`packaging/backend.py`), with the images ready built; it
may be where nobody may write, so what else is to be built is built in the user's cache, in a tree
of links to these sources. A tree of links is as well what schemes of the user's own are built in.
"""

import functools
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from switchyard.data import files
from switchyard.errors import InputError

PACKAGE = Path(__file__).resolve().parent.parent
CHECKOUT = PACKAGE.parent
INSTALLED = PACKAGE / "sources"
# What `make` finds its way about in.
FOLDERS = ("include", "kernel", "l4", "user", "bench", "servers", "linux")


def checkout() -> bool:
    """Whether the package runs from a checkout, or an unpacked archive of one."""
    return (CHECKOUT / "kernel").is_dir()


def sources() -> Path:
    """The folder that has `kernel`, `l4` and the like. Nothing is written there if installed."""
    return CHECKOUT if checkout() else INSTALLED


def ready(name: str) -> Path | None:
    """An image that came with the package."""
    image = INSTALLED / "guests" / f"{name}.elf"
    return image if not checkout() and image.exists() else None


def root() -> Path:
    """The folder in which `make` builds guests."""
    if checkout():
        return CHECKOUT
    if not (INSTALLED / "kernel").is_dir():
        raise InputError(
            f"{PACKAGE}: no kernel sources; expected a checkout, or a wheel made with them"
        )
    digest = (INSTALLED / "digest").read_text(encoding="utf-8")
    key = hashlib.sha256(f"{INSTALLED}\n{digest}".encode()).hexdigest()[:16]
    return linked(files.cache() / "trees" / key, {})


def linked(place: Path, more: Mapping[Path, Path]) -> Path:
    """Makes `place` a tree of links to the sources, with `more`: folders, at which paths."""
    _linked(sources(), place, tuple(more.items()))
    return place


@functools.cache
def _linked(given: Path, place: Path, more: tuple[tuple[Path, Path], ...]) -> None:
    """Brings the links up to date, once in a process."""
    try:
        for name in FOLDERS:
            inside = {path.relative_to(name): to for path, to in more if path.parts[0] == name}
            if (given / name).is_dir():
                mirror(given / name, place / name, inside)
    except OSError as error:
        raise InputError(
            f"{place}: {error.strerror}; expected a folder that can be built in"
        ) from None


def mirror(given: Path, place: Path, more: Mapping[Path, Path]) -> None:
    """Makes `place` show what is in `given`, and `more`: what it is to have at which path.

    A folder is a link, but for those that `make` is called in, which must find its way back up, and
    those that have more in them.
    """
    if place.is_symlink():
        place.unlink()  # there is more in it now
    place.mkdir(parents=True, exist_ok=True)
    wanted = {entry.name: entry for entry in given.iterdir()}
    wanted |= {str(path): there for path, there in more.items() if len(path.parts) == 1}
    for name, there in wanted.items():
        below = {
            path.relative_to(name): to
            for path, to in more.items()
            if path.parts[0] == name and len(path.parts) > 1
        }
        if below or (there.is_dir() and any(there.rglob("Makefile"))):
            mirror(there, place / name, below)
        else:
            _link(place / name, there)
    for entry in place.iterdir():  # what was there once
        if entry.is_symlink() and entry.name not in wanted:
            entry.unlink(missing_ok=True)


def _link(path: Path, there: Path) -> None:
    if path.is_symlink() and Path(os.readlink(path)) == there:
        return
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    new.symlink_to(there)
    new.rename(path)
