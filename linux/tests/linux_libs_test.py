# SPDX-License-Identifier: Apache-2.0
"""Shared libraries on Linux (linux/libs): where they are, that programs run, what is shared."""

import struct
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from switchyard.run import build, build_linux, machine
from switchyard.run.build_linux import LIBRARIES, Linux
from switchyard.run.machine import Stats

pytestmark = pytest.mark.linux

MAX_CYCLES = 5_000_000_000
SLOT = 0x2000000  # what is below is each process's own, by its PID
AREAS = 0x80000000  # what is above is not
EXECUTE, WRITE, LOAD = 1, 2, 1
PROCESSES = 8
ROUNDS = 20


@dataclass(frozen=True)
class Segment:
    """A part of a library that is loaded."""

    start: int
    offset: int
    size: int
    flags: int


def segments(file: Path) -> list[Segment]:
    content = file.read_bytes()
    table, count = struct.unpack_from("<28xI12xH", content)
    loaded = []
    for n in range(count):
        kind, offset, start, _, size, _, flags, _ = struct.unpack_from(
            "<8I", content, table + 32 * n
        )
        if kind == LOAD:
            loaded.append(Segment(start, offset, size, flags))
    return loaded


def ensured(config: str) -> Linux:
    system = LIBRARIES[config]
    build_linux.ensure([system])
    return system


@pytest.mark.parametrize("config", ["sa1110", "versatilepb"])
def test_libraries_have_places_of_their_own(config: str) -> None:
    """Text above 2 GB in blocks that nothing else has, data below 32 MB, no page in both."""
    ensured(config)
    folder = build.root() / "build" / "linux" / config / "libs" / "shared"
    blocks: set[int] = set()
    data_pages: set[int] = set()
    for name in ("libc.so", "libmore.so"):
        data, text = segments(folder / name)
        assert data.flags & (WRITE | EXECUTE) == WRITE
        assert text.flags & (WRITE | EXECUTE) == EXECUTE
        assert data.start + data.size < SLOT
        assert text.start >= AREAS
        of_text = {address >> 21 for address in (text.start, text.start + text.size - 1)}
        assert not of_text & blocks, "Linux fills two entries of a directory at a time"
        blocks |= of_text
        assert data.start not in data_pages
        data_pages.add(data.start)
        assert text.offset >> 12 > (data.offset + data.size - 1) >> 12
    taken = segments(folder / "libtaken.so")
    assert [part.start for part in taken] == [part.start for part in segments(folder / "libc.so")]


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("config", ["sa1110-fass", "versatilepb"])
def test_programs_run_with_shared_libraries(config: str) -> None:
    system = ensured(config)
    run = machine.run(replace(system.boot(MAX_CYCLES, "quiet"), check="coherence"))
    text = run.console.replace("\r", "")
    passed = 13 if config.endswith("-fass") else 12
    assert f"\nRESULT passed={passed} failed=0\n" in text, text[-4000:]
    assert "init: self-test ended with status 0" in text
    assert not run.stats.diagnostics


def ring(system: Linux, program: str) -> Stats:
    words = f"ctx processes={PROCESSES} size=0 rounds={ROUNDS} clock=probe"
    boot = replace(system.boot(MAX_CYCLES, f"quiet -- run {program} {words}"), machine="sa1110")
    return machine.run(boot).stats


@pytest.mark.slow
@pytest.mark.guests
def test_processes_have_one_text_in_the_tlb() -> None:
    system = ensured("sa1110-fass")
    shared, private = (
        ring(system, program).region(PROCESSES).counters
        for program in ("/bin/suite", "/bin/private /bin/suite")
    )
    switches = ROUNDS * PROCESSES
    # each process has pages of the library to itself, or none has
    assert private.total("itlb_misses") > 2 * switches
    assert shared.total("itlb_misses") < switches / 2
    # and nobody is in another's way
    for counters in (shared, private):
        assert counters.total("icache_invalidate_all") <= 2
        assert counters.total("fault_domain") <= 4
