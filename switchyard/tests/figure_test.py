# SPDX-License-Identifier: Apache-2.0
"""Figures: as JSON and back, and drawn for a file and for the page."""

import csv
import io
import json
import math
import re
from dataclasses import replace

import altair as alt
import pytest

from switchyard.data import results
from switchyard.errors import InputError
from switchyard.run import build
from switchyard.show import figure, graph, outcomes, plot
from switchyard.show.figure import (
    Bar,
    Bars,
    Drawn,
    Edge,
    Figure,
    Graph,
    Knee,
    Mark,
    Panels,
    Series,
)

LINES = Figure(
    title="A title",
    subtitle=["one", "two"],
    x_title="clients",
    y_title="time, µs",
    series=[
        Series("a", "a, measured", [Mark(1, 2.5, 2, 3), Mark(10, 4.0, 3, 5)]),
        Series("a", "a, published", [Mark(1, 3)], published=True),
        Series("b", "b, measured", [Mark(1, 7.25), Mark(10, 9.5)]),
    ],
    knees=[Knee(5, "here it bends", 0.3, published=True)],
    y_range=(1, 10),
    x_ticks=[1, 5, 10],
    log_x=True,
)
BARS = Bars(
    title="Where the cycles go",
    subtitle=[],
    value_title="cycles",
    bars=[
        Bar("pipe", "kernel", 300),
        Bar("pipe", "refills", 200.5),
        Bar("pipe", "published whole", 480, published=True),
        Bar("lock", "kernel", 100),
        Bar("lock", "refills", 60),
    ],
)
EVERY = [LINES, replace(LINES, log_y=True), BARS, replace(BARS, stacked=False, log=True)]


