# SPDX-License-Identifier: Apache-2.0
"""The kernel that measures its own overheads: what it counts, and what it refuses."""

import subprocess

import pytest

from switchyard import build, build_linux, machine
from switchyard.build_linux import OVERHEADS, SYSTEMS
from switchyard.errors import RunError
from switchyard.machine import Run, Stats

MAX_CYCLES = 3_000_000_000
SWITCH, INTERRUPT = 250, 251  # regions of linux/overheads/overheads.h
COUNTS = (1, 2, 9)
SCALE = 5  # thousandths of the tasks' length


def run(words: str) -> Run:
    build_linux.ensure([OVERHEADS])
    return machine.run(OVERHEADS.boot(MAX_CYCLES, f"quiet {words}"))


def ask(what: str, tasks: str, counts: tuple[int, ...], scale: int = SCALE) -> Stats:
    listed = ",".join(str(count) for count in counts)
    words = f"overheads.what={what} overheads.tasks={tasks} overheads.counts={listed}"
    return run(f"{words} overheads.scale={scale}").stats


@pytest.mark.parametrize("pair", ["sort,crc", "crc,deflate", "aes,deflate"])
@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_switches_are_as_many_as_asked_for(pair: str) -> None:
    stats = ask("switch", pair, COUNTS)
    for i, count in enumerate(COUNTS):
        first, second, switches = (stats.region(1 + 3 * i + part) for part in range(3))
        assert (first.entries, second.entries) == (count // 2 + 1, (count + 1) // 2)
        assert switches.entries == count
        # each loads another page directory, and flushes caches and TLBs once
        for counter in ("ttb_writes", "icache_invalidate_all", "dtlb_invalidate_all"):
            assert switches.counters.total(counter) == count, counter
            assert first.counters.total(counter) == second.counters.total(counter) == 0
        assert switches.counters.total("exception_irq") == 0
        assert first.counters.total("exception_irq") == 0
    # what the tasks themselves do is the same however often they are stopped: instructions are
    # those of one switch more, a mark and a few calls
    for part in range(2):
        one, nine = (stats.region(1 + 3 * i + part).counters.total("instructions") for i in (0, 2))
        assert 0 <= nine - one < 9 * 100
    direct = stats.region(SWITCH)
    assert direct.entries == direct.counters.total("ttb_writes") == 16
    # nothing of it was in the caches, the TLBs or the write buffer
    assert direct.counters.total("dcache_writebacks") < 16 * 16


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_interrupts_are_as_many_as_asked_for() -> None:
    counts = (0, 1, 9)
    stats = ask("interrupt", "crc", counts)
    for i, count in enumerate(counts):
        assert stats.region(1 + 3 * i).counters.total("exception_irq") == count
        assert stats.region(1 + 3 * i).entries == 1
    direct = stats.region(INTERRUPT).counters
    assert direct.total("exception_irq") == 100
    # warm: what is missed is far less than a line for each
    assert direct.total("icache_misses") < 100


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("what=fly tasks=sort,crc counts=1", "overheads.what=fly: expected switch or interrupt"),
        ("what=interrupt tasks=sleep counts=1", "overheads.tasks: sleep: expected sort, deflate,"),
        ("what=switch tasks=sort,crc counts=0", "overheads.counts: 0: expected at most 127, and 1"),
    ],
)
@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_what_cannot_be_measured(words: str, line: str) -> None:
    with pytest.raises(RunError, match=line):
        run(" ".join(f"overheads.{word}" for word in words.split()))


@pytest.mark.linux
def test_linux_itself_is_the_unmodified_one() -> None:
    """Its functions are where they are without our code, which comes behind them."""
    plain = SYSTEMS["linux-versatilepb"]
    build_linux.ensure([plain, OVERHEADS])

    def symbols(linux: build_linux.Linux) -> dict[str, str]:
        done = subprocess.run(
            ["arm-linux-gnueabi-nm", str(linux.symbols)], check=True, capture_output=True, text=True
        )
        lines = [line.split() for line in done.stdout.splitlines()]
        return {name: address for address, kind, name in lines if kind in "tTW"}

    with_code, without = symbols(OVERHEADS), symbols(plain)
    for name in ("__switch_to", "cpu_arm926_switch_mm", "vic_handle_irq", "pipe_read", "crc32_le"):
        assert with_code[name] == without[name], name
    assert "pair_switch" in with_code.keys() - without.keys()
    here = (build_linux.cache(), build.root())
    for file in (OVERHEADS.kernel, OVERHEADS.symbols):
        content = file.read_bytes()
        assert not [str(folder) for folder in here if str(folder).encode() in content], file


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_without_a_probe_it_measures_by_the_kernel_s_clock() -> None:
    words = "what=switch tasks=sort,crc counts=9 scale=5 probe=0"
    listed = " ".join(f"overheads.{word}" for word in words.split())
    console = run(f"loglevel=7 {listed}").console
    assert "overheads: region=1 entries=5 ns=" in console
    assert "overheads: region=3 entries=9 ns=" in console
    assert "overheads: done" in console
