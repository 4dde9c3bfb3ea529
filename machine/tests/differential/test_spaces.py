# SPDX-License-Identifier: Apache-2.0
"""The machine against Unicorn with the MMU on: page tables, domains, process IDs, faults."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from space_reference import SpaceReference, accessed
from spaces import compare_spaces, save_space
from vectors import machine_command

# Core, caches, seed, instructions.
SPACES = {
    "SA-1110 with MMU": ("sa1110", False, 20035, 350_000),
    "SA-1110 with MMU and caches": ("sa1110", True, 20036, 350_000),
    "ARM926 with MMU": ("arm926", False, 20037, 450_000),
    "ARM926 with MMU and caches": ("arm926", True, 20039, 450_000),
}
# Each kind of fault with its status, and each rule of space_reference.py, occurs so often at least.
DATA_FAULTS = ("0001", "0101", "0111", "1001", "1011", "1101", "1111")
INSN_FAULTS = ("0010", "0101", "0111", "1001", "1011", "1101", "1111")
LEAST = 20
RULES = {
    "alignment checked",
    "fault address relocated",
    "invalid page before domain",
    "no domain in a section translation fault",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPACES)
def test_random_spaces(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    core, caches, seed, instructions = SPACES[name]
    command = machine_command(core)
    start = time.monotonic()
    done = 0
    used: Counter[str] = Counter()
    seen: Counter[str] = Counter()

    def progress(_: int, executed: int, reference: SpaceReference, events: Counter[str]) -> None:
        nonlocal done
        done = executed
        used.update(reference.rules - used)
        seen.update(events - seen)

    directory = Path(__file__).resolve().parents[3] / "build" / "differential"
    v5 = core == "arm926"
    for mismatch in compare_spaces(command, seed, instructions, v5, caches, progress=progress):
        path = save_space(mismatch, directory)
        again = f"run.py --core {core} --spaces --replay {path}"
        pytest.fail(f"{mismatch.report()}\nreplay: {again}", pytrace=False)
    with capsys.disabled():
        print(f"\n  {name}, seed {seed}: {done:,} instructions, {time.monotonic() - start:.0f} s")
        print("  exceptions:", ", ".join(f"{what} {n:,}" for what, n in sorted(seen.items())))
        print("  rules used:", ", ".join(f"{what} {n:,}" for what, n in sorted(used.items())))
    assert done >= instructions
    for status in DATA_FAULTS:
        assert seen[f"data-abort {status}"] >= LEAST, f"data aborts with status {status}"
    for status in INSN_FAULTS if v5 else ():
        assert seen[f"prefetch-abort {status}"] > 0, f"prefetch aborts with status {status}"
    assert seen["swi"] >= LEAST
    assert seen["undefined"] >= LEAST
    assert used.keys() == RULES, "a rule that is not needed any more, or a new one"


def test_addresses_of_accesses() -> None:
    """The decoder, with the alignment rule before it."""
    r = tuple(0x100 * i for i in range(16))
    arm = {
        0xE5912004: (0x104, 4),  # ldr r2, [r1, #4]
        0xE4912004: (0x100, 4),  # ldr r2, [r1], #4
        0xE7512003: (0x100 - 0x300, 1),  # ldrb r2, [r1, -r3]
        0xE1D120B2: (0x102, 2),  # ldrh r2, [r1, #2]
        0xE1D120D2: (0x102, 1),  # ldrsb r2, [r1, #2]
        0xE1012093: (0x100, 4),  # swp r2, r3, [r1]
        0xE9110018: (0x100 - 8, 4),  # ldmdb r1, {r3, r4}
        0xE9910018: (0x104, 4),  # ldmib r1, {r3, r4}
        0xE8110018: (0x100 - 4, 4),  # ldmda r1, {r3, r4}
    }
    for word, (address, size) in arm.items():
        assert accessed(word, r, 0) == (address & 0xFFFFFFFF, size), hex(word)
    thumb = {
        0x5851: (0x200 + 0x100, 4),  # ldr r1, [r2, r1]
        0x5E51: (0x200 + 0x900 - 0x800, 2),  # ldrsh r1, [r2, r1]
        0x6851: (0x204, 4),  # ldr r1, [r2, #4]
        0x7851: (0x201, 1),  # ldrb r1, [r2, #1]
        0x8851: (0x202, 2),  # ldrh r1, [r2, #2]
        0x9901: (0xD04, 4),  # ldr r1, [sp, #4]
        0xB406: (0xD00 - 8, 4),  # push {r1, r2}
        0xBC06: (0xD00, 4),  # pop {r1, r2}
        0xCA03: (0x200, 4),  # ldmia r2!, {r0, r1}
    }
    for half, (address, size) in thumb.items():
        assert accessed(half, r, 1) == (address, size), hex(half)
