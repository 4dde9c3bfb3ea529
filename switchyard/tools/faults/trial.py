# SPDX-License-Identifier: Apache-2.0
"""A kernel with a fault in it boots, until something is found: by a test, or by the checker."""

import hashlib
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from switchyard.data import files
from switchyard.errors import InputError, RunError, one_of
from switchyard.run import build_linux, machine, variants
from switchyard.run.build_linux import LIBRARIES, SYSTEMS, Linux
from switchyard.run.child_process import leashed
from switchyard.run.store import sha256
from switchyard.tools.faults.workshop import CONFIG


@dataclass(frozen=True)
class Stage:
    """A boot: a RAM disk, and what its init is told to do."""

    name: str
    system: Linux
    word: str
    good: str  # the line at its end, if nothing was wrong
    max_cycles: int  # a third more than a kernel without a fault takes, at least
    changes: Mapping[str, int] = field(default_factory=dict, hash=False)  # of the machine's file


SELF_TEST = SYSTEMS[f"linux-{CONFIG}"]
LIBS = LIBRARIES[CONFIG]
STAGES = (
    Stage("self-test", SELF_TEST, "quiet", "init: self-test ended with status 0", 2_000_000_000),
    # Where no instruction and no translation is evicted, one that was not flushed stays until
    # somebody uses it. The data cache has to be as large as the kernel thinks, which cleans it by
    # reading as much.
    Stage(
        "large instruction cache and TLBs",
        SELF_TEST,
        "quiet",
        "init: self-test ended with status 0",
        2_000_000_000,
        {"icache.size-bytes": 2 << 20, "itlb.entries": 256, "dtlb.entries": 256},
    ),
    Stage("libraries", LIBS, "quiet", "init: self-test ended with status 0", 1_500_000_000),
    Stage(
        "stress",
        SELF_TEST,
        "quiet -- stress seconds=5 seed=1",
        "init: stress ended with status 0",
        3_000_000_000,
    ),
)

# What a program or the kernel says of a fault; of a failed test its name alone.
SAID = re.compile(
    r"^FAIL (?P<test>[^:\n]+)|(?P<line>Kernel panic.*|Internal error.*|BUG:.*|WARNING:.*|"
    r"Unhandled fault.*|Unable to handle.*)"
)


def choose(names: Sequence[str]) -> list[Stage]:
    """The boots of these names; all, if there are none."""
    known = {stage.name: stage for stage in STAGES}
    for name in names:
        if name not in known:
            raise InputError(f"--stage {name}: unknown; {one_of(name, known)}")
    return [stage for stage in STAGES if not names or stage.name in names]


def tests(stage: Stage) -> str:
    """What tries a kernel in a boot, as a hash."""
    said = f"{sha256(stage.system.initrd)} {stage.word}"
    said += "".join(f" {name}={value}" for name, value in stage.changes.items())
    return hashlib.sha256(said.encode()).hexdigest()


def sound(kernel: Path, stage: Stage, passed: Path) -> None:
    """`RunError` unless a kernel without a fault gets through a boot, which tells nothing else.

    `passed` has those that did, each by kernel, tests and simulator.
    """
    said = f"{sha256(kernel)} {tests(stage)} {sha256(machine.binary())}"
    key = hashlib.sha256(said.encode()).hexdigest()
    known = passed.read_text("utf-8").split() if passed.exists() else []
    if key in known:
        return
    if found := watch(kernel, stage):
        raise RunError(f"--stage {stage.name}: found without a fault, too: {found}")
    files.write(passed, "".join(f"{line}\n" for line in [*known, key]))


def watch(kernel: Path, stage: Stage) -> str:
    """One boot, which ends with the first thing that goes wrong; what that is, or nothing."""
    boot = stage.system.boot(stage.max_cycles, stage.word)
    boot = replace(boot, kernel=kernel, check="coherence")
    with files.scratch() as folder:
        if stage.changes:
            described = variants.changed(variants.describe(boot.machine), stage.changes)
            boot = replace(boot, machine=str(variants.save(described, folder)))
        said = folder / "said"
        with said.open("wb") as errors:
            process = subprocess.Popen(
                leashed([str(machine.binary()), *boot.arguments()], signal.SIGKILL),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert process.stdout is not None
        good = False
        try:
            for line in process.stdout:
                text = line.decode(errors="replace").strip()
                if match := SAID.search(text):
                    return (match["test"] or match["line"]).strip()
                good |= text == stage.good
            good &= process.wait() == 0
        finally:
            process.kill()
            process.wait()
        lines = said.read_text("utf-8", errors="replace").splitlines()
        return _ended(lines, good)


def _ended(lines: list[str], good: bool) -> str:
    """What a boot that ended by itself says: the checker's first finding, or why it ended."""
    if good:
        return ""
    first = lines[0] if lines else "it ended early"
    if re.search(r"still ran after \d+ cycles", first):
        return "it does not end"
    return first.removeprefix(f"{machine.BINARY}: ").partition(" | ")[0]


def built() -> None:
    """Brings the usual kernel and the RAM disks up to date."""
    build_linux.ensure([SELF_TEST, LIBS])
