# SPDX-License-Identifier: Apache-2.0
"""Of what a microkernel can be built: boards, processors, schemes and policies, each a folder.

A folder below `kernel/arch/ARCH` is one of them if it has a file `facts.mk`, where it states its
facts once, for make, which includes it, and for this file: lines `NAME := VALUE`. An architecture
is a folder with a file `arch.mk`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from switchyard.errors import InputError

FACT = re.compile(r"(\w+) :=(?: (.*))?")


@dataclass(frozen=True)
class Board:
    """A board, and the processors that may be on it: its own comes first."""

    name: str
    cpus: tuple[str, ...]


@dataclass(frozen=True)
class Processor:
    """A processor, and the bytes of data cache that a kernel for it cleans by reading; 0: none."""

    name: str
    dcache_bytes: int


@dataclass(frozen=True)
class Scheme:
    """A switching scheme: what a kernel does where it goes from one address space to another."""

    name: str
    order: int  # among the others, in tables and figures
    cpus: tuple[str, ...]
    protects: bool  # whether it keeps address spaces apart (kernel/switch.h, 9)
    machines: str  # how the names of the machines end on which alone it works; empty: any


@dataclass(frozen=True)
class Policy:
    """A rule by which domains are recycled; the first in order is what a kernel has by itself."""

    name: str
    order: int


class Facts:
    """The facts of one folder."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.facts: dict[str, str] = {}
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            fact = FACT.fullmatch(line)
            if fact is None:
                raise InputError(f"{file}:{number}: found {line!r}; expected NAME := VALUE")
            self.facts[fact[1]] = fact[2] or ""

    @property
    def name(self) -> str:
        """The folder's, by which it is asked for."""
        return self.file.parent.name

    def words(self, name: str) -> tuple[str, ...]:
        """A fact that is one word or more."""
        words = tuple(self.facts.get(name, "").split())
        if not words:
            raise InputError(f"{self.file}: no {name}; expected {name} := WORD...")
        return words

    def number(self, name: str, otherwise: int | None = None) -> int:
        """A fact that is a whole number."""
        if name not in self.facts and otherwise is not None:
            return otherwise
        text = self.facts.get(name, "")
        if not re.fullmatch(r"\d+", text):
            raise InputError(f"{self.file}: {name}: found {text!r}; expected a whole number")
        return int(text)


@dataclass(frozen=True)
class Kernels:
    """What there is of an architecture, in order."""

    boards: tuple[Board, ...] = ()
    processors: tuple[Processor, ...] = ()
    schemes: tuple[Scheme, ...] = ()
    policies: tuple[Policy, ...] = ()


def _facts(folder: Path) -> list[Facts]:
    return [Facts(file) for file in sorted(folder.glob("*/facts.mk"))]


def architectures(folder: Path, more: Iterable[Path] = ()) -> dict[str, Kernels]:
    """What there is of each architecture, by its name; `more` are schemes that lie elsewhere."""
    known = {file.parent.name: file.parent for file in sorted(folder.glob("*/arch.mk"))}
    return {name: of_architecture(arch, more) for name, arch in known.items()}


def of_architecture(arch: Path, more: Iterable[Path] = ()) -> Kernels:
    """The folders of an architecture, and of `more` those that name one of its processors."""
    processors = [
        Processor(facts.name, facts.number("CPU_DCACHE", 0)) for facts in _facts(arch / "cpu")
    ]
    names = {processor.name for processor in processors}
    elsewhere = [Facts(folder / "facts.mk") for folder in more]
    elsewhere = [facts for facts in elsewhere if names & set(facts.words("SWITCH_CPUS"))]
    schemes = [
        Scheme(
            facts.name,
            facts.number("SWITCH_ORDER"),
            facts.words("SWITCH_CPUS"),
            facts.number("SWITCH_PROTECTS") != 0,
            facts.facts.get("SWITCH_MACHINES", ""),
        )
        for facts in [*_facts(arch / "switch"), *elsewhere]
    ]
    policies = [
        Policy(facts.name, facts.number("POLICY_ORDER")) for facts in _facts(arch / "policy")
    ]
    return Kernels(
        tuple(Board(facts.name, facts.words("BOARD_CPUS")) for facts in _facts(arch / "board")),
        tuple(processors),
        tuple(sorted(schemes, key=lambda scheme: (scheme.order, scheme.name))),
        tuple(sorted(policies, key=lambda policy: (policy.order, policy.name))),
    )
