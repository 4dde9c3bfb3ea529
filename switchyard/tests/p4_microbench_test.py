# SPDX-License-Identifier: Apache-2.0
"""The experiment p4-microbench: on the machine itself, which it takes seconds to run.

What is asked here holds whatever the machine's prices are, as long as each level is dearer than the
one before: numbers beside what is published are the chapter's.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard.data import band, published, records
from switchyard.data.band import Variant
from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.p4_microbench import measure as p4
from switchyard.experiments.p4_microbench.cases import CASES, STAMPED, Stream, streams
from switchyard.experiments.p4_microbench.measure import LISTS, QUICK_LISTS, P4Microbench, Sample
from switchyard.run import build, runner, variants
from switchyard.run.experiment import Settings
from switchyard.run.jobs import Here
from switchyard.run.machine import Boot, Stats, run
from switchyard.run.runner import Written
from switchyard.show import views
from switchyard.tests.runs import Silent
from switchyard.tools import sweep
from switchyard.tools.sweep import Axis

GUEST = Path(build.root(), "bench", "p4")
MACHINE = p4.MACHINES[0]
JOB = P4Microbench().jobs(Settings(rounds=3))[0]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    out = tmp_path_factory.mktemp("out")
    return runner.run(EXPERIMENTS["p4-microbench"], Settings(rounds=3), out, 2, Silent())


def value(written: Written, metric: str, machine: str = MACHINE, **place: int) -> float:
    (record,) = (
        r
        for r in written.outcome.records
        if (r.metric, r.machine, r.parameters) == (metric, machine, place)
    )
    return record.value


def test_cases_are_the_guests() -> None:
    text = (GUEST / "main.c").read_text()
    cases = re.search(r"#define CASES\(_\)(.*?)/\*", text, re.S)
    assert cases is not None
    assert re.findall(r"_\((\w+),", cases[1]) == list(CASES)
    stamped = re.findall(r"_\((\w+), \d+, 1, (?:ENTRY|RETURN)\)", cases[1])
    assert stamped == list(STAMPED)


def test_the_guest_has_room_for_all_points() -> None:
    text = (GUEST / "main.c").read_text()
    most, some = (int(n) for n in re.findall(r"#define (?:STREAMS|POINTS)\s+(\d+)u", text))
    for lists in (LISTS, QUICK_LISTS):
        assert max(map(len, lists.values())) <= some
        assert len(list(streams({name: list(values) for name, values in lists.items()}))) <= most
        assert p4.TRACE_MEASURED in lists["uops"]


def test_caches_reach_as_far_as_they_are_large(written: Written) -> None:
    # 8 KB; 256 KB, and 512 KB in the second machine; a level is dearer than the one before
    for machine, within in zip(p4.MACHINES, (128, 512), strict=True):
        at = {kb: value(written, "load_latency", machine, kb=kb) for kb in QUICK_LISTS["load"]}
        assert at[8] == pytest.approx(at[2], rel=0.05)
        assert at[16] > 1.5 * at[8]
        assert at[128] == pytest.approx(at[16], rel=0.05)
        assert at[within] < 2 * at[16]
        assert at[4096] > 4 * at[128]
    assert value(written, "load_latency", kb=512) > 4 * value(written, "load_latency", kb=128)


def test_tlbs_reach_as_far_as_they_are_long(written: Written) -> None:
    least, most = min(QUICK_LISTS["pages"]), max(QUICK_LISTS["pages"])
    for tlb, what in (("dtlb", "line"), ("itlb", "jump")):
        assert value(written, f"{what}_walks", pages=least) < 0.01
        assert value(written, f"{what}_walks", pages=most) == pytest.approx(1, abs=0.01)
        # some of the entries are the loop's own
        assert 56 <= value(written, f"{tlb}_reach") <= p4.TLB_ENTRIES


def test_the_trace_cache_holds_its_uops(written: Written) -> None:
    # a trace of six begins anew in code that is longer than all of them
    least, most = min(QUICK_LISTS["uops"]), max(QUICK_LISTS["uops"])
    assert value(written, "uop_builds", uops=least) < 0.01
    assert value(written, "trace_reach") == p4.TRACE_MEASURED
    assert value(written, "uop_builds", uops=most) == pytest.approx(1 / 6, abs=0.01)


def boot() -> Boot:
    build.ensure([build.GUESTS[JOB.guest.name]])
    return JOB.boot(JOB.guest.images)


@pytest.fixture(scope="module")
def stats() -> Stats:
    return run(boot()).stats


def counted(stats: Stats, name: str, at: int, counter: str) -> float:
    """What a counter says of a turn of a point's loop."""
    words = dict(word.split("=") for word in JOB.append.split())
    lists = {key: [int(n) for n in words[key].split(",")] for key in LISTS}
    number = list(streams(lists)).index(Stream(name, at))
    turn = p4.turn(stats, number, int(words["pairs"]), Stream(name, at))
    return turn.counted(counter) * turn.steps


