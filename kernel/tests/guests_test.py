# SPDX-License-Identifier: Apache-2.0
"""The real thing: the kernel's tests and the experiment, on the simulator and on QEMU.

The same image runs on both; QEMU's machines have the same processor families and no probe, so what
passes there does not lean on the simulator.
"""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from switchyard.data.records import Record
from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS, l4, l4_pc, l4_riscv
from switchyard.experiments.l4_extreme import measure as l4_extreme
from switchyard.experiments.l4_ipc import measure as l4_ipc
from switchyard.experiments.l4_policy import measure as l4_policy
from switchyard.run import build, jobs, machine, runner
from switchyard.run.build import (
    ARM920,
    BOARD,
    BOARDS,
    GUESTS,
    PC,
    VERSATILE,
    VIRT,
    Guest,
    schemes_on,
)
from switchyard.run.experiment import Experiment, Settings
from switchyard.run.machine import Boot, Stats
from switchyard.run.store import Store
from switchyard.tests.patience import SECONDS
from switchyard.tests.runs import Silent, digest
from switchyard.tools import doctor

# The tests take some seconds of the machine's time; a kernel that hangs ends here.
MAX_CYCLES = 40_000_000_000
PENTIUM = "p4-willamette"

RESULT = re.compile(
    r"^RESULT passed=(\d+) failed=(\d+) free_pages_before=(\d+) free_pages_after=(\d+)$", re.M
)


@dataclass(frozen=True)
class Verdict:
    """What a test program said of itself."""

    passed: list[str]
    failed: dict[str, str]
    counted: tuple[int, int]
    free_pages: tuple[int, int]
    status: int

    @classmethod
    def read(cls, console: str) -> "Verdict":
        text = console.replace("\r", "")
        result = RESULT.search(text)
        end = re.search(r"^END status=(\d+)$", text, re.M)
        assert result is not None, "the program did not come to its end:\n" + text[-2000:]
        assert end is not None, "the program gave no status:\n" + text[-2000:]
        failed = re.findall(r"^FAIL (\S+?):? (.*)$", text, re.M)
        return cls(
            passed=re.findall(r"^PASS (\S+)$", text, re.M),
            failed=dict(failed),
            counted=(int(result[1]), int(result[2])),
            free_pages=(int(result[3]), int(result[4])),
            status=int(end[1]),
        )


def built(scheme: str, program: str, board: str = BOARD) -> Guest:
    guest = GUESTS[f"{board}-{scheme}-{program}"]
    build.ensure([guest])
    return guest


def check(verdict: Verdict, subtests: pytest.Subtests) -> None:
    for name in verdict.passed:
        with subtests.test(msg=name):
            pass
    for name, why in verdict.failed.items():
        with subtests.test(msg=name):
            pytest.fail(why)
    assert verdict.counted == (len(verdict.passed), len(verdict.failed))
    assert verdict.passed
    assert verdict.free_pages[0] == verdict.free_pages[1], "pages were lost"
    assert verdict.status == 0


