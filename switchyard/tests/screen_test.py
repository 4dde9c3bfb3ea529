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

from switchyard.tests import bare

Dots = tuple[int, int, bytes]  # width, height, three bytes a dot
LCD = ("screen/pl110.c", bare.ARM)
VGA = ("screen/vga.c", bare.PC)
# The last: how many of a colour's eight bits the hardware has not, which QEMU fills otherwise.
CASES = {
    "pl110-8": (LCD, "-DBITS=8", "versatilepb", "qemu-system-arm", "versatilepb", 3),
    "pl110-32": (LCD, "-DBITS=32", "versatilepb", "qemu-system-arm", "versatilepb", 0),
    "mode-13h": (VGA, "-DTEXT=0", "p4-willamette", "qemu-system-i386", "isapc", 2),
    "text": (VGA, "-DTEXT=1", "p4-willamette", "qemu-system-i386", "isapc", 2),
    "frame-buffer-8": (VGA, "-DBITS=8", "p4-willamette", "qemu-system-i386", "isapc", 0),
    "frame-buffer-16": (VGA, "-DBITS=16", "p4-willamette", "qemu-system-i386", "isapc", 3),
    "frame-buffer-32": (VGA, "-DBITS=32", "p4-willamette", "qemu-system-i386", "isapc", 0),
}
WAIT_S = 60
PROGRAM = [sys.executable, "-m", "switchyard"]


def png(file: Path) -> Dots:
    """Eight bits a colour or a dot, as `boot` writes it (PNG specification, 9.2: the filters)."""
    data = file.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert data[24:29] in (bytes([8, 2, 0, 0, 0]), bytes([8, 3, 0, 0, 0]))
    at, packed, palette = 8, b"", b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        chunk, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        packed += content if chunk == b"IDAT" else b""
        palette = content if chunk == b"PLTE" else palette
        at += 12 + size
    each = 1 if palette else 3
    wide = each * width
    raw = zlib.decompress(packed)
    above, dots = bytes(wide), b""
    for y in range(height):
        kind, *line = raw[y * (wide + 1) : (y + 1) * (wide + 1)]
        for n in range(wide if kind else 0):
            a, b = (line[n - each] if n >= each else 0), above[n]
            c = above[n - each] if n >= each else 0
            _, _, nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))
            line[n] = (line[n] + (0, a, b, (a + b) // 2, nearest)[kind]) & 0xFF
        above = bytes(line)
        dots += above
    colours = [palette[at : at + 3] for at in range(0, len(palette), 3)]
    return width, height, b"".join(colours[dot] for dot in dots) if palette else dots


def ppm(file: Path) -> Dots:
    _, width, height, _, dots = file.read_bytes().split(maxsplit=4)
    return int(width), int(height), dots


def on_qemu(emulator: str, board: str, kernel: Path, folder: Path) -> tuple[Dots, bytes]:
    """Its screen, once the guest has said on the serial port that it is drawn, and all it said."""
    serial, dump = folder / "serial", folder / "screen.ppm"
    command = [emulator, "-M", board, "-display", "none", "-kernel", str(kernel)]
    command += ["-audiodev", "none,id=sound", "-serial", f"file:{serial}", "-monitor", "stdio"]
    command += ["-vga", "std"] if board == "isapc" else []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as qemu:
        assert qemu.stdin is not None
        until = time.monotonic() + WAIT_S
        while (
            not (serial.exists() and serial.read_bytes().endswith(b"D"))
            and time.monotonic() < until
        ):
            time.sleep(0.1)
        time.sleep(0.2)
        qemu.communicate(f"screendump {dump}\nquit\n", timeout=WAIT_S)
    return ppm(dump), serial.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_picture_is_qemus(case: str, tmp_path: Path) -> None:
    (source, target), define, machine, emulator, board, lacks = CASES[case]
    if shutil.which(emulator) is None:
        pytest.skip(f"no {emulator}")
    kernel = bare.compiled(source, target, tmp_path, define)
    screen = tmp_path / "screen.png"
    words = [*PROGRAM, "boot", "--machine", machine, "--kernel", str(kernel)]
    words += ["--screen", str(screen), "--max-cycles", "60000000"]
    done = subprocess.run(words, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    width, height, dots = png(screen)
    (wide, tall, theirs), told = on_qemu(emulator, board, kernel, tmp_path)
    assert done.stdout == told
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
