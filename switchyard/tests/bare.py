# SPDX-License-Identifier: Apache-2.0
"""Guests without a system, for tests that compare the machine's devices with QEMU's."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from switchyard.run import build


@dataclass(frozen=True)
class Target:
    """For what a guest is compiled, and where it begins."""

    name: str
    cpu: str
    address: str


ARM = Target("arm-freestanding-eabi", "arm926ej_s", "0x10000")
PC = Target("x86-freestanding-none", "pentium4-sse-sse2-mmx-x87+soft_float", "0x100000")


def compiled(source: str, target: Target, folder: Path, *defines: str) -> Path:
    """A file of machine/tests, as an executable in that folder."""
    command = [sys.executable, "-m", "ziglang", "cc", f"--target={target.name}"]
    command += [f"-mcpu={target.cpu}", "-O1", "-ffreestanding", "-nostdlib", "-static", "-fno-pic"]
    command += ["-fno-sanitize=undefined", "-fno-stack-protector", *defines]
    command += [f"-Wl,--image-base={target.address}", "-Wl,-z,max-page-size=4096"]
    kernel = folder / "kernel.elf"
    file = build.root() / "machine/tests" / source
    subprocess.run([*command, "-o", str(kernel), str(file)], cwd=folder, check=True)
    return kernel
