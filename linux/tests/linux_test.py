# SPDX-License-Identifier: Apache-2.0
"""Linux, from power-on through its self-test to power-off, here and on QEMU.

Unmodified, and with fast address-space switching.
"""

import re
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard.run import build, build_linux, machine
from switchyard.run.build_linux import ARM920, I386, RISCV, SYSTEMS, Linux
from switchyard.run.machine import Run
from switchyard.tests.patience import SECONDS

# Building Linux takes minutes, and a package that not every Debian or Ubuntu has.
pytestmark = pytest.mark.linux

# From power-on to power-off takes less than a thousand million cycles.
MAX_CYCLES = 20_000_000_000
# Where it is tried: QEMU's time is the instructions' (32 ns each), not the host's, as is the date:
# two runs are equal to the byte.
QEMU_TIME = {
    "qemu-system-arm": [
        *("-icount", "shift=5,sleep=off"),
        *("-rtc", "base=2026-01-01T00:00:00,clock=vm"),
    ]
}
PACKAGES = {
    "qemu-system-arm": "qemu-system-arm",
    "qemu-system-i386": "qemu-system-x86",
    "qemu-system-riscv64": "qemu-system-misc",
}
ARM926 = "linux-versatilepb"
UNMODIFIED = ["linux-sa1110", ARM926]
RARE = ARM920 | I386 | RISCV  # built and tested by `make test-long` alone
EVERY = SYSTEMS | RARE
SOURCES = Path("/usr/src")
# Of other versions than ours, installed beside them: 5.10 is Debian 11's, 6.1 Debian 12's.
OTHERS = sorted(
    file.name.removesuffix(".tar.xz")
    for file in SOURCES.glob("linux-source-*.tar.xz")
    if not file.name.startswith(f"linux-source-{Linux.version}.")
)
NONE = pytest.param("", marks=pytest.mark.skip("no source package of another version is installed"))


def check(system: Linux, console: str, subtests: pytest.Subtests) -> None:
    """Each line of the self-tests is a test; the last line of each must have counted them."""
    text = console.replace("\r", "")
    # a line of the kernel's may stand in the midst of one of a program's
    programs = re.sub(r"\[ *\d+\.\d{6}\] .*\n", "", text)
    # the lines of each program follow its name; what comes before the first is the kernel's
    _, *parts = re.split(r"^init: /bin/", programs, flags=re.M)
    for part in parts:
        program = part.split("\n", 1)[0]
        passed = re.findall(r"^PASS (.+) \(\d+ us\)$", part, re.M)
        failed = re.findall(r"^FAIL (.+)$", part, re.M)
        for name in passed:
            with subtests.test(msg=f"{program}: {name}"):
                pass
        for name in failed:
            with subtests.test(msg=f"{program}: {name}"):
                pytest.fail(text[-4000:])
        result = re.search(r"^RESULT passed=(\d+) failed=(\d+)$", part, re.M)
        assert result is not None, f"{program} did not come to its end:\n" + text[-4000:]
        assert (int(result[1]), int(result[2])) == (len(passed), len(failed))
        assert passed
        assert "init: self-test ended with status 0" in part
    # What a kernel says when it finds itself broken.
    broken = r"Oops|BUG:|WARNING:|cut here|Kernel panic|unchecked MSR access"
    assert not re.search(broken, text), text[-4000:]
    # what the first patches of a series are spared
    assert "not counted:" not in text, text[-4000:]
    assert [part.split("\n", 1)[0] for part in parts] == list(system.self_tests)
    assert system.last_line in text


@pytest.fixture(
    scope="module",
    params=[*SYSTEMS, *(pytest.param(name, marks=pytest.mark.long) for name in RARE)],
)
def system(request: pytest.FixtureRequest) -> Linux:
    linux: Linux = EVERY[request.param]
    build_linux.ensure([linux])
    return linux


@pytest.fixture(scope="module")
def run(system: Linux) -> Run:
    """Under the coherence checker, which fails the run if Linux forgets any maintenance.

    But not where `test_an_arm926_is_checked_as_well` has it run so, by make test-long.
    """
    check = None if system.name == ARM926 else "coherence"
    return machine.run(replace(system.boot(MAX_CYCLES), check=check))


def test_the_images_name_no_place(system: Linux, tmp_path: Path) -> None:
    """What differs from one computer to another is not in them."""
    here = (build_linux.cache(), build.root())
    for file in system.files:
        content = file.read_bytes()
        assert not [str(folder) for folder in here if str(folder).encode() in content], file
    assert b"(switchyard@switchyard)" in system.symbols.read_bytes()
    # the programs, which are quickly made a second time
    built = build.root() / "build" / "guests" / system.initrd.name
    again = tmp_path / "guests" / system.initrd.name
    build.make("RAM disk", [*system.make(), f"BUILD={tmp_path}", str(again)], [again])
    assert again.read_bytes() == built.read_bytes()


