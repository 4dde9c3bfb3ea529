# SPDX-License-Identifier: Apache-2.0
"""An X server of Debian's with x11perf and with Doom (linux/debian/x11.mk), on the machine."""

import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard.data.suite import APPLICATIONS
from switchyard.run import build, build_linux, machine
from switchyard.run.build_linux import I386_BENCH, SERVERS, Linux
from switchyard.tests.screen_test import png

PROGRAM = [sys.executable, "-m", "switchyard"]
WAD = build.root() / "linux" / "debian" / "doom" / "wad.py"
MAX_CYCLES = 8_000_000_000
# Linux alone, and as a server, with all in small spaces.
PICTURED: Mapping[str, Linux] = {
    name: replace(system, disk="screen")
    for name, system in (("native", I386_BENCH), ("l4", SERVERS["server", "programs"]))
}
Lumps = Sequence[tuple[str, bytes]]


def wad(lumps: Lumps) -> bytes:
    directory, at = b"", 12
    for name, data in lumps:
        directory += struct.pack("<ii8s", at, len(data), name.encode())
        at += len(data)
    content = b"".join(data for _, data in lumps)
    return struct.pack("<4sii", b"IWAD", len(lumps), at) + content + directory


def lumps_of(data: bytes) -> dict[str, bytes]:
    count, at = struct.unpack_from("<ii", data, 4)
    entries = [struct.unpack_from("<ii8s", data, at + 16 * n) for n in range(count)]
    return {name.rstrip(b"\0").decode(): data[p : p + size] for p, size, name in entries}


def patch(width: int) -> bytes:
    """One whose columns have a dot each."""
    columns = range(8 + 4 * width, 8 + 4 * width + 6 * width, 6)
    dots = b"\x00\x01\x00\x07\x00\xff" * width
    return struct.pack(f"<4h{width}i", width, 1, 0, 0, *columns) + dots


def textures(of: Mapping[str, int]) -> bytes:
    """Each of one patch, which has this number."""
    at = [4 + 4 * len(of) + 32 * n for n in range(len(of))]
    told = struct.pack(f"<{1 + len(of)}i", len(of), *at)
    for name, number in of.items():
        told += struct.pack("<8sihhih5h", name.encode(), 0, 8, 1, 0, 1, 0, 0, number, 1, 0)
    return told


def test_data_for_one_recorded_game(tmp_path: Path) -> None:
    side = struct.pack("<hh8s8s8sh", 0, 0, b"-", b"-", b"BRICK", 0)
    other = struct.pack("<hh8s8s8sh", 0, 0, b"-", b"-", b"STONE", 0)
    names = struct.pack("<i8s8s8s", 3, b"PBRICK", b"PSTONE", b"PSKY")
    lumps = [
        ("DEMO1", b"one"),
        ("DEMO2", b"two"),
        ("E1M1", b""),
        ("SIDEDEFS", other),
        ("E1M4", b""),
        ("THINGS", struct.pack("<5h", 0, 0, 0, 3003, 7)),
        ("SIDEDEFS", side),
        ("SECTORS", struct.pack("<hh8s8shhh", 0, 0, b"SLIME2", b"CEIL1_1", 0, 0, 0)),
        ("TEXTURE1", textures({"BRICK": 0, "STONE": 1, "SKY1": 2})),
        ("PNAMES", names),
        ("D_E1M4", b"music"),
        ("DSPISTOL", b"sound"),
        ("PBRICK", patch(2)),
        ("PSTONE", patch(3)),
        ("PSKY", patch(4)),
        ("BOSSBACK", b"picture"),
        ("BOSSA1", patch(5)),
        ("CYBRA1", patch(6)),
        ("F_START", b""),
        ("SLIME1", b"slime"),
        ("CEIL1_1", b"ceiling"),
        ("FLOOR4_8", b"floor"),
        ("F_END", b""),
        ("ENDOOM", b"end"),
    ]
    (tmp_path / "all").write_bytes(wad(lumps))
    files = (str(WAD), str(tmp_path / "all"), str(tmp_path / "less"))
    subprocess.run([sys.executable, *files, "E1M4", "DEMO1"], check=True)
    found = lumps_of((tmp_path / "less").read_bytes())
    assert list(found) == [
        name for name, data in lumps if name not in ("DEMO2", "E1M1") and data != other
    ]
    assert found["SIDEDEFS"] == side
    assert found["D_E1M4"] == found["DSPISTOL"] == found["BOSSBACK"] == found["FLOOR4_8"] == b""
    assert (found["SLIME1"], found["CEIL1_1"], found["ENDOOM"]) == (b"slime", b"ceiling", b"end")
    assert (found["BOSSA1"], len(found["CYBRA1"])) == (patch(5), 8 + 4 * 6 + 1)
    assert (found["PBRICK"], found["PSKY"]) == (patch(2), patch(4))
    # as wide as before, and each column ends where it begins
    width, *columns = struct.unpack_from("<h6x3i", found["PSTONE"])
    assert width == 3
    assert [found["PSTONE"][at] for at in columns] == [0xFF] * 3


@pytest.mark.linux
@pytest.mark.long
@pytest.mark.parametrize("name", ["x11", "doom"])
def test_on_the_machine(name: str) -> None:
    system = replace(I386_BENCH, disk=name)
    build_linux.ensure([system])
    word = f"quiet -- bench {name} rounds=2 clock=probe"
    run = machine.run(system.boot(MAX_CYCLES, word))
    lines = run.console.replace("\r", "").splitlines()
    cases = [line.split() for line in lines if line.startswith("CASE ")]
    told = {int(case[1].split("=")[1]): case[2].split("=")[1] for case in cases}
    assert told == APPLICATIONS[name]
    assert "END status=0" in lines
    for stream in told:
        assert len(run.stats.samples[stream]) == 2
        assert min(run.stats.samples[stream]) > max(run.stats.samples[0])


@pytest.mark.linux
@pytest.mark.long
@pytest.mark.parametrize("system", PICTURED.values(), ids=PICTURED)
def test_a_picture_of_the_machine(system: Linux, tmp_path: Path) -> None:
    build_linux.ensure([system])
    screen = tmp_path / "screen.png"
    words = ["boot", "--machine", "p4-willamette", "--kernel", str(system.booted)]
    words += ["--initrd", str(system.initrd), "--max-cycles", "1500000000"]
    asked = "vga=0x311 rootfstype=ramfs quiet -- bench doom rounds=500 memory=/lib/x11_screen.so"
    words += ["--append", system.append(asked)]
    subprocess.run(
        [*PROGRAM, *words, "--screen", str(screen)], check=False, stdin=subprocess.DEVNULL
    )
    width, height, dots = png(screen)
    assert (width, height) == (640, 480)
    rows = [dots[3 * width * y :][: 3 * width] for y in range(height)]
    game = {row[3 * x :][:3] for row in rows[:200] for x in range(320)}
    # around it the screen is woven of black and white
    root = {row[3 * x :][:3] for row in rows[200:] for x in range(width)}
    assert len(game) > 40
    assert root == {bytes(3), b"\xff" * 3}
