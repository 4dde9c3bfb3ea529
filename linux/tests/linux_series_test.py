# SPDX-License-Identifier: Apache-2.0
"""Each patch of the series builds and boots without those after it; some of it these mend.

With all of them it is the usual kernel, which `linux_test.py` boots. Each of the others is compiled
whole, which takes minutes.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard.data import files
from switchyard.run import build, build_linux, machine
from switchyard.run.build_linux import SYSTEMS

pytestmark = [pytest.mark.linux, pytest.mark.slow, pytest.mark.guests, pytest.mark.long]

SYSTEM = SYSTEMS["linux-sa1110-fass"]
SERIES = sorted((build.root() / "linux" / "6.12" / "fass").glob("0*.patch"))
MAX_CYCLES = 20_000_000_000
# Self-tests of what a later patch mends, by how their names begin; and rules of the checker.
MENDED = {
    "memory in the own slot": 10,
    "a futex of many": 13,
    "shared memory that one moves": 17,
    "rights that are given back": 21,
}
RULES = {"slot-alias": 10, "synonym": 17}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder where sources can be links to those that all builds share."""
    build_linux.ensure([SYSTEM])
    with tempfile.TemporaryDirectory(prefix="linux-series-", dir=files.cache()) as place:
        yield Path(place)


def compiled(folder: Path, patches: list[Path]) -> Path:
    """The kernel of the unmodified sources with these patches, without a warning."""
    tree, objects = folder / "tree", folder / "objects"
    source = build_linux.cache() / "linux-source-6.12"
    subprocess.run(["cp", "-al", str(source), str(tree)], check=True)
    for patch in patches:
        # a patched file is a new one: the shared sources stay as they are
        words = ["patch", "-s", "-f", "-p1", "-d", str(tree), "-i", str(patch)]
        subprocess.run(words, check=True)
    fragment = build_linux.cache() / SYSTEM.config / ".fragment"
    command = ["make", "-s", "-j2", "-C", str(tree), f"O={objects}", "ARCH=arm"]
    command += ["CROSS_COMPILE=arm-linux-gnueabi-", f"KCONFIG_ALLCONFIG={fragment}"]
    for goal in ("allnoconfig", "zImage"):
        done = subprocess.run(
            [*command, goal],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-4000:]
        assert not re.search(r"\bwarning:", done.stdout), done.stdout[-4000:]
    return objects / "arch" / "arm" / "boot" / "zImage"


def later(mended: dict[str, int], name: str, number: int) -> bool:
    """Whether what begins so is mended by a patch after this one."""
    return any(name.startswith(begin) and number < patch for begin, patch in mended.items())


@pytest.mark.parametrize("number", range(1, len(SERIES)), ids=[p.stem for p in SERIES[:-1]])
def test_a_patch_needs_none_behind_it(folder: Path, number: int) -> None:
    kernel = compiled(folder, SERIES[:number])
    boot = replace(SYSTEM.boot(MAX_CYCLES), kernel=kernel, check="coherence")
    run = machine.run(boot, must_succeed=False)
    text = run.console.replace("\r", "")
    failed = set(re.findall(r"^FAIL (.+?)(?=:[^:]*$)", text, re.M))
    known = {name for name in failed if later(MENDED, name, number)}
    assert failed == known, text[-4000:]
    assert f"init: self-test ended with status {1 if failed else 0}" in text, text[-4000:]
    rules = {finding.cause for finding in run.stats.findings}
    assert all(later(RULES, rule, number) for rule in rules), rules
    assert not re.search(r"Oops|BUG:|WARNING:|cut here|Kernel panic", text), text[-4000:]
    assert SYSTEM.last_line in text
    assert not run.stats.diagnostics
