# SPDX-License-Identifier: Apache-2.0
"""The report, opened in Chromium: no error, no outside request, every figure, the right numbers."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from switchyard import cli
from switchyard.data import records
from switchyard.data.records import Published, Record
from switchyard.errors import InputError
from switchyard.experiments import EXPERIMENTS, l4_pc
from switchyard.run import runner
from switchyard.run.experiment import Experiment, Job, Outcome, Settings
from switchyard.show import figure, outcomes, plot, report
from switchyard.show.figure import Figure, Table
from switchyard.tests.browsing import PHONE, opened
from switchyard.tests.conftest import faked
from switchyard.tests.figure_test import BARS
from switchyard.tests.runs import Silent

pytestmark = pytest.mark.slow  # a browser takes seconds to start

# What a text from outside may hold, and what must not become of it.
HOSTILE = "</script><script>document.title = 'taken'</script><b> & \"quoted\""


class Hostile(Experiment[None]):
    """Bars, and texts that would be markup if nobody took care."""

    name = "hostile"
    question = HOSTILE
    source = HOSTILE

    def jobs(self, _settings: Settings) -> list[Job]:
        return []

    def measure(self, _job: Job, _stats: object) -> None:
        return None

    def records(self, _samples: object) -> list[Record]:
        return [
            Record(
                "hostile", "m", HOSTILE, "", "time", 1234.5678901, "us", {"name": HOSTILE},
                Published(0.000123456789, HOSTILE),
            )
        ]  # fmt: skip

    def outcome(self) -> Outcome:
        return Outcome(
            self.records({}),
            [Table(HOSTILE, ["a", HOSTILE], [["1", HOSTILE]], HOSTILE)],
            BARS,
            [HOSTILE],
            more={"beside": BARS},
        )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results: an experiment on the stand-in, another made up, a bare record file."""
    out = tmp_path_factory.mktemp("out")
    with faked(tmp_path_factory.mktemp("fake")):
        settings, command = Settings(quick=True, rounds=30), ["run", "l4-ipc", "--quick"]
        runner.run(EXPERIMENTS["l4-ipc"], settings, out, 2, Silent(), command=command)
    hostile = Hostile()
    runner.write(hostile, hostile.outcome(), {"command": ["switchyard", HOSTILE]}, out)
    records.save([Record("bench", "m", "s", "", "speed", 0.1 + 0.2, "x")], out / "bench.json")
    return out


@pytest.fixture(scope="module")
def page_file(results: Path) -> Path:
    path = results / "report.html"
    assert cli.execute(["report", str(results), "--out", str(path)]) == 0
    return path


def everything(page: Page) -> Page:
    """All chapters on one page, with all figures drawn."""
    page.evaluate("location.hash = 'everything'")
    count = page.locator("figure.drawing").count()
    expect(page.locator("figure.drawn .plot svg.marks")).to_have_count(count)
    return page


@pytest.fixture
def page(browser: Browser, page_file: Path) -> Iterator[Page]:
    page = everything(opened(browser, page_file))
    yield page
    page.context.close()


def shown_in(page: Page, figure_id: str, what: str) -> int:
    return page.locator(f"#{figure_id} .plot {what}").count()


def seen(file: Path) -> outcomes.Shown:
    shown = outcomes.of(file, records.load(file))
    assert shown is not None
    return shown


def l4_ipc(results: Path) -> Figure:
    """What the figure of l4-ipc shows."""
    shown = seen(results / "l4-ipc.json").figures["l4-ipc"]
    assert isinstance(shown, Figure)
    return shown


