# SPDX-License-Identifier: Apache-2.0
"""The results in the book, made from kept results: `switchyard docs`.

`docs/results/` holds what full runs found (`results.py`). `docs/results.md`, a summary of all
experiments, and `docs/images/` are views of it. Each experiment has a chapter in `docs/chapters/`,
whose words were written by hand; what was measured stands between two marks. It is filled in when
the book is made (`--chapters`), and is empty in the repository:

    <!-- results: l4-ipc notes -->
    <!-- end -->

Parts are `summary` (question, first table and figure), `notes` (the sentences), `tables` (all
tables) and `table N` (the Nth, from 1). One page is about many experiments (`improvements.py`):

    <!-- improvements -->
    <!-- end -->
"""

import re
import textwrap
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from switchyard.data import files, results
from switchyard.data.results import Results
from switchyard.data.rows import Rows
from switchyard.errors import InputError
from switchyard.run import build
from switchyard.show import drawings, improvements, outcomes, report
from switchyard.show.figure import Table

WIDTH = 102
END = "<!-- end -->"
IMPROVEMENTS = "<!-- improvements -->"
PART = re.compile(r"<!-- results: (\S+) (summary|notes|tables|table (\d+)) -->")


def page() -> Path:
    """The page that sums all results up."""
    return build.root() / "docs" / "results.md"


def chapters() -> Path:
    """The folder of the experiments' chapters."""
    return build.root() / "docs" / "chapters"


def kept() -> Path:
    """The folder of the results that the page shows."""
    return build.root() / "docs" / "results"


def take(found: Path, names: set[str]) -> list[str]:
    """Keeps the results of full runs in a folder that `run` wrote; says of which experiments.

    Only experiments that the page shows are kept. A quick run's results are refused, since the page
    says nothing of them that would hold.
    """
    taken = []
    for section in report.collect([found]):
        if section.name not in names:
            continue
        file = found / section.file
        beside = [outcomes.path(file)] if outcomes.has_file(section.name) else []
        if not section.meta or not all(path.exists() for path in beside):
            raise InputError(f"{file}: expected its outcome and metadata beside it")
        if section.meta.get("quick") is not False:
            raise InputError(
                f"{file}: made by a quick run; expected: switchyard run {section.name}"
            )
        for source in beside:
            files.write(kept() / source.name, source.read_bytes())
        results.keep(Results(section.name, section.records, section.meta), kept())
        taken.append(section.name)
    return taken


def shown(text: str, where: str) -> set[str]:
    """The experiments that a page shows."""
    return {match[1] for line in text.splitlines() if (match := _mark(line, where))}


def renew(text: str, where: str, names: Collection[str] | None = None) -> str:
    """The page's text with every marked part as the kept results have it, or those of `names`."""
    lines: list[str] = []
    begun = 0  # the line of the mark of the part that one is in
    renewed = False  # its old lines are left out
    for number, line in enumerate(text.splitlines(), 1):
        here = f"{where}:{number}"
        mark = _mark(line, here)
        of_many = line.strip() == IMPROVEMENTS
        if (mark or of_many) and begun:
            raise InputError(f"{here}: a part begins in another; expected {END} before it")
        if of_many:
            begun, renewed = number, names is None
            lines += [line, *_improvements()] if renewed else [line]
            continue
        if mark:
            begun, renewed = number, names is None or mark[1] in names
            lines += [line, *_part(mark, here)] if renewed else [line]
            continue
        if line.strip() == END:
            if not begun:
                raise InputError(f"{here}: {END} without a part; expected <!-- results: ... -->")
            begun, renewed = 0, False
        if not renewed:
            lines.append(line)
    if begun:
        raise InputError(f"{where}:{begun}: a part without an end; expected {END}")
    return "\n".join(lines) + "\n"


def write_chapters(folder: Path) -> list[str]:
    """Writes all chapters with what was measured; says their files' names."""
    written = []
    for template in sorted(chapters().glob("*.md")):
        text = renew(template.read_text(encoding="utf-8"), template.name)
        files.write(folder / template.name, text)
        written.append(template.name)
    return written


def draw(names: set[str]) -> dict[Path, str]:
    """The pictures of these experiments' kept results that the book shows, by their file."""
    pages = [page(), *sorted(chapters().glob("*.md"))]
    text = "".join(file.read_text(encoding="utf-8") for file in pages if file.exists())
    return {
        build.root() / "docs" / "images" / f"{stem}.svg": drawings.svg(figure)
        for name in sorted(names)
        for stem, figure in _shown(name).figures.items()
        if f"images/{stem}.svg)" in text
    }


def markdown(table: Table) -> list[str]:
    """A table as lines of Markdown, numbers to the right, words to the left."""
    lines = [f"**{table.title}**", ""] if table.title else []
    sides = ("---" if table.left(place) else "---:" for place in range(len(table.columns)))
    lines += [_row(table.columns), f"|{'|'.join(sides)}|"]
    lines += [_row(row) for row in table.rows]
    if table.caption:
        lines += ["", *_wrapped(table.caption)]
    return lines


def _row(cells: Sequence[str]) -> str:
    return (
        "| " + " | ".join(" ".join(str(cell).replace("|", "\\|").split()) for cell in cells) + " |"
    )


def _mark(line: str, where: str) -> re.Match[str] | None:
    if not line.startswith("<!-- results:"):
        return None
    match = PART.fullmatch(line.strip())
    if match is None:
        raise InputError(
            f"{where}: {line.strip()}; expected <!-- results: NAME notes|tables|table N -->"
        )
    return match


def _shown(name: str) -> outcomes.Shown:
    """What an experiment's kept results give."""
    return _read(kept() / f"{name}{results.CASES}")


@cache
def _read(file: Path) -> outcomes.Shown:
    shown = outcomes.of(file, results.read(file).records)
    if shown is None:
        raise InputError(f"{file}: expected its outcome beside it")
    return shown


def _part(mark: re.Match[str], where: str) -> list[str]:
    shown = _shown(mark[1])
    lines = [""]
    if mark[2] == "summary":
        return [*lines, *_summary(shown), ""]
    if mark[2] == "notes":
        for note in shown.notes:
            lines += [*_wrapped(note, "- ", "  "), ""]
        return lines
    tables = shown.tables
    if mark[3]:
        number = int(mark[3])
        if not 1 <= number <= len(tables):
            raise InputError(f"{where}: {mark[1]} has {len(tables)} tables; expected one of them")
        tables = [tables[number - 1]]
    for table in tables:
        lines += [*markdown(table), ""]
    return lines


def _improvements() -> list[str]:
    """What small spaces gain of all applications."""

    def rows(name: str) -> Rows:
        return Rows.of(results.read(kept() / f"{name}{results.CASES}").records)

    table = improvements.table(rows)
    return ["", *markdown(table), "", *_wrapped(improvements.note(rows)), ""]


def _summary(shown: outcomes.Shown) -> list[str]:
    """A chapter in short: what is asked, the picture, and its first table."""
    lines = [f"### [{shown.name}](chapters/{shown.name}.md)", "", *_wrapped(shown.question)]
    for stem, figure in list(shown.figures.items())[:1]:
        lines += ["", f"![{figure.description}](images/{stem}.svg)"]
    for table in shown.tables[:1]:
        lines += ["", *markdown(table)]
    return lines


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
