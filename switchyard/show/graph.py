# SPDX-License-Identifier: Apache-2.0
"""How graphs are drawn: nodes in a circle, and between them arcs that bend to the same side.

So an edge and the one back do not lie on each other. An arc is the broader the larger its count,
by the logarithm, with an arrow at its end and the count at its middle.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from switchyard.show.figure import Graph
from switchyard.show.inline import Rows, with_properties

WIDTH, HEIGHT = 520, 400
NODE = 36  # a node's radius, in pixels
ROUND = 46  # from the circle of nodes to the edge of the figure
BEND = 0.28  # of an arc: how far off the straight line its control point is, by its length
STEPS = 24  # of an arc
NARROWEST, DOUBLING = 1.0, 0.55  # the breadth of an arc of 1, and what each doubling adds
ARROW = 170  # the area of an arrow, in square pixels

Point = tuple[float, float]


def chart(figure: Graph, colour: str, ink: str) -> Any:
    """The graph, in pixels from the lower left corner."""
    places = dict(zip(figure.nodes, _circle(len(figure.nodes)), strict=True))
    lines: list[dict[str, Any]] = []
    arrows: list[dict[str, Any]] = []
    counts: list[dict[str, Any]] = []
    for number, edge in enumerate(figure.edges):
        told = {"from": edge.source, "to": edge.target, "count": edge.count, "edge": number}
        arc = _arc(places[edge.source], places[edge.target])
        breadth = NARROWEST + DOUBLING * math.log2(max(edge.count, 1))
        lines += [
            {"x": x, "y": y, "step": step, "breadth": breadth, **told}
            for step, (x, y) in enumerate(arc)
        ]
        arrows.append({"x": arc[-1][0], "y": arc[-1][1], "angle": _angle(*arc[-3::2]), **told})
        x, y = arc[len(arc) // 2]
        counts.append({"x": x, "y": y, "text": f"{edge.count:,.0f}"})
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("from", "to", "count")]
    breadths = alt.StrokeWidth("breadth:Q", scale=None, legend=None)
    layers = [
        _at(lines)
        .mark_line(color=colour, opacity=0.75)
        .encode(detail="edge:N", order="step:Q", strokeWidth=breadths, tooltip=tooltip),
        _at(arrows)
        .mark_point(shape="triangle-up", filled=True, color=colour, opacity=1, size=ARROW)
        .encode(angle=alt.Angle("angle:Q", scale=None), tooltip=tooltip),
        *_texts(counts, ink, 0, 12),
        *_nodes(places, ink),
    ]
    return with_properties(alt.layer(*layers), width=WIDTH, height=HEIGHT)


def _at(rows: Sequence[Mapping[str, Any]]) -> Any:
    """A chart of rows that stand at their pixels."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, WIDTH], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, HEIGHT], nice=False), axis=None)
    return alt.Chart(Rows(rows)).encode(x=x, y=y)


def _texts(rows: Sequence[Mapping[str, Any]], ink: str, dy: float, size: int) -> list[Any]:
    """Texts on a white halo, as they may stand on arcs."""
    halo = {"color": "white", "stroke": "white", "strokeWidth": 4, "aria": False}
    return [
        _at(rows).mark_text(dy=dy, fontSize=size, baseline="middle", **look).encode(text="text:N")
        for look in (halo, {"color": ink})
    ]


def _nodes(places: Mapping[str, Point], ink: str) -> list[Any]:
    rows: list[dict[str, Any]] = [{"x": x, "y": y, "node": name} for name, (x, y) in places.items()]
    layers = [
        _at(rows)
        .mark_point(filled=True, fill="white", stroke=ink, strokeWidth=1.6, opacity=1)
        .encode(size=alt.value(math.pi * NODE * NODE), tooltip="node:N")
    ]
    for line, dy, size in ((0, -6, 13), (1, 9, 11)):
        texts = [{**row, "text": _lines(row["node"])[line]} for row in rows]
        layers += _texts(texts, ink, dy, size)
    return layers


def _lines(name: str) -> tuple[str, str]:
    first, _, second = name.rpartition(" ")
    return (first, second) if first else (second, "")


def _circle(n: int) -> list[Point]:
    """So many places, clockwise from the top."""
    middle = WIDTH / 2, HEIGHT / 2
    across, up = WIDTH / 2 - ROUND, HEIGHT / 2 - ROUND
    turns = [2 * math.pi * place / n for place in range(n)]
    return [(middle[0] + across * math.sin(t), middle[1] + up * math.cos(t)) for t in turns]


def _arc(source: Point, target: Point) -> list[Point]:
    """From the edge of one node to that of another, left of the straight line."""
    (ax, ay), (bx, by) = source, target
    over = (ax + bx) / 2 - BEND * (by - ay), (ay + by) / 2 + BEND * (bx - ax)
    whole = [
        tuple(
            (1 - t) ** 2 * a + 2 * t * (1 - t) * o + t * t * b
            for a, o, b in zip(source, over, target, strict=True)
        )
        for t in (step / (8 * STEPS) for step in range(8 * STEPS + 1))
    ]
    between = [
        (x, y)
        for x, y in whole
        if math.hypot(x - ax, y - ay) > NODE + 2 and math.hypot(x - bx, y - by) > NODE + 7
    ]
    return between[:: max(len(between) // STEPS, 1)] + between[-1:]


def _angle(before: Point, end: Point) -> float:
    """Of an arrow that stands upright, clockwise, in degrees."""
    return math.degrees(math.atan2(end[0] - before[0], end[1] - before[1]))
