# SPDX-License-Identifier: Apache-2.0
"""What happens in a window, and where two windows are at the same place.

An event is a step, or steps that belong together, with a price. Two windows of one program under
two schemes have the same marks: a program traps at the same instruction, and goes on at the same.
"""

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from switchyard.show.explore.window import Step, Taken, Window

# By how they are jumped to; the page explains each.
KINDS = ("mark", "switch", "flush", "fault", "directory", "tlb", "fill", "write-back")
# Operations that empty a cache or a TLB. Those on single lines and entries are no flush.
FLUSHES = ("icache_invalidate_all", "dcache_invalidate_all", "itlb_invalidate_all",
           "dtlb_invalidate_all")  # fmt: skip
MISSES = ("itlb_misses", "dtlb_misses")
WRITE_BACKS = ("dcache_writebacks", "minicache_writebacks", "l2_writebacks")
FILLS = ("icache_misses", "dcache_read_misses", "minicache_read_misses")
# Registers that say which space runs, and those that an abort writes.
SPACE = ("ttb", "dacr", "pid", "cr3", "satp")
# Of these the one that says where the page table lies.
TABLES = ("ttb", "cr3", "satp")
# Parts of a flush, or of a switch, are at most so many steps apart.
APART = 24
# What a program does that enters the kernel so; it has met a fault where this has no word for it.
ENTERS = dict.fromkeys(("swi", "int", "call"), " calls") | dict.fromkeys(
    ("irq", "fiq", "interrupt"), " is interrupted"
)
# What the kernel reports (kernel/events.h).
REPORTED = {
    3: "a domain is recycled",
    5: "a collision: another's section is taken",
    6: "an entry of the caching page directory is loaded",
    7: "a domain is given",
}


@dataclass(frozen=True)
class Event:
    """Steps `first` to `last`, by number from 0, and the cycles that they took together."""

    kind: str
    first: int
    last: int
    text: str
    cycles: int


@dataclass(frozen=True)
class Mark:
    """A change between program and kernel, after step `step`."""

    step: int
    label: tuple[str, int]  # what happens, and at which instruction of the program
    enters: bool  # the kernel
    space: int  # the program's, by its number among the spaces

    @property
    def name(self) -> str:
        """In words, as short as can be."""
        letter = chr(ord("A") + self.space)
        does = ENTERS.get(self.label[0], f": {self.label[0]}") if self.enters else " resumes"
        return f"{letter}{does}"


class _Space:
    """The address space in force, followed from step to step: translation table base and PID."""

    def __init__(self, window: Window) -> None:
        self._names = list(window.system)
        self._table = next(n for n, name in enumerate(self._names) if name in TABLES)
        self._system = list(window.first_system)

    def follow(self, step: Step) -> None:
        for number, value in step.system.items():
            self._system[number] = value

    @property
    def now(self) -> tuple[int, int]:
        return self._system[self._table], self._register("pid")

    @property
    def dacr(self) -> int:
        return self._register("dacr")

    def _register(self, name: str) -> int:
        """What it holds; 0 where there is none."""
        return self._system[self._names.index(name)] if name in self._names else 0


def spaces(window: Window) -> dict[tuple[int, int], int]:
    """The address spaces in which programs run, in turn, with the DACR that each runs with."""
    space = _Space(window)
    dacrs = {space.now: space.dacr} if window.user else {}
    for step in window.steps:
        space.follow(step)
        if step.user:
            dacrs.setdefault(space.now, space.dacr)
    return dacrs


def marks(window: Window) -> list[Mark]:
    """Where programs enter the kernel, and where they go on."""
    listed = []
    space, known = _Space(window), list(spaces(window))
    user, steps = window.user, window.steps
    for number, step in enumerate(steps):
        space.follow(step)
        if user and not step.user:
            name = step.exception.name if step.exception else "call"
            listed.append(Mark(number, (name, step.pc), True, known.index(space.now)))
        elif step.user and not user and number + 1 < len(steps):
            label = "resumes", steps[number + 1].pc
            listed.append(Mark(number, label, False, known.index(space.now)))
        user = step.user
    return listed


def aligned(windows: Sequence[Window]) -> list[tuple[tuple[int, ...], str]]:
    """After how many steps all are at the same mark, and its name; beginning and end are marks too.

    Of one window all marks; of two those that both have, at the same instructions.
    """
    begin = tuple(0 for _ in windows)
    end = tuple(len(window.steps) for window in windows)
    between = [(at, name) for at, name in _common(windows) if at not in (begin, end)]
    return [(begin, "begin"), *between, (end, "end")]


def _common(windows: Sequence[Window]) -> list[tuple[tuple[int, ...], str]]:
    if len(windows) == 1:
        return [((mark.step + 1,), mark.name) for mark in marks(windows[0])]
    first, second = (marks(window) for window in windows)
    matcher = difflib.SequenceMatcher(
        None, [mark.label for mark in first], [mark.label for mark in second], autojunk=False
    )
    return [
        ((first[block.a + n].step + 1, second[block.b + n].step + 1), first[block.a + n].name)
        for block in matcher.get_matching_blocks()
        for n in range(block.size)
    ]


def events(window: Window, function: Callable[[int], str]) -> list[Event]:
    """All of them, in order. `function` says in which an instruction is; "" where that is unknown.

    A flush is the stretch of its function, and of those beside it that are called so: caches are
    cleaned, too, where no operation does it.
    """
    listed = [*_flushes(window, function), *_switches(window)]
    for mark in marks(window):
        taken = window.steps[mark.step].exception
        if not (taken and is_fault(taken)):
            price = cycles(window, mark.step, mark.step)
            listed.append(Event("mark", mark.step, mark.step, mark.name, price))
    for number, step in enumerate(window.steps):
        listed += _of_step(window, number, step)
    return sorted(listed, key=lambda event: (event.first, KINDS.index(event.kind)))