def test_every_figure_is_drawn(page: Page, results: Path) -> None:
    expected = sum(len(seen(results / f"{name}.json").figures) for name in ("l4-ipc", "hostile"))
    assert expected == 4
    assert page.locator("figure.drawing").count() == expected
    assert page.locator("figure.drawn .plot svg").count() == expected
    for i in range(expected):
        box = page.locator(".plot svg").nth(i).bounding_box()
        assert box is not None
        assert box["width"] > 500
        assert box["height"] > 50
    marks = [len(curve.marks) for curve in l4_ipc(results).series if curve.line]
    assert shown_in(page, "figure-0-0", "path[aria-roledescription='point']") == sum(marks)
    # hostile: four bars stacked and a tick for the published whole
    assert shown_in(page, "figure-2-0", "path[aria-roledescription='bar']") == 4
    assert shown_in(page, "figure-2-0", "path[aria-roledescription='tick']") == 1


def test_it_is_in_chapters(browser: Browser, page_file: Path) -> None:
    page = opened(browser, page_file)
    sections = page.locator("main > section:visible")
    assert sections.count() == 0
    assert page.locator("figure.drawn").count() == 0
    page.locator(".contents a", has_text="l4-ipc").click()
    expect(sections).to_have_count(1)
    assert page.locator("h2:visible").inner_text() == "l4-ipc"
    expect(page.locator("figure.drawn .plot svg.marks").first).to_be_visible()
    page.locator("[rel=next]:visible").click()
    expect(page.locator("h2:visible")).not_to_have_text("l4-ipc")
    page.go_back()
    expect(page.locator("h2:visible")).to_have_text("l4-ipc")
    page.get_by_role("link", name="All experiments").click()
    expect(page.locator(".contents")).to_be_visible()
    assert sections.count() == 0
    page.emulate_media(media="print")
    assert sections.count() == page.locator("main > section").count() > 3
    page.context.close()


def test_it_is_searched(browser: Browser, page_file: Path) -> None:
    page = opened(browser, page_file)
    page.locator("#find").fill("FASS clients")
    assert page.locator("#found > li b").first.inner_text() == "l4-ipc"
    assert not page.locator(".contents").is_visible()
    page.locator("#found a").first.click()
    here = page.locator(".here")
    assert here.is_visible()
    assert "clients" in here.inner_text().lower()
    assert page.url.endswith("#l4-ipc")
    page.get_by_role("link", name="All experiments").click()
    page.locator("#find").fill("no such word")
    expect(page.locator("#found")).to_have_text("Nothing here has all these words.")
    page.context.close()


def test_the_numbers_are_those_of_the_records(page: Page, results: Path) -> None:
    for name in ("l4-ipc", "hostile", "bench"):
        kept = records.load(results / f"{name}.json")
        rows = page.locator(f"#{name} table.every tbody tr")
        cells = rows.evaluate_all(
            "rows => rows.map(row => [...row.querySelectorAll('data')].map(d => d.value))"
        )
        expected = [
            [json.dumps(r.value), *([json.dumps(r.published.value)] if r.published else [])]
            for r in kept
        ]
        assert cells == expected[: report.ROWS]
        beside = page.locator(f"#{name} table.published tbody tr").evaluate_all(
            "rows => rows.map(row => [...row.querySelectorAll('data')].map(d => d.value))"
        )
        lines = report.section(results / f"{name}.json").beside
        assert beside == [
            [json.dumps(value) for value in (*line.ends, line.first.published.value)]
            for line in lines
            if line.first.published
        ]
        # no record with a published value is left out, and none is there twice
        there = [record for line in lines for record in line.records]
        assert sorted(map(str, there)) == sorted(str(r) for r in kept if r.published)
    texts = page.locator("data").evaluate_all("all => all.map(d => [d.value, d.textContent])")
    for value, text in texts:
        assert float(text.replace(",", "")) == pytest.approx(float(value), rel=1e-3)


