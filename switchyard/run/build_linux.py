# SPDX-License-Identifier: Apache-2.0
"""Linux for the machines: kernels from Debian's source package, and RAM disks.

The rules are in `linux/Makefile`, as those of our own guests are beside their sources. Sources and
objects of Linux are kept outside the checkout (make's CACHE), so the second build is quick.
"""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from switchyard.data import files
from switchyard.run import build
from switchyard.run.build import Images
from switchyard.run.machine import Boot

# What stands for all of them on the command line.
ALL = "linux"


@dataclass(frozen=True)
class Linux:
    """A kernel with its RAM disk: made from `linux/configs/CONFIG.config`, for one machine."""

    version: ClassVar[str] = "6.12"  # of every kernel here

    config: str
    machine: str
    qemu: str  # QEMU's machine that boots the same images
    console: str
    about: str
    last_line: str  # the kernel's last line, which names what init asked for
    end: str  # how our machine's run ends then, as its statistics call it
    has_dtb: bool = False  # whether a device tree describes the board to the kernel
    self_tests: tuple[str, ...] = ("selftest",)  # the programs of the RAM disk that init runs
    emulator: str = "qemu-system-arm"  # the program that is QEMU for the architecture
    cpu: str = ""  # the processor there, if not that of QEMU's machine
    packed: str = "zImage"  # the ending of the kernel that unpacks itself
    unpacks: bool = True  # whether our machine boots that, or the ELF file as it is
    disk: str = (
        ""  # which RAM disk: that of the self-tests, "bench", "libs", "kselftest", "run", "pipes",
        # or one of DEBIAN
    )
    code: str = ""  # the folder of code of ours in the kernel, which then runs without a RAM disk
    placed: bool = False  # whether its hot code is packed (linux/layout)
    shift: int = 0  # by how much all of it lies elsewhere (linux/shift)

    @property
    def name(self) -> str:
        """The name of the build and, without their endings, of its files."""
        return _name(self.config, self.disk, *self._kind)

    @property
    def _kind(self) -> tuple[str, ...]:
        """What sets its kernel apart from others of the configuration."""
        layout = "layout" if self.placed else ""
        return (self.code, layout, f"shift{self.shift}" if self.shift else "")

    @property
    def kernel(self) -> Path:
        """The kernel, which unpacks itself."""
        name = f"{_name(self.config, *self._kind)}.{self.packed}"
        return build.root() / "build" / "guests" / name

    @property
    def symbols(self) -> Path:
        """The kernel as an ELF file with symbols."""
        return self.kernel.with_suffix(".vmlinux")

    @property
    def booted(self) -> Path:
        """Which of the two our machine boots."""
        return self.kernel if self.unpacks else self.symbols

    @property
    def initrd(self) -> Path:
        """The initial RAM disk: an init that runs the self-test and switches the machine off.

        Or, as the command line says, the suite of benchmarks or another program, if that is on the
        disk.
        """
        return self.kernel.with_name(f"{_name(self.config, self.disk)}.cpio")

    def program(self, name: str) -> Path:
        """A program of the RAM disk, with its symbols."""
        return build.root() / "build" / "linux" / self.config / name

    @property
    def dtb(self) -> Path | None:
        """The board's device tree, where it has one."""
        return self.kernel.with_name(f"linux-{self.config}.dtb") if self.has_dtb else None

    @property
    def files(self) -> list[Path]:
        """All that the build makes."""
        images = self.images
        files = (self.kernel, self.symbols, images.dtb, images.initrd)
        return [file for file in files if file is not None]

    @property
    def images(self) -> Images:
        """What a machine loads."""
        return Images(self.booted, None if self.code else self.initrd, self.dtb, self.symbols)

    def append(self, word: str = "") -> str:
        """The command line: the console, a reset instead of a halt after a panic, init's word."""
        return f"console={self.console} panic=-1 {word}".rstrip()

    def boot(self, max_cycles: int | None = None, word: str = "") -> Boot:
        """The run on our machine; init's `word` says what it is to do instead of the self-test."""
        append = self.append(word)
        initrd = self.images.initrd
        return Boot(self.machine, self.booted, append, max_cycles, initrd, dtb=self.dtb)

    def qemu_command(self, word: str = "") -> list[str]:
        """The command that boots it on QEMU."""
        command = [self.emulator, "-M", self.qemu, "-nographic", "-no-reboot"]
        command += ["-cpu", self.cpu] if self.cpu else []
        # The boards have sound, which is not to be heard, nor missed, on this computer.
        command += ["-audiodev", "none,id=sound"]
        command += ["-kernel", str(self.kernel)]
        for option, file in (("-initrd", self.images.initrd), ("-dtb", self.dtb)):
            command += [option, str(file)] if file else []
        return [*command, "-append", self.append(word)]

    def make(self) -> list[str]:
        """The command that brings the files up to date."""
        given = {"CONFIG": self.config, "CACHE": cache(), "PYTHON": sys.executable}
        if self.shift:
            given["SHIFT"] = str(self.shift)
        disk = self.disk.removeprefix("bench")
        moved = "shifted" if self.shift else disk
        goal = self.code or ("layout" if self.placed else moved)
        words = [*(f"{name}={value}" for name, value in given.items()), goal]
        return ["make", "-C", "linux", *(word for word in words if word)]