@pytest.mark.parametrize("entries", QUICK_LISTS["entries"])
def test_a_load_of_cr3_takes_what_is_not_global(stats: Stats, entries: int) -> None:
    for what, counter in (("lines", "dtlb_misses"), ("jumps", "itlb_misses")):
        lost = counted(stats, f"cr3_{what}", entries, counter)
        assert lost == pytest.approx(entries, rel=0.05)
        assert counted(stats, f"cr3_{what}_global", entries, counter) < 1
        assert counted(stats, what, entries, counter) < 0.5
    # the trace cache goes in any case
    assert counted(stats, "cr3_jumps_global", entries, "trace_cache_misses") > entries


def test_a_store_into_code_empties_the_trace_cache(stats: Stats) -> None:
    assert counted(stats, "self_modifying", 0, "trace_cache_misses") >= 1
    assert counted(stats, "store_and_call", 0, "trace_cache_misses") < 0.1


def test_files(written: Written) -> None:
    assert records.load(written.records) == list(written.outcome.records)
    assert len(written.figures) == 6
    assert all(figure.exists() for figure in written.figures)
    checks, inputs, cases, *series = written.outcome.tables
    statements = published.statements(P4Microbench(), [])
    # each statement has a value beside it
    assert len(checks.rows) + len(inputs.rows) == len(statements)
    assert len(inputs.rows) == sum(statement.input for statement in statements) > 5
    assert len(cases.rows) > len(CASES)
    assert len(series) == 5 * len(p4.MACHINES)


def test_inputs_are_no_published_results(written: Written) -> None:
    marked = {record.metric for record in written.outcome.records if record.published}
    assert "lock_xadd" in marked
    assert not marked & {"cr3_load_global", "switch_segments", "sysenter", "dtlb_refill_whole"}
    (said,) = (note for note in written.outcome.notes if note.startswith("Inputs, not results: "))
    assert "a load of CR3; " in said
    assert "a locked operation" not in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("pages=1025", "parameter pages: expected 1 to 1024"),
        ("uops=0", "parameter uops: expected 1 to 65536"),
        ("load=" + ",".join(["4"] * 33), "parameter load: malformed"),
    ],
)
def test_the_guest_refuses_what_it_cannot_do(words: str, said: str) -> None:
    with pytest.raises(RunError, match=said):
        run(replace(boot(), append=words))


def sample(cycles: Mapping[str, float]) -> Sample:
    """A machine as the sources have it, but for these cases."""
    series: dict[tuple[str, int], Mapping[str, float]] = {}
    for kb in QUICK_LISTS["load"]:
        load = 2.0 if kb <= 8 else 18.0 if kb <= 256 else 150.0
        series["kb", kb] = {"load_latency": load, "store_through": 1.5}
    for pages in QUICK_LISTS["pages"]:
        walks = float(pages > 56)
        series["pages", pages] = {
            "line": 2 + 47 * walks,
            "line_in_one_page": 2.0,
            "line_walks": walks,
            "jump": 3 + 80 * walks,
            "jump_in_one_page": 3.0,
            "jump_walks": walks,
        }
    for uops in QUICK_LISTS["uops"]:
        builds = 0.1 * (uops > 8192)
        series["uops", uops] = {"uop": 0.5, "uop_builds": builds, "trace_refill": 0.6 * uops}
    for entries in QUICK_LISTS["entries"]:
        refills = {"dtlb_refill": 47.0 * entries, "itlb_refill": 62.5 * entries}
        series["entries", entries] = {**refills, "dtlb_kept": 500.0, "itlb_kept": 510.0}
    some = dict.fromkeys((*CASES, "misprediction", "mispredicted", "self_modification"), 100.0)
    return Sample(MACHINE, some | p4._whole(series) | dict(cycles), series)


