# SPDX-License-Identifier: Apache-2.0
"""Linux for the machines: unmodified kernels from Debian's source package, and a RAM disk.

The rules are in `linux/Makefile`, as those of our own guests are beside their sources. Sources and
objects of Linux are kept outside the checkout (make's CACHE), so the second build is quick.
"""

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from switchyard import build
from switchyard.machine import Boot

# What stands for all of them on the command line.
ALL = "linux"


@dataclass(frozen=True)
class Linux:
    """A kernel with its RAM disk: made from `linux/configs/CONFIG.config`, for one machine."""

    config: str
    machine: str
    qemu: str  # QEMU's machine that boots the same images
    console: str
    about: str

    @property
    def name(self) -> str:
        """The name of the build and, without their endings, of its files."""
        return f"linux-{self.config}"

    @property
    def kernel(self) -> Path:
        """The kernel, which unpacks itself."""
        return build.root() / "build" / "guests" / f"{self.name}.zImage"

    @property
    def initrd(self) -> Path:
        """The initial RAM disk: an init that runs the self-test and switches the machine off."""
        return self.kernel.with_suffix(".cpio")

    @property
    def append(self) -> str:
        """The command line: the console, and a reset instead of a halt after a panic."""
        return f"console={self.console} panic=-1"

    def boot(self, max_cycles: int | None = None) -> Boot:
        """The run on our machine."""
        return Boot(self.machine, self.kernel, self.append, max_cycles, self.initrd)

    def qemu_command(self) -> list[str]:
        """The same on QEMU."""
        command = ["qemu-system-arm", "-M", self.qemu, "-nographic", "-no-reboot"]
        command += ["-kernel", str(self.kernel), "-initrd", str(self.initrd)]
        return [*command, "-append", self.append]

    def make(self) -> list[str]:
        """The command that brings both files up to date."""
        given = {"CONFIG": self.config, "CACHE": cache(), "PYTHON": sys.executable}
        return ["make", "-C", "linux", *(f"{name}={value}" for name, value in given.items())]


SYSTEMS = {
    system.name: system
    for system in [
        Linux("sa1110", "collie", "collie", "ttySA1,115200", "Linux 6.12 for StrongARM SA-1110"),
    ]
}


def cache() -> Path:
    """Where sources and objects of Linux are kept, for every checkout of this user."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "switchyard" / "linux"


def find(name: str) -> list[Linux]:
    """The systems of that name: `linux` is all of them; none if no Linux is called that."""
    if name == ALL:
        return list(SYSTEMS.values())
    return [SYSTEMS[name]] if name in SYSTEMS else []


def ensure(
    systems: Iterable[Linux], say: Callable[[Linux], None] = lambda _system: None
) -> list[Path]:
    """Brings kernels and RAM disks up to date; `say` hears of each before it is made."""
    files = []
    for system in systems:
        say(system)
        made = [system.kernel, system.initrd]
        with build.only_builder(cache()):
            build.make(system.name, system.make(), made)
        files += made
    return files