def test_the_figure_draws_the_numbers_of_the_records(page: Page, results: Path) -> None:
    kept = records.load(results / "l4-ipc.json")
    values = {
        (r.parameters["clients"], r.scheme): r.value
        for r in kept
        if r.metric == "round_trip" and r.machine != l4_pc.MACHINE
    }
    spec = json.loads(page.locator("#figure-0-0 script").text_content() or "")
    drawn = [row for layer in spec["layer"] for row in layer["data"]["values"]]
    schemes = {curve.label: curve.kind for curve in l4_ipc(results).series if not curve.published}
    measured = {
        (row["x"], schemes[row["series"]]): row["y"]
        for row in drawn
        if row.get("series") in schemes
    }
    assert measured.keys() == values.keys()
    for key, value in values.items():
        assert measured[key] == pytest.approx(value, abs=1e-6)
    # and what is drawn says so to who asks the drawing
    labels = page.locator("#figure-0-0 .plot path[aria-roledescription='point']")
    told = labels.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    shown = l4_ipc(results)
    for (clients, _), value in values.items():
        wanted = f"{shown.x_title}: {clients}; {shown.y_title}: "
        told_values = [_number(label, f"{shown.y_title}: ") for label in told if wanted in label]
        assert any(told_value == pytest.approx(value, rel=1e-3) for told_value in told_values)


def _number(text: str, after: str) -> float:
    match = re.search(re.escape(after) + r"([\d.,]+)", text)
    return float(match[1].replace(",", "")) if match else float("nan")


def test_series_go_and_come_by_mouse_and_by_keyboard(page: Page, results: Path) -> None:
    box = page.locator("#figure-0-0 input").nth(0)
    points = "path[aria-roledescription='point']"
    count = f'document.querySelectorAll("#figure-0-0 .plot {points}").length'
    first, *others = [len(curve.marks) for curve in l4_ipc(results).series]
    box.uncheck()
    page.wait_for_function(f"{count} == {sum(others)}")
    box.focus()
    page.keyboard.press("Space")
    page.wait_for_function(f"{count} == {first + sum(others)}")
    bars = "path[aria-roledescription='bar']"
    page.locator("#figure-2-0 label", has_text="kernel").click()
    page.wait_for_function(f'document.querySelectorAll("#figure-2-0 .plot {bars}").length == 2')


def test_a_point_has_a_tooltip(page: Page) -> None:
    page.locator("#figure-0-0 .plot path[aria-roledescription='point']").last.hover(force=True)
    tip = page.locator("#vg-tooltip-element.visible")
    tip.wait_for()
    assert "round trip, µs" in (tip.text_content() or "")


