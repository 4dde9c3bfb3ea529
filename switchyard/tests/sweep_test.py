# SPDX-License-Identifier: Apache-2.0
"""Sweeps on the stand-in of the simulator: the grid, its table, what a death costs."""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import altair as alt
import dask
import polars
import pytest
import vl_convert
from distributed import LocalCluster

from switchyard import cli
from switchyard.errors import InputError
from switchyard.experiments import EXPERIMENTS
from switchyard.run import variants
from switchyard.run.experiment import Settings
from switchyard.show import heatmap
from switchyard.tests import fake_machine as fake
from switchyard.tests.conftest import faked, held, runs_made
from switchyard.tools import sweep
from switchyard.tools.sweep import Axis

ROUNDS = 12
GRID = ["icache.size-bytes+dcache.size-bytes=4096,8192", "clients=1,14,15", "scheme=flush,fass"]
COLUMNS = ["machine", "icache.size-bytes", "dcache.size-bytes"]


def command(out: Path, *more: str, grid: list[str] = GRID) -> list[str]:
    axes = [word for axis in grid for word in ("--grid", axis)]
    return ["sweep", "l4-ipc", *axes, "--rounds", str(ROUNDS), "--out", str(out), *more]


def table(out: Path) -> polars.DataFrame:
    return polars.read_parquet(out / "l4-ipc.sweep.parquet")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """How many runs were made since it was asked last, on the stand-in."""
    with faked(tmp_path):
        yield runs_made(tmp_path, monkeypatch)


def test_a_row_for_each_point_in_the_grids_order(log: Callable[[], int], tmp_path: Path) -> None:
    assert cli.execute(command(tmp_path / "out", "--jobs", "3")) == 0
    assert log() == 12
    frame = table(tmp_path / "out")
    assert frame.columns[:3] == COLUMNS
    keys = frame.select("icache.size-bytes", "dcache.size-bytes", "scheme", "clients").rows()
    assert keys == [
        (size, size, scheme, clients)
        for size in (4096, 8192)
        for scheme in ("flush", "fass")
        for clients in (1, 14, 15)
    ]
    for row in frame.iter_rows(named=True):
        trips = [fake.round_trip(row["scheme"], row["clients"], i) for i in range(ROUNDS)]
        assert row["us"] == pytest.approx(sum(trips) / ROUNDS / 200)
        assert row["machine"] == "sa1110"
        assert row["rounds"] == ROUNDS
        assert row["domains_recycled"] == (
            0.25 if (row["scheme"], row["clients"]) == ("fass", 15) else 0
        )
    about = polars.read_parquet_metadata(tmp_path / "out" / "l4-ipc.sweep.parquet")
    assert about["experiment"] == "l4-ipc"
    assert about["simulator"].startswith("sha256:")


def test_nothing_runs_twice(log: Callable[[], int], tmp_path: Path) -> None:
    assert cli.execute(command(tmp_path / "one")) == 0
    assert log() == 12
    assert cli.execute(command(tmp_path / "two")) == 0
    assert log() == 0
    names = [path / "l4-ipc.sweep.parquet" for path in (tmp_path / "one", tmp_path / "two")]
    assert names[0].read_bytes() == names[1].read_bytes()
    # one more size, and only that runs
    wider = [GRID[0] + ",16384", *GRID[1:]]
    assert cli.execute(command(tmp_path / "three", grid=wider)) == 0
    assert log() == 6
    assert table(tmp_path / "three").height == 18


