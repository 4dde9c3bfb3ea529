# SPDX-License-Identifier: Apache-2.0
"""How figures are drawn: measured series with their spread beside published points, bars, and dots.

`figure` says what is shown. A figure goes to a file of its own, as SVG and PNG, with its title and
with its series' names at their lines; or on the report's page, which has titles and legend
itself, is as wide as there is room, and switches series on and off by the parameters `shown0`,
`shown1`, ... in the order of `legend`.

Colours are from Okabe and Ito's palette, which the colour-blind tell apart, and no two series
differ by colour alone: measured values are filled marks on solid lines, published ones hollow
marks on dashed lines, and each line carries its name. Bands lie beneath all lines. Parts of a bar
are divided by white lines and stand in the legend's order. A logarithmic axis has no zero for bars
to begin at: it has dots, each with its value.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import vl_convert as vlc

from switchyard.show import graph, panels
from switchyard.show.figure import Bar, Bars, Drawn, Figure, Graph, Knee, Mark, Panels, Series
from switchyard.show.inline import Rows, unchecked, with_properties
from switchyard.show.labels import Margin, Place, named, places

# Experiments take what they show from here too.
__all__ = ["Bar", "Bars", "Figure", "Knee", "Mark", "Series", "legend", "pictures", "spec", "svg"]

# Okabe and Ito, "Color universal design", 2008: vermillion, blue, bluish green, reddish purple,
# orange, sky blue, black. The eighth, yellow, is too faint on white.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
INK = "#333333"
# The colours of a figure on a page that is dark: the ground, the texts and lines that stand on it,
# and the palette, those of which that are too dark there made lighter.
DARK = {
    "white": "#15171A",
    INK: "#E0E3E8",
    "#555555": "#AAB0B8",
    "#777777": "#8D96A3",
    "#888888": "#747B84",
    "#E6E6E6": "#30353C",
    "#D55E00": "#F2711C",
    "#0072B2": "#4AA3DF",
    "#009E73": "#1FB58A",
    "#CC79A7": "#D98BB8",
    "#E69F00": "#E9A820",
    "#56B4E9": "#8FD0F5",
    "#000000": "#FFFFFF",
}
WIDTH, HEIGHT = 760, 440
PADDING = 12  # of an x axis, at both ends
MARGIN = 26  # from the figure's right edge to the names beside it
BAR = 22  # the height of a stacked bar's row; bars beside each other get two thirds
DOT = 17  # the height of a dot's row
EDGE = 0.85  # from there on along its axis a dot has its value to the left
NARROW = 560  # below this width labels at the lines would cover each other
PNG_SCALE = 2.0
DIGITS = ",.6~r"  # of a number that is shown: six that count, thousands apart
FONT = "DejaVu Sans, Liberation Sans, Arial, sans-serif"


@dataclass(frozen=True)
class Entry:
    """A legend's line."""

    label: str
    colour: str
    shape: str  # of SHAPES, or "bar", or "band"
    published: bool
    line: bool = True  # whether the shape stands on a line


def legend(figure: Drawn) -> list[Entry]:
    """What can be switched on and off, in the order of the parameters `shown0`, `shown1`, ...

    Nothing of panels, which have their legend in them, and of graphs, which need none.
    """
    if isinstance(figure, Panels | Graph):
        return []
    if isinstance(figure, Bars):
        published = {bar.part: bar.published for bar in figure.bars}
        return [
            Entry(
                part,
                colour,
                _part_shape(place, published[part]) if figure.log else "bar",
                published[part],
                line=False,
            )
            for place, (part, colour) in enumerate(
                zip(figure.parts, _bar_colours(figure), strict=True)
            )
        ]
    kinds = _kinds(figure)
    names = named(figure, WIDTH, HEIGHT, PADDING)
    seen = [number for number, _ in names]  # twice: those whose band is to be seen
    return [
        Entry(
            series.label + (f"; band: {series.band}" if seen.count(number) > 1 else ""),
            _colour(kinds.index(series.kind)),
            _part_shape(kinds.index(series.kind), series.published) if series.line else "band",
            series.published,
            series.line,
        )
        for number, series in enumerate(figure.series)
    ]