def test_who_cannot_see_is_told(page: Page, results: Path) -> None:
    described = seen(results / "l4-ipc.json").figures["l4-ipc"].description
    assert page.locator("#figure-0-0 img").get_attribute("alt") == described
    assert page.locator("#figure-0-0 .plot svg[aria-label], #figure-0-0 .plot [aria-label]").count()
    assert page.locator("html").get_attribute("lang") == "en"
    for region in page.locator("[role=region]").all():
        assert region.get_attribute("aria-label")
    # each box says what it switches, and the keyboard comes by
    for label in page.locator("fieldset label").all():
        assert (label.text_content() or "").strip()
    for name in ("INPUT", "A"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.tagName") == name


def test_texts_are_texts(page: Page) -> None:
    assert page.title() == "Switchyard: measured beside published"
    assert page.locator("#hostile .question").text_content() == HOSTILE
    assert page.locator("#hostile code").first.text_content() == f"switchyard {HOSTILE}"


def test_a_phone_shows_it_without_scrolling_sideways(browser: Browser, page_file: Path) -> None:
    page = everything(opened(browser, page_file, PHONE))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for i in range(3):
        box = page.locator(".plot svg").nth(i).bounding_box()
        assert box is not None
        assert 250 < box["width"] <= PHONE["width"]
    page.context.close()


def test_without_scripts_there_are_pictures(browser: Browser, page_file: Path) -> None:
    page = opened(browser, page_file, scripts=False)
    for i in range(3):
        picture = page.locator("img.still").nth(i)
        assert picture.is_visible()
        box = picture.bounding_box()
        assert box is not None
        assert box["height"] > 50
    assert not page.locator("fieldset").first.is_visible()
    page.context.close()


def test_printed_there_are_pictures(page: Page) -> None:
    page.emulate_media(media="print")
    assert page.locator("img.still").first.is_visible()
    assert not page.locator(".plot").first.is_visible()
    assert not page.locator("details").first.is_visible()
    assert page.pdf().startswith(b"%PDF")


def test_the_page_says_how_it_was_made(page: Page) -> None:
    told = page.locator("#l4-ipc dl").text_content() or ""
    for word in ("switchyard run l4-ipc --quick", "a stand-in", "Switchyard L4, scheme fass",
                 "sha256:", "commit"):  # fmt: skip
        assert word in told
    assert page.locator("#l4-ipc h3", has_text="Why it deviates").count() == 1


def contrast(colour: str, ground: str) -> float:
    """How far two colours (`rgb(1, 2, 3)`) are apart, as the W3C's guidelines (WCAG 2) count."""

    def light(text: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", text)[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(share * p for share, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    brighter, darker = sorted((light(colour), light(ground)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


GROUND = "getComputedStyle(document.body).backgroundColor"
FILLS = "all => [...new Set(all.map(one => getComputedStyle(one).fill))]"


def test_a_dark_page_is_dark_throughout_and_readable(browser: Browser, page_file: Path) -> None:
    page = everything(opened(browser, page_file, dark=True))
    ground = page.evaluate(GROUND)
    assert contrast(ground, "rgb(0, 0, 0)") < 1.5
    behind = "getComputedStyle(document.querySelector('.plot svg')).backgroundColor"
    assert page.evaluate(behind) == ground
    texts = page.locator("body, .quiet, a, td, dt").evaluate_all(
        "all => [...new Set(all.map(one => getComputedStyle(one).color))]"
    )
    fills = page.locator(".plot svg text:not([aria-hidden])").evaluate_all(FILLS)
    marks = page.locator(".plot svg path[aria-roledescription='point']").evaluate_all(
        "all => [...new Set(all.map(one => getComputedStyle(one).stroke))]"
    )
    drawn = [colour for colour in (*fills, *marks) if colour != ground]
    assert len(drawn) > 3
    for colour in (*texts, *drawn):
        assert contrast(colour, ground) >= 4.5, colour
    # it changes with the computer's setting, and a sheet of paper is white
    page.emulate_media(color_scheme="light")
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"
    page.wait_for_function(f"{behind} == 'rgb(255, 255, 255)'")
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"
    page.context.close()


def test_a_figure_is_there_as_files(page: Page, results: Path, tmp_path: Path) -> None:
    shown = l4_ipc(results)
    files = {}
    for kind in ("csv", "svg", "png"):
        with page.expect_download() as waited:
            page.locator("#figure-0-0 .files a", has_text=kind.upper()).click()
        assert waited.value.suggested_filename == f"l4-ipc.{kind}"
        waited.value.save_as(tmp_path / f"file.{kind}")
        files[kind] = (tmp_path / f"file.{kind}").read_bytes()
    assert files["csv"].decode() == figure.to_csv(shown)
    assert files["svg"].decode() == plot.svg(shown)
    assert shown.title in files["svg"].decode()
    assert files["png"].startswith(b"\x89PNG")
    width, height = (int.from_bytes(files["png"][at : at + 4], "big") for at in (16, 20))
    assert width > 1500
    assert height > 900


def test_papers_and_records_are_linked(page: Page, results: Path) -> None:
    paper = page.locator("#l4-ipc a", has_text="Wiggins et al., ACSAC 2003").first
    assert paper.get_attribute("href") == "https://doi.org/10.1007/978-3-540-39864-6_28"
    kept = page.locator("#l4-ipc details.records a").evaluate("one => one.href")
    assert kept == (results / "l4-ipc.json").as_uri()


def test_units_and_names_are_words(page: Page) -> None:
    texts = page.locator("#l4-ipc th, #l4-ipc td.word").all_text_contents()
    assert "µs" in texts
    assert not [text for text in texts if text == "us" or re.search(r"\w_\w", text)]


def test_abbreviations_are_explained(page: Page) -> None:
    meanings = page.locator("#abbreviations dt").all_text_contents()
    assert {"IPC", "CPD"} <= set(meanings)
    assert "PID" not in meanings  # not met on this page
    head = page.locator("#l4-ipc th abbr", has_text="CPD").first
    assert "caching page directory" in (head.get_attribute("title") or "")


def test_what_is_interesting_comes_first(page: Page) -> None:
    places = [
        page.locator(f"#l4-ipc {what}").first.evaluate("one => one.getBoundingClientRect().top")
        for what in (
            "caption:text('Beside what was published')",
            "figure >> nth=0",
            "h3:text('Why it deviates')",
            "figure >> nth=1",
            "table.published",
            "caption:text('Round-trip IPC')",
            "h3:text('How it was made')",
            "details.records",
        )
    ]
    assert places == sorted(places)
    first = page.locator("nav li").first.text_content() or ""
    assert "of what is published" in first


def test_a_wide_table_shows_that_it_scrolls(browser: Browser, page_file: Path) -> None:
    page = everything(opened(browser, page_file, PHONE))
    page.wait_for_selector(".wide.more")
    told = page.locator(".wide").evaluate_all(
        "all => all.filter(one => one.checkVisibility()).map(one => "
        "[one.classList.contains('more'), one.scrollWidth > one.clientWidth + 1])"
    )
    assert len(told) > 3
    assert all(says == wide for says, wide in told)
    # and one that is opened
    page.locator("#l4-ipc details.records summary").click()
    page.wait_for_selector("#l4-ipc details.records .wide.more")
    page.context.close()


def test_rows_that_say_the_same_are_one() -> None:
    rows = [["1", "7", "8"], ["2", "7", "8"], ["4", "7", "8"], ["8", "7", "9"], ["fass", "7", "9"]]
    rows += [["a heading", "", ""], ["another", "", ""]]
    assert Table("t", ["n", "x", "y"], rows).folded == [
        ["1 to 4", "7", "8"],
        ["8, fass", "7", "9"],
        *rows[5:],
    ]
    lines = [
        Record(
            "e", "m", "s", "flush", metric, value, "us", {"clients": n, "kind": kind},
            Published(135.0, "p") if metric == "round_trip" else None,
        )
        for n, value in ((1, 88.7), (2, 88.6), (4, 88.8), (8, 120.0))
        for metric, kind in (("round_trip", "a"), ("round_trip_p5", "a"), ("round_trip_p95", "a"))
    ]  # fmt: skip
    beside = report.Section("e", "e.json", lines).beside
    assert [(line.what, line.ends) for line in beside] == [
        ("flush round trip, clients 1 to 4, kind a", [88.6, 88.8]),
        ("flush round trip, clients 8, kind a", [120.0]),
    ]
    assert (beside[0].low, beside[0].high) == (88.6, 88.8)
    assert beside[0].ratio == pytest.approx(88.7 / 135)
    assert report.Section("e", "e.json", lines).summary == (
        "0 of 2 within 10% of what is published; 0.66 to 0.89 times it"
    )


def test_figures_of_one_title_are_told_apart() -> None:
    some = [replace(BARS, title="Where", subtitle=[f"{name}; more"]) for name in ("ARM", "PC")]
    assert report.titles([*some, BARS]) == ["Where: ARM", "Where: PC", BARS.title]


def test_cases_along_two_parameters_stay_apart() -> None:
    lines = [
        Record("e", "m", "s", "", "t", 1.0, "us", {"n": n, "k": k}, Published(1.0, "p"))
        for n, k in ((1, 1), (1, 2), (2, 1))
    ]
    beside = report.Section("e", "e.json", lines).beside
    assert [line.what for line in beside] == ["t, n 1, k 1", "t, n 1, k 2", "t, n 2, k 1"]


def test_instructions_and_machines_that_take_the_same_are_one_line() -> None:
    lines = [
        Record("e", machine, "s", "", metric, value, "cycles", {}, Published(1.0, source))
        for machine in ("a", "b")
        for metric, value, source in (("add", 1.0, "p. 1"), ("sub", 1.0, "p. 2"), ("mul", 2.0, ""))
    ]
    section = report.Section("e", "e.json", lines)
    assert [(line.what, line.ends, line.machine, line.source) for line in section.beside] == [
        ("add, sub", [1.0], "a, b", "p. 1; p. 2"),
        ("mul", [2.0], "a, b", ""),
    ]
    # what is near counts each
    assert section.summary == "4 of 6 within 10% of what is published; 1.00 to 2.00 times it"


def test_experiments_without_records_are_named(results: Path, tmp_path: Path) -> None:
    only = tmp_path / "page.html"
    assert cli.execute(["report", str(results / "bench.json"), "--out", str(only)]) == 0
    text = only.read_text()
    assert f"Without records here: {', '.join(EXPERIMENTS)}." in text
    assert "vegaEmbed" not in text  # nothing to draw


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.json", "[{}]", "x.json: record 0: experiment: missing; expected a string"),
        ("x.json", "nonsense", "x.json: line 1, column 1"),
        ("x.outcome.json", "{}", "x.outcome.json: schema: missing; expected a whole number"),
        ("x.meta.json", "[]", "x.meta.json: found []; expected an object"),
    ],
)
def test_a_bad_file_is_one_line(
    name: str, content: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("[]")
    (tmp_path / name).write_text(content)
    assert cli.execute(["report", str(tmp_path), "--out", str(tmp_path / "page.html")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


def test_no_records_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["report", str(tmp_path)]) == 2
    assert "no records; expected those of: switchyard run NAME" in capsys.readouterr().err


def test_numbers_keep_what_stands_before_the_point() -> None:
    texts = {
        123456.7: "123,457",
        12.345678: "12.35",
        3.0: "3",
        0: "0",
        0.00012345: "0.0001234",
        1e20: "100,000,000,000,000,000,000",
    }
    for value, text in texts.items():
        assert report.short(value) == text


def test_a_figure_is_kept_as_what_it_shows(results: Path) -> None:
    shown = l4_ipc(results)
    assert {"flush", "fass"} <= {curve.kind for curve in shown.series if not curve.published}
    assert figure.from_json(json.loads(json.dumps(figure.to_json(shown))), "f") == shown


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"command": 1}',
        '{"host": []}',
        '{"machines": {"sa1110": "fast"}}',
        '{"images": {"a": {"files": 3}}}',
        '{"jobs": [{}]}',
        '{"jobs": "many"}',
    ],
)
def test_metadata_of_another_shape_are_one_line(text: str, tmp_path: Path) -> None:
    file = tmp_path / "e.json"
    records.save([], file)
    records.meta_path(file).write_text(text)
    with pytest.raises(InputError, match=r"e.meta.json: .*expected"):
        report.section(file)


def test_a_system_without_schemes_has_none_in_its_rows() -> None:
    lines = [
        records.Record(
            "silicon", "sa1110", "none", scheme, "delay", 3.0, "cycles",
            {}, records.Published(3.0, "a log"),
        )
        for scheme in ("none", "flush")
    ]  # fmt: skip
    page = report.render([report.Section("silicon", "silicon.json", lines)])
    assert '<th scope="row">delay</th>' in page
    assert '<th scope="row">flush delay</th>' in page
    assert "none delay" not in page
