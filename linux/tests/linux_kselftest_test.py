# SPDX-License-Identifier: Apache-2.0
"""The kernel's own self-tests: they say the same with fast address-space switching as without.

Some fail on both kernels, which are small: what counts is that nothing changes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from switchyard.run import build, build_linux, machine
from switchyard.run.build_linux import KERNEL_TESTS, SYSTEMS

pytestmark = [pytest.mark.linux, pytest.mark.slow, pytest.mark.guests, pytest.mark.long]

MAX_CYCLES = 400_000_000_000
FAST = SYSTEMS["linux-versatilepb-fass"]
# Of some ninety, those that pass whole, at the least.
PASS = 50
# Writes 1 to /proc/*/clear_refs, which takes the mark of use from all pages. Linux flushes no TLB
# for it (clear_refs_write in fs/proc/task_mmu.c): use that goes unnoticed does no harm. The checker
# names the entries that are still there.
CLEARS_USE = "proc.read"


@dataclass(frozen=True)
class Verdict:
    """How a test ended, and what it said of each of its parts, without times and addresses."""

    end: str
    parts: tuple[str, ...]


def verdicts(text: str) -> Mapping[str, Verdict]:
    by_name = {}
    name, parts = "", list[str]()
    for line in text.replace("\r", "").splitlines():
        ended = re.match(rf"kselftest: {re.escape(name)} (.+)", line) if name else None
        begun = re.match(r"kselftest: (\S+)$", line)
        if ended:
            by_name[name] = Verdict(ended[1], tuple(parts))
            name = ""
        elif begun:
            name, parts = begun[1], []
        elif re.match(r"(not )?ok \d+", line):
            parts.append(re.sub(r"0x[0-9a-f]+|\d+\.\d+", "N", line))
    return by_name


@pytest.fixture(scope="module")
def listed() -> list[str]:
    build_linux.ensure([KERNEL_TESTS, FAST])
    file = build.root() / "linux" / "kselftest" / "list"
    return file.read_text(encoding="utf-8").split()


def run(system: build_linux.Linux) -> Mapping[str, Verdict]:
    """Under the checker, which fails the run by what it finds, but for what clears marks of use."""
    boot = replace(KERNEL_TESTS.boot(MAX_CYCLES), kernel=system.kernel)
    console = ""
    for names, check in ((f"except {CLEARS_USE}", "coherence"), (CLEARS_USE, None)):
        append = KERNEL_TESTS.append(f"quiet -- run /bin/kselftest {names}")
        console += machine.run(replace(boot, append=append, check=check)).console
    assert not re.search(r"Oops|BUG:|cut here|Kernel panic", console), console[-4000:]
    return verdicts(console)


def test_they_say_the_same_with_fast_switching(listed: list[str]) -> None:
    usual, fast = run(KERNEL_TESTS), run(FAST)
    assert sorted(usual) == sorted(fast) == sorted(listed)
    changed = {name: (usual[name], fast[name]) for name in listed if usual[name] != fast[name]}
    assert not changed
    assert sum(verdict.end == "ended with status 0" for verdict in usual.values()) >= PASS
