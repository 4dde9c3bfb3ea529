# SPDX-License-Identifier: Apache-2.0
"""Linux as a server on the microkernel, the least of it, with one program, in each arrangement.

The program (linux/l4/tests/hostile.c) is the first process. It makes children, takes a signal, uses
thread-local storage, says what calls take; then it attacks Linux, the root task, sigma0 and another
program in every way that L4 has, and says what came of each. What takes longer is in
`linux_l4_test.py`.
"""

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard.run import build, build_linux, machine, programs
from switchyard.run.build_linux import SERVERS
from switchyard.tools import doctor

FOUND = doctor.server()  # none where it cannot be built at all
pytestmark = [
    *(pytest.mark.linux, pytest.mark.slow, pytest.mark.guests),
    pytest.mark.skipif(
        not FOUND or not all(finding.good for finding in FOUND),
        reason="Linux on L4 cannot be built here: see `switchyard doctor linux`",
    ),
]

TINY = {"-".join(small) or "large": replace(one, kind="tiny") for small, one in SERVERS.items()}
MAX_CYCLES = 6_000_000_000
SOURCES = (
    "linux/l4/tests/hostile.c",
    "l4/lib/startup.c",
    "l4/lib/arch/ia32/syscalls.S",
)
INCLUDES = ("l4/include", "l4/include/l4/arch/ia32", "include")


def compiled(folder: Path) -> bytes:
    root = build.root()
    command = [sys.executable, "-m", "ziglang", "cc", "--target=x86-freestanding-none", "-O1"]
    command += ["-mcpu=pentium4-mmx-sse-sse2-x87+soft_float", "-nostdlib", "-static", "-fno-pic"]
    command += ["-freg-struct-return", "-ffreestanding", "-fno-sanitize=undefined"]
    command += ["-fno-stack-protector", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{root / include}" for include in INCLUDES]
    subprocess.run(
        [*command, "-o", "init", *(str(root / source) for source in SOURCES)],
        cwd=folder,
        check=True,
    )
    return (folder / "init").read_bytes()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, machine.Run]:
    """The large one under the coherence checker."""
    build_linux.ensure([TINY["large"]])
    folder = tmp_path_factory.mktemp("hostile")
    disk = folder / "disk.cpio"
    disk.write_bytes(programs.archive([("init", 0o100755, compiled(folder))]))
    found = {}
    for name, server in TINY.items():
        boot = replace(server.boot(MAX_CYCLES), initrd=disk)
        checked = replace(boot, check="coherence") if name == "large" else boot
        found[name] = machine.run(checked, must_succeed=False)
    return found


@pytest.mark.parametrize("name", TINY)
def test_it_boots_and_its_program_runs(runs: Mapping[str, machine.Run], name: str) -> None:
    run = runs[name]
    text = run.console.replace("\r", "")
    assert "\nordinary: 0\n" in text, text[-3000:]
    assert "reboot: Restarting system" in text
    assert run.stats.end.good


@pytest.mark.parametrize("name", TINY)
def test_attacks_are_repelled(runs: Mapping[str, machine.Run], name: str) -> None:
    """Each ended as it has to, and the witness answered after it."""
    text = runs[name].console.replace("\r", "")
    assert len(re.findall(r": repelled$", text, re.M)) >= 33
    assert re.search(r"^attacks that did something: 0$", text, re.M), re.findall(
        r"^.*(?:WRONG|HARMED|crashed).*$", text, re.M
    )


def test_a_call_is_cheaper_in_small_spaces(runs: Mapping[str, machine.Run]) -> None:
    """Two loads of CR3 and what is lost by them: twice as much with all large."""
    taken = {}
    for name, run in runs.items():
        found = re.search(r"^getpid (\d+), gettimeofday (\d+) cycles", run.console, re.M)
        assert found is not None
        taken[name] = int(found[1])
    assert min(taken.values()) > 1500
    for name, cycles in taken.items():
        assert name == "large" or 1.8 * cycles < taken["large"], taken