@unchecked
def spec(figure: Drawn, page: bool = False, titled: bool = True) -> dict[str, Any]:
    """The figure as a Vega-Lite specification, its data inside; for a file, or for the page."""
    if isinstance(figure, Panels):
        chart = panels.chart(figure, COLOURS, SHAPES)
    elif isinstance(figure, Graph):
        chart = graph.chart(figure, COLOURS[1], INK)
    else:
        chart = _bars(figure, page) if isinstance(figure, Bars) else _lines(figure, page)
    with_properties(
        chart, description=figure.description, background="white", padding=4 if page else 14
    )
    if titled and not page:
        title = alt.TitleParams(figure.title, subtitle=list(figure.subtitle))
        with_properties(chart, title=title)
    drawn: dict[str, Any] = styled(chart).to_dict(validate=False)
    if page and not isinstance(figure, Panels | Graph):  # which are as wide everywhere
        drawn["autosize"] = {"type": "fit-x", "contains": "padding"}
        drawn["params"] = [
            {"name": f"shown{place}", "value": True} for place in range(len(legend(figure)))
        ]
    return drawn


def styled(chart: Any) -> Any:
    """A chart in the looks that all figures have."""
    config = alt.Config(
        font=FONT,
        view=alt.ViewConfig(stroke=None),
        title=alt.TitleConfig(
            anchor="start",
            fontSize=17,
            subtitleFontSize=13,
            subtitleColor="#555555",
            color=INK,
            offset=14,
        ),
        axis=alt.AxisConfig(
            labelFontSize=13,
            titleFontSize=14,
            titleFontWeight="normal",
            labelColor=INK,
            titleColor=INK,
            gridColor="#E6E6E6",
            domainColor="#888888",
            tickColor="#888888",
            titlePadding=10,
            labelLimit=220,
        ),
        legend=alt.LegendConfig(
            orient="bottom", direction="vertical", title=None, labelFontSize=13, labelLimit=WIDTH
        ),
    )
    return with_properties(chart, config=config)


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _shape(place: int) -> str:
    return SHAPES[place % len(SHAPES)]


def _part_shape(place: int, published: bool) -> str:
    return "diamond" if published else _shape(place)


def _kinds(figure: Figure) -> list[str]:
    return list(dict.fromkeys(series.kind for series in figure.series))


def _lines(figure: Figure, page: bool) -> Any:
    kinds = _kinds(figure)
    marks = [mark for series in figure.series for mark in series.marks]
    ticks = list(figure.x_ticks)
    reach = ticks or [mark.x for mark in marks]
    x = alt.X(
        "x:Q",
        title=figure.x_title,
        scale=alt.Scale(
            type="log" if figure.log_x else "linear",
            domain=[min(reach), max(reach)],
            nice=False,
            padding=PADDING,
        ),
        axis=_axis(page, values=ticks or alt.Undefined, grid=False),
    )
    y_scale = alt.Scale(
        type="log" if figure.log_y else "linear",
        domain=alt.Undefined if figure.y_range is None else list(figure.y_range),
        nice=figure.y_range is None,
    )
    y_ticks = list(figure.y_ticks) or (_round([mark.y for mark in marks]) if figure.log_y else [])
    y_axis = _axis(page, values=y_ticks or alt.Undefined)
    y = alt.Y("y:Q", title=figure.y_title, scale=y_scale, axis=y_axis)
    low = alt.Y("low:Q", title=figure.y_title, scale=y_scale, axis=y_axis)

    def switched(some: list[Any], number: int) -> list[Any]:
        """Layers of a series, which the page switches on and off."""
        return [layer.transform_filter(f"shown{number}") for layer in some] if page else some

    bands: list[Any] = []  # beneath all lines
    lines: list[Any] = []
    labels: list[Any] = []  # above all lines
    for number, series in enumerate(figure.series):
        place = kinds.index(series.kind)
        bands += switched(_band_layers(series, _colour(place), x, low), number)
        if series.line:
            drawn = _series_layers(figure, series, _colour(place), _shape(place), (x, y, low))
            lines += switched(drawn, number)
    names = named(figure, WIDTH, HEIGHT, PADDING)
    labelled = replace(figure, series=[series for _, series in names])
    where: Sequence[Place | Margin] = places(labelled, WIDTH, HEIGHT, PADDING)
    for (number, series), name in zip(names, where, strict=True):
        colour = _colour(kinds.index(series.kind))
        if isinstance(name, Place):
            labels += switched(_label_layers(series, name, colour, x, y, page), number)
        elif not page:  # which has its legend instead
            labels += _margin_layers(series, name, colour, x, y)
    knees = [layer for knee in figure.knees for layer in _knee_layers(knee, x, page)]
    layers = [*bands, *knees, *lines, *labels]
    return with_properties(alt.layer(*layers), width="container" if page else WIDTH, height=HEIGHT)


