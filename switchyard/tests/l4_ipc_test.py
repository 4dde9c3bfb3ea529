# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-ipc on the stand-in of the simulator, whose answers are known."""

import dataclasses
import gzip
import hashlib
import json
from pathlib import Path

import pytest

from switchyard.data import band, records
from switchyard.data.band import Swing
from switchyard.data.rows import Row
from switchyard.errors import InputError, RunError
from switchyard.experiments import EXPERIMENTS, l4_pc
from switchyard.experiments.l4 import COLUMNS
from switchyard.experiments.l4_ipc.measure import BAND_CLIENTS, CLIENTS, L4Ipc, values_of
from switchyard.run import runner, store, variants
from switchyard.run.experiment import Settings
from switchyard.run.machine import Stats
from switchyard.run.runner import Written
from switchyard.show import plot
from switchyard.show.figure import Figure
from switchyard.tests import fake_machine as fake
from switchyard.tests.conftest import faked
from switchyard.tests.runs import Silent, digest

ROUNDS = 24


def run(out: Path, workers: int = 2) -> Written:
    return runner.run(EXPERIMENTS["l4-ipc"], Settings(rounds=ROUNDS), out, workers, Silent())


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where runs are kept: with a band the plain ones need not be made again."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, kept: Path) -> Written:
    with (
        faked(tmp_path_factory.mktemp("fake"), drawn=True),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv(store.OVERRIDE, str(kept))
        return run(tmp_path_factory.mktemp("out"))


def value(written: Written, scheme: str, metric: str, clients: int) -> records.Record:
    (record,) = [
        r
        for r in written.outcome.records
        if (r.scheme, r.metric, r.parameters) == (scheme, metric, {"clients": clients})
        and r.machine != l4_pc.MACHINE
    ]
    return record


def test_the_jobs_cover_the_figure() -> None:
    for settings, rounds in ((Settings(), 20_000), (Settings(quick=True), 1_000)):
        jobs = L4Ipc().jobs(settings)
        pc = [job for job in jobs if l4_pc.is_on(job)]
        assert len({job.name for job in jobs}) == len(jobs)
        assert len(pc) == 5 * len(l4_pc.SCHEMES) * len(CLIENTS)
        assert len(jobs) - len(pc) == 5 * 5 * len(CLIENTS)
        assert {job.append.split("seed=")[1] for job in jobs} == set("12345")
        assert all(f"rounds={rounds}" in job.append for job in jobs)
        assert {job.machine for job in pc} == {l4_pc.MACHINE}
        jobs = [job for job in jobs if not l4_pc.is_on(job)]
        assert {job.parameters["scheme"] for job in jobs} == {*COLUMNS}
        assert all(
            (job.machine == "sa1110-tags") == (job.parameters["scheme"] == "tags") for job in jobs
        )


def test_every_point_has_its_records(written: Written) -> None:
    for scheme in COLUMNS:
        for clients in CLIENTS:
            trips = [fake.round_trip(scheme, clients, i) for i in range(ROUNDS)]
            assert value(written, scheme, "round_trip", clients).value == pytest.approx(
                sum(trips) / ROUNDS / 200
            )
            for metric in (
                "round_trip_uncertainty",
                "icache_misses",
                "cache_flushes",
                "collisions",
            ):
                value(written, scheme, metric, clients)
    assert value(written, "flush", "cache_flushes", 3).value == 2
    assert value(written, "fass", "domains_recycled", 14).value == 0
    assert value(written, "fass", "domains_recycled", 15).value == 0.25
    assert value(written, "fass", "dtlb_misses", 24).value == 2
    assert value(written, "fass", "speedup", 1).value == pytest.approx(18_000 / 810, abs=1e-6)


def test_published_values_stand_only_where_the_text_gives_them(written: Written) -> None:
    published = {
        (r.scheme, r.metric, r.parameters.get("clients")): r.published.value
        for r in written.outcome.records
        if r.published is not None
    }
    flush = {("flush", "round_trip", clients): 135.0 for clients in CLIENTS}
    assert published == flush | {
        ("fass", "round_trip", 1): 10.0,
        ("fass", "round_trip", 14): 12.0,
        ("fass", "speedup", 1): 13.0,
        ("fass", "speedup", 14): 11.0,
        ("fass", "knee", None): 15,
    }


def test_the_pc_has_records_of_its_own(written: Written) -> None:
    found = {
        (r.scheme, r.metric, r.parameters["clients"]): r
        for r in written.outcome.records
        if r.machine == l4_pc.MACHINE
    }
    for scheme in l4_pc.SCHEMES:
        for clients in CLIENTS:
            trips = [fake.round_trip(scheme, clients, i) for i in range(ROUNDS)]
            record = found[scheme, "round_trip", clients]
            assert record.value == pytest.approx(sum(trips) / ROUNDS / 200)
            assert record.published is None
    assert ("flush", "domains_recycled", 1) not in found
    assert found["flush", "dtlb_misses", 1].value == 2
    assert "On a Pentium 4, flush:" in "\n".join(written.outcome.notes)


def test_the_knee_is_found_by_its_cause(written: Written) -> None:
    knee, other = [r for r in written.outcome.records if r.metric == "knee"]
    assert (knee.scheme, knee.value, knee.parameters) == ("fass", fake.KNEE, {})
    assert knee.published is not None
    assert (other.scheme, other.value, other.published) == ("fass-shared", fake.KNEE, None)


def test_files(written: Written) -> None:
    out = written.records.parent
    assert records.load(written.records) == list(written.outcome.records)
    meta = json.loads(records.meta_path(written.records).read_text())
    assert meta["date"].startswith("20")
    runs = 2 * len(CLIENTS) * (len(COLUMNS) + len(l4_pc.SCHEMES))
    assert len(meta["jobs"]) == runs
    image = hashlib.sha256(b"assabet-fass-bench-ipc").hexdigest()
    assert meta["images"]["assabet-fass-bench-ipc"]["files"] == {"kernel": f"sha256:{image}"}
    assert meta["machines"]["sa1110"] == {"description": "a stand-in"}
    assert set(meta["machines"]) == {"sa1110", "sa1110-tags", l4_pc.MACHINE}
    assert {path.suffix for path in written.figures} == {".svg", ".png"}
    assert written.figures[1].read_bytes().startswith(b"\x89PNG")
    assert len(list(written.raw.iterdir())) == runs
    raw = Stats.parse(gzip.decompress((written.raw / "fass-15-run1.json.gz").read_bytes()), "raw")
    assert raw.samples[15] == [fake.round_trip("fass", 15, i) + fake.TIMING for i in range(ROUNDS)]
    assert all(note in (out / "l4-ipc.md").read_text() for note in written.outcome.notes)


@pytest.mark.long  # the kernel's tests do it with fewer runs, and the simulator itself
def test_two_runs_write_the_same_bytes(written: Written, tmp_path: Path) -> None:
    with faked(tmp_path, drawn=True):
        run(tmp_path / "two", workers=5)
    assert digest(tmp_path / "two") == digest(written.records.parent)


def test_the_figure_shows_the_schemes_and_the_anchors(written: Written) -> None:
    figure = written.outcome.figure
    assert isinstance(figure, Figure)
    shown = {(s.kind, s.published): s for s in figure.series}
    assert len(shown[("flush", False)].marks) == len(shown[("fass", False)].marks) == 30
    assert [(m.x, m.y) for m in shown[("fass", True)].marks] == [(1, 10.0), (14, 12.0)]
    assert {m.y for m in shown[("flush", True)].marks} == {135.0}
    assert [(k.x, k.published) for k in figure.knees] == [(15, True), (15, False)]
    svg = written.figures[0].read_text()
    for series in figure.series:
        assert series.label in svg
    for knee in figure.knees:
        assert knee.label in svg
    assert figure.y_range is not None
    low, high = figure.y_range
    assert all(low <= mark.y <= high for s in figure.series for mark in s.marks)


def test_no_series_differ_by_colour_alone(written: Written) -> None:
    drawn = plot.spec(written.outcome.figure)
    marks = [layer["mark"] for layer in drawn["layer"] if layer["mark"]["type"] == "point"]
    assert len(marks) == 7
    assert len({(mark["shape"], mark["fill"] == "white", mark["color"]) for mark in marks}) == 7
    measured = [mark for mark in marks if mark["fill"] != "white"]
    assert len({mark["shape"] for mark in measured}) == 5


def test_the_notes_speak_of_what_was_measured(written: Written) -> None:
    text = "\n".join(written.outcome.notes)
    assert "90.0 to 90.0 µs" in text
    assert "33% below the published 135 µs" in text
    assert "fass, 1 client: 4.05 µs" in text
    assert "recycled with 15 clients (published: 15), 0.250 a round trip" in text
    assert "one flush serves 2.0 recyclings" in text
    assert "stalled for 70 cycles on average" in text
    assert "64 more lines to refill" in text
    assert "54% for the reads by which flushes clean" in text
    assert "39% for 100.0 line fills from memory" in text
    assert "spaces collide" not in text
    assert "0.52 µs with 1 client (810 against 705 cycles, 1.15 times)" in text
    assert "it is 0.0% longer while there are domains for all" in text


def test_the_interval_is_over_the_seeds() -> None:
    """What a seed draws moves all of its round trips: these are not independent of each other."""
    experiment = L4Ipc()
    runs = []
    for job, shift in zip(
        experiment.jobs(Settings()), (0, 1_000, 2_000, 3_000, 4_000), strict=False
    ):
        answer = fake.bench_ipc("flush", f"clients=1-1 rounds={ROUNDS}")
        answer["samples"]["1"] = [sample + shift for sample in answer["samples"]["1"]]  # type: ignore[index]
        fewer = dataclasses.replace(job, append=job.append.replace("20000", str(ROUNDS)))
        runs.append(experiment.measure(fewer, Stats.parse(json.dumps(answer), "f")))
    values = {name: value for name, value, _ in values_of(runs)}
    row = Row({"clients": 1}, values)
    assert row["round_trip"] == pytest.approx(100)
    assert row["round_trip_samples"] == 5 * ROUNDS
    # Student's t with 4 degrees of freedom, of a deviation of 7.906 µs
    assert row.interval("round_trip").half == pytest.approx(2.776 * 7.9057 / 5**0.5, rel=1e-4)
    assert not row.interval("round_trip").stable
    assert row.spread("round_trip", "{:.2f}".format) == "≈ 100.00 (89.90–110.10)"
    mark = row.mark("clients", "round_trip", spread=True)
    assert (mark.x, mark.low, mark.high) == (1, 89.9, 110.1)


def test_samples_that_are_missing_are_no_result() -> None:
    (job, *_) = L4Ipc().jobs(Settings(rounds=ROUNDS))
    short = fake.bench_ipc("flush", f"clients=1-1 rounds={ROUNDS - 1}")
    with pytest.raises(RunError, match="23 samples"):
        L4Ipc().measure(job, Stats.parse(json.dumps(short), "f"))


def test_samples_without_their_timing_are_no_result() -> None:
    (job, *_) = L4Ipc().jobs(Settings(rounds=ROUNDS))
    untimed = fake.bench_ipc("flush", f"clients=1-1 rounds={ROUNDS}")
    untimed["samples"] = {"1": [900] * ROUNDS}
    with pytest.raises(RunError, match="stream 0"):
        L4Ipc().measure(job, Stats.parse(json.dumps(untimed), "f"))
    untimed["samples"] = {"0": [12], "1": [900] * (ROUNDS - 1) + [12]}
    with pytest.raises(RunError, match="a round trip of 12 cycles"):
        L4Ipc().measure(job, Stats.parse(json.dumps(untimed), "f"))


@pytest.fixture(scope="module")
def banded(tmp_path_factory: pytest.TempPathFactory, kept: Path) -> Written:
    with faked(tmp_path_factory.mktemp("fake")), pytest.MonkeyPatch.context() as patch:
        patch.setenv(store.OVERRIDE, str(kept))
        return runner.run(
            EXPERIMENTS["l4-ipc"],
            Settings(rounds=ROUNDS),
            tmp_path_factory.mktemp("out"),
            2,
            Silent(),
            with_band=True,
        )


def test_a_band_is_beside_the_result_and_changes_none_of_it(
    written: Written, banded: Written
) -> None:
    plain = list(written.outcome.records)
    assert list(banded.outcome.records[: len(plain)]) == plain
    more = banded.outcome.records[len(plain) :]
    ranges = variants.ranges(variants.describe("sa1110"))
    # each constant's two ends, all of them low and high, prices of a line, and none changed
    each = 2 * len(ranges) + 2 + len(L4Ipc.band.moved_together) + 1
    values = [record for record in more if record.metric == "band_us"]
    ratios = [record for record in more if record.metric == "band_ratio"]
    assert len(values) == each * 2 * len(BAND_CLIENTS)
    assert len(ratios) == len(more) - len(values) == each * len(BAND_CLIENTS)
    assert {record.machine for record in more} == {"sa1110"}
    assert {record.parameters["rounds"] for record in more} == {ROUNDS}
    speedup = next(
        record for record in ratios if record.parameters["ratio"] == "flush over fass, 1"
    )
    assert speedup.value == pytest.approx(18_000 / 810, abs=1e-6)
    names = {str(record.parameters["assumed"]) for record in more}
    assert {"nominal", "all low", "memory.zeros-first = 22", "zeros-bank line 8"} <= names
    assert records.load(banded.records) == list(banded.outcome.records)


def test_a_band_is_in_table_figure_and_text(banded: Written) -> None:
    last = banded.outcome.tables[-1]
    assert last.title.startswith("What it rests on: µs")
    assert last.rows[0][0] == "the machine as it is"
    figure = banded.outcome.figure
    assert isinstance(figure, Figure)
    series = next(curve for curve in figure.series if not curve.line)
    assert [mark.x for mark in series.marks] == list(BAND_CLIENTS)
    assert all(mark.low <= mark.y <= mark.high for mark in series.marks)  # type: ignore[operator]
    assert any("Over the ranges of the assumed constants" in note for note in banded.outcome.notes)
    text = Path(banded.records.with_suffix(".meta.json")).read_text()
    assert "sa1110-" not in text.replace("sa1110-tags", "")


def test_a_bands_sentence_says_whether_the_published_value_lies_within() -> None:
    swing = Swing(100.0, {"a = 1": 50.0, "b = 2": 140.0, "c = 3": 101.0})
    text = band.sentence("flush-64", swing, "µs", 135.0)
    assert "from 50.00 to 140.00 µs (100.00 with the machine as it is;" in text
    assert "135 lies within" in text
    assert text.index("a = 1") < text.index("b = 2") < text.index("c = 3")
    assert "lies outside" in band.sentence("flush-64", swing, "µs", 150.0)
    assert "published" not in band.sentence("flush-64", swing, "µs")
    still = Swing(100.0, {"a = 1": 100.05, "b = 2": 100.0})
    assert band.sentence("x", still, "µs").endswith(". Nothing moves it.")


def test_experiments_without_a_band_say_so() -> None:
    with pytest.raises(InputError, match=r"l4-policy: has no band; expected one of .*l4-ipc"):
        runner.run(
            EXPERIMENTS["l4-policy"], Settings(), Path("nowhere"), 1, Silent(), with_band=True
        )