def finish(boot: Boot, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs it to its end; each finding of the coherence checker would be a line in stderr."""
    command = [str(machine.binary()), *boot.arguments(), *options]
    return subprocess.run(command, capture_output=True, check=False, text=True, errors="replace")


# Of the random test on the PC, where the checker walks the tables at each access.
PC_OPERATIONS = 3000
RISCV_OPERATIONS = 3000

# The checker has no say in what a guest does, so the tests' results are those without it.
CHECKED = ("--check", "coherence")


# What the checker looks at of a kernel whose other tests make test-long runs under it: who may see
# what, and what goes with a page, by the tests' names.
MEMORY = ("isolation_", "attack_", "map_")


# All tests under the checker where switches are fast, with libraries and without, which does all
# that the others do as well; all of every kernel on QEMU (below).
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    ("scheme", "only"),
    [
        ("fass-shared", ""),
        *(
            (scheme, f"only={tests}")
            for scheme in schemes_on(BOARD)
            if scheme != "fass-shared"
            for tests in (("single_",) if scheme == "single-space" else MEMORY)
        ),
        *(
            pytest.param(scheme, "", marks=pytest.mark.long)
            for scheme in schemes_on(BOARD)
            if scheme != "fass-shared"
        ),
    ],
)
def test_kernel_on_the_simulator(scheme: str, only: str, subtests: pytest.Subtests) -> None:
    boot = Boot("sa1110", built(scheme, "test").image, only, MAX_CYCLES)
    done = finish(boot, *CHECKED)
    check(Verdict.read(done.stdout), subtests)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", schemes_on(BOARD))
def test_no_stale_state_is_ever_used(scheme: str) -> None:
    append = "clients=1-17 rounds=100 warmup=10 seed=1"
    done = finish(Boot("sa1110", built(scheme, "bench-ipc").image, append, MAX_CYCLES), *CHECKED)
    assert done.stderr == ""
    assert done.returncode == 0


# Its code is written by one space and executed by another.
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", schemes_on(BOARD))
@pytest.mark.parametrize("kind", range(4))
def test_working_sets(scheme: str, kind: int) -> None:
    append = f"kind={kind} sizes=0,1,40 step=2 rounds=5"
    done = finish(
        Boot("sa1110", built(scheme, "bench-pingpong").image, append, MAX_CYCLES), *CHECKED
    )
    assert "\nPOINT size=80 rounds=5\nEND status=0\n" in done.stdout
    assert done.stderr == ""
    assert done.returncode == 0


# More spaces than there are domains, and none of them large where small ones are.
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    ("machine", "board", "scheme"),
    [
        *(
            (machine, board, scheme)
            for machine, board in (("sa1110", BOARD), ("versatilepb", VERSATILE), (PENTIUM, PC))
            for scheme in schemes_on(board)
        ),
        *((l4_riscv.machine(scheme), VIRT, scheme) for scheme in schemes_on(VIRT)),
    ],
)
def test_many_spaces(machine: str, board: str, scheme: str) -> None:
    image = built(scheme, "bench-spaces", board).image
    bios = "none" if board == VIRT else ""
    boot = Boot(machine, image, "spaces=2,18 rounds=100", MAX_CYCLES, bios=bios)
    done = finish(boot, *CHECKED)
    assert "\nPOINT spaces=18 rounds=100\nEND status=0\n" in done.stdout
    assert done.stderr == ""
    assert done.returncode == 0


# The other processor. The checker makes it slow, so it looks at one scheme: what a scheme forgets
# is the same on both processors, what the processor's operations forget every scheme shows. The
# image of each runs all of its tests on QEMU (below).
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    ("scheme", "only"),
    [
        *(("fass", f"only={tests}") for tests in MEMORY),
        *((scheme, "only=isolation_") for scheme in ("flush", "fass-shared")),
        ("single-space", "only=single_"),
        *(pytest.param(scheme, "", marks=pytest.mark.long) for scheme in schemes_on(VERSATILE)),
    ],
)
def test_kernel_on_the_versatile(scheme: str, only: str, subtests: pytest.Subtests) -> None:
    boot = Boot("versatilepb", built(scheme, "test", VERSATILE).image, only, MAX_CYCLES)
    done = finish(boot, *(CHECKED if scheme == "fass" else ()))
    check(Verdict.read(done.stdout), subtests)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.fixture(scope="module")
def slow_pc(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Pentium 4 at a seventh of its clock: tests wait for times, not for cycles."""
    text = (build.root() / "machine" / "machines" / "p4-willamette.toml").read_text()
    for was, now in (
        (r"clock-hz = 1_400_000_000", "clock-hz = 200_000_000"),
        # a port takes its time whatever the clock is
        (r"port = 1008", "port = 144"),
        (r'"price\.port" = \{ low = 500, high = 2100', '"price.port" = { low = 72, high = 300'),
    ):
        text, count = re.subn(was, now, text)
        assert count == 1, was
    file = tmp_path_factory.mktemp("machine") / "p4-slow.toml"
    file.write_text(text)
    return str(file)


# The other architecture, which has a kernel of its own below the generic part. All tests with
# groups, which do all that small spaces without them do, and without small spaces; the checker,
# which makes it slow there, looks at who may see what (at all tests by make test-long).
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    ("scheme", "only", "checked"),
    [
        ("small-spaces-groups", "", False),
        *(("flush", f"only={tests}", True) for tests in MEMORY),
        *(("small-spaces-groups", f"only={tests}", True) for tests in (*MEMORY, "small_", "group")),
        ("small-spaces", "only=small_", False),
        *(pytest.param(scheme, "", True, marks=pytest.mark.long) for scheme in schemes_on(PC)),
    ],
)
def test_kernel_on_the_pc(
    scheme: str, only: str, checked: bool, slow_pc: str, subtests: pytest.Subtests
) -> None:
    boot = Boot(slow_pc, built(scheme, "test", PC).image, only, MAX_CYCLES)
    done = finish(boot, *(CHECKED if checked else ()))
    check(Verdict.read(done.stdout), subtests)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.guests