def _axis(page: bool, **more: Any) -> alt.Axis:
    """An axis of numbers. A format of its own would round to the distance of the ticks."""
    small: dict[str, Any] = (
        {"titleFontSize": alt.ExprRef(f"width < {NARROW} ? 11.5 : 14")} if page else {}
    )
    return alt.Axis(
        labelExpr=f"format(datum.value, '{DIGITS}')",
        labelOverlap=True,
        labelSeparation=8,
        **small,
        **more,
    )


def _label_opacity(page: bool) -> Any:
    """Labels at the lines, where there is room; the page has a legend as well."""
    return alt.ExprRef(f"width < {NARROW} ? 0 : 1") if page else 1


def _band_layers(series: Series, colour: str, x: alt.X, low: alt.Y) -> list[alt.Chart]:
    """The spread of a series' marks, if they have one."""
    rows: list[dict[str, Any]] = [
        {"x": m.x, "low": m.low, "high": m.high} for m in series.marks if m.low is not None
    ]
    if not rows:
        return []
    band = alt.Chart(Rows(rows)).mark_area(color=colour, opacity=0.18)
    return [band.encode(x=x, y=low, y2=alt.Y2("high:Q"))]


def _series_layers(
    figure: Figure,
    series: Series,
    colour: str,
    shape: str,
    axes: tuple[alt.X, alt.Y, alt.Y],
) -> list[alt.Chart]:
    x, y, low = axes
    rows: list[dict[str, Any]] = [
        {"x": m.x, "y": m.y, "low": m.low, "high": m.high, "series": series.label}
        for m in series.marks
    ]
    # there is no zero on a logarithmic axis: an interval that has it goes to the axis' end
    least = figure.y_range[0] if figure.log_y and figure.y_range else -math.inf
    known: list[dict[str, Any]] = [
        {"x": m.x, "low": max(m.y - m.half, least), "high": m.y + m.half}
        for m in series.marks
        if m.half is not None
    ]
    tooltip = [
        alt.Tooltip("series:N", title="series"),
        alt.Tooltip("x:Q", title=figure.x_title, format=DIGITS),
        alt.Tooltip("y:Q", title=figure.y_title, format=DIGITS),
    ]
    layers: list[alt.Chart] = []
    if any(mark.low is not None for mark in series.marks):
        tooltip += [
            alt.Tooltip("low:Q", title="from", format=DIGITS),
            alt.Tooltip("high:Q", title="to", format=DIGITS),
        ]
    if known:
        bar = alt.Chart(Rows(known)).encode(x=x, y=low, y2=alt.Y2("high:Q"))
        layers.append(bar.mark_rule(color=colour, strokeWidth=2.4))
    base = alt.Chart(Rows(rows)).encode(x=x, y=y, tooltip=tooltip)
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
    return layers


def _label_layers(
    series: Series, place: Place, colour: str, x: alt.X, y: alt.Y, page: bool
) -> list[alt.Chart]:
    """The series' name at its line, on a white halo where it must cross another."""
    base = alt.Chart(Rows([{"x": place.x, "y": place.y, "label": series.label}])).encode(
        x=x, y=y, text=alt.Text("label:N")
    )
    looks = _label_looks(series) | {
        "align": place.align,
        "dy": place.dy,
        "opacity": _label_opacity(page),
    }
    halo = base.mark_text(color="white", stroke="white", strokeWidth=4, aria=False, **looks)
    return [halo, base.mark_text(color=colour, **looks)]


def _label_looks(series: Series) -> dict[str, Any]:
    return {
        "fontSize": 13,
        "fontStyle": "italic" if series.published else "normal",
        "fontWeight": "normal" if series.published else "bold",
    }


