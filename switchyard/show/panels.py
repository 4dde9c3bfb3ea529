# SPDX-License-Identifier: Apache-2.0
"""How panels are drawn: small figures in rows under one legend, narrow enough for a telephone.

Lines that lie on each other stay visible: what is drawn first is broader, but for a panel's first
series, to which the others are compared. Some of the marks are drawn, and published values are
hollow, as in `plot`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from switchyard.show.figure import Figure, Knee, Panels, Series
from switchyard.show.inline import Rows, with_properties

WIDTH, HEIGHT = 198, 132  # of a panel
PADDING = 8  # of an x axis, at both ends
GAP = 16  # between panels
BROADEST, NARROWEST = 6.0, 1.4  # lines
TEXT = 12  # pixels; the whole is 520 wide, and three quarters of that on a telephone
LEGEND_COLUMNS = 2
MARKS = 8  # of a line, at most
DIGITS = ",.6~r"


def chart(figure: Panels, colours: Sequence[str], shapes: Sequence[str]) -> Any:
    """The panels with their legend; a kind of series has the colour and shape of its place."""
    names = figure.names
    kinds = list(names)
    shown = [colours[place % len(colours)] for place in range(len(kinds))]
    marked = [shapes[place % len(shapes)] for place in range(len(kinds))]
    legend = alt.Legend(
        title=None, orient="top", direction="horizontal", columns=LEGEND_COLUMNS,
        labelFontSize=TEXT, labelColor="#333333", symbolSize=60, rowPadding=1, columnPadding=14,
        offset=10,
    )  # fmt: skip
    domain = list(names.values())
    colour = alt.Color("is:N", scale=alt.Scale(domain=domain, range=shown), legend=legend)
    shape = alt.Shape("is:N", scale=alt.Scale(domain=domain, range=marked), legend=legend)
    rows = -(-len(figure.panels) // figure.columns)
    panels = []
    for place, panel in enumerate(figure.panels):
        row, column = divmod(place, figure.columns)
        axes = _axes(panel, left=column == 0, bottom=row == rows - 1)
        layers = [layer for knee in panel.knees for layer in _knee(panel, knee, axes[0])]
        lines = sum(not series.published for series in panel.series)
        for number, series in enumerate(panel.series):
            width = _width(number, lines)
            layers += _series(panel, series, names[series.kind], width, (*axes, colour, shape))
        drawn = with_properties(alt.layer(*layers), width=WIDTH, height=HEIGHT)
        if panel.title:
            with_properties(drawn, title=alt.TitleParams(panel.title, fontSize=13, offset=5))
        panels.append(drawn)
    return alt.concat(*panels, columns=figure.columns, spacing=GAP)


def _width(number: int, lines: int) -> float:
    """Of a line among so many of a panel."""
    if number == 0:
        return NARROWEST
    return BROADEST * math.pow(NARROWEST / BROADEST, (number - 1) / max(lines - 2, 1))


def _reach(panel: Figure) -> tuple[float, float]:
    """From where to where the x axis goes."""
    every = [*panel.x_ticks, *(mark.x for series in panel.series for mark in series.marks)]
    return min(every), max(every)


def _axes(panel: Figure, *, left: bool, bottom: bool) -> tuple[alt.X, alt.Y]:
    """The axes: numbers at all panels, what they are at the outer ones."""
    looks: Mapping[str, Any] = {
        "labelFontSize": TEXT,
        "titleFontSize": TEXT,
        "titlePadding": 5,
        "labelExpr": f"format(datum.value, '{DIGITS}')",
    }
    x = alt.X(
        "x:Q",
        title=panel.x_title if bottom else None,
        scale=alt.Scale(
            type="log" if panel.log_x else "linear",
            domain=list(_reach(panel)),
            nice=False,
            padding=PADDING,
        ),
        axis=alt.Axis(values=list(panel.x_ticks), grid=False, labelOverlap=True, **looks),
    )
    y = alt.Y(
        "y:Q",
        title=panel.y_title if left else None,
        scale=alt.Scale(
            type="log" if panel.log_y else "linear", domain=list(panel.y_range or ()), nice=False
        ),
        axis=alt.Axis(values=list(panel.y_ticks), **looks),
    )
    return x, y


def _series(
    panel: Figure,
    series: Series,
    name: str,
    width: float,
    channels: tuple[alt.X, alt.Y, alt.Color, alt.Shape],
) -> list[Any]:
    x, y, colour, shape = channels
    rows = [{"x": mark.x, "y": mark.y, "is": name, "series": series.label} for mark in series.marks]
    tooltip = [
        alt.Tooltip("series:N", title="series"),
        alt.Tooltip("x:Q", title=panel.x_title, format=DIGITS),
        alt.Tooltip("y:Q", title=panel.y_title, format=DIGITS),
    ]
    base = alt.Chart(Rows(rows)).encode(x=x, y=y, color=colour)
    if series.published:
        return [
            base.mark_point(
                fill="white", shape="diamond", size=70, strokeWidth=1.8, opacity=1
            ).encode(tooltip=tooltip)
        ]
    points = alt.Chart(Rows(rows[:: math.ceil(len(rows) / MARKS)])).encode(
        x=x, y=y, color=colour, shape=shape, tooltip=tooltip
    )
    return [
        base.mark_line(strokeWidth=width),
        points.mark_point(filled=True, size=30, opacity=1),
    ]


def _knee(panel: Figure, knee: Knee, x: alt.X) -> list[Any]:
    """A vertical line, and its name on the side where there is more room."""
    low, high = _reach(panel)
    middle = math.sqrt(low * high) if panel.log_x else (low + high) / 2
    left = knee.x >= 0.7 * middle
    base = alt.Chart(Rows([{"x": knee.x, "label": knee.label}]))
    text = base.mark_text(
        align="right" if left else "left", dx=-4 if left else 4, fontSize=11, color="#555555"
    )
    return [
        base.mark_rule(color="#888888", strokeWidth=1).encode(x=x),
        text.encode(x=x, y=alt.value(HEIGHT * knee.label_at), text=alt.Text("label:N")),
    ]