def test_what_follows_of_the_series() -> None:
    cycles = sample({}).cycles
    assert cycles["dtlb_miss"] == 47
    assert cycles["itlb_miss"] == 80
    assert cycles["dtlb_reach"] == cycles["itlb_reach"] == 56
    assert cycles["trace_reach"] == 8192
    assert cycles["dtlb_refill_whole"] == 47 * 64
    assert cycles["itlb_refill_whole"] == 4000
    assert cycles["trace_refill_whole"] == pytest.approx(0.6 * 12 * 1024)


def test_tables_tell_checks_from_inputs() -> None:
    changed = {"cr3_load_global": 528.0, "lock_xadd": 52.0, "misprediction": 15.0}
    samples = {MACHINE: sample(changed)}
    checks, inputs = views.of_runs(P4Microbench(), samples).tables[:2]
    assert checks.columns[1] == "published"
    assert inputs.columns[1] == "input"
    ratios = {row[0]: row[3] for row in (*checks.rows, *inputs.rows)}
    assert ratios["a locked operation"] == "0.50"
    assert ratios["a load from memory"] == ratios["refilling the trace cache"] == "within"
    assert ratios["a mispredicted branch"] == "0.75"
    assert ratios["a load of CR3"] == "1.10"
    assert "≥ 20 cycles" in [row[1] for row in inputs.rows]


def test_a_turn_is_what_the_second_of_a_pair_takes_more(stats: Stats) -> None:
    given = replace(stats, samples={0: [10, 2, 100, 500, 100, 164, 100, 196]})
    turn = p4.turn(given, 0, 3, Stream("add"))
    assert (turn.cycles, turn.step, turn.turns) == (9.6, 4.8, 90)
    with pytest.raises(RunError, match="line 8: 8 samples, expected 10"):
        p4.turn(given, 0, 4, Stream("line", 8))
    with pytest.raises(RunError, match="expected some"):
        p4.turn(replace(stats, samples={0: [10, 2, 7, 7]}), 0, 1, Stream("add"))


@pytest.mark.slow
def test_a_sweep_says_how_far_a_larger_tlb_reaches(tmp_path: Path) -> None:
    grid = [Axis.parse("itlb.entries=64,128"), Axis.parse(f"machine={MACHINE}")]
    table = sweep.run(P4Microbench(), Settings(rounds=3), grid, tmp_path, Here(2), Silent())
    columns = "machine", "itlb.entries", "itlb_reach", "dtlb_reach"
    assert table.frame.select(columns).rows() == [(MACHINE, 64, 56, 64), (MACHINE, 128, 80, 64)]


def test_the_band_is_told() -> None:
    """The same run stands for both ends."""
    experiment = P4Microbench()
    (job,) = band.bases(experiment, Settings(rounds=3))
    assert variants.ranges(variants.describe(job.machine)), "assumed constants"
    measured = experiment.measure(job, run(job.boot(job.guest.images)).stats)
    ends = (None, Variant("low", {}), Variant("high", {}))
    wanted = [(replace(job, name=f"{n}"), job, variant) for n, variant in enumerate(ends)]
    rows = band.records(experiment, wanted, {varied.name: measured for varied, _, _ in wanted})
    assumed = band.of(experiment, rows)
    assert assumed is not None
    (told,) = band.sentences(assumed, {})
    assert "INT 80h and IRET, p4-willamette" in told