def _margin_layers(
    series: Series, place: Margin, colour: str, x: alt.X, y: alt.Y
) -> list[alt.Chart]:
    """The series' name in the right margin, with a thin line to the series' last mark."""
    last = series.marks[-1]
    base = alt.Chart(Rows([{"x": last.x, "y": last.y, "label": series.label}]))
    there = alt.value(place.y)
    lead = base.mark_rule(color=colour, strokeWidth=0.8, opacity=0.7, aria=False).encode(
        x=x, y=y, x2=alt.value(WIDTH + MARGIN - 4), y2=there
    )
    text = base.mark_text(color=colour, align="left", **_label_looks(series)).encode(
        x=alt.value(WIDTH + MARGIN), y=there, text=alt.Text("label:N")
    )
    return [lead, text]


def _knee_layers(knee: Knee, x: alt.X, page: bool) -> list[alt.Chart]:
    base = alt.Chart(Rows([{"x": knee.x, "label": knee.label}]))
    dash = [2, 4] if knee.published else [1, 0]
    rule = base.mark_rule(color="#777777", strokeDash=dash, strokeWidth=1.2).encode(
        x=x, tooltip=alt.Tooltip("label:N", title="mark")
    )
    y = HEIGHT * knee.label_at
    text = base.mark_text(
        align="right",
        dx=-8,
        fontSize=12.5,
        color="#555555",
        fontStyle="italic" if knee.published else "normal",
        opacity=_label_opacity(page),
    ).encode(x=x, y=alt.value(y), text=alt.Text("label:N"))
    return [rule, text]


def _round(values: Sequence[float]) -> list[float]:
    """Ticks of a logarithmic axis: powers of ten, and twice and five times them if few."""
    some = [value for value in values if value > 0]
    low, high = (math.floor(math.log10(f(some))) for f in (min, max))
    steps = (1, 2, 5) if high - low < 2 else (1,)
    return [step * 10.0**power for power in range(low, high + 2) for step in steps]


def _bar_colours(figure: Bars) -> list[str]:
    """A colour for each part; ink for the ticks that published wholes are."""
    published = {bar.part for bar in figure.bars if bar.published and figure.stacked}
    return [INK if part in published else _colour(place) for place, part in enumerate(figure.parts)]


def _powers(figure: Bars) -> tuple[float, float]:
    """The powers of ten between which a figure's values are, for a logarithmic axis."""
    some = [math.log10(bar.value) for bar in figure.bars if bar.value > 0]
    low, high = math.floor(min(some)), math.ceil(max(some))
    return 10.0**low, 10.0 ** max(high, low + 1)


def _by_part(figure: Bars, channel: Any, kinds: Sequence[str], legend: Any) -> Any:
    """A channel that has one of these for each part."""
    return channel("part:N", scale=alt.Scale(domain=figure.parts, range=kinds), legend=legend)


def _outlined(figure: Bars, legend: Any) -> dict[str, Any]:
    """Parts in their colours, hollow where they are published, in the legend too."""
    published = {bar.part: bar.published for bar in figure.bars}
    colours = _bar_colours(figure)
    fills = ["white" if published[p] else c for p, c in zip(figure.parts, colours, strict=True)]
    return {
        "stroke": _by_part(figure, alt.Stroke, colours, legend),
        "fill": _by_part(figure, alt.Fill, fills, legend),
    }


def _dot_layers(
    figure: Bars,
    rows: Sequence[Mapping[str, Any]],
    chart: Any,
    where: Mapping[str, Any],
    look: Mapping[str, Any],
) -> list[Any]:
    """Dots, hollow where they are published, and the value of each beside it."""
    published = {bar.part: bar.published for bar in figure.bars}
    shapes = [_part_shape(place, published[part]) for place, part in enumerate(figure.parts)]
    positive = [row for row in rows if row["value"] > 0]
    dots = chart(positive).mark_point(size=70, strokeWidth=2, opacity=1)
    layers = [
        dots.encode(
            **where,
            tooltip=look["tooltip"],
            **_outlined(figure, look["legend"]),
            shape=_by_part(figure, alt.Shape, shapes, look["legend"]),
        )
    ]
    low, high = (math.log10(end) for end in _powers(figure))
    for left, side in ((False, {"align": "left", "dx": 9}), (True, {"align": "right", "dx": -9})):
        some = [
            row
            for row in positive
            if ((math.log10(row["value"]) - low) / (high - low) > EDGE) == left
        ]
        text = chart(some).mark_text(fontSize=12, color=INK, baseline="middle", aria=False, **side)
        layers += [text.encode(**where, text=alt.Text("text:N"))] if some else []
    return layers


