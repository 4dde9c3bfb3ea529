# SPDX-License-Identifier: Apache-2.0
"""The experiment switching on the stand-in of the simulator, whose answers are known."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from switchyard.data import band
from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.l4_small_spaces.measure import L4SmallSpaces
from switchyard.experiments.switching.measure import KINDS, MACHINES, SPACES, Switching
from switchyard.run import runner
from switchyard.run.experiment import Job, Settings
from switchyard.run.machine import Stats
from switchyard.run.runner import Written
from switchyard.show import report
from switchyard.show.figure import Panels
from switchyard.tests import fake_machine as fake
from switchyard.tests.browsing import PHONE, opened
from switchyard.tests.conftest import faked
from switchyard.tests.runs import Silent
from switchyard.tools import sweep

ARM, PC, U74 = ("sa1110", "versatilepb"), "p4-willamette", "virt-u74"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    with faked(tmp_path_factory.mktemp("fake")):
        out = tmp_path_factory.mktemp("out")
        return runner.run(EXPERIMENTS["switching"], Settings(quick=True), out, 2, Silent())


def content(job: Job) -> tuple[object, ...]:
    return job.guest, job.machine, job.append, job.max_cycles


def test_what_small_spaces_measure_is_not_measured_again() -> None:
    own = Switching().jobs(Settings())
    assert len({job.name for job in own}) == len(own)
    known = {content(job) for job in L4SmallSpaces().jobs(Settings())}
    alone = [job for job in own if job.machine == PC and content(job) not in known]
    assert {job.parameters["kind"] for job in alone} == {SPACES, "lines"}


def test_a_run_a_machine_scheme_and_question() -> None:
    schemes = sum(len(machine.schemes) for machine in MACHINES)
    for settings in (Settings(), Settings(quick=True)):
        assert len(Switching().jobs(settings)) == schemes * (1 + 3)
    (job,) = (j for j in Switching().jobs(Settings(quick=True)) if j.name == "sa1110-fass-spaces")
    assert job.append == "spaces=2,16,64 rounds=100 seed=1"


def test_each_machine_has_all_ways_that_there_are_for_it() -> None:
    ways = {machine.name: set(machine.schemes) for machine in MACHINES}
    for name in ARM:
        assert {"flush", "fass", "fass-shared", "single-space", "tags"} <= ways[name]
    assert {"flush", "small-spaces", "small-spaces-groups", "tags"} <= ways[PC]
    assert {"flush", "single-space", "tags"} <= ways[U74]
    assert all(machine.schemes[0] == "flush" for machine in MACHINES)
    tagged = {job.machine for job in Switching().jobs(Settings()) if "-tags-" in job.name}
    assert tagged == {*(f"{name}-tags" for name in (*ARM, PC)), f"{U74}-asid"}


def test_parts_of_a_full_flush(written: Written) -> None:
    shares = {
        (
            re.sub("-(tags|asid)$", "", r.machine),
            r.scheme,
            r.parameters["kind"],
            r.parameters["size"],
        ): (r.value)
        for r in written.outcome.records
        if r.metric == "share"
    }
    for name in ARM:
        for n in (2, 16, 64):
            assert shares[name, "flush", SPACES, n] == 100
            for scheme in ("fass", "single-space", "tags"):
                part = fake.round_trip(scheme, n - 1, 1) / fake.round_trip("flush", n - 1, 1)
                assert shares[name, scheme, SPACES, n] == pytest.approx(100 * part, abs=1e-5)
    for scheme in ("single-space", "tags"):
        part = fake.round_trip(scheme, 1, 1) / fake.round_trip("flush", 1, 1)
        assert shares[U74, scheme, SPACES, 2] == pytest.approx(100 * part, abs=1e-5)
    for kind, size in (("code", 4096), ("pages", 56), ("lines", 256)):
        part = (500 + 10 * size) / (2500 + 30 * size)
        assert shares["sa1110", "fass", kind, size] == pytest.approx(100 * part, abs=1e-5)


def test_a_row_of_panels_a_machine_and_one_axis_for_all(written: Written) -> None:
    figures = written.outcome.figures("switching")
    assert list(figures) == ["switching", "switching-caches"]
    for figure in figures.values():
        assert isinstance(figure, Panels)
        assert figure.columns == 2
        assert [panel.title for panel in figure.panels] == [m.about for m in MACHINES for _ in "12"]
        assert len({panel.y_range for panel in figure.panels}) == 1
        for panel in figure.panels:
            (machine,) = (m for m in MACHINES if m.about == panel.title)
            measured = [series.kind for series in panel.series if not series.published]
            assert measured == list(machine.schemes)
            assert panel.y_range is not None
            low, high = panel.y_range
            assert all(low <= mark.y <= high for s in panel.series for mark in s.marks)


def test_published_values_stand_in_the_figure(written: Written) -> None:
    main = written.outcome.figure
    assert isinstance(main, Panels)
    published = [
        (panel.title, series.kind, mark.x, mark.y)
        for panel in main.panels
        for series in panel.series
        if series.published
        for mark in series.marks
    ]
    assert published == [("StrongARM", "fass", 2, 7.4), ("Pentium 4", "small-spaces", 56, 50)]


def test_the_page_has_one_picture_of_all_panels(written: Written) -> None:
    section = report.section(written.records)
    assert [drawing.title for drawing in section.drawings] == [
        figure.title for figure in written.outcome.figures("switching").values()
    ]
    page = report.render([section])
    assert page.index("<figure") < page.index("Beside what was published")


@pytest.mark.slow  # a browser takes seconds to start
def test_a_phone_has_letters_that_can_be_read(
    browser: Browser, written: Written, tmp_path: Path
) -> None:
    report.write(report.render([report.section(written.records)]), tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html", PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.evaluate("location.hash = 'everything'")
    page.locator("figure.drawn .plot svg").nth(1).wait_for(state="attached")
    assert page.locator("figure.drawn .plot svg").count() == 2
    heights = page.locator(".plot svg text").evaluate_all(
        "all => all.map(text => text.getBoundingClientRect().height)"
    )
    assert min(heights) >= 8  # of letters with what is above and below them
    assert not page.locator("fieldset").first.is_visible()
    page.context.close()


def test_the_text_tells_of_each_machine(written: Written) -> None:
    text = "\n".join(written.outcome.notes)
    assert (
        "StrongARM, two spaces: a round trip takes 18000 cycles with a full flush and 810" in text
    )
    assert "ARM926, 64 spaces: FASS takes " in text
    assert "Pentium 4, 64 spaces: small spaces take " in text
    assert "U74, two spaces: a round trip takes 18000 cycles with a full flush and 756" in text
    assert "U74, 64 spaces: ASIDs take " in text
    (numbers,) = (table for table in written.outcome.tables if "per cent" in table.title)
    assert len(numbers.rows) == sum(len(machine.schemes) for machine in MACHINES)


def test_a_band_has_two_values_and_their_ratio_a_machine() -> None:
    jobs = {job.name: job for job in band.bases(Switching(), Settings())}
    assert len(jobs) == 2 * len(MACHINES)
    assert {name for pair in Switching.band.ratios.values() for name in pair} == set(jobs)
    job = jobs["sa1110-fass-spaces-8"]
    answer = fake.bench_spaces("assabet-fass-bench-spaces", job.append)
    sample = Switching().measure(job, Stats.parse(json.dumps(answer), "f"))
    assert Switching().row(job, sample)["round"] == fake.round_trip("fass", 7, 1)


def test_a_sweep_chooses_single_sizes(tmp_path: Path) -> None:
    every = Switching().choices(Settings(rounds=7))
    assert len({job.name for job in every}) == len(every)
    (job,) = (job for job in every if job.name == "p4-willamette-small-spaces-pages-56")
    answer = fake.bench_pingpong("isa-pc-small-spaces-bench-pingpong", job.append)
    sample = Switching().measure(job, Stats.parse(json.dumps(answer), "f"))
    row = Switching().row(job, sample)
    assert (row["kind"], row["size"], row["round"]) == ("pages", 56, 500 + 560)
    grid = [sweep.Axis.parse(text) for text in ("machine=sa1110", "kind=spaces", "size=2,64")]
    found = sweep.points(Switching(), Settings(), grid, None, tmp_path)
    assert len(found) == 2 * 4


def test_spaces_without_their_samples_are_no_result() -> None:
    job = Switching().jobs(Settings(quick=True))[0]
    answer = fake.bench_spaces("assabet-flush-bench-spaces", job.append)
    answer["samples"].pop("16")  # type: ignore[attr-defined]
    with pytest.raises(RunError, match="0 samples in stream 16"):
        Switching().measure(job, Stats.parse(json.dumps(answer), "f"))


def test_every_board_has_what_fills_it() -> None:
    assert set(KINDS) == {machine.board for machine in MACHINES}
