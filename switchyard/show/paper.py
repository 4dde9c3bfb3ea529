# SPDX-License-Identifier: Apache-2.0
"""Figures for a paper: PDF or SVG as wide as its columns, with a title or without.

For two columns a figure is what it is everywhere, smaller. For one its letters would be too small:
it is laid out as on a narrow page, with the series' names in lines under it.
"""

import html
import re
from typing import Any

import vl_convert as vlc

from switchyard.errors import InputError
from switchyard.show import plot
from switchyard.show.figure import Drawn

# Widths in points: of a column, 3.5 inches, and of both with what is between, 7 inches. Those of
# IEEE (3.5 and 7.16) and ACM (3.33 and 7) are so wide, or nearly.
WIDTHS = {"one": 252.0, "two": 504.0}
# A column's plot, in the units of the figure's letters, of which the smallest are 11 high.
PLOT_WIDTH, PLOT_HEIGHT = 400, 280
ROW = 19  # a name under it
SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)" viewBox="0 0 [\d.]+ [\d.]+"')


def svg(figure: Drawn, columns: str, titled: bool) -> str:
    """A picture as wide as the columns, in points; it scales."""
    if columns not in WIDTHS:
        raise InputError(f"--columns {columns}: expected one of {', '.join(WIDTHS)}")
    names = plot.legend(figure) if columns == "one" else []
    if names:
        text: str = vlc.vegalite_to_svg(_narrow(plot.spec(figure, page=True)))
    else:  # panels have their names in them
        text = vlc.vegalite_to_svg(plot.spec(figure, titled=titled))
    size = SIZE.search(text)
    assert size is not None, "vl-convert says how large a picture is"
    width, plain = float(size[1]), float(size[2])
    above = ROW + 6 if names and titled else 0
    height = plain + above + ROW * len(names)
    lines = [_named(entry, plain + ROW * n) for n, entry in enumerate(names)]
    if above:
        lines.append(_text(figure.title, 0, -8, 'font-weight="bold"'))
    scaled = height * WIDTHS[columns] / width
    wanted = f'width="{WIDTHS[columns]:g}" height="{scaled:.2f}"'
    text = text.replace(size[0], f'{wanted} viewBox="0 {-above} {width:g} {height:g}"', 1)
    return text.replace("</svg>", "".join(lines) + "</svg>")


def _narrow(spec: dict[str, Any]) -> dict[str, Any]:
    return {**spec, "width": PLOT_WIDTH, "height": PLOT_HEIGHT}


def _named(entry: plot.Entry, top: float) -> str:
    """A series' name, after what it is drawn with: hollow and slanted if it is published."""
    middle = top + ROW / 2
    fill = "white" if entry.published else entry.colour
    drawn = f'stroke="{entry.colour}" stroke-width="2"'
    line = f'<path d="M4,{middle}h24" {drawn} fill="none"/>' if entry.line else ""
    mark = f'<circle cx="16" cy="{middle}" r="4" {drawn} fill="{fill}"/>'
    if entry.shape in ("band", "bar"):
        opacity = 0.3 if entry.shape == "band" else 1
        box = f'x="4" y="{middle - 5}" width="24" height="10"'
        mark = f'<rect {box} {drawn} fill="{fill}" opacity="{opacity}"/>'
    slanted = 'font-style="italic"' if entry.published else ""
    return line + mark + _text(entry.label, 36, middle + 4.5, slanted)


def _text(words: str, x: float, y: float, more: str) -> str:
    style = f'font-family="{plot.FONT}" font-size="13" fill="#333333" {more}'
    return f'<text x="{x}" y="{y}" {style}>{html.escape(words)}</text>'


def pdf(figure: Drawn, columns: str, titled: bool) -> bytes:
    """A page that is as wide as the columns, to the point, with letters as letters."""
    page: bytes = vlc.svg_to_pdf(svg(figure, columns, titled))
    return page
