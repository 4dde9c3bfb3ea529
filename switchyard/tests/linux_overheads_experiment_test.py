# SPDX-License-Identifier: Apache-2.0
"""The experiment linux-overheads, from statistics whose answers are known; no Linux is booted."""

import json
from collections.abc import Mapping

import pytest

from switchyard import plot, views
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.experiment import Job, Outcome, Settings
from switchyard.experiments.linux_overheads.measure import LinuxOverheads
from switchyard.experiments.linux_overheads.spent import COUNTERS
from switchyard.experiments.overheads.formulas import PAIRS, TASKS
from switchyard.machine import Stats

CLOCK_HZ = 120_000_000
WORK = {"sort": 400_000_000, "deflate": 410_000_000, "aes": 420_000_000, "crc": 390_000_000}
C, D, COLD_D = 1_346, 900, 3_000
LINE = 20  # cycles
DIRTY, REFILL, STRAY = 600, 4_000, 70  # a switch's, a task's after it, a task's after an interrupt
NAMES = sorted({counter for names in COUNTERS.values() for counter in names})
FUNCTIONS = {  # name: own cycles, what it waited for
    "cpu_arm926_switch_mm": (100, {"write_buffer_cycles": DIRTY}),
    "pair_switch": (C - 100 - 500 - 300 - 200, {"fetch_fill_cycles": 500, "data_fill_cycles": 300,
                                               "data_walk_cycles": 200}),
}  # fmt: skip


def function(name: str, own: int, waited: Mapping[str, int], times: int = 1) -> dict[str, object]:
    causes = ("fetch_fill", "fetch_walk", "data_fill", "data_walk", "write_buffer")
    waits = {f"{cause}_cycles": waited.get(f"{cause}_cycles", 0) * times for cause in causes}
    return {
        "name": name,
        "kernel": True,
        "cycles": own * times + sum(waits.values()),
        "instructions": own * times,
        **waits,
    }


def region(number: int, cycles: int, entries: int = 1, **counts: int) -> dict[str, object]:
    kernel = dict.fromkeys(NAMES, 0) | {"cycles": cycles} | counts
    counters = {"user": dict.fromkeys(kernel, 0), "kernel": kernel}
    return {"id": number, "entries": entries, "counters": counters, "events": {}}


