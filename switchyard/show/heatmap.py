# SPDX-License-Identifier: Apache-2.0
"""Sweeps as pictures: over two axes of the grid, how two values of a third compare.

A cell's text is the ratio, its colour the ratio's logarithm: blue and orange, which the
colour-blind tell apart, with white where both are equal but for noise. Further axes give a map
each.
"""

import itertools
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars

from switchyard.errors import InputError
from switchyard.show import plot
from switchyard.show.inline import Rows, unchecked
from switchyard.show.terms import SCHEMES, words

CELL = 46
CHARACTER = 7.5  # the mean width of a title's, in pixels
# A copy of a scheme under another name differs by as much: its code lies elsewhere.
NOISE = 0.001
# The deepest colours stand for this ratio at least, so that small differences look small.
DEEPEST = 1.1
NO_POINT = "no run"  # in a cell where a run failed, or is not made yet
METRICS = {"us": "Time", "cycles": "Cycles", "round": "Cycles of a round trip"}
TITLES = {
    "icache.size-bytes": "instruction cache",
    "dcache.size-bytes": "data cache",
    "itlb.entries": "entries of the instruction TLB",
    "dtlb.entries": "entries of the data TLB",
    "memory.read-first": "cycles to the first word",
    "memory.read-next": "cycles a word",
    "memory.latency": "cycles to memory",
    "l2.size-bytes": "second-level cache",
    "price.segment": "cycles of a segment register",
    "price.cr3": "cycles of a load of CR3",
    "kind": "",  # its values say what they are
}
VALUES = {
    **SCHEMES,
    "itlb": "instruction TLB",
    "dtlb": "data TLB",
    "trace-cache": "trace cache",
}
TOGETHER: dict[tuple[str, ...], str] = {
    ("icache.size-bytes", "dcache.size-bytes"): "size of each cache",
    ("itlb.entries", "dtlb.entries"): "TLB entries",
}


@dataclass(frozen=True)
class Compared:
    """What is divided by what: `AXIS=OVER/UNDER`, each a value of the axis."""

    axis: str
    over: str
    under: str

    @classmethod
    def parse(cls, text: str) -> "Compared":
        """From the command line."""
        axis, _, values = text.partition("=")
        over, slash, under = values.partition("/")
        if not axis or not slash or not over or not under:
            raise InputError(f"--compare {text}: expected AXIS=VALUE/VALUE as scheme=flush/fass")
        return cls(axis, over, under)

    @property
    def name(self) -> str:
        """The ending of the picture's file name."""
        return f"{self.axis}-{self.over}-{self.under}"


def ratios(
    frame: polars.DataFrame, axes: Sequence[str], compared: Compared, metric: str
) -> polars.DataFrame:
    """For each point of the axes: both values of the metric, and the first over the second."""
    for name in (compared.axis, metric):
        if name not in frame.columns:
            known = ", ".join(frame.columns)
            raise InputError(f"--compare {name}: not in the table; expected one of {known}")
    halves = []
    for value in (compared.over, compared.under):
        half = frame.filter(polars.col(compared.axis).cast(polars.String) == value)
        if half.is_empty():
            some = ", ".join(
                str(known) for known in frame[compared.axis].unique(maintain_order=True)
            )
            raise InputError(
                f"--compare {compared.axis}={value}: no point has it; expected two of {some}"
            )
        halves.append(half.select(*axes, polars.col(metric)))
    both = halves[0].join(halves[1], on=list(axes), suffix="_under", maintain_order="left")
    return both.with_columns(ratio=polars.col(metric) / polars.col(f"{metric}_under"))