def test_modules_on_the_pc(tmp_path: Path) -> None:
    """Each is whole, and has its words."""
    pieces = []
    for name, content in (("one", bytes(range(200)) * 23), ("two", b"\xff" * 4097)):
        file = tmp_path / name
        file.write_bytes(content)
        pieces.append(f"{file} of={name} sum={sum(content)}")
    boot = Boot(PENTIUM, built("flush", "test", PC).image, "only=boot_", MAX_CYCLES)
    done = finish(boot, "--initrd", ",".join(pieces))
    assert "PASS boot_modules" in done.stdout, done.stdout
    done = finish(boot, "--initrd", f"{tmp_path / 'one'} sum=1")
    assert "FAIL boot_modules" in done.stdout, done.stdout


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", schemes_on(PC))
@pytest.mark.parametrize(
    ("program", "append"),
    [
        ("bench-ipc", "clients=1-5 rounds=100 warmup=10"),
        ("bench-primitives", "rounds=20"),
        ("bench-size", "words=0-63 strings=64,65536 rounds=5"),
        *(("bench-pingpong", f"kind={kind} sizes=0,1,120 step=1 rounds=5") for kind in range(4)),
    ],
)
def test_benchmarks_on_the_pc(scheme: str, program: str, append: str) -> None:
    image = built(scheme, program, PC).image
    done = finish(Boot(PENTIUM, image, append, MAX_CYCLES), *CHECKED)
    assert "\nEND status=0\n" in done.stdout
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", [scheme for scheme in schemes_on(PC) if scheme != "flush"])
def test_revocation_on_the_pc(scheme: str) -> None:
    test_benchmarks_on_the_pc(scheme, "bench-revocation", "spaces=1,3,60 rounds=2")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("machine", ["p4-willamette", "p4-northwood"])
@pytest.mark.parametrize("scheme", schemes_on(PC))
def test_kernel_on_each_pentium_4(scheme: str, machine: str, subtests: pytest.Subtests) -> None:
    done = finish(Boot(machine, built(scheme, "test", PC).image, max_cycles=MAX_CYCLES))
    check(Verdict.read(done.stdout), subtests)
    assert done.stderr == ""
    assert done.returncode == 0


# Other tests have addresses of their own in what is the area then.
@pytest.mark.long
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("area", [1 << 30, 2 << 30])
def test_small_spaces_in_a_larger_area(area: int, subtests: pytest.Subtests) -> None:
    guest = replace(GUESTS[f"{PC}-small-spaces-test"], small_area=area)
    build.ensure([guest])
    done = finish(Boot("p4-willamette", guest.image, "only=small_", MAX_CYCLES))
    verdict = Verdict.read(done.stdout)
    check(verdict, subtests)
    assert len(verdict.passed) > 20  # those that are skipped are neither
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", schemes_on(PC))
def test_random_operations_on_the_pc(scheme: str, subtests: pytest.Subtests) -> None:
    image = built(scheme, "random", PC).image
    append = f"seed=1 operations={PC_OPERATIONS}"
    done = finish(Boot(PENTIUM, image, append, MAX_CYCLES), *CHECKED)
    check(Verdict.read(done.stdout), subtests)
    operations = re.search(r"^OPERATIONS (\d+):", done.stdout, re.M)
    assert operations is not None
    assert int(operations[1]) >= PC_OPERATIONS
    assert done.stderr == ""
    assert done.returncode == 0


