# SPDX-License-Identifier: Apache-2.0
"""The test of a kind of streams, whatever the machine is compared with."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from ia32_compare import compare
from ia32_vectors import machine_command


def run_streams(
    kind: str,
    seed: int,
    instructions: int,
    least: dict[int, int],
    capsys: pytest.CaptureFixture[str],
) -> Counter[int]:
    """Compares so many instructions, in which each exception of `least` is to occur so often; how
    often each has."""
    start = time.monotonic()
    done = 0
    seen: Counter[int] = Counter()

    def progress(_: int, executed: int, faults: Counter[int]) -> None:
        nonlocal done
        done = executed
        seen.update(faults - seen)

    for mismatch in compare(machine_command(), kind, seed, instructions, progress=progress):
        entry = mismatch.freedom() if kind.startswith("silicon") else None
        if entry is None:
            pytest.fail(mismatch.report(), pytrace=False)
        # A host never seen, and no fault of the machine: said, and the next batch.
        with capsys.disabled():
            print(f"\n  {mismatch.where}: {entry.line()}")
    with capsys.disabled():
        print(f"\n  {kind}, seed {seed}: {done:,} instructions, {time.monotonic() - start:.0f} s")
    assert done >= instructions
    for vector, count in least.items():
        assert seen[vector] >= count, f"exception {vector}: {seen[vector]} times"
    return seen