@unchecked
def draw(
    frame: polars.DataFrame,
    axes: Sequence[tuple[str, ...]],
    compared: Compared,
    metric: str,
    called: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The maps of a sweep over these axes (those that vary), as a Vega-Lite specification.

    `called` has words for the experiment's own axes.
    """
    titles = {**TITLES, **(called or {})}
    over, under = (VALUES.get(value, value) for value in (compared.over, compared.under))
    free = [names for names in axes if compared.axis not in names]
    if len(free) < 2:
        raise InputError(
            f"--compare {compared.axis}: {len(free)} more axes with several values; "
            "expected two or more to draw over"
        )
    (x, y), others = free[:2], free[2:]
    table = ratios(frame, [names[0] for names in free], compared, metric)
    rows = [
        {
            "x": shown(x[0], row[x[0]]),
            "y": shown(y[0], row[y[0]]),
            "map": ", ".join(_headed(names, row[names[0]], titles) for names in others),
            "ratio": row["ratio"],
            "log": beyond_noise(row["ratio"]),
            "text": digits(row["ratio"]),
        }
        for row in table.iter_rows(named=True)
    ]
    most = max(math.log10(DEEPEST), *(abs(row["log"]) for row in rows))
    order = {key: list(dict.fromkeys(row[key] for row in rows)) for key in ("x", "y", "map")}
    known = {(row["x"], row["y"], row["map"]) for row in rows}
    rows += [
        {"x": x_, "y": y_, "map": map_, "ratio": None, "log": None, "text": NO_POINT}
        for x_, y_, map_ in itertools.product(*order.values())
        if (x_, y_, map_) not in known
    ]
    height = CELL * 0.6 * len(order["y"])
    across = alt.Axis(labelAngle=0)
    lines = textwrap.wrap(_title(y, titles), int(height / CHARACTER))
    base = alt.Chart(Rows(rows)).encode(
        x=alt.X("x:O", sort=order["x"], title=_title(x, titles), axis=across),
        y=alt.Y("y:O", sort=order["y"][::-1], title=lines),
    )
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color(
            "log:Q",
            scale=alt.Scale(scheme="blueorange", domain=[-most, most], domainMid=0, reverse=True),
            legend=None,
        )
    )
    texts = base.mark_text(fontSize=12).encode(
        text="text:N",
        color=alt.condition(
            f"abs(datum.log) > {0.7 * most}", alt.value("white"), alt.value("black")
        ),
    )
    layers = alt.layer(cells, texts).properties(width=CELL * len(order["x"]), height=height)
    columns = min(3 if len(order["map"]) % 3 == 0 else 2, len(order["map"]))
    facet = alt.Facet("map:N", sort=order["map"], title=None, header=alt.Header(labelFontSize=14))
    chart = layers.facet(facet, columns=columns).properties(
        title=alt.TitleParams(
            f"{METRICS.get(metric, words(metric))}: {over} over {under}",
            subtitle=[
                f"above 1 (blue): less with {under}; below 1 (orange): less with {over};",
                f"white: equal to {NOISE:.1%}, by which copies of one scheme differ too",
            ],
        ),
        description=describe(table, compared, metric),
        background="white",
        padding=14,
    )
    drawn: dict[str, Any] = plot.styled(chart).to_dict(validate=False)
    return drawn


def beyond_noise(ratio: float) -> float:
    """The logarithm of a ratio, zero where it is not to be told from one."""
    return 0.0 if abs(ratio - 1) <= NOISE else math.log10(ratio)


def digits(ratio: float) -> str:
    """A ratio with the digits that count: about one a thousandth, as much as noise is."""
    if 0.9 <= ratio < 1.1:
        return f"{ratio:.3f}"
    return f"{ratio:#.3g}" if ratio < 99.95 else f"{ratio:.0f}"


def describe(table: polars.DataFrame, compared: Compared, metric: str) -> str:
    """The map in words."""
    every = [float(ratio) for ratio in table["ratio"]]
    cheaper = sum(ratio <= 1 + NOISE for ratio in every)
    return (
        f"Heat map of {metric} with {compared.over} over that with {compared.under} at "
        f"{len(every)} points: from {digits(min(every))} to {digits(max(every))}; "
        f"{compared.over} is no dearer at {cheaper} of them."
    )


def _title(names: tuple[str, ...], titles: Mapping[str, str]) -> str:
    return TOGETHER.get(names) or " and ".join(titles.get(name, name) for name in names)


def _headed(names: tuple[str, ...], value: object, titles: Mapping[str, str]) -> str:
    """What stands above a map: an axis and its value."""
    title = _title(names, titles)
    return f"{title}: {shown(names[0], value)}" if title else shown(names[0], value)


def shown(axis: str, value: object) -> str:
    """A value of an axis as people say it."""
    if axis.endswith("-bytes") and isinstance(value, int) and value % 1024 == 0:
        return f"{value // 1024} KB"
    return VALUES.get(str(value), str(value))