# RAM disks with programs of Debian's (linux/debian), which only those build who ask for them.
DEBIAN = ("database", "web", "apache", "make", "x11", "doom", "screen")

# Those of linux/l4/rules.mk, and one more.
SERVER_SCHEMES = ("flush", "small-spaces")
GROUPS = "small-spaces-groups"


@dataclass(frozen=True)
class Server(Linux):
    """Linux as a server on the microkernel (linux/l4), whose scheme is `scheme`."""

    scheme: str = "flush"
    # What has small spaces: "server", "programs", or programs of these names.
    small: tuple[str, ...] = ()
    kind: str = ""  # "tiny": the least of Linux, for a first process of one's own (linux/l4/tiny)

    @property
    def name(self) -> str:
        """One build makes it for all schemes."""
        return _name("l4", self.kind, self._moved)

    @property
    def _moved(self) -> str:
        return f"shift{self.shift}" if self.shift else ""

    @property
    def schemes(self) -> Sequence[str]:
        """Those that are built together: all but GROUPS, which only experiments have."""
        return SERVER_SCHEMES if self.scheme in SERVER_SCHEMES else (self.scheme,)

    @property
    def kernel(self) -> Path:
        """The microkernel with a root task and the server."""
        name = _name("l4", self.kind, self.scheme, self._moved)
        return build.root() / "build" / "guests" / f"{name}.elf"

    @property
    def symbols(self) -> Path:
        """The server's own."""
        folder = self.name.removeprefix("linux-")
        return build.root() / "build" / "linux" / folder / "linux.elf"

    @property
    def booted(self) -> Path:
        """There is one image."""
        return self.kernel

    @property
    def initrd(self) -> Path:
        """A module: programs of `linux-i386`'s."""
        disk = f"linux-i386-{self.disk}" if self.disk else _name("l4", self.kind)
        return build.root() / "build" / "guests" / f"{disk}.cpio"

    @property
    def files(self) -> list[Path]:
        """Of all schemes, and the disks."""
        every = [replace(self, scheme=scheme) for scheme in self.schemes]
        usual = () if self.kind else ("", "run", "bench", "pipes")
        names = (*usual, *(disk for disk in DEBIAN if disk == self.disk))
        disks = [replace(self, disk=disk).initrd for disk in names]
        return [*(server.kernel for server in every), self.symbols, *disks]

    @property
    def images(self) -> Images:
        """What a machine loads."""
        return Images(self.booted, self.initrd, None, self.symbols)

    def make(self) -> list[str]:
        """The command that brings the files up to date."""
        command = [*super().make(), f"SCHEMES={' '.join(self.schemes)}"]
        command += [f"KIND={self.kind}"] if self.kind else []
        return [*command, *(disk for disk in DEBIAN if disk == self.disk)]

    def append(self, word: str = "") -> str:
        """The server knows its console."""
        all_of = {"server": "server", "programs": "programs"}
        small = "".join(f" l4.small={all_of.get(what, f'name:{what}')}" for what in self.small)
        return f"panic=-1{small} {word}".rstrip()


def _name(*parts: str) -> str:
    return "-".join(["linux", *(part for part in parts if part)])


POWER_OFF = "reboot: Power down"
RESTART = "reboot: Restarting system"

