# SPDX-License-Identifier: Apache-2.0
"""The list of faults, `linux/faults/faults.toml`: what each takes out of the patched sources."""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from switchyard.errors import InputError, one_of
from switchyard.run import build
from switchyard.run.store import readable


class Finder(Enum):
    """Who is expected to find a fault."""

    TESTS = "tests"  # programs on the machine
    MODEL = "model"  # only the search of linux/model/regions.pml
    NOTHING = "nothing"


REQUIRED = ("name", "patch", "file", "about", "old", "new")
OPTIONAL = {"found": Finder.TESTS.value, "why": ""}


@dataclass(frozen=True)
class Fault:
    """One place of the sources, and how it is without what it is for."""

    name: str
    patch: str
    file: str
    about: str
    old: str
    new: str
    finder: Finder
    why: str  # of one that no test finds

    def plant(self, text: str) -> str:
        """The file's text with the fault in it. Raises `InputError` unless it has one place."""
        places = text.count(self.old)
        if places != 1:
            raise InputError(
                f"fault {self.name}: {self.file}: {places} places are as in `old`; expected one"
            )
        return text.replace(self.old, self.new)

    @property
    def key(self) -> str:
        """What it does to the sources, as a hash."""
        packed = json.dumps([self.file, self.old, self.new]).encode()
        return hashlib.sha256(packed).hexdigest()


def place() -> Path:
    """Where the list is."""
    return build.root() / "linux" / "faults" / "faults.toml"


def read(path: Path) -> list[Fault]:
    """The faults of a list, in its order."""
    try:
        entries = tomllib.loads(readable(path).read_text("utf-8"))["fault"]
        faults = [_fault(entry, f"{path}: fault {number}") for number, entry in enumerate(entries)]
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}; expected TOML") from None
    except (KeyError, TypeError):
        raise InputError(f"{path}: no list of faults; expected tables [[fault]]") from None
    names = [fault.name for fault in faults]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}: fault {name}: twice; expected a name of its own")
    return faults


def _fault(entry: object, where: str) -> Fault:
    if not isinstance(entry, dict):
        raise InputError(f"{where}: no table; expected [[fault]]")
    given = OPTIONAL | entry
    for name in REQUIRED:
        if name not in given:
            raise InputError(f"{where}: no {name}; expected {', '.join(REQUIRED)}")
    for name, value in given.items():
        if name not in (*REQUIRED, *OPTIONAL):
            known = one_of(name, (*REQUIRED, *OPTIONAL))
            raise InputError(f"{where}: {name}: is no field of a fault; {known}")
        if not isinstance(value, str):
            raise InputError(f"{where}: {name}: expected text")
    if given["found"] not in {finder.value for finder in Finder}:
        known = one_of(given["found"], (finder.value for finder in Finder))
        raise InputError(f"{where}: found = {given['found']}: unknown; {known}")
    finder = Finder(given["found"])
    if (finder is Finder.TESTS) != (given["why"] == ""):
        raise InputError(f"{where}: why: expected of a fault that no test finds, and of no other")
    return Fault(**{name: given[name] for name in REQUIRED}, finder=finder, why=given["why"])


def choose(faults: Sequence[Fault], names: Sequence[str]) -> list[Fault]:
    """Those of these names; all, if there are none."""
    known = {fault.name: fault for fault in faults}
    for name in names:
        if name not in known:
            raise InputError(f"fault {name}: unknown; {one_of(name, known)}")
    return [known[name] for name in names] if names else list(faults)
