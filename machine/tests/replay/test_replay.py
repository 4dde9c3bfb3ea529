# SPDX-License-Identifier: Apache-2.0
"""What comes from outside, recorded and replayed: statistics and console of both runs are equal to
the byte, with a person, a script and a network, in parts, and forth and back in a debugger."""

from __future__ import annotations

import os
import random
import re
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from debugger import debug, show
from patience import SECONDS
from simulator import ROOT, machine_binary
from terminal import Terminal

pytestmark = pytest.mark.guests

GUESTS = ROOT / "build" / "guests"
CTRL_A = b"\x01"
# Serial port 1 of the SA-1110: echoes each character, looking for the next all the time ...
POLLING = (
    0xE3A04102, 0xE3844801, 0xE3A00003, 0xE584000C, 0xE5941020, 0xE3110002, 0x0AFFFFFC, 0xE5940014,
    0xE5840014, 0xEAFFFFF9,
)  # fmt: skip
# ... or asleep until one comes, as in ../terminal.
WAITING = (
    0xE3A04102, 0xE3844801, 0xE3A0000B, 0xE584000C, 0xE3A02004, 0xE5941020, 0xE3110002, 0x15940014,
    0x15840014, 0x1AFFFFFA, 0xE584201C, 0xEE0F0F58, 0xEAFFFFF7,
)  # fmt: skip


def image(folder: Path, words: tuple[int, ...]) -> Path:
    kernel = folder / "kernel.bin"
    kernel.write_bytes(struct.pack(f"<{len(words)}I", *words))
    return kernel


