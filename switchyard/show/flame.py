# SPDX-License-Identifier: Apache-2.0
"""Flame graphs of profiles, for the report: what `boot --speedscope` writes, as SVG.

Each box is a function below its caller, as wide as what it took with all that it called. A file may
have several profiles, one for each region of interest.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markupsafe import Markup

from switchyard.data import fields
from switchyard.data.fields import Fields
from switchyard.errors import InputError

ENDING = ".speedscope.json"
SCHEMA = "https://www.speedscope.app/file-format-schema.json"
# The drawing, in its own units: a page as wide shows its letters in their size.
WIDTH, ROW, LETTER = 1000, 18, 6.6
# Narrower boxes are left out: they could not be seen.
LEAST = 0.5
# Deeper stacks are cut.
DEEPEST = 100


@dataclass
class Box:
    """A function under those that have called it."""

    name: str
    kind: str  # "kernel", "user" or "wait"
    weight: int = 0
    below: dict[int, "Box"] = field(default_factory=dict)


@dataclass(frozen=True)
class Flame:
    """One profile of a file."""

    title: str
    root: Box

    @property
    def description(self) -> str:
        """What a person hears who does not see it: what took most, with all that it called."""
        total = max(self.root.weight, 1)
        largest = sorted(self.root.below.values(), key=lambda box: -box.weight)[:5]
        parts = ", ".join(f"{box.name} {box.weight / total:.0%}" for box in largest)
        return f"Flame graph of {self.title}: {self.root.weight:,} in all; outermost {parts}."

    def svg(self) -> Markup:
        """The picture, with each box's numbers as its title."""
        rows = max((depth for depth, _, _ in self._boxes()), default=0) + 1
        drawn = Markup().join(
            _box(depth, left, box, self.root.weight) for depth, left, box in self._boxes()
        )
        return Markup(
            '<svg class="flame" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
        ).format(WIDTH, rows * ROW, self.description, drawn)

    def _boxes(self) -> Iterator[tuple[int, float, Box]]:
        """The boxes that can be seen, each with its row and where it begins."""
        waiting = [(0, 0.0, self.root)]
        while waiting:
            depth, left, box = waiting.pop()
            yield depth, left, box
            if depth == DEEPEST:
                continue
            for one in sorted(box.below.values(), key=lambda box: (-box.weight, box.name)):
                width = one.weight * WIDTH / max(self.root.weight, 1)
                if width >= LEAST:
                    waiting.append((depth + 1, left, one))
                left += width


def _box(depth: int, left: float, box: Box, total: int) -> Markup:
    share = box.weight / max(total, 1)
    width = share * WIDTH
    letters = int((width - 6) / LETTER)
    name = box.name if len(box.name) <= letters else f"{box.name[: letters - 1]}…"
    text = Markup()
    if letters >= 3:
        text = Markup('<text x="{:.2f}" y="{}">{}</text>').format(left + 3, depth * ROW + 13, name)
    return Markup(
        '<g class="{}"><title>{}: {:,} ({:.1%})</title>'
        '<rect x="{:.2f}" y="{}" width="{:.2f}" height="{}"/>{}</g>\n'
    ).format(box.kind, box.name, box.weight, share, left, depth * ROW, width, ROW - 1, text)


def is_profile(file: Path) -> bool:
    """Whether a file of a results folder is a profile, by its name."""
    return file.name.endswith(ENDING)


def load(file: Path) -> list[Flame]:
    """The profiles of a file."""
    try:
        text = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"{file}: {error.strerror}; expected what boot --speedscope wrote"
        ) from None
    found = Fields(fields.parse(text, str(file)), str(file))
    if found.raw("$schema") != SCHEMA:
        raise found.wrong("$schema", f"{SCHEMA}, as boot --speedscope writes it")
    name = found.text("name") if "name" in found else file.name
    frames = found.inner("shared").items("frames", _frame)
    return [
        Flame(f"{name}: {title}", root)
        for title, root in found.items("profiles", lambda one, where: _profile(one, where, frames))
    ]


def _frame(value: object, where: str) -> tuple[str, str]:
    found = Fields(value, where)
    return found.text("name"), found.text("file") if "file" in found else "wait"


def _profile(value: object, where: str, frames: list[tuple[str, str]]) -> tuple[str, Box]:
    found = Fields(value, where)
    if found.text("type") != "sampled":
        raise found.wrong("type", '"sampled", as boot --speedscope writes it')
    stacks = found.items("samples", lambda one, there: _stack(one, there, len(frames)))
    weights = found.items("weights", _weight)
    if len(stacks) != len(weights):
        raise found.wrong("weights", f"{len(stacks)} weights, one for each sample")
    root = Box("all", "all")
    for stack, weight in zip(stacks, weights, strict=True):
        box = root
        box.weight += weight
        for number in stack:
            name, kind = frames[number]
            known = kind if kind in ("kernel", "user", "wait") else "user"
            box = box.below.setdefault(number, Box(name, known))
            box.weight += weight
    return found.text("name"), root


def _stack(value: object, where: str, frames: int) -> list[int]:
    if not isinstance(value, list) or not all(
        type(one) is int and 0 <= one < frames for one in value
    ):
        raise InputError(f"{where}: expected a list of frames' numbers, below {frames}")
    return value


def _weight(value: object, where: str) -> int:
    if type(value) is not int or not 0 <= value < fields.LIMIT:
        raise InputError(f"{where}: found {fields.shown(value)}; expected a whole number")
    return value
