# SPDX-License-Identifier: Apache-2.0
"""The kernel that measures its own overheads: what it counts, and what it refuses."""

import subprocess
from dataclasses import replace

import pytest

from switchyard.errors import RunError
from switchyard.run import build, build_linux, machine
from switchyard.run.build_linux import FAST_OVERHEADS, OVERHEADS, SYSTEMS, Linux
from switchyard.run.machine import Run, Stats

# two kernels of their own
pytestmark = [pytest.mark.long, pytest.mark.linux, pytest.mark.guests]

MAX_CYCLES = 3_000_000_000
SWITCH, INTERRUPT = 250, 251  # regions of linux/overheads/overheads.h
COUNTS = (1, 2, 9)
SCALE = 5  # thousandths of the tasks' length
KERNELS = (OVERHEADS, FAST_OVERHEADS)


def run(words: str, linux: Linux = OVERHEADS, on: str = OVERHEADS.machine) -> Run:
    build_linux.ensure([linux])
    return machine.run(replace(linux.boot(MAX_CYCLES, f"quiet {words}"), machine=on))


def listed(words: str) -> str:
    """Words of linux/overheads as the kernel's command line has them."""
    return " ".join(f"overheads.{word}" for word in words.split())


def ask(what: str, tasks: str, counts: tuple[int, ...], linux: Linux = OVERHEADS) -> Stats:
    numbers = ",".join(str(count) for count in counts)
    words = f"what={what} tasks={tasks} counts={numbers} scale={SCALE}"
    return run(listed(words), linux).stats


@pytest.mark.parametrize("pair", ["sort,crc", "crc,deflate", "aes,deflate"])
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


def test_fast_switching_loads_the_process_id_alone() -> None:
    flushing, fast = (ask("switch", "sort,crc", (1, 9), linux) for linux in KERNELS)
    switches = fast.region(6).counters
    assert switches.total("pid_writes") == 9
    flushes = ("ttb_writes", "icache_invalidate_all", "dtlb_invalidate_all", "dcache_test_clean")
    assert [switches.total(name) for name in flushes] == [0, 0, 0, 0]
    assert switches.total("cycles") < flushing.region(6).counters.total("cycles") / 2
    for task in (4, 5):
        done, filled = (
            [stats.region(task).counters.total(name) for stats in (flushing, fast)]
            for name in ("instructions", "icache_misses")
        )
        assert done[0] == done[1], "the tasks are the same"
        assert filled[1] < filled[0] / 2, "their code stays in the cache"


def test_ideal_tags_leave_nothing_in_emptied_caches() -> None:
    """The probe empties what no operation of the guest does: misses are the plain machine's."""
    words = "what=switch tasks=sort,crc counts=1 scale=5"
    flushing, ideal = (
        run(listed(words), on=name).stats.region(SWITCH).counters
        for name in ("omap1610", "omap1610-tags")
    )
    for counter in ("icache_misses", "dcache_read_misses", "table_walk_reads"):
        there, here = flushing.total(counter), ideal.total(counter)
        assert 0.6 * there < here <= there, counter


@pytest.mark.parametrize("linux", KERNELS, ids=lambda linux: str(linux.config))
def test_interrupts_are_as_many_as_asked_for(linux: Linux) -> None:
    counts = (0, 1, 9)
    stats = ask("interrupt", "crc", counts, linux)
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
def test_what_cannot_be_measured(words: str, line: str) -> None:
    with pytest.raises(RunError, match=line):
        run(listed(words))


def addresses(linux: Linux) -> dict[str, str]:
    """Of a kernel's functions."""
    done = subprocess.run(
        ["arm-linux-gnueabi-nm", str(linux.symbols)], check=True, capture_output=True, text=True
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    return {name: address for address, kind, name in lines if kind in "tTW"}


def test_linked_elsewhere_it_does_the_same() -> None:
    moved = replace(OVERHEADS, shift=1)
    here, there = (ask("switch", "sort,crc", COUNTS, linux) for linux in (OVERHEADS, moved))
    where, elsewhere = (addresses(linux) for linux in (OVERHEADS, moved))
    assert where.keys() == elsewhere.keys()
    for name in ("pipe_read", "pair_switch", "crc32_le"):
        assert where[name] != elsewhere[name], name
    for i in range(len(COUNTS)):
        for task in (1 + 3 * i, 2 + 3 * i):
            done = [stats.region(task).counters.total("instructions") for stats in (here, there)]
            assert done[0] == done[1], task


def test_linux_itself_is_the_unmodified_one() -> None:
    """Its functions are where they are without our code, which comes after them."""
    plain = SYSTEMS["linux-versatilepb"]
    build_linux.ensure([plain, OVERHEADS])

    with_code, without = addresses(OVERHEADS), addresses(plain)
    for name in ("__switch_to", "cpu_arm926_switch_mm", "vic_handle_irq", "pipe_read", "crc32_le"):
        assert with_code[name] == without[name], name
    assert "pair_switch" in with_code.keys() - without.keys()
    here = (build_linux.cache(), build.root())
    for file in (OVERHEADS.kernel, OVERHEADS.symbols):
        content = file.read_bytes()
        assert not [str(folder) for folder in here if str(folder).encode() in content], file


def test_without_a_probe_it_measures_by_the_kernel_s_clock() -> None:
    words = "what=switch tasks=sort,crc counts=9 scale=5 probe=0"
    console = run(f"loglevel=7 {listed(words)}").console
    assert "overheads: region=1 entries=5 ns=" in console
    assert "overheads: region=3 entries=9 ns=" in console
    assert "overheads: done" in console
