# SPDX-License-Identifier: Apache-2.0
"""The page: windows as its script wants them, and the template that they go into.

All is inside it, as in the report, and its content security policy forbids it to ask anybody for
anything. The script replays the windows; what a step was, in words, is worked out there from what
it has counted and changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from switchyard import __version__
from switchyard.show import pages
from switchyard.show.explore import events, words
from switchyard.show.explore.cases import Case, Side
from switchyard.show.explore.listing import Disassembler, Names
from switchyard.show.explore.window import Step, Window

# Bytes of addresses that are the kernel's or not together.
AREA = 32 << 20
# The largest of a script's numbers that is exact (ECMAScript, MAX_SAFE_INTEGER).
EXACT_MOST = 2**53 - 1


@dataclass(frozen=True)
class Seen:
    """A side of a case, and its window."""

    side: Side
    window: Window


class _Instructions:
    """The instructions of a window, each once: address, function, what it does."""

    def __init__(self, side: Side, window: Window) -> None:
        kernel = side.functions or side.kernel
        self._kernel = Names([kernel])
        self._programs = Names([*side.symbols, kernel])
        self._disassembler = Disassembler(window.system)
        self._numbers: dict[tuple[int, str, bool], int] = {}
        self.list: list[list[Any]] = []

    def function(self, pc: int) -> str:
        """The kernel's function at an address."""
        place = self._kernel.find(pc)
        return place[0] if place else ""

    def number(self, step: Step, user: bool) -> int:
        """Of a step's instruction, which was executed by a program or by the kernel."""
        key = step.pc, step.code, user
        if key not in self._numbers:
            self._numbers[key] = len(self.list)
            names = self._programs if user else self._kernel
            text = self._disassembler.text(step.pc, step.code, names) if step.code else ""
            self.list.append([step.pc, names.place(step.pc), text])
        return self._numbers[key]


def side_data(seen: Seen) -> dict[str, Any]:
    """A window as the page's script reads it.

    Steps are lists without what is empty at their end: cycles, instruction, whether a program runs
    after it, skipped, waited, counted, registers, system, accesses, places, exception, marks.
    """
    window = seen.window
    instructions = _Instructions(seen.side, window)
    counters = sorted({name for step in window.steps for name in step.counted})
    number = {name: n for n, name in enumerate(counters)}
    steps: list[list[Any]] = []
    before, user = window.begin, window.user
    kernel_pcs = []
    for step in window.steps:
        taken = step.exception
        row: list[Any] = [
            step.cycle - before,
            instructions.number(step, user),
            int(step.user),
            int(step.skipped),
            [step.waited.get(cause, 0) for cause in window.causes] if step.waited else 0,
            [[number[name], n] for name, n in step.counted.items()] or 0,
            [list(pair) for pair in step.registers.items()] or 0,
            [list(pair) for pair in step.system.items()] or 0,
            [[int(store), address, value] for store, address, value in step.accesses] or 0,
            [[table, place, *row] for (table, place), row in step.places.items()] or 0,
            [taken.name, *(f"{n} {v}" for n, v in taken.arguments.items())] if taken else 0,
            list(step.marks) or 0,
        ]
        while not row[-1]:
            row.pop()
        steps.append(row)
        if not user:
            kernel_pcs.append(step.pc)
        before, user = step.cycle, step.user
    return {
        "label": seen.side.label,
        "does": seen.side.does,
        "machine": window.machine,
        "hz": window.clock_hz,
        "complete": window.complete,
        "causes": window.causes,
        "counters": counters,
        "registers": window.registers,
        "system": window.system,
        "tables": [vars(table) for table in window.tables],
        "kernel": min(kernel_pcs, default=0xFFFF_FFFF) // AREA * AREA,
        "spaces": [[*space, dacr] for space, dacr in events.spaces(window).items()],
        "begin": window.begin,
        "program": int(window.user),
        "first": {
            "registers": window.first_registers,
            "system": window.first_system,
            "places": [[*place, *row] for place, row in window.first_places.items()],
        },
        "instructions": instructions.list,
        "steps": steps,
        "events": [
            [event.kind, event.first, event.last, event.text, event.cycles]
            for event in events.events(window, instructions.function)
        ],
    }


def exact(value: Any) -> Any:
    """With numbers that a script's are too short for as text, from which it makes them again."""
    if isinstance(value, dict):
        return {name: exact(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [exact(member) for member in value]
    return f"{value:#018x}" if isinstance(value, int) and value > EXACT_MOST else value


def data(sides: Sequence[Seen]) -> dict[str, Any]:
    """All that the script is given."""
    marks = events.aligned([seen.window for seen in sides])
    return {
        "sides": [exact(side_data(seen)) for seen in sides],
        "marks": [{"at": steps, "name": name} for steps, name in marks],
    }


def render(case: Case, sides: Sequence[Seen]) -> str:
    """The page."""
    return (
        pages.environment()
        .get_template("explore.html.j2")
        .render(
            case=case,
            sides=sides,
            version=__version__,
            wide_style=pages.source("wide.css"),
            wide=pages.source("wide.js"),
            style=pages.source("explore.css"),
            script=pages.source("explore.js"),
            given=data(sides),
            words=words.of(
                case.name,
                sides[0].window.system,
                [table.name for table in sides[0].window.tables],
            ),
        )
    )