SYSTEMS = {
    system.name: system
    for system in [
        Linux(
            "sa1110",
            machine="collie",
            qemu="collie",
            console="ttySA1,115200",
            about=f"Linux {Linux.version} for StrongARM SA-1110",
            last_line=POWER_OFF,
            end="power-off",
        ),
        # No software can switch this board off: init resets it.
        Linux(
            "versatilepb",
            machine="versatilepb",
            qemu="versatilepb",
            console="ttyAMA0,115200",
            about=f"Linux {Linux.version} for ARM926EJ-S, Versatile/PB",
            last_line=RESTART,
            end="power-off",
            has_dtb=True,
            self_tests=("selftest", "selftest-thumb"),
        ),
    ]
}

# With fast address-space switching (linux/6.12/fass), which may be turned off.
for plain, processor in (("sa1110", "StrongARM SA-1110"), ("versatilepb", "ARM926EJ-S")):
    SYSTEMS[f"linux-{plain}-fass"] = replace(
        SYSTEMS[f"linux-{plain}"],
        config=f"{plain}-fass",
        about=f"Linux {Linux.version} for {processor}, switching address spaces fast",
    )


# The Versatile with an ARM920T. The kernels run on its ARM926EJ-S as well, which QEMU has.
ARM920 = {
    f"linux-versatile920{ending}": replace(
        SYSTEMS[f"linux-versatilepb{ending}"],
        config=f"versatile920{ending}",
        machine="versatile920",
        about=f"Linux {Linux.version} for ARM920T, Versatile/PB{fast}",
        self_tests=("selftest",),
    )
    for ending, fast in (("", ""), ("-fass", ", switching address spaces fast"))
}

# For the small PC, which boots the ELF file: there is no BIOS, and nothing to gain from unpacking.
I386 = {
    "linux-i386": Linux(
        "i386",
        machine="p4-willamette",
        qemu="isapc",
        console="ttyS0,115200",
        about=f"Linux {Linux.version} for Pentium 4, on a small PC",
        last_line=RESTART,
        end="power-off",
        emulator="qemu-system-i386",
        cpu="pentium2",  # with CMOV and SYSENTER; an isapc has none that is nearer
        packed="bzImage",
        unpacks=False,
    )
}

# Linux as a server on the microkernel: programs in large spaces, and in small ones.
SERVERS = {
    small: Server(
        "i386",
        machine="p4-willamette",
        qemu="isapc",
        console="hvc0",
        about=f"Linux {Linux.version} as a server on L4, for Pentium 4",
        last_line=RESTART,
        end="guest",
        emulator="qemu-system-i386",
        cpu="pentium2",
        code="l4",
        scheme=scheme,
        small=small,
    )
    for scheme, small in (
        ("flush", ()),
        ("small-spaces", ("programs",)),
        ("small-spaces", ("server",)),
        ("small-spaces", ("server", "programs")),
    )
}
SERVER = SERVERS[()]
TINY_SERVER = replace(SERVER, kind="tiny", about=f"{SERVER.about}, without programs")
# A program's name as Linux has it: /proc/PID/comm.
SMALL_NAME = re.compile(r"[!-+.-~]{1,15}")
# As many as linux/l4/os/misc.c takes.
SMALL_NAMES = 16


def with_small(small: tuple[str, ...]) -> Server:
    """The one in which these are small."""
    return replace(SERVERS["programs",], small=small) if small else SERVER


SERVER_MACHINES = ("p4-willamette", "p4-northwood")

# For QEMU's RISC-V board: the machine makes the device tree. OpenSBI starts the kernel, and
# switches the machine off.
RISCV = {
    "linux-riscv": Linux(
        "riscv",
        machine="virt-u74",
        qemu="virt",
        console="ttyS0",
        about=f"Linux {Linux.version} for RISC-V, on QEMU's virt",
        last_line=POWER_OFF,
        end="power-off",
        emulator="qemu-system-riscv64",
        packed="Image",
    )
}

# The kernels of SYSTEMS with the suite of benchmarks (bench/unix) on their RAM disks.
BENCHES = {
    system.config: replace(system, disk="bench", about=f"{system.about}, with the benchmarks")
    for system in SYSTEMS.values()
}
I386_BENCH, RISCV_BENCH = (
    replace(system, disk="bench", about=f"{system.about}, with the benchmarks")
    for system in (I386["linux-i386"], RISCV["linux-riscv"])
)
# And with those of its questions that are about pipes (linux/pipes).
I386_PIPES = replace(
    I386_BENCH,
    disk="pipes",
    about=f"{I386['linux-i386'].about}, with the benchmarks by pipes",
)

