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
# The last: how many of a colour's eight bits the hardware has not, which QEMU fills otherwise.
CASES = {
    "pl110-8": (ARM, "-DBITS=8", "versatilepb", "qemu-system-arm", "versatilepb", 3),
    "pl110-32": (ARM, "-DBITS=32", "versatilepb", "qemu-system-arm", "versatilepb", 0),
    "mode-13h": (PC, "-DTEXT=0", "p4-willamette", "qemu-system-i386", "isapc", 2),
    "text": (PC, "-DTEXT=1", "p4-willamette", "qemu-system-i386", "isapc", 2),
}
WAIT_S = 60
PROGRAM = [sys.executable, "-m", "switchyard"]


def png(file: Path) -> Dots:
    """Of eight bits a colour: what `boot` writes (PNG specification, 9.2, for the filters)."""
    data = file.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert data[24:29] == bytes([8, 2, 0, 0, 0])
    at, packed = 8, b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        packed += data[at + 8 : at + 8 + size] if data[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + size
    raw = zlib.decompress(packed)
    above, dots = bytes(3 * width), b""
    for y in range(height):
        kind, *line = raw[y * (3 * width + 1) : (y + 1) * (3 * width + 1)]
        for n in range(3 * width):
            a, b = (line[n - 3] if n >= 3 else 0), above[n]
            c = above[n - 3] if n >= 3 else 0
            _, _, nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))
            line[n] = (line[n] + (0, a, b, (a + b) // 2, nearest)[kind]) & 0xFF
        above = bytes(line)
        dots += above
    return width, height, dots


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
    source, define, machine, emulator, board, lacks = CASES[case]
    if shutil.which(emulator) is None:
        pytest.skip(f"no {emulator}")
    kernel = compiled(source, define, tmp_path)
    screen = tmp_path / "screen.png"
    words = [*PROGRAM, "boot", "--machine", machine, "--kernel", str(kernel)]
    words += ["--screen", str(screen), "--max-cycles", "60000000"]
    subprocess.run(words, check=False, stdin=subprocess.DEVNULL)
    width, height, dots = png(screen)
    wide, tall, theirs = on_qemu(emulator, board, kernel, tmp_path)
    dots, theirs = (bytes(level >> lacks for level in each) for each in (dots, theirs))
    assert len(set(zip(*[iter(dots)] * 3, strict=True))) > 10
    if case == "text":
        cells = [(x, y) for y in range(25) for x in range(80)]

        def middle(picture: bytes, across: int) -> list[bytes]:
            at = [(y * 16 + 8) * 80 * across + x * across + across // 2 for x, y in cells]
            return [picture[3 * n : 3 * n + 3] for n in at]

        assert (width, height, tall) == (640, 400, 400)
        assert middle(dots, 8) == middle(theirs, wide // 80)
    else:
        # QEMU shows each of the 320 by 200 dots four times, as the tube has them
        twice = 2 if case == "mode-13h" else 1
        assert (wide, tall) == (twice * width, twice * height)
        for y in range(tall):
            line = [theirs[3 * (y * wide + twice * x) :][:3] for x in range(width)]
            at = 3 * (y // twice) * width
            assert b"".join(line) == dots[at : at + 3 * width], f"line {y}"


def test_a_machine_without_a_display(tmp_path: Path) -> None:
    (tmp_path / "kernel").write_bytes(b"\xfe\xff\xff\xea" * 16)
    command = [*PROGRAM, "boot", "--machine", "sa1110", "--kernel", str(tmp_path / "kernel")]
    screen = tmp_path / "screen.png"
    done = subprocess.run(
        [*command, "--screen", str(screen)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "--screen: the machine has no display; expected one that has" in done.stderr
    assert not screen.exists()
