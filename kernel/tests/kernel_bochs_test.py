# SPDX-License-Identifier: Apache-2.0
"""The kernel's tests on Bochs, which checks the limits of segments as QEMU does not.

Bochs starts with a ROM of ours for a BIOS: the image's segments, and after them a loader
(bochs_rom.S). What the kernel says comes out of the serial port, into a file.
"""

import os
import pty
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from guests_test import Verdict, built, check

from switchyard.run.build import PC, schemes_on
from switchyard.tests.patience import SECONDS
from switchyard.tools import doctor

HERE = Path(__file__).parent
ROM_BYTES = 2 << 20
ROM = (1 << 32) - ROM_BYTES
LOADER = (1 << 32) - (64 << 10)

SETTINGS = """\
romimage: file={rom}
vgaromimage: file={no_vga}
megs: 64
cpu: model=p4_willamette, count=1, ips=100000000, reset_on_triple_fault=0, ignore_bad_msrs=0
clock: sync=none
display_library: term
com1: enabled=1, mode=file, dev={console}
log: {log}
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
sound: driver=dummy
"""


def pieces(elf: bytes) -> tuple[int, list[tuple[int, bytes]]]:
    """The entry of an ELF file, and what is to be loaded: physical address and bytes."""
    entry, at = struct.unpack_from("<II", elf, 24)
    size, count = struct.unpack_from("<HH", elf, 42)
    headers = [struct.unpack_from("<6I", elf, at + i * size) for i in range(count)]
    return entry, [
        (pa, elf[offset : offset + length])
        for kind, offset, _, pa, length, _ in headers
        if kind == 1 and length != 0
    ]


def loader(folder: Path) -> bytes:
    """The last 64 KB of the ROM."""
    file, script = folder / "loader", folder / "loader.lds"
    script.write_text(f"SECTIONS {{ . = {LOADER:#x}; .text : {{ *(.text) }} }}\n")
    command = [sys.executable, "-m", "ziglang", "cc", "--target=x86-freestanding-none"]
    command += ["-nostdlib", "-static", f"-DROM={ROM:#x}", f"-Wl,-T,{script}"]
    subprocess.run([*command, str(HERE / "bochs_rom.S"), "-o", str(file)], check=True)
    return next(code for pa, code in pieces(file.read_bytes())[1] if pa == LOADER)


def rom(image: Path, folder: Path) -> bytes:
    """A BIOS that starts the image."""
    entry, loaded = pieces(image.read_bytes())
    parts = [struct.pack("<II", len(loaded), entry)]
    parts += [struct.pack("<II", pa, len(code)) + code for pa, code in loaded]
    data, end = b"".join(parts), loader(folder)
    assert len(data) <= ROM_BYTES - len(end)
    return data.ljust(ROM_BYTES - len(end), b"\0") + end


def bochs_console(image: Path, folder: Path) -> str:
    """Runs an image on Bochs until it says that it is at its end; it cannot leave by itself."""
    files = {name: folder / name for name in ("rom", "no_vga", "console", "log")}
    files["rom"].write_bytes(rom(image, folder))
    files["no_vga"].write_bytes(bytes(512))  # a ROM that is no extension
    settings, commands = folder / "settings", folder / "commands"
    settings.write_text(SETTINGS.format(**files))
    commands.write_text("c\n")
    ours, theirs = pty.openpty()  # its display wants a terminal; nobody reads it
    process = subprocess.Popen(
        ["bochs", "-q", "-f", str(settings), "-rc", str(commands)],
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
    )
    try:
        limit = time.monotonic() + SECONDS
        said = ""
        while "\nEND status=" not in said and time.monotonic() < limit and process.poll() is None:
            time.sleep(0.5)
            if files["console"].exists():
                said = files["console"].read_text(errors="replace")
        return said
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


FOUND = doctor.bochs()


# Groups do all that the other kernels do with segments.
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.skipif(not FOUND.good, reason=f"Bochs is not installed: {FOUND.command}")
@pytest.mark.parametrize(
    "scheme",
    [
        scheme if scheme == "small-spaces-groups" else pytest.param(scheme, marks=pytest.mark.long)
        for scheme in schemes_on(PC)
    ],
)
def test_kernel_on_bochs(scheme: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    check(Verdict.read(bochs_console(built(scheme, "test", PC).image, tmp_path)), subtests)