def test_a_guest_that_dies_costs_its_point(
    log: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(fake.DEATH, "clients=14-14")
    assert cli.execute(command(tmp_path / "out")) == 1
    said = capsys.readouterr().err
    assert "4 of 12 points failed, the same command tries them again; the first (machine" in said
    assert "console line 39" in said
    assert "Traceback" not in said
    assert table(tmp_path / "out").height == 8
    log()
    monkeypatch.delenv(fake.DEATH)
    assert cli.execute(command(tmp_path / "out")) == 0
    assert log() == 4
    assert table(tmp_path / "out").height == 12


def test_a_machine_is_the_described_one_but_for_the_keys(tmp_path: Path) -> None:
    (few,) = {
        point.job.machine
        for point in sweep.points(
            EXPERIMENTS["l4-ipc"],
            Settings(rounds=1),
            [Axis.parse("memory.read-next=9"), Axis.parse("clients=1")],
            None,
            tmp_path,
        )
    }
    before, after = variants.describe("sa1110"), variants.describe(few)
    changed = {
        key: (value, variants.keys(after)[key])
        for key, value in variants.keys(before).items()
        if value != variants.keys(after)[key]
    }
    assert str(changed.pop("name")[1]).startswith("sa1110-")
    assert changed == {"memory.read-next": (7, 9)}


def test_a_kernel_is_built_for_the_data_cache(log: Callable[[], int], tmp_path: Path) -> None:
    axes = ["dcache.size-bytes=4096,8192,16384", "clients=1", "scheme=flush,fass"]
    grid = [Axis.parse(axis) for axis in axes]
    grid_points = sweep.points(EXPERIMENTS["l4-ipc"], Settings(rounds=1), grid, None, tmp_path)
    assert [point.job.guest.name for point in sweep.fitted(grid_points)] == [
        "assabet-flush-dcache4096-bench-ipc",
        "assabet-fass-dcache4096-bench-ipc",
        "assabet-flush-bench-ipc",
        "assabet-fass-bench-ipc",
        "assabet-flush-dcache16384-bench-ipc",
        "assabet-fass-dcache16384-bench-ipc",
    ]
    assert log() == 0


@pytest.mark.parametrize(
    ("text", "names", "values"),
    [
        ("a=1", ("a",), (1,)),
        ("a.b+c=x,2,x", ("a.b", "c"), ("x", 2)),
        ("n=1..4,8", ("n",), (1, 2, 3, 4, 8)),
        ("replacement=round-robin", ("replacement",), ("round-robin",)),
    ],
)
def test_axes(text: str, names: tuple[str, ...], values: tuple[Any, ...]) -> None:
    assert Axis.parse(text) == Axis(names, values)


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ("clients", "--grid clients: expected NAME=VALUE,VALUE"),
        ("clients=", "--grid clients=: expected NAME=VALUE,VALUE"),
        ("clients=1,,2", "expected NAME=VALUE,VALUE"),
        ("clients=9..1", "9..1; expected at most 1000 rising numbers"),
        ("clients=1..999999999", "expected at most 1000 rising numbers"),
        ("clients=many", "--grid clients=many: no run has it; expected some of 1, 2, 3"),
        ("scheme=fast", "--grid scheme=fast: no run has it; expected some of flush, fass, "),
        ("dcache.sise=1", "neither a parameter nor a key of the machine sa1110; expected one of"),
        ("name=x", "--grid name: neither a parameter nor a key"),
        ("dcache.ways=3", "sa1110 with dcache.ways=3: "),
        ("dcache.size-bytes=1048576", "expected at most 524288, which"),
        ("mini-dcache.size-bytes=1024", "mini-dcache.size-bytes: 1024; expected 512, which"),
        ("mini-dcache.line-bytes+clients=1", "--grid clients: neither a parameter nor a key"),
    ],
)
def test_a_wrong_grid_is_one_line(
    grid: str, said: str, log: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.execute(command(tmp_path / "out", grid=[grid])) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1, error
    assert "expected" in error
    assert log() == 0


def test_schemes_are_compared_over_the_grid(
    log: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = [*GRID, "memory.read-next=5,7"]
    drawn = command(tmp_path / "out", "--compare", "scheme=flush/fass", grid=grid)
    assert cli.execute(drawn) == 0
    stem = tmp_path / "out" / "l4-ipc.sweep-scheme-flush-fass"
    assert str(stem) in "".join(capsys.readouterr().out.split())
    assert stem.with_name(f"{stem.name}.png").read_bytes().startswith(b"\x89PNG")
    svg = stem.with_name(f"{stem.name}.svg").read_text()
    # 18000 cycles over 810, 940 and 1350 at every size
    for word in (
        "22.2",
        "19.1",
        "13.3",
        "4 KB",
        "8 KB",
        "size of each cache",
        "cycles a word: 5",
        "Time: full flush over FASS",
    ):
        assert f">{word}<" in svg
    assert log() == 24


def test_ratios_pair_the_points_that_are_alike() -> None:
    frame = polars.DataFrame(
        {"s": ["a", "b", "b", "a", "a"], "n": [1, 2, 1, 2, 3], "us": [10.0, 4.0, 2.0, 6.0, 9.0]}
    )
    ratios = heatmap.ratios(frame, ["n"], heatmap.Compared("s", "a", "b"), "us")
    assert dict(ratios.select("n", "ratio").rows()) == {1: 5.0, 2: 1.5}


def test_colour_begins_beyond_noise() -> None:
    assert heatmap.beyond_noise(1.0009) == heatmap.beyond_noise(0.9991) == 0
    assert heatmap.beyond_noise(1.01) > 0 > heatmap.beyond_noise(0.99)
    told = {0.9994: "0.999", 1.0321: "1.032", 0.8123: "0.812", 1.2345: "1.23", 22.22: "22.2"}
    told |= {0.72: "0.720", 99.96: "100", 1234.5: "1234"}
    assert {ratio: heatmap.digits(ratio) for ratio in told} == told


def test_a_cell_without_a_run_says_so() -> None:
    frame = polars.DataFrame(
        {
            "s": ["a", "b"] * 3,
            "n": [1, 1, 2, 2, 1, 1],
            "m": [1, 1, 1, 1, 2, 2],
            "us": [1.0005, 1.0, 1.02, 1.0, 4.0, 2.0],
        }
    )
    compared = heatmap.Compared("s", "a", "b")
    drawn = heatmap.draw(frame, [("s",), ("n",), ("m",)], compared, "us")
    alt.TopLevelSpec.validate(drawn)
    rows = drawn["data"]["values"]
    cells = {(row["x"], row["y"]): (row["text"], row["log"]) for row in rows}
    assert cells["1", "1"] == ("1.000", 0)
    assert cells["2", "2"] == ("no run", None)
    assert cells["1", "2"][0] == "2.00"
    assert ">no run<" in vl_convert.vegalite_to_svg(drawn)


@pytest.mark.parametrize(
    ("compare", "said"),
    [
        ("scheme", "--compare scheme: expected AXIS=VALUE/VALUE as scheme=flush/fass"),
        ("scheme=flush", "expected AXIS=VALUE/VALUE"),
        ("scheme=flush/slow", "--compare scheme=slow: no point has it; expected"),
        ("colour=red/blue", "--compare colour: not in the table; expected one of machine"),
    ],
)
def test_a_wrong_comparison_is_one_line(
    compare: str, said: str, log: Callable[[], int], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert log() == 0
    assert cli.execute(command(tmp_path / "out", "--compare", compare)) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_an_axis_is_given_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--grid clients: given twice"):
        sweep.points(
            EXPERIMENTS["l4-ipc"],
            Settings(),
            [Axis.parse("clients=1"), Axis.parse("clients=2")],
            None,
            tmp_path,
        )


def test_no_scheduler_is_one_line(
    log: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("switchyard.run.cluster.PATIENCE_SECONDS", 1)
    nobody = ["--scheduler", "tcp://127.0.0.1:9"]
    assert cli.execute(command(tmp_path / "out", *nobody)) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "--scheduler tcp://127.0.0.1:9" in said
    assert "expected the address of a running dask scheduler" in said
    assert log() == 0


def cluster(**more: Any) -> Any:
    """Two workers of one thread each, every one a process of its own that is begun anew."""
    return LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, **more
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "again",
    [
        pytest.param(True, id="it is tried again"),
        pytest.param(False, id="it is given up", marks=pytest.mark.long),
    ],
)
def test_a_worker_that_is_killed_costs_only_its_point(
    log: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    again: bool,
) -> None:
    assert cli.execute(command(tmp_path / "here", "--fresh")) == 0
    assert log() == 12
    whole = table(tmp_path / "here")
    hold = held(tmp_path, monkeypatch, 2)
    file = Path(os.environ[fake.LOG])

    def strike(workers: Any) -> None:
        """In the middle of the third run or its neighbour's, which end after that."""
        while len(file.read_text().splitlines()) < 4:
            time.sleep(0.02)
        os.kill(next(iter(workers.values())).pid, signal.SIGKILL)
        hold.unlink()

    address = ["--scheduler", "", "--fresh"]
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 3 if again else 0}),
        cluster() as there,
    ):
        threading.Thread(target=strike, args=(there.workers,)).start()
        address[1] = there.scheduler_address
        status = cli.execute(command(tmp_path / "there", *address))
    frame = table(tmp_path / "there")
    if again:
        assert status == 0
        # the run that the dead worker had, again, and what it had not handed over
        # if it had begun
        assert log() in (12, 12 + 1, 12 + 2)
        # the images and machines that the workers had were those that were sent
        assert frame.equals(whole)
    else:
        assert status == 1
        said = capsys.readouterr().err
        assert re.search("[12] of 12 points failed, the same command tries them again", said)
        assert "killed each worker that it was given to" in said
        # dask holds a death against the run that waited at the same worker as well
        lost = 12 - frame.height
        assert lost in (1, 2)
        # and what the dead worker had finished and not handed over is made again
        assert log() - (12 - (lost - 1)) in (0, 1)
        assert frame.join(whole, on=frame.columns, how="anti").is_empty()


