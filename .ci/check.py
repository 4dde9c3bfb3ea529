# SPDX-License-Identifier: Apache-2.0
"""Runs every suite of tests and checks, and sums them up: `check.py ci|all|quick|lint|linux|long`.

Each suite runs to its end whatever came before it. The last line is "N passed, N failed": the
tests of all suites together, where a check without tests (a formatter, a type checker) counts as
one. A suite whose packages this computer lacks is skipped, except by `ci`, for which it failed.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "check"
PYTHON = sys.executable
TIERS = ("ci", "all", "quick", "lint", "linux", "long")
# Tests on two processors at a time, which every computer has, and which of them took longest.
BOTH = ["-n", "2", "--dist", "worksteal", "--durations=20"]
# Cargo: what setup has compiled serves the tests as well. Unit tests are in the crate, which is
# compiled once more for them, as it stands.
CRATE = "profile.release.package.switchyard-machine"
UNOPTIMISED = ("opt-level=0", "codegen-units=16", "debug-assertions=true", "overflow-checks=true")
PLAIN = [word for setting in UNOPTIMISED for word in ("--config", f"{CRATE}.{setting}")]
# Those from outside, which Cargo.toml says how to compile.
TESTS = ["--package", "switchyard-machine-tests"]
# What the quick tests boot.
QUICK_GUESTS = ("assabet-fass-test", "assabet-bare-bench-compute", "isa-pc-bare-bench-compute")
C_FOLDERS = ("include", "kernel", "l4", "user", "bench", "servers", "linux", "machine/tests")


@dataclass(frozen=True)
class Count:
    """Tests that passed, failed and were skipped."""

    passed: int
    failed: int
    skipped: int = 0


@dataclass(frozen=True)
class Suite:
    """A command, when it runs, and how its output is counted."""

    name: str
    command: list[str]
    tiers: tuple[str, ...]
    count: Callable[[str], Count | None] = lambda _output: None
    needs: str = ""  # the purpose, as doctor calls it, that the computer must be fit for
    vital: bool = False  # whether nothing else can run where it failed
    # Begun before its turn, at which it is waited for. It gives way to the others, which often
    # leave one processor of two idle.
    begins: Literal["first", "after setup", "in turn"] = "in turn"


@dataclass(frozen=True)
class Outcome:
    """What came of a suite, and what it took: seconds to wait for it, and of processors."""

    suite: Suite
    count: Count
    waited: float
    busy: float


def cargo_count(output: str) -> Count | None:
    """The sum over cargo's test binaries; None when none ran."""
    totals = re.findall(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ig", output, re.M)
    if not totals:
        return None
    passed, failed, skipped = (sum(int(total[i]) for total in totals) for i in range(3))
    return Count(passed, failed, skipped)


def pytest_count(output: str) -> Count | None:
    """The closing line of pytest; errors (a fixture, a file that cannot be read) are failures."""
    closing = re.findall(
        r"^=*\s*(\d+ (?:passed|failed|error|subtests|skipped).*) in ", output, re.M
    )
    if not closing:
        return None
    numbers = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", closing[-1])}
    # a kernel's tests are subtests of the test that boots it
    subtests = {word: int(n) for n, word in re.findall(r"(\d+) subtests (\w+)", closing[-1])}
    failed = sum(numbers.get(word, 0) for word in ("failed", "error", "errors"))
    return Count(
        numbers.get("passed", 0) + subtests.get("passed", 0),
        failed + subtests.get("failed", 0),
        numbers.get("skipped", 0),
    )


def c_files() -> list[str]:
    """All C of the repository that git knows or would take."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *C_FOLDERS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        files = [ROOT / name for name in listed.stdout.splitlines()]
    else:  # an unpacked archive, no checkout
        files = [file for folder in C_FOLDERS for file in (ROOT / folder).rglob("*")]
    return [str(f.relative_to(ROOT)) for f in files if is_c(f)]


def is_c(file: Path) -> bool:
    """C or C++, and not a header of assembly, whose lines a formatter of C would join."""
    if file.suffix not in (".c", ".cc", ".h") or not file.is_file():
        return False
    return not re.search(r"^\s*\.macro\b", file.read_text(encoding="utf-8"), re.M)


def suites() -> list[Suite]:
    """Every suite: what all need, then the fast ones."""
    tool = Path(PYTHON).parent
    every, tests = ("ci", "all", "quick", "lint"), ("ci", "all")
    built = ("ci", "all", "linux", "long")
    return [
        # here and not before, as it leaves one processor to what is begun early
        Suite("setup", ["make", "--no-print-directory", "setup"], built, vital=True),
        Suite("dev", ["make", "--no-print-directory", "dev"], ("quick",), vital=True),
        Suite("cargo fmt", ["cargo", "fmt", "--all", "--check"], every),
        Suite("ruff", [str(tool / "ruff"), "check", "."], every),
        Suite("ruff format", [str(tool / "ruff"), "format", "--check", "."], every),
        Suite(
            "clang-format",
            [str(tool / "clang-format"), "--dry-run", "-Werror", *c_files()],
            every,
        ),
        # on one processor, while the setup takes the other
        Suite("mypy", [PYTHON, "-m", "mypy"], every, begins="first"),
        # before the tests, which run these images
        Suite("guests", [PYTHON, "-m", "switchyard", "build"], tests),
        Suite("guests", [PYTHON, "-m", "switchyard", "build", *QUICK_GUESTS], ("quick",)),
        # the simulator's own arithmetic checked for overflows, which a release does not do
        Suite(
            "cargo test",
            ["cargo", "test", "--locked", "--no-fail-fast", *TESTS],
            ("long",),
            cargo_count,
        ),
        Suite(
            "pytest",
            [PYTHON, "-m", "pytest", *BOTH, "-m", "not linux and not long"],
            tests,
            pytest_count,
        ),
        Suite(
            "pytest",
            [PYTHON, "-m", "pytest", "-m", "not slow and not linux and not long"],
            ("quick",),
            pytest_count,
        ),
        # before the tests, which run at the same time and would wait for each other's
        Suite(
            "linux images",
            [PYTHON, "-m", "switchyard", "build", "linux", "linux-i386-run", "linux-l4-tiny"],
            ("ci",),
            needs="linux",
            begins="first",
        ),
        Suite(
            "linux images",
            [PYTHON, "-m", "switchyard", "build", "linux"],
            ("all", "linux"),
            needs="linux",
            begins="first",
        ),
        Suite(
            "linux",
            [PYTHON, "-m", "pytest", *BOTH, "-m", "linux and not long"],
            ("ci", "all", "linux"),
            pytest_count,
            needs="linux",
        ),
        # cargo runs one of these at a time, on the processor that the tests before leave
        Suite(
            "clippy",
            ["cargo", "clippy", "--release", "--locked", "--all-targets", "--", "-D", "warnings"],
            every,
            begins="after setup",
        ),
        # unoptimised: to optimise the crate once more takes a minute, and saves them four seconds
        Suite(
            "unit tests",
            ["cargo", "test", "--release", "--locked", *PLAIN, "--no-fail-fast", "--lib"],
            (*tests, "quick"),
            cargo_count,
            begins="after setup",
        ),
        Suite(
            "cargo test",
            ["cargo", "test", "--release", "--locked", "--no-fail-fast", *TESTS],
            tests,
            cargo_count,
            begins="after setup",
        ),
        Suite(
            "long",
            [PYTHON, "-m", "pytest", *BOTH, "-m", "long"],
            ("long",),
            pytest_count,
            needs="long",
        ),
    ]


def missing(suite: Suite) -> str:
    """What this computer lacks for a suite, in doctor's words; doctor needs no setup."""
    if not suite.needs:
        return ""
    asked = [PYTHON, "-I", "switchyard/tools/doctor.py", suite.needs]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stderr


def log(suite: Suite) -> Path:
    """What a suite said, kept."""
    return LOGS / f"{suite.name.replace(' ', '-')}.log"


def start(suite: Suite, niceness: int) -> "subprocess.Popen[str]":
    """Starts a suite, whose output goes to its log."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}
    with log(suite).open("w") as output:
        return subprocess.Popen(
            ["nice", "-n", str(niceness), *suite.command],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )


def show(suite: Suite, process: "subprocess.Popen[str]") -> str:
    """Prints what a suite says until it ends, and returns all of it."""
    text = ""
    with log(suite).open(errors="replace") as said:
        ended = False
        while not ended:
            try:
                process.wait(0.2)
                ended = True
            except subprocess.TimeoutExpired:
                pass
            more = said.read()
            print(more, end="", flush=True)
            text += more
    return text


def run(suite: Suite, tier: str, begun: "subprocess.Popen[str] | None" = None) -> Count:
    """Runs a suite, unless it was `begun`, its output shown as it comes and kept in a file."""
    print(f"\n== {suite.name}", flush=True)
    lacking = missing(suite)
    print(lacking, end="")
    if lacking:
        return Count(0, 0, 1) if tier == "all" else Count(0, 1)
    process = begun or start(suite, 5)
    text = show(suite, process)
    status = process.wait()
    count = suite.count(text)
    if count is None or (status != 0 and count.failed == 0):
        # no tests in it, or it failed outside of them: it did not build, say
        passed = count.passed if count else int(status == 0)
        return Count(passed, int(status != 0), count.skipped if count else 0)
    return count


def processor_time() -> float:
    """Seconds that processors have worked for what has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def begin(
    chosen: list[Suite],
    when: Literal["first", "after setup"],
    early: "dict[str, subprocess.Popen[str]]",
) -> None:
    """Starts those of the chosen suites whose time this is."""
    for suite in chosen:
        if suite.begins == when and not missing(suite):
            early[suite.name] = start(suite, 10)


def main(arguments: list[str]) -> int:
    """Runs the suites of a tier."""
    if len(arguments) != 1 or arguments[0] not in TIERS:
        print(f"check.py: expected one of {', '.join(TIERS)}", file=sys.stderr)
        return 2
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    chosen = [suite for suite in suites() if arguments[0] in suite.tiers]
    early: dict[str, subprocess.Popen[str]] = {}
    outcomes = []
    try:
        begin(chosen, "first", early)
        for suite in chosen:
            begun, busy = time.monotonic(), processor_time()
            count = run(suite, arguments[0], early.get(suite.name))
            outcomes.append(
                Outcome(suite, count, time.monotonic() - begun, processor_time() - busy)
            )
            if suite.vital and count.failed:
                break
            if suite.vital:
                begin(chosen, "after setup", early)
    finally:
        for process in early.values():
            process.terminate()  # no effect on one that has ended
    print(f"\n{'suite':<14}{'passed':>8}{'failed':>8}{'skipped':>9}{'waited':>9}{'busy':>9}")
    for outcome in outcomes:
        count = outcome.count
        print(
            f"{outcome.suite.name:<14}{count.passed:>8}{count.failed:>8}{count.skipped:>9}"
            f"{outcome.waited:>7.1f} s{outcome.busy:>7.1f} s"
        )
    failed = sum(outcome.count.failed for outcome in outcomes)
    print(
        f"\n{sum(outcome.count.passed for outcome in outcomes)} passed, {failed} failed", flush=True
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