def _gap_layers(figure: Bars, chart: Any, encoded: Mapping[str, Any]) -> list[Any]:
    """In empty places, why they are."""
    rows = [
        {"case": case, "part": part, "place": figure.parts.index(part), "why": figure.empty[part]}
        for case, part in figure.gaps
        if part in figure.empty
    ]
    where = {name: encoded[name] for name in ("y", "yOffset")}
    text = chart(rows).mark_text(
        fontSize=11, fontStyle="italic", color="#555555", align="left", baseline="middle"
    )
    return [text.encode(**where, x=alt.value(6), text=alt.Text("why:N"))] if rows else []


def shown(value: float) -> str:
    """A value beside its dot, with three digits that count."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _bars(figure: Bars, page: bool) -> Any:
    """Rows of bars or dots. A published value within stacked ones is a tick: a whole, no part."""
    parts, cases = figure.parts, figure.cases
    rows = [
        {
            "case": bar.case,
            "part": bar.part,
            "value": bar.value,
            "place": parts.index(bar.part),
            "published": bar.published,
            "text": shown(bar.value),
        }
        for bar in figure.bars
    ]
    ticks = [row for row in rows if row["published"]] if figure.stacked else []
    lengths = [row for row in rows if row not in ticks]
    symbols = alt.Undefined if figure.log else "square"
    legend = None if page else alt.Legend(symbolType=symbols)
    colour = _by_part(figure, alt.Color, _bar_colours(figure), legend)
    step = BAR if figure.stacked else (DOT if figure.log else round(BAR * 2 / 3)) * len(parts)
    y = alt.Y(
        "case:N",
        sort=cases,
        title=None,
        scale=alt.Scale(paddingInner=0.35, paddingOuter=0.2),
        axis=alt.Axis(ticks=False, domain=False),
    )
    x = alt.X(
        "value:Q",
        title=figure.value_title,
        stack="zero" if figure.stacked else None,
        scale=alt.Scale(type="log", domain=list(_powers(figure)), nice=False, padding=PADDING)
        if figure.log
        else alt.Scale(type="linear"),
        axis=_axis(
            page, values=_round([bar.value for bar in figure.bars]) if figure.log else alt.Undefined
        ),
    )
    tooltip = [
        alt.Tooltip("case:N"),
        alt.Tooltip("part:N"),
        alt.Tooltip("value:Q", title=figure.value_title, format=DIGITS),
    ]
    switched = f"[{','.join(f'shown{place}' for place in range(len(parts)))}][datum.place]"

    def chart(some: Sequence[Mapping[str, Any]]) -> Any:
        drawn = alt.Chart(Rows(some))
        return drawn.transform_filter(switched) if page else drawn

    beside = {"x": x, "y": y, "yOffset": alt.YOffset("part:N", sort=parts)}
    bars = (
        chart(lengths)
        .mark_bar(strokeWidth=1.2)
        .encode(x=x, y=y, tooltip=tooltip, order=alt.Order("place:Q"))
    )
    if figure.stacked:
        layers = [bars.encode(color=colour, stroke=alt.value("white"))]
    elif figure.log:
        layers = _dot_layers(figure, rows, chart, beside, {"legend": legend, "tooltip": tooltip})
    else:
        layers = [bars.encode(yOffset=beside["yOffset"], **_outlined(figure, legend))]
    layers += _gap_layers(figure, chart, beside)
    if ticks:
        layers.append(
            chart(ticks)
            .mark_tick(thickness=4, size=BAR * 1.3, opacity=1)
            .encode(
                x=alt.X("value:Q", title=figure.value_title), y=y, color=colour, tooltip=tooltip
            )
        )
    height = len(cases) * step * 1.5
    return with_properties(alt.layer(*layers), width="container" if page else WIDTH, height=height)


def svg(figure: Drawn, titled: bool = True) -> str:
    """The figure as an SVG picture."""
    return vlc.vegalite_to_svg(spec(figure, titled=titled))


def pictures(drawn: dict[str, Any]) -> dict[str, bytes]:
    """A specification drawn, by kind of file."""
    picture: str = vlc.vegalite_to_svg(drawn)
    return {"svg": picture.encode(), "png": vlc.vegalite_to_png(drawn, scale=PNG_SCALE)}
