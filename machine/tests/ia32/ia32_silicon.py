# SPDX-License-Identifier: Apache-2.0
"""The other processor: the host's own, given the same cases as the machine, by ia32_silicon.c."""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from ia32_vectors import Answer, Case, MachineRun

SOURCE = Path(__file__).with_suffix(".c")
# Why some of these: see the source.
FLAGS = (
    *("-O1", "-Wall", "-Wextra", "-Werror", "-Wl,-z,now"),
    *("-mno-red-zone", "-fno-stack-protector", "-fcf-protection=none"),
)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@functools.cache
def program() -> Path:
    """The compiled program."""
    out = Path(_folder().name) / "ia32_silicon"
    subprocess.run(["cc", *FLAGS, "-o", str(out), str(SOURCE)], check=True)
    return out


# code and stack with which a case of one INT3 runs
FLAT = bytes.fromhex("ffff0000 00fbcf00 ffff0000 00f3cf00")


@functools.cache
def why_not() -> str | None:
    """Why cases cannot run on this computer's processor."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return f"the host's processor is no x86-64 but {platform.machine()}"
    if platform.system() != "Linux":
        return f"the host runs no Linux but {platform.system()}"
    if shutil.which("cc") is None:
        return "the host has no C compiler"
    state = (*(0,) * 8, 0x2000, 0x202, *(0xF, 7, 0xF, 0xF, 0xF, 0xF))
    blocks = ((0x1000, FLAT), (0x2000, b"\xcc\xcc\xcc\xcc"))
    case = Case(0, 1, 0x2000, 0, state, (1, 0, 0), (0x1000, 15), blocks, ())
    try:
        Silicon().run(case)
    except RuntimeError as error:
        return f"the host runs no segmented code of 32 bits: {error}"
    return None


class Silicon:
    """The host's processor at level 3, with its memory at an offset, in a process per batch."""

    def run(self, case: Case, count: int = 0) -> Answer:  # noqa: ARG002
        """One case; the time that it may take is limited, not its instructions."""
        (answer,) = self.run_all([case])
        return answer

    def run_all(self, cases: list[Case]) -> list[Answer]:
        return MachineRun([str(program())], cases).answers()