@pytest.mark.slow
@pytest.mark.guests
def test_linux_on_the_simulator(system: Linux, run: Run, subtests: pytest.Subtests) -> None:
    check(system, run.console, subtests)
    assert run.stats.end.kind == system.end, run.stats.end.message
    assert run.stats.end.good
    assert not run.stats.diagnostics, "Linux does nothing unpredictable"


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("system", [ARM926], indirect=True)
def test_an_arm926_is_checked_as_well(system: Linux, run: Run) -> None:
    """That of fast switching, which has all of its code and more, is checked in CI."""
    again = machine.run(replace(system.boot(MAX_CYCLES), check="coherence"))
    assert again.console == run.console
    assert again.stats == run.stats


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    "system",
    [
        "linux-sa1110",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("linux-versatilepb", *I386, *RISCV)
        ),
    ],
    indirect=True,
)
def test_linux_runs_the_same_twice_and_unchecked(system: Linux, run: Run) -> None:
    again = machine.run(system.boot(MAX_CYCLES))
    assert again.console == run.console
    assert again.stats == run.stats


SCRIPT = """#!expect
expect "# " within 20
send "echo one > /tmp/x\\r"
expect "# "
send "cat /tmp/x\\r"
expect "\\none\\r"
expect "# "
send "{}\\r"
expect "{}" within 1
"""


def play(system: Linux, script: Path) -> subprocess.CompletedProcess[str]:
    """Boots into the shell, where the script types."""
    command = [str(machine.binary()), *system.boot(MAX_CYCLES, "shell").arguments()]
    return subprocess.run(
        [*command, "--input", str(script)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    "system",
    [*UNMODIFIED, *(pytest.param(name, marks=pytest.mark.long) for name in (*I386, *RISCV))],
    indirect=True,
)
def test_a_script_works_the_shell(system: Linux, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(SCRIPT.format("exit", system.last_line))
    run = play(system, script)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr
    assert "# cat /tmp/x\none\n# exit" in run.stdout


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("system", UNMODIFIED, indirect=True)
def test_a_script_that_waits_in_vain_says_where(system: Linux, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(SCRIPT.format("echo two", "three"))
    run = play(system, script)
    assert run.returncode == 1
    assert f"{script}: line 9:" in run.stderr
    assert run.stdout.rstrip().endswith("two\n#")


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("name", [pytest.param("s3c24a0", marks=pytest.mark.long), "omap1610"])
def test_linux_starts_on_machines_with_the_same_devices(name: str) -> None:
    system = SYSTEMS["linux-versatilepb"]
    build_linux.ensure([system])
    started = machine.run(replace(system.boot(MAX_CYCLES, "end"), machine=name))
    assert "init: user space after" in started.console
    assert system.last_line in started.console
    assert started.stats.end.kind == system.end


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.guests
def test_linux_needs_no_maintenance_with_ideal_tags(subtests: pytest.Subtests) -> None:
    """What it does for caches and TLBs does nothing there."""
    system = SYSTEMS["linux-versatilepb"]
    build_linux.ensure([system])
    run = machine.run(replace(system.boot(MAX_CYCLES), machine="versatilepb-tags"))
    check(system, run.console, subtests)
    assert run.stats.end.kind == system.end


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.qemu
def test_linux_on_qemu(system: Linux, subtests: pytest.Subtests) -> None:
    if shutil.which(system.emulator) is None:
        command = f"apt-get install {PACKAGES[system.emulator]}"
        pytest.fail(f"{system.emulator}: not found; install it with: {command}")
    process = subprocess.Popen(
        [*system.qemu_command(), *QEMU_TIME.get(system.emulator, [])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    # ends the reading below, too: the pipe closes with the process
    limit = threading.Timer(SECONDS, process.kill)
    limit.start()
    console = ""
    try:
        assert process.stdout is not None
        for line in process.stdout:
            console += line
            if system.last_line in line:
                break
    finally:
        limit.cancel()
        process.kill()
        process.wait()
    check(system, console, subtests)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("name", UNMODIFIED)
@pytest.mark.parametrize("source", OTHERS or [NONE])
def test_another_version_is_silent(source: str, name: str, subtests: pytest.Subtests) -> None:
    """The kernel alone; the programs are those of our version."""
    system = SYSTEMS[name]
    build_linux.ensure([system])
    cache = build_linux.cache() / "versions" / source
    given = {
        "TARBALL": SOURCES / f"{source}.tar.xz",
        "CACHE": cache,
        "BUILD": cache,
        "CONFIG": system.config,
        "PYTHON": sys.executable,
    }
    kernel, dtb = (cache / "guests" / f"linux-{system.config}.{end}" for end in ("zImage", "dtb"))
    words = [f"{key}={value}" for key, value in given.items()]
    build.make(source, ["make", "-C", "linux", *words, "kernel"], [kernel])
    boot = replace(system.boot(MAX_CYCLES), kernel=kernel, check="coherence")
    run = machine.run(replace(boot, dtb=dtb) if system.has_dtb else boot)  # which findings fail
    check(system, run.console, subtests)
    assert run.stats.end.kind == system.end, run.stats.end.message
    assert not run.stats.diagnostics
