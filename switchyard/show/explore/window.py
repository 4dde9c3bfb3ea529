# SPDX-License-Identifier: Apache-2.0
"""A window of a run, as the simulator writes it (`--window`): its beginning and its steps.

`machine/src/window` says what the file means. A window can be replayed: `Replay` is the machine
after each step, made of the beginning and what each step has changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from switchyard.data import fields
from switchyard.data.fields import Fields
from switchyard.errors import InputError

SCHEMA = 1

Row = Sequence[int]


@dataclass(frozen=True)
class Table:
    """A part of the machine that holds things in places: `set * ways + way`."""

    name: str
    kind: str  # cache, tlb or directory
    sets: int
    ways: int
    unit: int
    columns: Sequence[str]

    @classmethod
    def read(cls, value: object, where: str) -> "Table":
        """From one member of the file's `tables`."""
        entries = Fields(value, where)
        return cls(
            entries.text("name"),
            entries.text("kind"),
            entries.whole("sets"),
            entries.whole("ways"),
            entries.whole("unit"),
            entries.texts("columns"),
        )


@dataclass(frozen=True)
class Taken:
    """An exception that was taken, at the instruction at `pc`."""

    name: str
    pc: int
    arguments: Mapping[str, str]


@dataclass(frozen=True)
class Step:
    """An instruction, or an exception that none has taken: `code` is empty then.

    `counted` has counters by name; `registers`, `system` and `places` what is new, by place.
    """

    cycle: int
    pc: int
    code: str = ""
    skipped: bool = False
    user: bool = False
    waited: Mapping[str, int] = field(default_factory=dict)
    counted: Mapping[str, int] = field(default_factory=dict)
    registers: Mapping[int, int] = field(default_factory=dict)
    system: Mapping[int, int] = field(default_factory=dict)
    accesses: Sequence[tuple[bool, int, int]] = ()
    places: Mapping[tuple[int, int], Row] = field(default_factory=dict)
    exception: Taken | None = None
    marks: Sequence[str] = ()


@dataclass(frozen=True)
class Window:
    """The whole window."""

    machine: str
    clock_hz: int
    complete: bool
    causes: Sequence[str]
    registers: Sequence[str]
    system: Sequence[str]
    tables: Sequence[Table]
    begin: int  # the cycle
    user: bool  # whether a program runs then
    first_registers: Sequence[int]
    first_system: Sequence[int]
    first_places: Mapping[tuple[int, int], Row]
    steps: Sequence[Step]

    @classmethod
    def load(cls, path: Path) -> "Window":
        """Reads a file; one that is wrong is refused in a line."""
        where = str(path)
        entries = Fields(fields.parse(path.read_bytes(), where), where)
        if entries.whole("schema") != SCHEMA:
            raise entries.wrong("schema", f"{SCHEMA}, the version that this Switchyard reads")
        start = entries.inner("start")
        counters, causes = entries.texts("counters"), entries.texts("causes")

        def step(value: object, where: str) -> Step:
            return _step(Fields(value, where), counters, causes)

        return cls(
            machine=entries.text("machine"),
            clock_hz=entries.whole("clock_hz"),
            complete=entries.truth("complete"),
            causes=causes,
            registers=entries.texts("registers"),
            system=entries.texts("system"),
            tables=entries.items("tables", Table.read),
            begin=start.whole("cycle"),
            user=start.truth("user"),
            first_registers=start.items("registers", _whole),
            first_system=start.items("system", _whole),
            first_places=dict(start.items("places", _place)),
            steps=entries.items("steps", step),
        )

    def column(self, name: str) -> int:
        """The number of a register of the system."""
        return list(self.system).index(name)


class Replay:
    """The machine after a number of steps, none at first."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.done = 0
        self.registers = list(window.first_registers)
        self.system = list(window.first_system)
        self.places = dict(window.first_places)

    def __iter__(self) -> Iterator[Step]:
        """Takes the steps, one by one; each is done when it is given."""
        for step in self.window.steps[self.done :]:
            for number, value in step.registers.items():
                self.registers[number] = value
            for number, value in step.system.items():
                self.system[number] = value
            for place, row in step.places.items():
                if row:
                    self.places[place] = row
                else:
                    self.places.pop(place, None)
            self.done += 1
            yield step


def _whole(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"{where}: found {fields.shown(value)}; expected a whole number")
    return value


def _wholes(value: object, where: str) -> list[int]:
    if not isinstance(value, list):
        raise InputError(f"{where}: found {fields.shown(value)}; expected whole numbers")
    return [_whole(number, where) for number in value]


def _place(value: object, where: str) -> tuple[tuple[int, int], Row]:
    table, place, *row = _wholes(value, where)
    return (table, place), row


def _pairs(entries: Fields, name: str) -> Mapping[int, int]:
    if name not in entries:
        return {}
    return {pair[0]: pair[1] for pair in entries.items(name, _wholes)}


def _step(entries: Fields, counters: Sequence[str], causes: Sequence[str]) -> Step:
    waited = entries.items("waited", _whole) if "waited" in entries else [0] * len(causes)
    exception = None
    if "exception" in entries:
        taken = entries.inner("exception")
        arguments = {str(name): str(value) for name, value in taken.raw("arguments")}
        exception = Taken(taken.text("name"), taken.whole("pc"), arguments)
    accesses = entries.items("accesses", _wholes) if "accesses" in entries else []
    return Step(
        cycle=entries.whole("cycle"),
        pc=entries.whole("pc"),
        code=entries.text("code") if "code" in entries else "",
        skipped="skipped" in entries,
        user="user" in entries,
        waited={cause: n for cause, n in zip(causes, waited, strict=True) if n},
        counted={counters[n]: moved for n, moved in _pairs(entries, "counted").items()},
        registers=_pairs(entries, "registers"),
        system=_pairs(entries, "system"),
        accesses=[(store == 1, address, value) for store, address, value in accesses],
        places=dict(entries.items("places", _place)) if "places" in entries else {},
        exception=exception,
        marks=entries.texts("marks") if "marks" in entries else (),
    )