# And with what each of DEBIAN has.
I386_DEBIAN = [
    replace(
        I386_BENCH,
        disk=disk,
        about=f"{I386['linux-i386'].about}, with "
        + ("an X server and Doom to be seen" if disk == "screen" else f"the benchmark {disk}"),
    )
    for disk in DEBIAN
]

# The kernels of SYSTEMS with shared libraries (linux/libs) and programs that need them.
LIBRARIES = {
    system.config: replace(system, disk="libs", about=f"{system.about}, with shared libraries")
    for system in SYSTEMS.values()
}

# The machine of the uClinux paper, one set of programs on three kernels: the Versatile's,
# unmodified and switching fast, and the same without an MMU (linux/6.12/nommu).
PAGED, FAST, FLAT = "s3c24a0", "s3c24a0-fass", "s3c24a0-nommu"
BENCHES |= {
    config: replace(BENCHES["versatilepb"], config=config, machine="s3c24a0", about=about)
    for config, about in (
        (PAGED, f"Linux {Linux.version} for ARM926EJ-S, with benchmarks that need no MMU"),
        (
            FAST,
            f"Linux {Linux.version}, switching fast, with benchmarks that need no MMU",
        ),
        (FLAT, f"Linux {Linux.version} without an MMU for ARM926EJ-S, with the benchmarks"),
    )
}

# The kernel's own self-tests (linux/kselftest), for which other kernels take the same RAM disk.
KERNEL_TESTS = replace(
    SYSTEMS["linux-versatilepb"],
    disk="kselftest",
    about=f"Linux {Linux.version} for ARM926EJ-S, with the kernel's own self-tests",
)

# The unmodified kernels with a disk that runs somebody's program (linux/run).
RUNNERS = [
    replace(system, disk="run", about=f"{system.about}, for programs of others")
    for system in [
        SYSTEMS["linux-sa1110"],
        SYSTEMS["linux-versatilepb"],
        ARM920["linux-versatile920"],
        I386["linux-i386"],
        RISCV["linux-riscv"],
    ]
]

# The kernels that measure what switches and interrupts cost inside them (linux/overheads).
OVERHEADS, FAST_OVERHEADS = (
    replace(
        SYSTEMS[name],
        machine="omap1610",
        about=f"{SYSTEMS[name].about}, with the measurement of its overheads",
        code="overheads",
    )
    for name in ("linux-versatilepb", "linux-versatilepb-fass")
)

# What `linux` stands for.
USUAL = [
    *SYSTEMS.values(),
    *(system for config, system in BENCHES.items() if config != FLAT),
    *LIBRARIES.values(),
]

# Kernels with their hot code packed (linux/layout), each with its two RAM disks.
PLACED = {
    system.name: system
    for plain in [*SYSTEMS.values(), *(BENCHES[system.config] for system in SYSTEMS.values())]
    for system in [replace(plain, placed=True, about=f"{plain.about}, its hot code packed")]
}


def cache() -> Path:
    """Where sources and objects of Linux are kept, for every checkout of this user."""
    return files.cache() / "linux"


def every() -> list[Linux]:
    """All that there are, those with benchmarks too."""
    others = [
        *ARM920.values(),
        *I386.values(),
        I386_BENCH,
        I386_PIPES,
        *I386_DEBIAN,
        *RISCV.values(),
        RISCV_BENCH,
        *PLACED.values(),
        *RUNNERS,
    ]
    return [*USUAL, BENCHES[FLAT], KERNEL_TESTS, *others, SERVER, TINY_SERVER]


def find(name: str) -> list[Linux]:
    """The systems of that name; none if no Linux is called that.

    `linux` is what `make test` needs: not those that are compiled anew for `make test-long` alone.
    """
    return USUAL if name == ALL else [system for system in every() if name == system.name]


def ensure(
    systems: Iterable[Linux], say: Callable[[Linux], None] = lambda _system: None
) -> list[Path]:
    """Brings kernels and RAM disks up to date; `say` hears of each before it is made."""
    files = []
    for system in systems:
        say(system)
        # minutes, in which other guests can be built: nothing else writes there
        with (
            build.only_builder(cache()) as objects,
            build.only_builder(build.root() / "build" / "linux") as programs,
        ):
            build.make(system.name, system.make(), system.files, objects, programs)
        files += system.files
    return files