# A third processor on that board. What its operations forget shows with one that cleans everything
# and with one that does it by address; the checker looks at some tests only, for it is slow.
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    ("scheme", "only"),
    [
        pytest.param("flush", "", marks=pytest.mark.long),
        ("flush", "only=map_"),
        ("fass", "only=map_"),
    ],
)
def test_kernel_on_the_arm920(scheme: str, only: str, subtests: pytest.Subtests) -> None:
    guest = GUESTS[f"{VERSATILE}-{ARM920}-{scheme}-test"]
    build.ensure([guest])
    boot = Boot("versatile920", guest.image, only, MAX_CYCLES)
    done = finish(boot, *(CHECKED if only else ()))
    check(Verdict.read(done.stdout), subtests)
    assert done.stderr == ""
    assert done.returncode == 0


# The other machines with that processor have its board, and caches of other sizes.
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("name", ["omap1610", "s3c24a0"])
def test_kernel_on_others_of_the_kind(name: str, subtests: pytest.Subtests) -> None:
    boot = Boot(name, built("fass", "test", VERSATILE).image, "only=thread_", MAX_CYCLES)
    check(Verdict.read(machine.run(boot, must_succeed=False).console), subtests)


# All that a kernel does for caches and TLBs does nothing there, so that no kernel can do without it
# unless the machine does: one that flushes at every switch, and one that never does.
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    ("scheme", "tests"), [("flush", "isolation_"), ("single-space", "single_")]
)
def test_ideal_tags_need_no_maintenance(scheme: str, tests: str, subtests: pytest.Subtests) -> None:
    boot = Boot("sa1110-tags", built(scheme, "test").image, f"only={tests}", MAX_CYCLES)
    done = finish(boot, *CHECKED)
    check(Verdict.read(done.stdout), subtests)
    assert done.stderr == ""
    assert done.returncode == 0


# The scheme that flushes nothing: right there, and nowhere else.
@pytest.mark.slow
@pytest.mark.guests
def test_with_tags_nothing_is_flushed(subtests: pytest.Subtests) -> None:
    image = built("tags", "test").image
    done = finish(Boot("sa1110-tags", image, max_cycles=MAX_CYCLES))
    check(Verdict.read(done.stdout), subtests)
    done = finish(Boot("sa1110", image, "only=isolation_", 20_000_000), *CHECKED)
    assert ": foreign-translation: " in done.stderr


