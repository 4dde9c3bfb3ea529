# SPDX-License-Identifier: Apache-2.0
"""Linux as a server on the microkernel, the least of it, with one program, in each arrangement.

The program (linux/l4/tests/hostile.c) is the first process. It makes children, takes a signal, uses
thread-local storage and the floating-point unit, says what calls take; then it attacks Linux, the
root task, sigma0 and another program in every way that L4 has, and says what came of each. Before
that it draws a picture, which nobody harms. Its registers and its picture are what they are on
Linux alone; calls that would have Linux itself read or write the screen are refused. What takes
longer is in `linux_l4_test.py`.
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
from switchyard.tests.screen_test import Dots, png
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
TESTS = "linux/l4/tests"
ALONE = ("picture", "registers")
HOSTILE = (*ALONE, "attacks", "hostile")
LIBRARY = ("l4/lib/startup.c", "l4/lib/arch/ia32/syscalls.S")
INCLUDES = ("l4/include", "l4/include/l4/arch/ia32", "include")
MODE = "vga=0x311 quiet"
REGISTERS = ("fork", "threads", "handler", "exception", "debugger", "page fault")
# Of a row of the picture: whether the call is done on Linux alone, and as a server.
CALLS = {
    "pread() of the screen": ("refused", "refused"),
    "pwrite() of the screen": ("refused", "refused"),
    "write() from the screen": ("done", "refused"),
    "read() to the screen": ("done", "refused"),
    "a copy of the screen's page": ("done", "done"),
}


def compiled(folder: Path, *words: str) -> bytes:
    root = build.root()
    command = [sys.executable, "-m", "ziglang", "cc", "--target=x86-freestanding-none", "-O1"]
    command += ["-mcpu=pentium4-mmx-sse-sse2-x87+soft_float", "-nostdlib", "-static", "-fno-pic"]
    command += ["-freg-struct-return", "-ffreestanding", "-fno-sanitize=undefined"]
    command += ["-fno-stack-protector", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{root / include}" for include in INCLUDES]
    files = [word if word.startswith("-") else str(root / word) for word in words]
    subprocess.run([*command, "-o", "init", *files], cwd=folder, check=True)
    return (folder / "init").read_bytes()


def seen(boot: machine.Boot, init: bytes, folder: Path) -> tuple[str, Dots]:
    """What it says, and its screen at the end."""
    disk, screen = folder / "disk.cpio", folder / "screen.png"
    disk.write_bytes(programs.archive([("init", 0o100755, init)]))
    words = [str(machine.binary()), *replace(boot, initrd=disk).arguments()]
    done = subprocess.run(
        [*words, "--screen", str(screen)],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    return done.stdout.decode(errors="replace").replace("\r", ""), png(screen)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[str, Dots]]:
    """The large one under the coherence checker."""
    build_linux.ensure([TINY["large"]])
    folder = tmp_path_factory.mktemp("hostile")
    init = compiled(folder, *(f"{TESTS}/{name}.c" for name in HOSTILE), *LIBRARY)
    found = {}
    for name, server in TINY.items():
        boot = server.boot(MAX_CYCLES, MODE)
        checked = replace(boot, check="coherence") if name == "large" else boot
        found[name] = seen(checked, init, folder)
    return found


@pytest.mark.parametrize("name", TINY)
def test_it_boots_and_its_program_runs(runs: Mapping[str, tuple[str, Dots]], name: str) -> None:
    text, _ = runs[name]
    assert "\nordinary: 0\n" in text, text[-3000:]
    assert "reboot: Restarting system" in text


@pytest.mark.parametrize("name", TINY)
def test_attacks_are_repelled(runs: Mapping[str, tuple[str, Dots]], name: str) -> None:
    """Each ended as it has to, and the witness answered after it."""
    text, _ = runs[name]
    assert len(re.findall(r": repelled$", text, re.M)) >= 37
    assert re.search(r"^attacks that did something: 0$", text, re.M), re.findall(
        r"^.*(?:WRONG|HARMED|crashed).*$", text, re.M
    )


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Dots]:
    """Linux alone, with the program that only draws."""
    system = build_linux.I386["linux-i386"]
    build_linux.ensure([system])
    folder = tmp_path_factory.mktemp("alone")
    init = compiled(folder, "-DALONE", *(f"{TESTS}/{name}.c" for name in ALONE))
    return seen(system.boot(MAX_CYCLES, MODE), init, folder)


def test_the_picture_is_what_is_drawn(alone: tuple[str, Dots]) -> None:
    """Dot by dot, the bits that 16 have of a colour; nothing around it."""
    _, (width, height, dots) = alone
    assert (width, height) == (640, 480)
    for y in range(height):
        for x in range(width):
            drawn = (x * 205 + y * 3079) & 0xFFFF if x < 320 and y < 240 else 0
            colours = (drawn >> 11 << 3, drawn >> 5 << 2 & 0xFF, drawn << 3 & 0xFF)
            at = 3 * (y * width + x)
            red, green, blue = dots[at : at + 3]
            assert (red & 0xF8, green & 0xFC, blue & 0xF8) == colours, (x, y)


def test_the_picture_is_that_of_linux_alone(
    runs: Mapping[str, tuple[str, Dots]], alone: tuple[str, Dots]
) -> None:
    _, dots = alone
    for name, (text, picture) in runs.items():
        assert "\npicture: 0\n" in text, name
        assert picture == dots, name


def test_linux_does_not_copy_from_or_to_the_screen(
    runs: Mapping[str, tuple[str, Dots]], alone: tuple[str, Dots]
) -> None:
    """As a server; and it goes on. Alone it does."""
    texts = {"alone": alone[0], **{name: text for name, (text, _) in runs.items()}}
    for name, text in texts.items():
        for call, answers in CALLS.items():
            answer = answers[0 if name == "alone" else 1]
            assert f"{call}: {answer}\n" in text, (name, call, text[-3000:])


def test_registers_are_a_tasks_own(
    runs: Mapping[str, tuple[str, Dots]], alone: tuple[str, Dots]
) -> None:
    """Also where tasks share a space, and so a thread of the microkernel's."""
    for name, text in {
        "alone": alone[0],
        **{name: text for name, (text, _) in runs.items()},
    }.items():
        found = dict(re.findall(r"^registers of an? (\w[\w ]*): (.*)$", text, re.M))
        found |= dict(re.findall(r"^registers of (threads): (.*)$", text, re.M))
        assert found == dict.fromkeys(REGISTERS, "right"), (name, found)


def test_a_call_is_cheaper_in_small_spaces(runs: Mapping[str, tuple[str, Dots]]) -> None:
    """Two loads of CR3 and what is lost by them: twice as much with all large."""
    taken = {}
    for name, (text, _) in runs.items():
        found = re.search(r"^getpid (\d+), gettimeofday (\d+) cycles", text, re.M)
        assert found is not None
        taken[name] = int(found[1])
    assert min(taken.values()) > 1500
    for name, cycles in taken.items():
        assert name == "large" or 1.8 * cycles < taken["large"], taken