def stats(job: Job, shift: int = 0) -> Stats:
    """What a run of that job says if the constants above are all that there is."""
    tasks = str(job.parameters["tasks"]).split(",")
    regions, profile = [], []
    for i, n in enumerate(int(word) for word in str(job.parameters["counts"]).split(",")):
        first = 1 + 3 * i
        if job.parameters["what"] == "switch":
            for part, again in enumerate((n // 2, (n + 1) // 2 - 1)):
                cycles = WORK[tasks[part]] + shift + again * REFILL
                missed = {"dcache_read_misses": again * 235, "fill_stall_cycles": again * REFILL}
                regions.append(region(first + part, cycles, **missed))
                refill = function("x", WORK[tasks[part]], {"data_fill_cycles": again * REFILL})
                profile.append({"region": first + part, "functions": [refill]})
            counts = {"dcache_writebacks": 500 * n, "icache_misses": 500 // LINE * n}
            regions.append(region(first + 2, n * (C + DIRTY), n, **counts))
            functions = [function(name, *what, times=n) for name, what in FUNCTIONS.items()]
            profile.append({"region": first + 2, "functions": functions})
        else:
            cycles = WORK[tasks[0]] + shift + n * (D + STRAY)
            missed = {"fill_stall_cycles": n * STRAY, "icache_misses": n * 3}
            regions.append(region(first, cycles, exception_irq=n, **missed))
    if job.parameters["what"] == "switch":
        waits = {"fill_stall_cycles": 16 * 800, "walk_stall_cycles": 16 * 200}
        lines = {"icache_misses": 16 * 26, "dcache_read_misses": 16 * 21}
        walks = {"table_walk_reads": 16 * 19, "instructions": 16 * 143}
        regions.append(region(250, 16 * C, 16, **waits, **lines, **walks))
        single = [function(name, *what) for name, what in FUNCTIONS.items()]
        profile.append({"region": 250, "functions": single})
    else:
        regions.append(region(251, 100 * D, instructions=47_200))
        regions.append(region(252, 16 * COLD_D, 16))
    text = {
        "schema": 1,
        "machine": job.machine,
        "clock_hz": CLOCK_HZ,
        "end": {"kind": "exit", "status": 0, "message": ""},
        "cycles": 1,
        "instructions": 1,
        "counters": {"user": {}, "kernel": {}},
        "events": {},
        "regions": regions,
        "samples": {},
        "diagnostics": [],
        **({"profile": profile} if job.profile else {}),
    }
    return Stats.parse(json.dumps(text), job.name)


def outcome(settings: Settings, shift: int = 0) -> Outcome:
    """All jobs; each run of a point takes each task `shift` longer than the one before."""
    experiment = LinuxOverheads()
    samples = {}
    for job in experiment.jobs(settings):
        run = job.parameters["run"]
        assert isinstance(run, int)
        samples[job.name] = experiment.measure(job, stats(job, shift * run))
    return views.of_runs(experiment, samples)


def value(results: Outcome, metric: str, **parameters: object) -> float:
    (record,) = [
        r for r in results.records if (r.metric, dict(r.parameters)) == (metric, parameters)
    ]
    return record.value


def test_it_is_known_and_every_point_has_five_runs() -> None:
    experiment = EXPERIMENTS["linux-overheads"]
    jobs = experiment.jobs(Settings())
    assert len(jobs) == len(PAIRS) * 6 + len(TASKS) * 5
    assert len({job.name for job in jobs}) == len({job.append for job in jobs}) == len(jobs)
    assert sum(job.profile for job in jobs) == len(PAIRS)
    assert "overheads.tasks=sort,deflate overheads.counts=1,20,40,60,80,99" in jobs[0].append
    assert len(experiment.jobs(Settings(rounds=7))) == len(PAIRS) * 8 + len(TASKS) * 7


def test_overheads_are_what_was_put_in() -> None:
    results = outcome(Settings())
    assert value(results, "switch_direct") == pytest.approx(C / 120, abs=1e-5)
    assert value(results, "interrupt_direct") == pytest.approx(D / 120, abs=1e-5)
    assert value(results, "interrupt_direct_cold") == pytest.approx(COLD_D / 120, abs=1e-5)
    for n in (20, 99):
        again = (n // 2) + (n + 1) // 2 - 1
        cycles = again * REFILL + (n - 1) * DIRTY
        indirect = value(results, "indirect", pair="aes-crc", switches=n)
        assert indirect == pytest.approx(cycles * 1e3 / CLOCK_HZ, abs=1e-5)
    stray = value(results, "interrupt_indirect", task="crc", interrupts=49)
    assert stray == pytest.approx(49 * STRAY / 120, abs=1e-4)
    assert value(results, "switch_max_cv") == 0


def test_a_sweep_has_each_time_of_a_run() -> None:
    experiment = LinuxOverheads()
    jobs = {job.name: job for job in experiment.jobs(Settings(quick=True))}
    switch, interrupt = (jobs[name] for name in ("switch-aes-crc-0", "interrupt-crc-0"))
    row = experiment.row(switch, experiment.measure(switch, stats(switch)))
    assert (row["tasks"], row["direct"]) == ("aes,crc", C)
    assert (row["first_1"], row["switches_99"]) == (WORK["aes"], 99 * (C + DIRTY))
    row = experiment.row(interrupt, experiment.measure(interrupt, stats(interrupt)))
    assert (row["direct"], row["task_49"]) == (D, WORK["crc"] + 49 * (D + STRAY))


def test_a_run_that_differs_is_seen_in_the_variation() -> None:
    results = outcome(Settings(), shift=100_000)
    # five runs, 200,000 cycles apart; the largest is that of the shortest pair
    assert value(results, "switch_max_cv") == pytest.approx(316_228 / 790_400_000, rel=0.01)
    assert value(results, "interrupt_max_cv") > 0
    # and not in the overheads: all runs of a point are shifted alike
    assert value(results, "indirect", pair="aes-crc", switches=1) == pytest.approx(0, abs=1e-6)


def test_cycles_by_where_they_go() -> None:
    results = outcome(Settings(quick=True))

    def part(name: str) -> float:
        return value(results, f"switch_part: {name}", pair="sort-deflate") * 120

    assert part(suite.FLUSH) == pytest.approx(100 + DIRTY, abs=1e-3)
    assert part(suite.IFILL) == pytest.approx(500, abs=1e-3)
    assert part(suite.DFILL) == pytest.approx(300 + REFILL * 98 / 99, abs=1e-3)
    assert part(suite.WALKS) == pytest.approx(200, abs=1e-3)
    assert part(suite.KERNEL) == pytest.approx(C - 1100, abs=1e-3)
    for name, cycles in ((suite.IFILL, 3 * LINE), (suite.DFILL, STRAY - 60), (suite.KERNEL, D)):
        interrupt = value(results, f"interrupt_part: {name}", task="aes") * 120
        assert interrupt == pytest.approx(cycles, abs=1e-3)


def test_reasons_are_worked_out_from_the_counters() -> None:
    results = outcome(Settings())
    text = "\n".join(results.notes)
    # 2.5 ms of the paper for 49 times 235 lines
    assert "235 lines that it fills again here after each would be 26 cycles a line; 20 are" in text
    assert "1346 cycles for 143 instructions, of which 1000 wait for 26 lines" in text
    # 346 cycles that do not wait, and 66 reads of memory
    assert "Were each of these 26 cycles, it would be 2065: memory" in text
    assert value(results, "refilled_dcache_misses", task="sort") == 235
    assert "bubble sort 235 (and 0 of instructions)" in text
    assert "are 208 to 282 µs each" in text
    assert "bubble sort 29 to 29, deflate 29 to 29" in text
    once = outcome(Settings(rounds=1))
    assert "in single runs" not in "\n".join(once.notes)


def test_figures_and_tables() -> None:
    results = outcome(Settings())
    figures = results.figures("linux-overheads")
    assert len(figures) == 1 + len(PAIRS) + 1 + 2
    for name in ("tasks-sort-deflate", "breakdown"):
        assert plot.spec(figures[f"linux-overheads-{name}"])
    assert [len(table.rows) for table in results.tables] == [14, len(PAIRS), len(TASKS)]
    assert results.tables[0].rows[4][:2] == [
        "indirect, bubble sort and deflate, 99 switches",
        "10.3 ms",
    ]
