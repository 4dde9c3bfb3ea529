# SPDX-License-Identifier: Apache-2.0
"""The suite on Linux on the machines: by the probe, by the kernel's clock, and its profile."""

import dataclasses
import re
import subprocess
from pathlib import Path

import pytest

from switchyard.data import suite
from switchyard.experiments import linux_suite
from switchyard.run import build, build_linux, machine
from switchyard.run.build_linux import BENCHES
from switchyard.run.machine import Run

pytestmark = [pytest.mark.linux, pytest.mark.slow, pytest.mark.guests]

MAX_CYCLES = 5_000_000_000
PIPE = 3  # the stream of potato's case
ROUNDS = 50
# `entry` is IA-32's, whose own test is linux_entry_test.py.
ON_ARM = [question for question in suite.STREAMS if question != "entry"]


def run(name: str, words: str, profiled: bool = False, kernel: str = "") -> Run:
    linux = BENCHES[kernel or name]
    build_linux.ensure([linux])
    boot = linux.boot(MAX_CYCLES, f"quiet -- bench {words}")
    symbols = linux.symbols if profiled else None
    return machine.run(dataclasses.replace(boot, machine=name, symbols=symbols))


@pytest.mark.parametrize("name", linux_suite.MACHINES)
def test_clock_probe_and_profile_agree(name: str) -> None:
    words = f"potato case=pipe rounds={ROUNDS}"
    by_probe = run(name, f"{words} clock=probe", profiled=True).stats
    samples, timing = by_probe.samples[PIPE], by_probe.samples[suite.TIMING]
    probed = suite.timed(samples, timing, 1, name).summary
    (case,) = suite.parse(run(name, words).console.split("user space after")[1], name).cases
    assert case.name == "pipe"
    # the same round trips by a coarser clock; reading it is a system call, whose lines have to go
    # into the caches and take others' places, so that it is some more
    ratio = case.timed.summary.median / 1000 / by_probe.microseconds(probed.median)
    assert 1 < ratio < 1.4, ratio
    region = by_probe.region(PIPE)
    assert region.counters.total("ttb_writes") == pytest.approx(2 * ROUNDS, abs=4)
    functions = by_probe.profile[PIPE]

    def spent(*causes: str) -> int:
        return sum(getattr(function, cause) for function in functions for cause in causes)

    # the profile has the store that enters the region whole, and nothing of that which leaves it;
    # the counters have the one's end and the other's beginning
    assert spent("cycles") == pytest.approx(region.counters.total("cycles"), abs=100)
    assert spent("instructions") == region.counters.total("instructions") - region.counters.total(
        "exception_prefetch_abort"
    )
    fills = spent("fetch_fill_cycles", "data_fill_cycles")
    assert fills == region.counters.total("fill_stall_cycles")
    assert spent("fetch_walk_cycles", "data_walk_cycles") == region.counters.total(
        "walk_stall_cycles"
    )
    parts = linux_suite.parts(functions)
    assert sum(parts.values()) == spent("cycles")
    # each switch flushes, and the names of the functions that do are still those we know
    flushing = [function for function in functions if linux_suite.FLUSHING.fullmatch(function.name)]
    assert (
        parts[linux_suite.FLUSH]
        == sum(function.cycles for function in flushing)
        > 1000 * 2 * ROUNDS
    )
    assert "pipe_read" in {function.name for function in functions}


@pytest.mark.parametrize(
    "linux",
    # a RAM disk for the machine without an MMU takes headers of that kernel, which is built first
    [
        pytest.param(linux, id=name, marks=[pytest.mark.long] if "nommu" in name else [])
        for name, linux in BENCHES.items()
    ],
)
def test_the_ram_disk_names_no_place(linux: build_linux.Linux) -> None:
    """What differs from one computer to another is not in it: results are kept by its content."""
    build_linux.ensure([linux])
    content = linux.initrd.read_bytes()
    here = (build_linux.cache(), build.root())
    assert not [str(folder) for folder in here if str(folder).encode() in content]


