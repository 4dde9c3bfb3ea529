# SPDX-License-Identifier: Apache-2.0
"""`boot --screen`: the picture is QEMU's, dot by dot, on both machines that have a display.

Guests are in machine/tests/screen. Of text, whose font is another, the middle of each character is
compared: all are full blocks and spaces.
"""

import shutil
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from switchyard.run import build

Dots = tuple[int, int, bytes]  # width, height, three bytes a dot
SOURCES = build.root() / "machine/tests/screen"
ARM = ("pl110.c", "arm-freestanding-eabi", "arm926ej_s", "0x10000")
PC = ("vga.c", "x86-freestanding-none", "pentium4-sse-sse2-mmx-x87+soft_float", "0x100000")
CASES = {
    "pl110-8": (ARM, "-DBITS=8", "versatilepb", "qemu-system-arm", "versatilepb"),
    "pl110-32": (ARM, "-DBITS=32", "versatilepb", "qemu-system-arm", "versatilepb"),
    "mode-13h": (PC, "-DTEXT=0", "p4-willamette", "qemu-system-i386", "isapc"),
    "text": (PC, "-DTEXT=1", "p4-willamette", "qemu-system-i386", "isapc"),
}
WAIT_S = 60
PROGRAM = [sys.executable, "-m", "switchyard"]


def png(file: Path) -> Dots:
    """Eight bits a colour, lines as they are: what `boot` writes."""
    data = file.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        packed += data[at + 8 : at + 8 + size] if data[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + size
    raw = zlib.decompress(packed)
    lines = [raw[n * (3 * width + 1) : (n + 1) * (3 * width + 1)] for n in range(height)]
    assert {line[0] for line in lines} == {0}
    return width, height, b"".join(line[1:] for line in lines)


def ppm(file: Path) -> Dots:
    _, width, height, _, dots = file.read_bytes().split(maxsplit=4)
    return int(width), int(height), dots


def on_qemu(emulator: str, board: str, kernel: Path, folder: Path) -> Dots:
    """Its screen, once the guest has said on the serial port that it is drawn."""
    serial, dump = folder / "serial", folder / "screen.ppm"
    command = [emulator, "-M", board, "-display", "none", "-kernel", str(kernel)]
    command += ["-audiodev", "none,id=sound", "-serial", f"file:{serial}", "-monitor", "stdio"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as qemu:
        assert qemu.stdin is not None
        until = time.monotonic() + WAIT_S
        while not (serial.exists() and serial.read_bytes()) and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(0.2)
        qemu.communicate(f"screendump {dump}\nquit\n", timeout=WAIT_S)
    return ppm(dump)


def compiled(source: tuple[str, str, str, str], define: str, folder: Path) -> Path:
    name, target, cpu, address = source
    command = [sys.executable, "-m", "ziglang", "cc", f"--target={target}", f"-mcpu={cpu}", "-O1"]
    command += ["-ffreestanding", "-nostdlib", "-static", "-fno-sanitize=undefined", "-fno-pic"]
    command += [
        "-fno-stack-protector",
        define,
        f"-Wl,--image-base={address}",
        "-Wl,-z,max-page-size=4096",
    ]
    kernel = folder / "kernel.elf"
    subprocess.run([*command, "-o", str(kernel), str(SOURCES / name)], cwd=folder, check=True)
    return kernel


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_picture_is_qemus(case: str, tmp_path: Path) -> None:
    source, define, machine, emulator, board = CASES[case]
    if shutil.which(emulator) is None:
        pytest.skip(f"no {emulator}")
    kernel = compiled(source, define, tmp_path)
    screen = tmp_path / "screen.png"
    words = [*PROGRAM, "boot", "--machine", machine, "--kernel", str(kernel)]
    words += ["--screen", str(screen), "--max-cycles", "60000000"]
    subprocess.run(words, check=False, stdin=subprocess.DEVNULL)
    width, height, dots = png(screen)
    theirs = on_qemu(emulator, board, kernel, tmp_path)
    assert len(set(zip(*[iter(dots)] * 3, strict=True))) > 10
    if case == "text":
        cells = [(x, y) for y in range(25) for x in range(80)]
        wide = theirs[0] // 80

        def middle(picture: Dots, across: int) -> list[bytes]:
            at = [(y * 16 + 8) * picture[0] + x * across + across // 2 for x, y in cells]
            return [picture[2][3 * n : 3 * n + 3] for n in at]

        assert (width, height, theirs[1]) == (640, 400, 400)
        assert middle((width, height, dots), 8) == middle(theirs, wide)
    else:
        assert (width, height) == theirs[:2]
        wrong = [n // 3 for n, (a, b) in enumerate(zip(dots, theirs[2], strict=True)) if a != b]
        assert not wrong, f"{len(wrong)} of {width * height}, the first at {wrong[0]}"


def test_a_machine_without_a_display(tmp_path: Path) -> None:
    (tmp_path / "kernel").write_bytes(bytes(64))
    command = [*PROGRAM, "boot", "--machine", "sa1110", "--kernel", str(tmp_path / "kernel")]
    screen = tmp_path / "screen.png"
    done = subprocess.run(
        [*command, "--screen", str(screen)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "--screen: the machine has no display; expected one that has" in done.stderr
    assert not screen.exists()
