# SPDX-License-Identifier: Apache-2.0
"""Figures: measured series with their spread beside published points, as SVG and PNG.

A `Figure` says what is shown; this file says how. Colours are from Okabe and Ito's palette, which
the colour-blind tell apart, and no two series differ by colour alone: measured values are filled
marks on solid lines, published ones hollow marks on dashed lines, and each line carries its name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert as vlc

from switchyard.errors import InputError

# Okabe and Ito, "Color universal design", 2008: vermillion, blue, bluish green, reddish purple,
# orange, sky blue.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
INK = "#333333"
WIDTH, HEIGHT = 760, 440
PNG_SCALE = 2.0
FONT = "DejaVu Sans, Liberation Sans, Arial, sans-serif"


@dataclass(frozen=True)
class Mark:
    """A value of a series; `low` and `high` bound its spread."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Series:
    """Values that belong together. Series of the same `kind` share a colour and a shape."""

    kind: str
    label: str
    marks: Sequence[Mark]
    published: bool = False
    label_at: int = -1  # the mark that carries the label
    label_above: bool = True


@dataclass(frozen=True)
class Knee:
    """A place on the x axis that is marked by a vertical line, its label left of it."""

    x: float
    label: str
    label_at: float = 0.5  # how far down, as a share of the height
    published: bool = False


@dataclass(frozen=True)
class Figure:
    """What a figure shows."""

    title: str
    subtitle: Sequence[str]  # its lines
    x_title: str
    y_title: str
    description: str  # the text alternative
    series: Sequence[Series]
    knees: Sequence[Knee] = ()
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    y_ticks: Sequence[float] = ()
    x_ticks: Sequence[float] = ()


def spec(figure: Figure) -> dict[str, Any]:
    """The figure as a Vega-Lite specification, its data inside."""
    kinds = list(dict.fromkeys(series.kind for series in figure.series))
    x_low, x_high = min(figure.x_ticks), max(figure.x_ticks)
    x = alt.X(
        "x:Q",
        title=figure.x_title,
        scale=alt.Scale(domain=[x_low, x_high], nice=False, padding=12),
        axis=alt.Axis(values=list(figure.x_ticks), grid=False),
    )
    y_scale = alt.Scale(
        type="log" if figure.log_y else "linear",
        domain=alt.Undefined if figure.y_range is None else list(figure.y_range),
        nice=figure.y_range is None,
    )
    y_axis = alt.Axis(format="~g", values=list(figure.y_ticks) or alt.Undefined)
    y = alt.Y("y:Q", title=figure.y_title, scale=y_scale, axis=y_axis)
    low = alt.Y("low:Q", title=figure.y_title, scale=y_scale, axis=y_axis)

    layers: list[alt.Chart] = []
    for knee in figure.knees:
        layers += _knee_layers(knee, x)
    for series in figure.series:
        place = kinds.index(series.kind)
        layers += _series_layers(series, COLOURS[place], SHAPES[place], x, y, low)
    finished: dict[str, Any] = (
        alt.layer(*layers)
        .properties(
            width=WIDTH,
            height=HEIGHT,
            title=alt.TitleParams(figure.title, subtitle=list(figure.subtitle)),
            description=figure.description,
            background="white",
            padding=14,
        )
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_title(
            anchor="start",
            fontSize=17,
            subtitleFontSize=13,
            subtitleColor="#555555",
            color=INK,
            offset=14,
        )
        .configure_axis(
            labelFontSize=13,
            titleFontSize=14,
            titleFontWeight="normal",
            labelColor=INK,
            titleColor=INK,
            gridColor="#E6E6E6",
            domainColor="#888888",
            tickColor="#888888",
            titlePadding=10,
        )
        .to_dict()
    )
    return finished


def _data(rows: Sequence[dict[str, Any]]) -> Any:
    return alt.Data(values=list(rows))  # type: ignore[no-untyped-call]


def _series_layers(
    series: Series, colour: str, shape: str, x: alt.X, y: alt.Y, low: alt.Y
) -> list[alt.Chart]:
    rows: list[dict[str, Any]] = [
        {"x": m.x, "y": m.y, "low": m.low, "high": m.high, "series": series.label}
        for m in series.marks
    ]
    base = alt.Chart(_data(rows)).encode(x=x, y=y, tooltip=["series:N", "x:Q", "y:Q"])
    layers: list[alt.Chart] = []
    if any(mark.low is not None for mark in series.marks):
        band = alt.Chart(_data(rows)).mark_area(color=colour, opacity=0.18)
        layers.append(band.encode(x=x, y=low, y2="high:Q"))
    if series.published:
        layers.append(base.mark_line(color=colour, strokeDash=[6, 4], strokeWidth=1.5))
        layers.append(
            base.mark_point(
                color=colour, fill="white", shape="diamond", size=90, strokeWidth=2, opacity=1
            )
        )
    else:
        layers.append(base.mark_line(color=colour, strokeWidth=2.2))
        layers.append(base.mark_point(color=colour, fill=colour, shape=shape, size=45, opacity=1))
    at = series.marks[series.label_at]
    right = series.label_at in (-1, len(series.marks) - 1) and len(series.marks) > 1
    label = alt.Chart(_data([{"x": at.x, "y": at.y, "label": series.label}])).mark_text(
        align="right" if right else "left",
        dy=-14 if series.label_above else 16,
        fontSize=13,
        fontStyle="italic" if series.published else "normal",
        fontWeight="normal" if series.published else "bold",
        color=colour,
    )
    layers.append(label.encode(x=x, y=y, text="label:N"))
    return layers


def _knee_layers(knee: Knee, x: alt.X) -> list[alt.Chart]:
    base = alt.Chart(_data([{"x": knee.x, "label": knee.label}]))
    dash = [2, 4] if knee.published else [1, 0]
    rule = base.mark_rule(color="#777777", strokeDash=dash, strokeWidth=1.2).encode(x=x)
    y = HEIGHT * knee.label_at
    text = base.mark_text(
        align="right",
        dx=-8,
        fontSize=12.5,
        color="#555555",
        fontStyle="italic" if knee.published else "normal",
    ).encode(x=x, y=alt.value(y), text="label:N")
    return [rule, text]


def save(figure: Figure, stem: Path) -> list[Path]:
    """Writes the figure as `stem`.svg and `stem`.png, and says where they are."""
    drawn = spec(figure)
    svg, png = stem.with_name(stem.name + ".svg"), stem.with_name(stem.name + ".png")
    try:
        svg.write_text(vlc.vegalite_to_svg(drawn), encoding="utf-8")
        png.write_bytes(vlc.vegalite_to_png(drawn, scale=PNG_SCALE))
    except OSError as error:
        raise InputError(f"{stem}: {error.strerror}; expected a place for the figure") from None
    return [svg, png]