@pytest.mark.parametrize("question", [*ON_ARM, "ctx", "extreme", "sharing", "prefork"])
def test_every_question_has_an_answer(question: str) -> None:
    """With FIFOs and vfork() where there is such a variant, as without an MMU."""
    words = {
        "ctx": "ctx processes=2,5 size=1 channel=fifo spawn=vfork",
        "extreme": "extreme processes=3 pages=1,9 sharing=shared",
        "potato": "potato spawn=vfork",
        "prefork": "prefork processes=2,5 size=4 mapped=64",
        "sharing": "sharing processes=2,5 pages=9 mapped=private",
    }
    answered = run("sa1110", f"{words.get(question, question)} rounds=3 clock=probe").stats
    rings = [2, 5, 130, 133]
    streams = {"ctx": rings, "sharing": rings, "prefork": rings, "extreme": [1, 2]}
    for stream in streams.get(question, list(suite.STREAMS.get(question, ()))):
        # a null call is so short that there are twenty of it in a round
        assert len(answered.samples[stream]) == (60 if (question, stream) == ("call", 1) else 3)
        assert answered.region(stream).entries == 1


@pytest.mark.parametrize(
    ("question", "stream"), [("extreme pages=9 sharing", 1), ("sharing pages=9 mapped", 4)]
)
def test_what_is_shared_is_in_the_tlb_once(question: str, stream: int) -> None:
    """By the counters of a kernel that shares: each process misses its own pages, or nobody."""
    misses = {}
    for mapped in ("private", "shared"):
        words = f"{question}={mapped} processes=4 rounds=20 clock=probe"
        answered = run("sa1110", words, kernel="sa1110-fass").stats
        counters = answered.region(stream).counters
        misses[mapped] = counters.total("dtlb_misses") / 20
        assert counters.total("icache_invalidate_all") == 0
    assert misses["private"] > misses["shared"] + 4 * 6


@pytest.mark.parametrize(
    "name", ["sa1110", "versatilepb", pytest.param("s3c24a0-nommu", marks=pytest.mark.long)]
)
def test_boots_lie_elsewhere(name: str) -> None:
    """Pages that init holds move what comes later; without an MMU, too."""
    linux = BENCHES[name]
    build_linux.ensure([linux])
    pages = set()
    for hold in (1, 38):
        told = machine.run(linux.boot(MAX_CYCLES, f"-- hold={hold} end")).console
        match = re.search(rf"init: holds {hold} pages, and that of number (\d+)", told)
        assert match is not None, told[-500:]
        pages.add(int(match[1]))
    assert len(pages) == 2
    assert 0 not in pages


def test_a_shifted_kernel_lies_elsewhere() -> None:
    """Code, data and zeros, each by a distance of its own; the entry code stays where it was."""
    plain = BENCHES["sa1110"]
    shifted = dataclasses.replace(plain, shift=1)
    build_linux.ensure([plain, shifted])
    before, after = (symbols(linux.symbols) for linux in (plain, shifted))
    assert before.keys() == after.keys()
    # system calls' code; data that each of them reads; the running task, among what begins as 0
    names = ("vector_swi", "sys_getppid", "cr_alignment", "__current")
    entry, *moved = (after[name] - before[name] for name in names)
    assert entry == 0
    assert len(set(moved)) == len(moved)
    assert min(moved) >= 3 * 4096
    done = machine.run(shifted.boot(MAX_CYCLES, "quiet -- end"))
    assert done.stats.end.good


def symbols(file: Path) -> dict[str, int]:
    listed = subprocess.run(
        ["arm-linux-gnueabi-nm", file], capture_output=True, check=True, text=True
    ).stdout
    lines = (line.split() for line in listed.splitlines())
    return {name: int(address, 16) for address, kind, name in lines if kind in "TDBtdb"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("potato rounds=x clock=probe", "parameter rounds: x; expected a number above 0"),
        ("ctx processes=9-2 clock=probe", "parameter processes: 9-2; expected numbers and ranges"),
        ("ctx processes=1 clock=probe", "parameter processes: 1; expected 2 to 100"),
        ("nothing", "usage: suite QUESTION"),
    ],
)
def test_a_wrong_question_is_told(words: str, message: str) -> None:
    linux = BENCHES["sa1110"]
    build_linux.ensure([linux])
    boot = linux.boot(MAX_CYCLES, f"quiet -- bench {words}")
    told = machine.run(dataclasses.replace(boot, machine="sa1110"), must_succeed=False)
    assert message in told.console
