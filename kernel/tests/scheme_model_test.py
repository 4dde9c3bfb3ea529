# SPDX-License-Identifier: Apache-2.0
"""The protocol of fast address-space switching, searched whole by Spin.

The model is kernel/arch/arm/switch/model/fass.pml; those of linux/model are for what Linux does
beyond it. The whole of each is free of errors, and each flush that is left out is found, but where
the README beside it says why it need not be.
"""

import os
import re
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from switchyard.tests.patience import SECONDS

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "kernel" / "arch" / "arm" / "switch" / "model" / "fass.pml"
LINUX = ROOT / "linux" / "model"
# What Spin may take: it has no limits of its own while it reads a model.
LIMITS = "ulimit -v 3000000; "

FLUSHES = [
    "switch_dacr",
    "recycle_entries",
    "recycle_clean_tlb",
    "recycle_dirty_tlb",
    "collision_tlb",
    "collision_cache",
    "unmap_entry",
    "unmap_tlb",
    "unmap_lines",
    "protect_tlb",
    "exit_entries",
    "exit_tlb",
    "exit_lines",
    "kernel_dacr",
    "kernel_reads_clean",
    "kernel_writes_gone",
    "flush_clean",
    "flush_all",
    "alias_inactive",
    "protect_lines",
]
# By variant: what must be found there. With stale owners a flush waits until a section does change
# hands, so a forgotten mark does not matter and a recycling has none; without, both do.
FOUND = {
    "": [*FLUSHES, "stale_cache", "unmap_stale_lines", "exchange_cache", "exchange_tlb"],
    "BYPASS": [
        "bypass_cache",
        "bypass_tlb",
        "bypass_entries",
        "bypass_own_lines",
        "bypass_own_tlb",
    ],
    "PUBLISHED": ["mark_dirty", "recycle_dirty_cache", "boot_dirty", "exit_lines"],
    "CODE": ["collision_cache", "stale_cache", "unmap_lines", "exit_lines"],
    "SHARED": ["share_equal", "share_tlb", "leave_dacr", "leave_entry", "recycle_shared"],
    "REGIONS": [
        "leave_range",
        "switch_dacr",
        "leave_entries",
        "leave_tlb",
        "leave_lines",
        "end_entry",
        "forget_entry",
        "forget_tlb",
        "lines_of_all",
        "join_not_pending",
        "range_lines",
    ],
    "SLOTS": [
        "added",
        "grown",
        "ahead",
        "removed",
        "raised",
        "inherited",
        "chosen",
        "leave_tlb",
        "leave_lines",
    ],
}
# make test searches these, and make test-long the others too: a model changes seldom.
OFTEN = ("", "BYPASS", "SLOTS")
# Those with most states are searched to a depth at which the last of what is left out has long been
# found, and to their end by make test-long.
DEPTH = {"BYPASS": 12, "SHARED": 14, "REGIONS": 14}
# Those that have a model of their own.
OWN = {"REGIONS": "regions", "SLOTS": "slots"}


def model(variant: str) -> Path:
    return LINUX / f"{OWN[variant]}.pml" if variant in OWN else MODEL


def numbers(variant: str) -> dict[str, int]:
    """The numbers of what can be left out, as the model defines them."""
    text = model(variant).read_text(encoding="utf-8")
    return {name: int(n) for name, n in re.findall(r"^#define (\w+) +(\d+) +/\* ", text, re.M)}


@pytest.fixture(scope="module")
def searches(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Builds the search of a variant; the same one for all that is left out."""

    @cache
    def build(variant: str) -> Path:
        folder: Path = tmp_path_factory.mktemp(variant or "stale owners")
        define = f"-D{variant}" if variant else ""
        flags = "-w -O2 -DBFS -DSAFETY -DNOREDUCE"
        subprocess.run(
            ["sh", "-c", f"{LIMITS} spin -a {define} {model(variant)} && cc {flags} -o pan pan.c"],
            cwd=folder,
            check=True,
            capture_output=True,
            timeout=SECONDS,
        )
        return folder

    return build


def search(folder: Path, omit: int, depth: int = 0) -> tuple[int, int]:
    """The number of errors (0 or 1: it ends at the first) and of states, to a depth if given.

    The table of states that a search begins with is small where an error ends it soon.
    """
    limit = f" -m{depth}" if depth else ""
    done = subprocess.run(
        ["sh", "-c", f"{LIMITS} ./pan -w{20 if omit else 24}{limit}"],
        cwd=folder,
        env={**os.environ, "OMIT": str(omit)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    assert "Search not completed" not in done.stdout or "errors: 1" in done.stdout, done.stdout
    errors = re.search(r"errors: (\d+)", done.stdout)
    states = re.search(r"(\d+) states, stored", done.stdout)
    assert errors, done.stdout
    assert states, done.stdout
    return int(errors[1]), int(states[1])


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant",
    [
        variant if variant in OFTEN else pytest.param(variant, marks=pytest.mark.long)
        for variant in FOUND
    ],
)
def test_the_whole_is_right_and_what_is_left_out_is_found(
    searches: Callable[[str], Path], variant: str, subtests: pytest.Subtests
) -> None:
    folder = searches(variant)
    with subtests.test("whole"):
        errors, states = search(folder, 0, DEPTH.get(variant, 0))
        assert errors == 0
        assert states > 10_000
    for name in FOUND[variant]:
        with subtests.test(omit=name):
            assert search(folder, numbers(variant)[name])[0] == 1


@pytest.mark.long
@pytest.mark.parametrize("variant", DEPTH)
def test_the_large_ones_are_right_to_their_end(
    searches: Callable[[str], Path], variant: str
) -> None:
    errors, _ = search(searches(variant), 0)
    assert errors == 0