# The kernel against a model of who may see which page (user/random).
OPERATIONS = 30_000


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", schemes_on(BOARD))
def test_random_operations_agree_with_the_model(scheme: str, subtests: pytest.Subtests) -> None:
    image = built(scheme, "random").image
    boot = Boot("sa1110", image, f"seed=1 operations={OPERATIONS}", MAX_CYCLES)
    done = finish(boot, *CHECKED)
    check(Verdict.read(done.stdout), subtests)
    operations = re.search(r"^OPERATIONS (\d+):", done.stdout, re.M)
    assert operations is not None
    assert int(operations[1]) >= OPERATIONS
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", schemes_on(VIRT))
def test_random_operations_on_riscv(scheme: str, subtests: pytest.Subtests) -> None:
    image = built(scheme, "random", VIRT).image
    append = f"seed=1 operations={RISCV_OPERATIONS}"
    name = l4_riscv.machine(scheme)
    done = finish(Boot(name, image, append, MAX_CYCLES, bios="none"), *CHECKED)
    check(Verdict.read(done.stdout), subtests)
    operations = re.search(r"^OPERATIONS (\d+):", done.stdout, re.M)
    assert operations is not None
    assert int(operations[1]) >= RISCV_OPERATIONS
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.fixture(scope="module")
def slow_riscv(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Processors with and without ASIDs at a seventh of their clock: tests wait for times."""
    folder = tmp_path_factory.mktemp("machine")
    files = {}
    for name in ("virt-u74", "virt-u74-asid"):
        text = (build.root() / "machine" / "machines" / f"{name}.toml").read_text()
        text, count = re.subn(r"clock-hz = [\d_]+", "clock-hz = 200_000_000", text)
        assert count == 1
        file = folder / f"{name}.toml"
        file.write_text(text)
        files[name] = str(file)
    return files


# All tests without ASIDs; and under the checker those of who may see what. Each kernel runs all of
# its tests on QEMU (below), and under the checker by make test-long.
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    ("scheme", "machine_name", "only", "checked"),
    [
        ("flush", "virt-u74", "", False),
        ("flush", "virt-u74", "only=attack_after", True),
        ("flush", "virt-u74", "only=isolation_w", True),
        ("tags", "virt-u74-asid", "only=attack_after", True),
        ("tags", "virt-u74-asid", "only=isolation_w", True),
        ("single-space", "virt-u74", "only=single_", True),
        pytest.param("flush", "virt-u74", "", True, marks=pytest.mark.long),
        pytest.param("tags", "virt-u74-asid", "", True, marks=pytest.mark.long),
        pytest.param("single-space", "virt-u74", "", True, marks=pytest.mark.long),
    ],
)
def test_kernel_on_riscv(
    scheme: str,
    machine_name: str,
    only: str,
    checked: bool,
    slow_riscv: dict[str, str],
    subtests: pytest.Subtests,
) -> None:
    image = built(scheme, "test", VIRT).image
    boot = Boot(slow_riscv[machine_name], image, only, MAX_CYCLES, bios="none")
    done = finish(boot, *(CHECKED if checked else ()))
    check(Verdict.read(done.stdout), subtests)
    assert done.stderr == ""
    assert done.returncode == 0


# A kernel with ASIDs, on a processor that has none.
@pytest.mark.slow
@pytest.mark.guests
def test_a_kernel_that_needs_asids_says_so() -> None:
    done = finish(Boot("virt-u74", built("tags", "test", VIRT).image, "", MAX_CYCLES, bios="none"))
    assert "kernel panic: scheme tags: this processor has not enough ASIDs" in done.stdout
    assert done.returncode == 1


QEMU_MACHINES = {
    # (the clock's interrupts come by the host's time if nothing else is said)
    VIRT: ["qemu-system-riscv64", "-M", "virt", "-bios", "none", "-rtc", "clock=vm"],
    BOARD: ["qemu-system-arm", "-M", "collie"],
    VERSATILE: ["qemu-system-arm", "-M", "versatilepb", "-audiodev", "none,id=none"],
    # (and so do a PC's)
    PC: [
        *("qemu-system-i386", "-M", "isapc", "-cpu", "pentium2", "-m", "64", "-no-reboot"),
        *("-rtc", "clock=vm"),
    ],
}
# Its time is the instructions' (32 ns each), not the host's, and idle time is skipped: what else
# the host does is no matter to timeouts and timeslices.
QEMU_TIME = ["-icount", "shift=5,sleep=off"]


def qemu_console(board: str, image: Path) -> str:
    """Runs an image on QEMU until it says that it is at its end; it cannot leave by itself."""
    command = [*QEMU_MACHINES[board], *QEMU_TIME]
    command += ["-nographic", "-kernel", str(image)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    # ends the reading below, too: the pipe closes with the process
    limit = threading.Timer(SECONDS, process.kill)
    limit.start()
    try:
        assert process.stdout is not None
        return "".join(up_to_end(process.stdout))
    finally:
        limit.cancel()
        process.kill()
        process.wait()


def up_to_end(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if line.startswith("END status="):
            return


def test_doctor_names_each_qemu() -> None:
    """`make test` installs what doctor names, and fails where these are missing."""
    named = {need.name for need in doctor.findings("test")}
    assert {command[0] for command in QEMU_MACHINES.values()} <= named


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.qemu
@pytest.mark.parametrize(
    ("scheme", "board"),
    [
        pytest.param(
            *(scheme, board),
            marks=[pytest.mark.long] if board == VERSATILE and scheme != "fass" else [],
        )
        for board in BOARDS
        for scheme in schemes_on(board)
    ],
)
def test_kernel_on_qemu(scheme: str, board: str, subtests: pytest.Subtests) -> None:
    emulator = QEMU_MACHINES[board][0]
    if shutil.which(emulator) is None:
        packages = {PC: "qemu-system-x86", VIRT: "qemu-system-misc"}
        package = packages.get(board, emulator)
        pytest.fail(f"{emulator}: not found; install it with: apt-get install {package}")
    check(Verdict.read(qemu_console(board, built(scheme, "test", board).image)), subtests)


def records_of(name: str, settings: Settings) -> list[Record]:
    """The records of an experiment some of whose cases are run: its view wants all."""
    experiment: Experiment[Any] = EXPERIMENTS[name]
    samples: dict[str, Any] = {}

    def done(prepared: jobs.Prepared, _packed: bytes, stats: Stats) -> None:
        samples[prepared.job.name] = experiment.measure(prepared.job, stats)

    def failed(_prepared: jobs.Prepared, error: RunError) -> None:
        raise error

    wanted = experiment.jobs(settings)
    jobs.ensure((guest for job in wanted for guest in job.guests), Silent().building)
    with jobs.prepared(wanted) as batch:
        jobs.run(batch, jobs.Here(2), Store(), False, Silent(), done, failed)
    return experiment.records({job.name: samples[job.name] for job in wanted})


# Enough round trips for the shape of the figure, few enough for a test.
ROUNDS = 300
CLIENTS = (1, 2, 8, 13, 14, 15, 24, 64)


@pytest.mark.slow
@pytest.mark.guests
def test_the_published_shape_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(l4_pc, "PLACES", (l4.ARM,))  # whose shape is published
    monkeypatch.setattr(l4_ipc, "CLIENTS", CLIENTS)
    settings = Settings(rounds=ROUNDS, once=True)
    values = {
        (r.scheme, r.metric, r.parameters.get("clients")): r.value
        for r in records_of("l4-ipc", settings)
    }
    few = CLIENTS.index(14) + 1  # with the server, as many as there are domains
    flush = [values["flush", "round_trip", clients] for clients in CLIENTS]
    fass = [values["fass", "round_trip", clients] for clients in CLIENTS]
    assert max(flush) < 1.05 * min(flush), "flush costs the same whatever the number"
    assert all(values["flush", "cache_flushes", clients] == 2 for clients in CLIENTS)
    assert fass[0] < flush[0] / 13, "a more than thirteen-fold improvement"
    assert fass[few - 1] < flush[few - 1] / 11, "with 14 clients still more than eleven-fold"
    assert max(fass[:few]) - fass[0] < 2.5, "a slow rise up to 14 clients, by 2 µs"
    assert fass[few] > 1.3 * fass[few - 1], "from 15 clients it rises faster"
    assert fass[-1] < flush[-1] / 2, "and stays well below"
    assert values["fass", "knee", None] == 15
    single = [values["single-space", "round_trip", clients] for clients in CLIENTS]
    shared = [values["fass-shared", "round_trip", clients] for clients in CLIENTS]
    tags = [values["tags", "round_trip", clients] for clients in CLIENTS]
    assert all(values["tags", "cache_flushes", clients] == 0 for clients in CLIENTS)
    # (a slot moves a program's lines to other sets of the caches, which may save a miss)
    assert all(bound <= 1.05 * fast for bound, fast in zip(tags, fass, strict=True))
    assert all(fast <= 1.1 * bound for bound, fast in zip(tags[:few], fass, strict=False))
    assert all(values["single-space", "cache_flushes", clients] == 0 for clients in CLIENTS)
    assert all(bound < fast for bound, fast in zip(single, fass, strict=True))
    assert all(abs(a / b - 1) < 0.15 for a, b in zip(shared, fass, strict=True))
    for clients in CLIENTS:
        recycled = values["fass", "domains_recycled", clients]
        flushes = values["fass", "cache_flushes", clients]
        assert (recycled > 0) == (clients >= 15)
        assert flushes <= recycled / 2, "one flush makes many domains clean"


@pytest.mark.slow
@pytest.mark.guests
def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    for workers in (1, 3):
        out = tmp_path / f"{workers}"
        runner.run(
            EXPERIMENTS["l4-primitives"], Settings(rounds=20), out, workers, Silent(), fresh=True
        )
    first = digest(tmp_path / "1")
    assert len(first) > 8
    assert digest(tmp_path / "3") == first


# A pair, groups and a ring around the number of domains; the shape of Fig. 4.
@pytest.mark.slow
@pytest.mark.guests
def test_policies_recycle_only_where_domains_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    some = (2, 12, 16, 32)
    monkeypatch.setattr(l4_policy, "SPACES", some)
    monkeypatch.setattr(
        l4_policy,
        "CASES",
        [case for case in l4_policy.CASES if case[2] in some],
    )
    settings = Settings(rounds=60, once=True)
    written = records_of("l4-policy", settings)
    values = {
        (r.parameters["policy"], r.parameters["shape"], r.parameters["spaces"], r.metric): r.value
        for r in written
    }
    for (policy, shape, spaces, metric), value in values.items():
        if metric == "domains_recycled":
            beyond = policy != "tags" and int(str(spaces)) > 14
            assert (value > 0) == beyond, (policy, shape, spaces)
    for shape in ("pairs", "ring", "groups"):
        # what a policy does at each switch is all there is to see while nothing is recycled
        base = values["clean-first", shape, 2, "round_trip"]
        # (and that the policies' code is of different length, so that other lines share a set)
        assert abs(values["round-robin", shape, 2, "round_trip"] - base) < base / 50
        assert base < values["lru", shape, 2, "round_trip"] < base + 60
        assert base < values["affinity", shape, 2, "round_trip"] < base + 60


@pytest.mark.slow
@pytest.mark.guests
def test_shared_pages_share_tlb_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(l4_extreme, "PROCESSES", (2,))
    monkeypatch.setattr(l4_extreme, "PAGES", (1, 4, 8, 20, 48))
    written = records_of("l4-extreme", Settings(rounds=30))
    records = {
        (r.scheme, r.parameters.get("mapping"), r.parameters["processes"], r.parameters["pages"]): r
        for r in written
        if r.metric == "dtlb_misses"
    }

    def misses(mapping: str, pages: int) -> float:
        return records["fass-shared", mapping, 2, pages].value

    assert misses("private", 20) > 20
    assert misses("shared", 20) < 1
    assert misses("shared", 48) > 48
    # hardware tags tell processes apart: each has entries of its own for what they share
    assert records["tags", "shared", 2, 20].value > 20
    flushes = {
        (r.scheme, r.parameters["mapping"]): r.value
        for r in written
        if r.metric == "cache_flushes"
        and r.parameters["processes"] == 2
        and r.parameters["pages"] == 20
    }
    # who collides in each turn is flushed, and then steps aside
    assert flushes["fass", "shared"] > 0.9
    assert flushes["fass-shared", "shared"] == 0
    assert flushes["fass-shared", "private"] == 0
    assert flushes["tags", "shared"] == 0


def one_way(scheme: str, append: str) -> float:
    """Cycles of a hop of bench/l4/collisions.c."""
    boot = Boot("sa1110", built(scheme, "bench-collisions").image, append, MAX_CYCLES)
    point = re.search(r"^POINT .* hops=(\d+) cycles=(\d+)", machine.run(boot).console, re.M)
    assert point is not None
    return int(point[2]) / int(point[1])


# What collides may cost so much more than a flush of everything, whatever it is: a twentieth.
AT_MOST = 1.05


# In one run, so that a change of the machine's timing moves both. One exchange and one flush a
# switch was a third more than flush, taking three collisions one by one four times as much.
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", ["fass", "fass-shared"])
@pytest.mark.parametrize("spaces", [2, 8, 20])
def test_collisions_cost_one_flush(scheme: str, spaces: int) -> None:
    append = f"spaces={spaces} colliding=3 pages=1 hops=400"
    assert one_way(scheme, append) < AT_MOST * one_way("flush", append)


# Layouts, numbers of spaces and working sets at random; by hand, more seeds (docs/schemes.md).
FIRST_SEED, LAST_SEED = map(int, os.environ.get("COLLISION_SEEDS", "1-8").split("-"))


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", ["fass", "fass-shared"])
def test_no_drawn_layout_is_much_slower_than_flush(scheme: str) -> None:
    for seed in range(FIRST_SEED, LAST_SEED + 1):
        append = f"spaces={2 + seed * 7 % 40} hops=400 seed={seed}"
        assert one_way(scheme, append) < AT_MOST * one_way("flush", append), append


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", schemes_on(BOARD))
def test_collisions_leave_nothing_behind(scheme: str) -> None:
    append = "spaces=18 colliding=4 pages=1 hops=100"
    done = finish(
        Boot("sa1110", built(scheme, "bench-collisions").image, append, MAX_CYCLES), *CHECKED
    )
    assert done.stderr == ""
    assert done.returncode == 0