@pytest.mark.parametrize("shown", EVERY)
def test_as_json_and_back(shown: Figure | Bars) -> None:
    text = json.dumps(figure.to_json(shown))
    again = figure.from_json(json.loads(text), "f")
    assert json.dumps(figure.to_json(again)) == text
    assert again.title == shown.title


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("title", 3, "f: title: found 3; expected a string"),
        ("series", [{"kind": "a"}], r"f: series\[0\]: label: missing"),
        ("y_range", [1], "f: y_range: found .1.; expected a least and a greatest"),
        ("log_y", "yes", 'f: log_y: found "yes"; expected true or false'),
        ("x_ticks", ["1"], "f: x_ticks: found .*; expected a list of numbers"),
    ],
)
def test_a_wrong_figure_is_one_line(name: str, value: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        figure.from_json(json.loads(json.dumps({**figure.to_json(LINES), name: value})), "f")


@pytest.mark.parametrize("shown", EVERY)
def test_every_value_is_drawn_and_named(shown: Figure | Bars) -> None:
    svg = plot.svg(shown)
    for entry in plot.legend(shown):
        assert entry.label.partition(";")[0] in svg
    assert shown.title in svg
    assert "aria-label" in svg
    for page in (False, True):
        drawn = plot.spec(shown, page)
        text = json.dumps(drawn)
        values = (
            [bar.value for bar in shown.bars]
            if isinstance(shown, Bars)
            else [mark.y for series in shown.series for mark in series.marks]
        )
        assert all(json.dumps(value) in text for value in values)
        assert drawn["description"] == shown.description


@pytest.mark.parametrize("shown", EVERY)
def test_the_page_can_switch_each_series(shown: Figure | Bars) -> None:
    drawn = plot.spec(shown, page=True)
    names = [param["name"] for param in drawn["params"]]
    assert names == [f"shown{i}" for i in range(len(plot.legend(shown)))]
    filters = json.dumps([layer.get("transform") for layer in drawn["layer"]])
    assert all(name in filters for name in names)
    assert drawn["width"] == "container"
    assert "title" not in drawn  # the page has it


def test_a_tick_says_what_it_stands_at() -> None:
    """And no rounder number: 8, 16, 24 must not become 8, 20, 20."""
    ticks = [2, 8, 16, 24, 1024, 12345]
    series = [Series("a", "a", [Mark(x, 3) for x in ticks])]
    svg = plot.svg(replace(LINES, series=series, knees=[], x_ticks=ticks, y_ticks=[1, 1.25, 10]))
    for text in ("2", "8", "16", "24", "1,024", "12,345", "1.25"):
        assert f">{text}<" in svg


def test_a_logarithmic_axis_has_round_ticks() -> None:
    svg = plot.svg(replace(BARS, stacked=False, log=True))
    assert [f">{n}<" in svg for n in (10, 20, 50, 100, 200, 70, 90)] == [True] * 5 + [False] * 2


def test_published_bars_are_hollow_or_ticks() -> None:
    stacked = plot.spec(BARS)
    assert [layer["mark"]["type"] for layer in stacked["layer"]] == ["bar", "tick"]
    beside = plot.spec(replace(BARS, stacked=False))
    (layer,) = beside["layer"]
    fills = dict(zip(*layer["encoding"]["fill"]["scale"].values(), strict=True))
    assert {part for part, fill in fills.items() if fill == "white"} == {
        bar.part for bar in BARS.bars if bar.published
    }
    assert layer["encoding"]["fill"]["scale"]["domain"] == BARS.parts  # the legend's, too


def test_more_kinds_than_colours_still_differ() -> None:
    many = replace(LINES, series=[Series(f"k{i}", f"k{i}", [Mark(1, i)]) for i in range(20)])
    entries = plot.legend(many)
    assert len({(entry.colour, entry.shape) for entry in entries}) == 20


def test_a_figure_is_told_in_words() -> None:
    """To who cannot see it: ends of lines, values of bars, sums of parts."""
    line = "a, measured 2.5 to 4; b, measured 7.25 to 9.5; beside a, published"
    assert LINES.description == f"Line chart of time, µs over clients, 1 to 10: {line}."
    assert PANELS.description == (
        f"Line charts of time, µs. left, over clients, 1 to 10: {line}. "
        "right, over clients, 1 to 10: b, measured 7.25 to 9.5."
    )
    assert BARS.description == (
        "Stacked bars of cycles: pipe 500, of it 60% kernel; lock 160, of it 62% kernel."
    )
    beside = replace(BARS, stacked=False)
    assert beside.description == (
        "Bars of cycles: pipe: kernel 300, refills 200, published whole 480; "
        "lock: kernel 100, refills 60."
    )
    one = replace(
        beside, value_title="cycles (log scale)", bars=[Bar("a", "x", 1), Bar("b", "x", 2)]
    )
    assert one.description == "Bars of cycles: a 1; b 2."
    many = [Bar(f"{n}", part, n * by) for n in range(13) for part, by in (("x", 1), ("y", 100))]
    assert replace(beside, bars=many).description == (
        "Bars of cycles: x from 0 (0) to 12 (12); y from 0 (0) to 1200 (12)."
    )
    whole = replace(BARS, bars=many).description
    assert whole == "Stacked bars of cycles: from 0 (0) to 1212 (12)."


def test_lines_without_a_mark_are_refused() -> None:
    told = figure.to_json(replace(LINES, series=[]))
    with pytest.raises(InputError, match=r"series: found .*expected a list with a mark"):
        figure.from_json(json.loads(json.dumps(told)), "f")


def test_an_interval_is_drawn_as_a_bar_beside_the_band() -> None:
    """Spread and interval are two things; on a logarithmic axis there is no zero to go to."""
    marks = [Mark(1, 10, 4, 30, half=2), Mark(2, 10, 4, 30, half=11), Mark(3, 10, half=math.inf)]
    shown = Figure("t", ["s"], "x", "y", [Series("a", "a", marks)], log_y=True, y_range=(1, 100))
    assert marks[2].half is None
    (bars,) = [
        layer["data"]["values"]
        for layer in plot.spec(shown)["layer"]
        if layer["mark"]["type"] == "rule"
    ]
    assert bars == [{"x": 1, "low": 8, "high": 12}, {"x": 2, "low": 1, "high": 21}]
    again = figure.from_json(json.loads(json.dumps(figure.to_json(shown))), "here")
    assert isinstance(again, Figure)
    assert again.series == shown.series


def test_a_logarithmic_axis_has_dots_with_their_values_and_no_bars() -> None:
    bars = [Bar("a", "x", 1.0), Bar("b", "x", 64.25), Bar("a", "y", 90.0, published=True)]
    shown = Bars("t", ["s"], "v", bars, stacked=False, log=True)
    drawn = plot.spec(shown)
    assert {layer["mark"]["type"] for layer in drawn["layer"]} == {"point", "text"}
    assert drawn["layer"][0]["encoding"]["x"]["scale"]["domain"] == [1, 100]
    svg = plot.svg(shown)
    assert all(f">{text}<" in svg for text in ("1", "64.2", "90"))
    # the value of a dot at the axis' end stands before it
    sides = {
        row["text"]: layer["mark"]["align"]
        for layer in drawn["layer"]
        if layer["mark"]["type"] == "text"
        for row in layer["data"]["values"]
    }
    assert sides == {"1": "left", "64.2": "right", "90": "right"}
    fill = drawn["layer"][0]["encoding"]["fill"]["scale"]
    assert fill == {"domain": ["x", "y"], "range": [plot.COLOURS[0], "white"]}


@pytest.mark.parametrize("log", [False, True])
def test_an_empty_place_says_why(log: bool) -> None:
    bars = [Bar("a", "x", 1.0), Bar("b", "x", 64.0), Bar("a", "limit", 90.0, published=True)]
    shown = Bars("t", ["s"], "v", bars, False, log, {"limit": "no limit is set"})
    assert shown.gaps == [("b", "limit")]
    assert plot.svg(shown).count(">no limit is set<") == 1
    again = figure.from_json(json.loads(json.dumps(figure.to_json(shown))), "f")
    assert isinstance(again, Bars)
    assert again.empty == shown.empty


def banded() -> Figure:
    """A series within a band of its own, another that the band would hide, and a bare band."""
    marks = [Mark(x, 10, 4, 30) for x in (1, 5, 10)]
    return Figure(
        "t", ["s"], "x", "y",
        [
            Series("b", "b, measured", [Mark(1, 5), Mark(10, 25)]),
            Series("a", "a, measured", marks, band="5th to 95th percentile"),
            Series("a", "a: assumed", [Mark(1, 10, 2, 70), Mark(10, 10, 2, 70)], line=False),
            Series("c", "c, measured", [Mark(1, 50, 50, 50.1)], band="nothing to be seen"),
        ],
        log_y=True,
        y_range=(1, 100),
    )  # fmt: skip


def test_a_band_is_named_and_beneath_all_lines() -> None:
    for page in (False, True):
        kinds = [layer["mark"]["type"] for layer in plot.spec(banded(), page)["layer"]]
        assert kinds[:3] == ["area"] * 3
        assert "area" not in kinds[3:]
    svg = plot.svg(banded())
    assert ">a: 5th to 95th percentile<" in svg
    assert ">a: assumed<" in svg
    assert "nothing to be seen" not in svg  # a band that is as thin as its line
    # what is a band and no more has no marks and no line
    drawn = json.dumps([x for x in plot.spec(banded())["layer"] if x["mark"]["type"] == "point"])
    assert "a: assumed" not in drawn
    entries = plot.legend(banded())
    assert entries[1].label == "a, measured; band: 5th to 95th percentile"
    assert entries[2].shape == "band"
    assert entries[3].label == "c, measured"
    assert entries[1].colour == entries[2].colour


def test_a_figure_for_other_programs() -> None:
    lines = list(csv.DictReader(io.StringIO(figure.to_csv(LINES))))
    assert lines[0] == {
        "series": "a, measured", "clients": "1", "time, µs": "2.5", "from": "2", "to": "3",
        "half of the interval": "", "published": "0",
    }  # fmt: skip
    assert len(lines) == sum(len(series.marks) for series in LINES.series)
    bars = list(csv.DictReader(io.StringIO(figure.to_csv(BARS))))
    assert bars[2] == {
        "case": "pipe", "part": "published whole", "cycles": "480", "published": "1",
    }  # fmt: skip
    assert len(bars) == len(BARS.bars)


def test_figures_of_the_book_have_words() -> None:
    """No name of a program in them: words have no underscores."""
    for picture in (build.root() / "docs" / "images").glob("*.svg"):
        texts = re.findall(r">([^<>]+)</text>", picture.read_text("utf-8"))
        assert texts
        assert not [text for text in texts if re.search(r"\w_\w", text)], picture.name


def test_everything_is_within_the_frame_of_the_figures_of_the_book() -> None:
    """Also the ends of confidence intervals, which a range of an axis is easily chosen without."""
    folder = build.root() / "docs" / "results"
    for file in filter(results.is_records, folder.iterdir()):
        shown = outcomes.of(file, results.read(file).records)
        assert shown is not None
        for name, drawn in shown.figures.items():
            for panel in drawn.panels if isinstance(drawn, Panels) else [drawn]:
                if isinstance(panel, Figure) and panel.y_range:
                    tops = [mark.top for series in panel.series for mark in series.marks]
                    assert max(tops) <= panel.y_range[1], (name, panel.title)


GRAPH = Graph(
    title="Who follows whom",
    subtitle=["one boot"],
    nodes=["init 1", "sh 2", "cat 3"],
    edges=[Edge("init 1", "sh 2", 1), Edge("sh 2", "cat 3", 1024), Edge("cat 3", "sh 2", 1000)],
)
PANELS = Panels(
    title="All of them",
    subtitle=["beside each other"],
    panels=[
        replace(LINES, title="left", y_range=(1, 10), y_ticks=[1, 10]),
        replace(LINES, title="right", y_range=(1, 10), y_ticks=[1, 10], series=LINES.series[2:]),
    ],
    columns=2,
)


def test_panels_as_json_and_back() -> None:
    text = json.dumps(figure.to_json(PANELS))
    again = figure.from_json(json.loads(text), "f")
    assert isinstance(again, Panels)
    assert json.dumps(figure.to_json(again)) == text
    assert again.names == {"a": "a, measured", "b": "b, measured"}


def test_panels_are_one_picture_with_one_legend() -> None:
    svg = plot.svg(PANELS)
    for said in ("All of them", "beside each other", "left", "right", "here it bends", "time, µs"):
        assert svg.count(f">{said}<") >= 1
    for name in ("a, measured", "b, measured"):
        assert svg.count(f">{name}<") == 1
    drawn = plot.spec(PANELS)
    assert [panel["title"]["text"] for panel in drawn["concat"]] == ["left", "right"]
    assert drawn["columns"] == 2
    assert plot.legend(PANELS) == []


def test_a_kind_has_the_same_colour_in_all_panels() -> None:
    """`b` is alone in the second panel, and second in the first."""
    colours = plot.svg(replace(PANELS, panels=PANELS.panels[1:]))
    assert plot.COLOURS[0] in colours
    assert plot.COLOURS[1] not in colours
    drawn = plot.spec(PANELS)
    (scale,) = {
        json.dumps(layer["encoding"]["color"]["scale"])
        for panel in drawn["concat"]
        for layer in panel["layer"]
        if "color" in layer["encoding"]
    }
    assert json.loads(scale) == {
        "domain": ["a, measured", "b, measured"], "range": list(plot.COLOURS[:2])
    }  # fmt: skip


def test_panels_are_no_wider_than_a_page_of_80_columns() -> None:
    width = re.search(r'<svg[^>]* width="([0-9.]+)"', plot.svg(PANELS))
    assert width is not None
    assert float(width[1]) <= 560


def test_panels_as_values_for_other_programs() -> None:
    lines = figure.to_csv(PANELS).splitlines()
    assert lines[0] == 'panel,over,at,series,"time, µs",published'
    assert lines[1] == 'left,clients,1,"a, measured",2.5,0'
    assert lines[3] == 'left,clients,1,"a, published",3,1'
    assert lines[-1] == 'right,clients,10,"b, measured",9.5,0'
    assert len(lines) == 1 + 5 + 2


def test_panels_on_a_page_have_no_switches() -> None:
    assert "params" not in plot.spec(PANELS, page=True)


@pytest.mark.parametrize("page", [False, True])
@pytest.mark.parametrize("shown", [*EVERY, banded(), PANELS, GRAPH])
def test_a_specification_is_one_of_vega_lite(shown: Drawn, page: bool) -> None:
    """Nothing is checked as it is made (inline.py)."""
    alt.TopLevelSpec.validate(plot.spec(shown, page))


def test_graphs_as_json_and_back() -> None:
    text = json.dumps(figure.to_json(GRAPH))
    again = figure.from_json(json.loads(text), "f")
    assert isinstance(again, Graph)
    assert json.dumps(figure.to_json(again)) == text
    assert again.description == (
        "Graph of 3 nodes: sh 2 to cat 3 1024; cat 3 to sh 2 1000; init 1 to sh 2 1."
    )
    assert figure.to_csv(GRAPH).splitlines()[:2] == ["from,to,count", "init 1,sh 2,1"]


def test_a_graph_has_all_names_and_counts() -> None:
    svg = plot.svg(GRAPH)
    for said in ("Who follows whom", "init", "sh", "cat", "1,024", "1,000"):
        assert f">{said}<" in svg
    assert plot.legend(GRAPH) == []


def test_an_arc_and_the_one_back_are_apart() -> None:
    """Each bends to its own left; and none begins or ends in a node."""
    there, back = graph._arc((0, 0), (200, 0)), graph._arc((200, 0), (0, 0))
    assert min(y for _, y in there) > 0 > max(y for _, y in back)
    for (x, y), node in ((there[0], 0), (there[-1], 200)):
        assert math.hypot(x - node, y) > graph.NODE
    assert graph._angle((0, 0), (1, 0)) == pytest.approx(90)
