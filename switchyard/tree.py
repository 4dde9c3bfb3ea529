# SPDX-License-Identifier: Apache-2.0
"""Where the guests' sources are, where they are built, and which images there are already.

In a checkout sources are beside the package and are built in `build/`. An installed package has a
copy of them inside, as a wheel brings it (`packaging/backend.py`), with the images ready built; it
may be where nobody may write, so what else is to be built is built in the user's cache, in a tree
of links to these sources.
"""

import functools
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from switchyard import files
from switchyard.errors import InputError

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent
INSTALLED = PACKAGE / "sources"


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
    return _linked(INSTALLED)


@functools.cache
def _linked(given: Path) -> Path:
    """A tree of links to these sources, in the cache, as up to date as they are."""
    digest = given / "digest"
    whole = f"{given}\n{digest.read_text() if digest.exists() else ''}"
    place = files.cache() / "trees" / hashlib.sha256(whole.encode()).hexdigest()[:16]
    try:
        mirror(given, place)
    except OSError as error:
        raise InputError(
            f"{place}: {error.strerror}; expected a folder that can be built in"
        ) from None
    return place


def mirror(given: Path, place: Path, more: Mapping[Path, Path] | None = None) -> None:
    """Makes `place` show what is in `given`, and `more`: what it is to have at which path.

    A folder is a link, but for those that `make` is called in, which must find its way back up, and
    those that have more in them.
    """
    more = more or {}
    place.mkdir(parents=True, exist_ok=True)
    wanted = {entry.name: entry for entry in given.iterdir() if entry.name != "build"}
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
