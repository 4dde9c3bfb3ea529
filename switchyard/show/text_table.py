# SPDX-License-Identifier: Apache-2.0
"""Tables as lines of text that fit a terminal, however narrow.

What is not narrow enough as it is gets so by these, in this order: texts are wrapped at words;
columns that say one thing throughout say it below the table; columns go to pages below each other,
each with the columns that say which row it is. A number stays on its line.
"""

import re
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

GAP = 2
# A text is not wrapped to less than that, nor a word broken that is shorter.
LEAST_TEXT, LONGEST_WORD = 14, 24
# On pages, what says which row it is is not wrapped to less of the width than this share.
LEAST_KEY = 0.4
# Most columns that say which row it is.
MOST_KEYS = 3


@dataclass(frozen=True)
class Line:
    """A line of a table, and what it is of: `title`, `head`, `rule`, `row` or `caption`."""

    kind: str
    text: str


@dataclass(frozen=True)
class Grid:
    """A table whose columns of numbers stand to the right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[int]

    def _least(self, place: int) -> int:
        """The narrowest that a column can be."""
        cells = [row[place] for row in self.rows]
        word = max((len(part) for part in re.split(r"\s+|(?<=/)", self.columns[place])), default=0)
        if place in self.right:
            return max([1, word, *map(cell_len, cells)])
        longest = max((cell_len(part) for cell in cells for part in cell.split()), default=0)
        wanted = min(max(map(cell_len, cells), default=0), LEAST_TEXT)
        return max(1, word, wanted, min(longest, LONGEST_WORD))

    def _whole(self, place: int) -> int:
        """What a column takes in which nothing is wrapped, but for the head of numbers."""
        cells = max((cell_len(row[place]) for row in self.rows), default=0)
        if place in self.right:
            return max(cells, self._least(place))
        return max(cells, cell_len(self.columns[place]))

    def said_below(self) -> tuple["Grid", list[str]]:
        """Without the columns that say one thing throughout, and what they say."""
        kept, said = [0], []
        for place in range(1, len(self.columns)):
            values = {row[place] for row in self.rows}
            if len(self.rows) < 2 or len(values) > 1:
                kept.append(place)
            elif (value := values.pop()).strip():
                said.append(f"{self.columns[place]} {value}")
        return self.only(kept), [f"In all rows: {', '.join(said)}."] if said else []

    def only(self, places: Sequence[int]) -> "Grid":
        """Those columns of it."""
        return Grid(
            [self.columns[place] for place in places],
            [[row[place] for place in places] for row in self.rows],
            {new for new, place in enumerate(places) if place in self.right},
        )

    def _keys(self) -> int:
        """How many columns, from the first on, say which row it is."""
        for count in range(1, min(MOST_KEYS, len(self.columns) - 1) + 1):
            if len({tuple(row[:count]) for row in self.rows}) == len(self.rows):
                return count
        return 1

    def pages(self, width: int) -> list["Grid"]:
        """Parts of it, of which each can be shown in that width."""
        least = [self._least(place) + GAP for place in range(len(self.columns))]
        if sum(least) - GAP <= width:
            return [self]
        least[0] = max(least[0], min(self._whole(0), int(width * LEAST_KEY)) + GAP)
        keys = self._keys()
        while keys > 1 and sum(least[:keys]) + max(least[keys:]) - GAP > width:
            keys -= 1
        pages: list[list[int]] = []
        left = 0
        for place in range(keys, len(self.columns)):
            if not pages or left < least[place] - GAP:
                pages.append(list(range(keys)))
                left = width - sum(least[:keys])
            pages[-1].append(place)
            left -= least[place]
        return [self.only(page) for page in pages]

    def widths(self, width: int) -> list[int]:
        """What each column gets of that width: texts as much as makes the fewest lines."""
        widths = [
            self._whole(place) if place in self.right else self._least(place)
            for place in range(len(self.columns))
        ]
        wanted = [self._whole(place) for place in range(len(self.columns))]
        while sum(widths) + GAP * (len(widths) - 1) < width:
            short = [place for place, have in enumerate(widths) if have < wanted[place]]
            if not short:
                break
            widths[max(short, key=lambda place: wanted[place] / widths[place])] += 1
        over = sum(widths) + GAP * (len(widths) - 1) - width
        widths[0] = max(1, widths[0] - max(0, over))
        return widths

    def lines(self, width: int) -> list[Line]:
        """It, in that width."""
        widths = self.widths(width)
        total = min(width, sum(widths) + GAP * (len(widths) - 1))
        # a head may be broken after a stroke, too
        heads = [
            head if cell_len(head) <= width else head.replace("/", "/ ")
            for head, width in zip(self.columns, widths, strict=True)
        ]
        lines = [Line("head", text) for text in self._row(heads, widths, "down")]
        lines.append(Line("rule", "─" * total))
        for row in self.rows:
            lines += [Line("row", text) for text in self._row(row, widths, "up")]
        return lines

    def _row(self, cells: Sequence[str], widths: Sequence[int], towards: str) -> list[str]:
        """Its lines; cells of fewer stand at the top of them or, of a head, at the bottom."""
        wrapped = [wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
        height = max(map(len, wrapped))
        lines = []
        for number in range(height):
            parts = []
            for place, (cell, width) in enumerate(zip(wrapped, widths, strict=True)):
                at = number if towards == "up" else number - (height - len(cell))
                text = cell[at] if 0 <= at < len(cell) else ""
                blank = " " * (width - cell_len(text))
                parts.append(blank + text if place in self.right else text + blank)
            lines.append((" " * GAP).join(parts).rstrip())
        return lines


def wrap(text: str, width: int) -> list[str]:
    """A text in lines, at words; one that has room stays as it is."""
    if cell_len(text) <= width and "\n" not in text:
        return [text]
    return textwrap.wrap(text, max(width, 1), break_on_hyphens=False) or [""]


def table(title: str, grid: Grid, caption: str, width: int) -> list[Line]:
    """A table's lines, none wider than that."""
    notes: list[str] = []
    if len(grid.pages(width)) > 1:
        grid, notes = grid.said_below()
    lines = [Line("title", text) for text in wrap(title, width)]
    for number, page in enumerate(grid.pages(width)):
        if number:
            lines.append(Line("row", ""))
        lines += page.lines(width)
    for note in [*notes, *([caption] if caption else [])]:
        lines += [Line("caption", text) for text in wrap(note, width)]
    return lines