@pytest.mark.slow
def test_a_worker_with_another_simulator_is_refused(
    log: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\nexit 0\n")
    other.chmod(0o755)
    with cluster(env={"SWITCHYARD_MACHINE": str(other)}) as there:
        address = ["--scheduler", there.scheduler_address]
        assert cli.execute(command(tmp_path / "there", *address)) == 2
    said = capsys.readouterr().err
    assert f"{other}: another simulator on a worker; expected the same on all" in said
    assert "Traceback" not in said
    assert log() == 0


@pytest.mark.parametrize("before", [False, True])
def test_a_sweep_without_a_single_result_leaves_the_table_of_before(
    before: bool,
    log: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    path = out / "l4-ipc.sweep.parquet"
    given = command(out, "--compare", "scheme=flush/fass", "--fresh")
    if before:
        assert cli.execute(command(out)) == 0
        old = path.read_bytes()
    capsys.readouterr()
    log()
    monkeypatch.setenv(fake.DEATH, "clients")
    assert cli.execute(given) == 1
    assert log() == 12
    said = capsys.readouterr()
    assert "12 of 12 points failed" in said.err
    assert "Traceback" not in said.err
    assert "written" not in said.out
    tables = ["l4-ipc.sweep.csv", "l4-ipc.sweep.parquet"]
    assert sorted(os.listdir(out)) == (tables if before else [])
    if before:
        assert path.read_bytes() == old


def test_assumed_ranges_are_read_and_go_where_a_value_is_set() -> None:
    described = variants.describe("sa1110")
    ranges = variants.ranges(described)
    zeros = ranges["memory.zeros-first"]
    assert (zeros.low, zeros.value, zeros.high) == (1, 4, 22)
    assert zeros.why
    assert not any(key.startswith("assumed") for key in variants.keys(described))
    rows = {"memory.rows.banks": 2}
    assert variants.changed(variants.describe("collie"), rows)["memory"]["rows"]["banks"] == 2
    changed = variants.changed(described, {"memory.zeros-first": 100})
    assert "memory.zeros-first" not in variants.ranges(changed)
    assert variants.ranges(changed)["memory.zeros-next"] == ranges["memory.zeros-next"]
    assert variants.ranges(described) == ranges  # the original is as it was