def is_fault(taken: Taken) -> bool:
    """Whether an exception is one that the program did not ask for."""
    return taken.name not in ("swi", "int")


def cycles(window: Window, first: int, last: int) -> int:
    """What steps `first` to `last` took."""
    before = window.steps[first - 1].cycle if first else window.begin
    return window.steps[last].cycle - before


def _together(numbers: Sequence[int], apart: int) -> Iterator[tuple[int, int]]:
    """First and last of those that follow each other closely."""
    first = last = None
    for number in numbers:
        if first is None or last is None or number - last > apart:
            if first is not None and last is not None:
                yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last


def _flushes(window: Window, function: Callable[[int], str]) -> list[Event]:
    steps = window.steps
    whole: set[int] = set()
    for number, step in enumerate(steps):
        if not any(name in step.counted for name in FLUSHES):
            continue
        whole.add(number)
        name = function(step.pc)
        for direction in (-1, 1):
            at = number + direction
            while name and 0 <= at < len(steps) and _flushing(function(steps[at].pc), name):
                whole.add(at)
                at += direction
    flushes = []
    for first, last in _together(sorted(whole), APART):
        part = steps[first : last + 1]
        counted = {name: sum(step.counted.get(name, 0) for step in part) for name in WRITE_BACKS}
        lost = {"cache": 0, "tlb": 0, "own": 0}
        loaded = set()  # its own: lines that it has read to push others out, and its instructions
        for step in part:
            for place, row in step.places.items():
                kind = window.tables[place[0]].kind
                if row and kind == "cache":
                    loaded.add(place)
                elif not row and kind in lost:
                    lost["own" if place in loaded else kind] += 1
        said = (
            [f"{_plural(sum(counted.values()), 'half line')} written back"]
            if any(counted.values())
            else []
        )
        if lost["cache"] or lost["own"]:
            own = f" and {lost['own']} of its own" if lost["own"] else ""
            said.append(f"{_plural(lost['cache'], 'line')}{own} invalidated")
        said += [f"{_plural(lost['tlb'], 'translation')} invalidated"] if lost["tlb"] else []
        text = ", ".join(said) or "nothing was there"
        flushes.append(Event("flush", first, last, text, cycles(window, first, last)))
    return flushes


def _flushing(function: str, name: str) -> bool:
    """Whether a function belongs to a flush in the one that is called `name`."""
    return function == name or "flush" in function


def _switches(window: Window) -> list[Event]:
    named = {n: name for n, name in enumerate(window.system) if name in SPACE}
    writes = [n for n, step in enumerate(window.steps) if any(r in named for r in step.system)]
    switches, opened = [], _opened(window)
    for first, last in _together(writes, APART):
        new: dict[str, int] = {}
        for step in window.steps[first : last + 1]:
            new |= {named[n]: value for n, value in step.system.items() if n in named}
        # Linux closes programs' domains to itself, and opens them to read what they point to
        if list(new) == ["dacr"] and last not in opened:
            continue
        text = ", ".join(f"{name} {_shown(name, value)}" for name, value in new.items())
        switches.append(Event("switch", first, last, text, cycles(window, first, last)))
    return switches


def _opened(window: Window) -> set[int]:
    """The steps of which the DACR is that of the next program, and not that of the one before."""
    space, steps = _Space(window), set()
    ran, last = space.dacr, None
    for number, step in enumerate(window.steps):
        space.follow(step)
        if "dacr" in window.system and window.column("dacr") in step.system:
            last = number
        if step.user:
            if last is not None and space.dacr != ran:
                steps.add(last)
            ran = space.dacr
    return steps


def _shown(name: str, value: int) -> str:
    return f"slot {value >> 25}" if name == "pid" else f"{value:08x}"


def _of_step(window: Window, number: int, step: Step) -> Iterator[Event]:
    """The events of one step alone."""
    price = cycles(window, number, number)

    def event(kind: str, text: str) -> Event:
        return Event(kind, number, number, text, price)

    if step.exception and is_fault(step.exception):
        more = "".join(f", {name} {value}" for name, value in step.exception.arguments.items())
        yield event("fault", f"{step.exception.name}{more}")
    for mark in step.marks:
        name, _, which = mark.partition(":")
        if name == "event" and int(which) in REPORTED:
            yield event("fault" if which == "5" else "directory", REPORTED[int(which)])
    rows = dict.fromkeys(("cache", "tlb", "directory"), 0)
    for table, _ in step.places:
        rows[window.tables[table].kind] += 1
    if rows["directory"]:
        yield event("directory", f"{_plural(rows['directory'], 'change')} of the page directory")
    missed = [name for name in MISSES if name in step.counted]
    if missed:
        yield event("tlb", " and ".join(_side(name) + " TLB miss" for name in missed))
    filled = [name for name in FILLS if name in step.counted]
    if filled:
        yield event("fill", " and ".join(_side(name) + " cache miss" for name in filled))
    written = sum(step.counted.get(name, 0) for name in WRITE_BACKS)
    if written:
        yield event("write-back", f"{_plural(written, 'half line')} written back")


def _plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _side(counter: str) -> str:
    return {"i": "instruction", "d": "data", "m": "mini"}[counter[0]]