def run(*options: object, status: int = 0) -> tuple[bytes, str]:
    """Console and messages of a run."""
    done = subprocess.run(
        [machine_binary(), "boot", *map(str, options)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr.decode()


def with_a_person(folder: Path, words: tuple[int, ...]) -> tuple[list[object], bytes, Path, Path]:
    """A run on a terminal: how it began, its console, the recording and the statistics."""
    system: list[object] = ["--machine", "sa1110", "--kernel", image(folder, words)]
    recording, stats = folder / "person.rec", folder / "person.json"
    options = [*system, "--record", recording, "--stats", stats]
    terminal = Terminal([machine_binary(), "boot", *map(str, options)])
    try:
        terminal.expect(b"keys go to the guest")
        terminal.expect(b"\n")
        console = b""
        for keys in (b"h", b"ell", b'o\x03\x7f"\\ '):
            terminal.type(keys)
            console += terminal.expect(keys) + keys
            time.sleep(0.05)
        terminal.type(CTRL_A + b"x")
        assert terminal.end() == 0
    finally:
        terminal.close()
    return system, console, recording, stats


@pytest.mark.parametrize("words", [POLLING, WAITING], ids=["polling", "waiting"])
def test_a_person(words: tuple[int, ...], tmp_path: Path) -> None:
    system, console, recording, stats = with_a_person(tmp_path, words)
    assert re.search(rb'\d (asleep )?typed "h"\n', recording.read_bytes())
    assert recording.read_bytes().endswith(b" left\n")
    for number in range(2):
        again = tmp_path / f"{number}.json"
        found, said = run(*system, "--replay", recording, "--stats", again)
        assert found == console
        assert "left by Ctrl-A x" in said
        assert again.read_bytes() == stats.read_bytes()


def test_a_script_that_fails_fails_again(tmp_path: Path) -> None:
    system = ["--machine", "sa1110", "--kernel", image(tmp_path, POLLING)]
    script = tmp_path / "script"
    script.write_text('#!expect\nsend "ab"\nexpect "b"\nsend "c"\nexpect "d" within 0.1\n')
    recording, stats, again = (tmp_path / name for name in ("a.rec", "a.json", "b.json"))
    recorded = run(*system, "--input", script, "--record", recording, "--stats", stats, status=1)
    assert b"unexpected" in recording.read_bytes()
    assert run(*system, "--replay", recording, "--stats", again, status=1) == recorded
    assert stats.read_bytes() == again.read_bytes()


def test_in_parts(tmp_path: Path) -> None:
    """Each part has its recording; the saved machines between them are equal too."""
    system = ["--machine", "sa1110", "--kernel", image(tmp_path, POLLING)]
    files = {name: tmp_path / name for name in ("1.rec", "1.state", "2.rec", "2.json", "keys")}
    files["keys"].write_bytes(b"first")
    begun = ["--max-cycles", 30_000]
    recorded = run(
        *system, "--input", files["keys"], "--record", files["1.rec"], *begun,
        "--save", files["1.state"],
    )  # fmt: skip
    files["keys"].write_bytes(b"second")
    on = ["--restore", files["1.state"], "--max-cycles", 3_000_000, "--save", tmp_path / "end"]
    run(*on, "--input", files["keys"], "--record", files["2.rec"], "--stats", files["2.json"])
    state, stats = tmp_path / "again.state", tmp_path / "again.json"
    replayed = run(*system, "--replay", files["1.rec"], *begun, "--save", state)
    assert replayed[0] == recorded[0]
    assert state.read_bytes() == files["1.state"].read_bytes()
    on = ["--restore", state, "--max-cycles", 3_000_000, "--save", tmp_path / "end"]
    console, _ = run(*on, "--replay", files["2.rec"], "--stats", stats)
    assert (recorded[0] + console).endswith(b"second")
    assert stats.read_bytes() == files["2.json"].read_bytes()


def test_from_a_machine_saved_on_the_way(tmp_path: Path) -> None:
    system, console, recording, stats = with_a_person(tmp_path, POLLING)
    end = int(recording.read_text().split("ends ")[1].split()[0])
    state, again = tmp_path / "middle.state", tmp_path / "again.json"
    before, _ = run(*system, "--replay", recording, "--max-cycles", end // 2, "--save", state)
    behind, _ = run("--restore", state, "--replay", recording, "--stats", again)
    assert before + behind == console
    assert again.read_bytes() == stats.read_bytes()


@pytest.fixture(scope="module")
def network_guest() -> Path:
    environment = dict(os.environ)
    environment.setdefault("CC", f"{sys.executable} -m ziglang cc")
    folder = ROOT / "machine" / "tests" / "network"
    command = ["make", "-s", "-C", str(folder), f"BUILD={ROOT / 'build'}"]
    subprocess.run(command, check=True, env=environment)
    return GUESTS / "test-network.elf"


def test_a_network(network_guest: Path, tmp_path: Path) -> None:
    """Frames that come when they come; the other end goes and the guest is left waiting."""
    cable, recording, stats = (tmp_path / name for name in ("cable", "net.rec", "net.json"))
    system = ["--machine", "versatilepb", "--kernel", str(network_guest)]
    address = bytes.fromhex("525400123456")
    options = ["--net", f"unix:{cable}", "--mac", address.hex(":")]
    options += ["--record", str(recording), "--stats", str(stats)]
    draw = random.Random(7)
    with socket.socket(socket.AF_UNIX) as waits:
        waits.bind(str(cable))
        waits.listen()
        waits.settimeout(SECONDS)
        process = subprocess.Popen(
            [machine_binary(), "boot", *system, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        stream, _ = waits.accept()
        with stream, stream.makefile("rb") as answers:
            stream.settimeout(SECONDS)
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            for number in range(40):
                words = b"\0" + draw.randbytes(draw.randrange(40, 1400))
                frame = (address + b"RT\0\0\0\1" + b"\x88\xb5" + words).ljust(60, b"\0")
                stream.sendall(struct.pack(">I", len(frame)) + frame)
                time.sleep(draw.choice((0, 0, 0.003)))
                # The interface holds four: with four that stand, there is none to answer from.
                for _ in range(4 if number % 4 == 3 else 0):
                    (count,) = struct.unpack(">I", answers.read(4))
                    assert len(answers.read(count)) == count
    console, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 1  # it waits for frames that cannot come
    text = recording.read_text()
    assert text.count(" frame ") == 40
    assert text.count("cable") == 2
    again = tmp_path / "again.json"
    found, said = run(*system, "--replay", recording, "--stats", again, status=1)
    assert b"ready\n" + console == found
    assert "hangs" in said
    assert again.read_bytes() == stats.read_bytes()


LINUX = [
    pytest.param("versatilepb", "linux-versatilepb.zImage", "ttyAMA0,115200", id="versatilepb"),
    pytest.param(
        "p4-willamette",
        "linux-i386.vmlinux",
        "ttyS0,115200",
        id="i386",
        marks=pytest.mark.long,
    ),
]


@pytest.mark.linux
@pytest.mark.parametrize(("machine", "kernel", "port"), LINUX)
def test_linux_with_a_script(machine: str, kernel: str, port: str, tmp_path: Path) -> None:
    name = kernel.split(".")[0]
    system: list[object] = ["--machine", machine, "--kernel", GUESTS / kernel]
    system += ["--initrd", GUESTS / f"{name}.cpio"]
    system += ["--append", f"console={port} panic=-1 quiet shell"]
    if machine == "versatilepb":
        system += ["--dtb", GUESTS / f"{name}.dtb"]
    script = tmp_path / "script"
    script.write_text(
        '#!expect\nexpect "# "\nsend "help\\r"\nexpect "# "\nwait 0.2\nsend "exit\\r"\n'
    )
    recording, stats, again = (tmp_path / name for name in ("a.rec", "a.json", "b.json"))
    recorded = run(*system, "--input", script, "--record", recording, "--stats", stats)
    assert run(*system, "--replay", recording, "--stats", again) == recorded
    assert again.read_bytes() == stats.read_bytes()


@pytest.mark.parametrize("words", [POLLING, WAITING], ids=["polling", "waiting"])
def test_forth_and_back_in_a_debugger(words: tuple[int, ...], tmp_path: Path) -> None:
    """Each time that a character is echoed, forth, back and forth again: it is what was typed."""
    system, console, recording, stats = with_a_person(tmp_path, words)
    echo = 0xC0010000 + 4 * 8  # the store into UTDR
    hits = 5
    script = [f"break *{echo:#x}"]
    script += ["continue", show("r0", "r1", "pc")] * hits
    script += ["reverse-continue", show("r0", "r1", "pc")] * (hits - 1)
    script += ["continue", show("r0", "r1", "pc")] * (hits - 1)
    script += ["delete", "continue"]
    again = tmp_path / "again.json"
    run_it = ["boot", *map(str, system), "--replay", str(recording), "--stats", str(again)]
    session = debug("\n".join(script), run=run_it, symbols=None)
    for name in ("r0", "r1", "pc"):
        shown = session.shown[name]
        forth, back, on = shown[:hits], shown[hits : 2 * hits - 1], shown[2 * hits - 1 :]
        assert back == forth[-2::-1], name
        assert on == forth[1:], name
    if words is POLLING:
        assert session.shown["r0"][:hits] == list(b"hello")
    assert session.console.encode() == console
    assert again.read_bytes() == stats.read_bytes()


def test_what_is_no_recording_gets_one_line(tmp_path: Path) -> None:
    system, _, recording, _ = with_a_person(tmp_path, POLLING)
    good = recording.read_text()
    wrong = tmp_path / "wrong.rec"
    for text, said in (
        ("", "is no recording"),
        (good.replace("input 1", "input 9", 1), "was recorded in format 9, not 1"),
        (good[: len(good) // 2], "is cut short|is damaged"),
        (good.replace("typed", "tpyed", 1), "line 6: is damaged"),
        (re.sub("begins 0 .{16}", f"begins 0 {'0' * 16}", good), "with another kernel"),
        (re.sub("(sa1110) .{16}", rf"\1 {'0' * 16}", good), "on another sa1110"),
        (good.replace("uart1", "uart7"), "has the console uart7"),
    ):
        wrong.write_text(text)
        _, line = run(*system, "--replay", wrong, status=2)
        assert len(line.splitlines()) == 1
        assert re.search(rf"wrong\.rec: .*({said}).*; expected what --record has written", line)
    _, line = run(*system, "--replay", recording, "--input", wrong, status=2)
    assert len(line.splitlines()) == 1
