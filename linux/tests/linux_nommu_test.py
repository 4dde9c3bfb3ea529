# SPDX-License-Identifier: Apache-2.0
"""Linux without an MMU beside the same with one: boots here and on QEMU, the same programs."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from switchyard.data import suite
from switchyard.run import build, build_linux, machine
from switchyard.run.build_linux import BENCHES, FAST, FLAT, PAGED, Linux
from switchyard.run.machine import Run
from switchyard.tests.patience import SECONDS

# A kernel of its own, which takes minutes to compile.
pytestmark = [pytest.mark.linux, pytest.mark.slow, pytest.mark.guests, pytest.mark.long]

MAX_CYCLES = 5_000_000_000
FIFO = 2  # the stream of potato's case
ROUNDS = 50


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    build_linux.ensure([BENCHES[PAGED], BENCHES[FAST], BENCHES[FLAT]])


def run(config: str, words: str, check: str | None = None, must_succeed: bool = True) -> Run:
    boot = BENCHES[config].boot(MAX_CYCLES, words)
    return machine.run(replace(boot, check=check), must_succeed=must_succeed)


def healthy(linux: Linux, console: str) -> None:
    assert not re.search(r"Oops|BUG:|WARNING:|cut here|Kernel panic", console), console[-4000:]
    assert "init: user space after" in console
    assert linux.last_line in console


def test_all_kernels_run_the_same_programs() -> None:
    disks = {BENCHES[config].initrd.read_bytes() for config in (PAGED, FAST, FLAT)}
    assert len(disks) == 1
    linux = BENCHES[FLAT]
    here = (build_linux.cache(), build.root())
    for file in linux.files:
        content = file.read_bytes()
        assert not [str(folder) for folder in here if str(folder).encode() in content], file


def test_without_an_mmu_it_starts_and_forgets_no_maintenance() -> None:
    """The coherence checker fails the run if it finds anything; it changes no count.

    A handler returns through instructions that the kernel writes to the stack: with a kernel whose
    `arm926_coherent_*_range` return at once, the checker finds stale ones here.
    """
    linux = BENCHES[FLAT]
    words = f"-- bench signal rounds={ROUNDS}"
    plain = run(FLAT, words)
    checked = run(FLAT, words, check="coherence")
    healthy(linux, plain.console)
    assert "init: suite ended with status 0" in plain.console
    assert plain.stats.end.kind == linux.end
    assert not plain.stats.diagnostics
    assert checked.console == plain.console
    assert checked.stats == plain.stats


def test_only_with_an_mmu_switches_flush() -> None:
    words = f"quiet -- bench potato case=fifo spawn=vfork rounds={ROUNDS} clock=probe"
    paged, fast, flat = (run(config, words).stats for config in (PAGED, FAST, FLAT))

    def count(stats: machine.Stats, *names: str) -> int:
        return stats.region(FIFO).counters.total(*names)

    assert count(paged, "ttb_writes") == pytest.approx(2 * ROUNDS, abs=4)
    # a fast switch writes the process ID, and flushes nothing
    assert count(fast, "pid_writes") == pytest.approx(2 * ROUNDS, abs=4)
    assert count(fast, "ttb_writes", "icache_invalidate_all") == 0
    # two tokens a round trip went to the other process and back
    assert len(flat.samples[FIFO]) == ROUNDS
    assert count(flat, "ttb_writes") == 0
    # caches are on, and keep what they have: from one round trip to the next most lines are there
    assert count(flat, "icache_misses") < count(flat, "instructions") / 20
    assert count(flat, "icache_misses") < count(paged, "icache_misses") / 3
    mean = {
        name: suite.timed(stats.samples[FIFO], stats.samples[suite.TIMING], 1, name).summary.mean
        for name, stats in ((PAGED, paged), (FAST, fast), (FLAT, flat))
    }
    assert mean[FLAT] < mean[FAST] < mean[PAGED] / 2


@pytest.mark.parametrize(
    ("config", "words", "status"),
    [(PAGED, "potato case=fifo", 0), (FLAT, "potato case=fifo", 1)],
)
def test_fork_is_refused_where_it_cannot_be(config: str, words: str, status: int) -> None:
    told = run(config, f"quiet -- bench {words} rounds=3 clock=probe", must_succeed=False)
    assert f"END status={status}" in told.console
    assert ("there is no fork() without an MMU; expected vfork" in told.console) == bool(status)


@pytest.mark.parametrize(
    "words", ["bandwidth case=fifo", "ctx processes=2,5 size=1 channel=fifo", "signal", "call"]
)
def test_questions_without_an_mmu(words: str) -> None:
    answered = run(FLAT, f"quiet -- bench {words} spawn=vfork rounds=3 clock=probe").stats
    streams = {"bandwidth": [3], "ctx": [2, 5, 130, 133]}
    question = words.split()[0]
    for stream in streams.get(question, list(suite.STREAMS.get(question, ()))):
        # a round of the null call is twenty of them (bench/unix/call.c)
        each = 20 if (question, stream) == ("call", 1) else 1
        assert len(answered.samples[stream]) == 3 * each
        assert answered.region(stream).entries == 1


@pytest.mark.qemu
def test_without_an_mmu_on_qemu() -> None:
    if shutil.which("qemu-system-arm") is None:
        pytest.fail("qemu-system-arm: not found; install it with: apt-get install qemu-system-arm")
    linux = BENCHES[FLAT]
    ran = subprocess.run(
        linux.qemu_command("-- bench ctx processes=2,9 size=1 channel=fifo spawn=vfork rounds=3"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=SECONDS,
        check=False,
    )
    healthy(linux, ran.stdout)
    printed = suite.parse(ran.stdout.split("user space after", 1)[1], "QEMU")
    assert [case.stream for case in printed.cases] == [130, 2, 137, 9]
    assert "init: suite ended with status 0" in ran.stdout
