# SPDX-License-Identifier: Apache-2.0
"""The network interface without an operating system: a guest that answers every frame it is given,
on the machine and on QEMU, and this computer at the other end of the cable."""

from __future__ import annotations

import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from patience import SECONDS
from simulator import machine_binary

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[2] / "build"

pytestmark = pytest.mark.guests

OURS = bytes.fromhex("525400000001")
GUEST = bytes.fromhex("525400123456")  # what QEMU's have without being asked
NOBODY = bytes.fromhex("525400999999")
EVERYBODY = b"\xff" * 6
GROUPS = [bytes.fromhex("01005e0000fb"), bytes.fromhex("333300000001")]
TYPE = b"\x88\xb5"  # IEEE 802's for experiments


@pytest.fixture(scope="module")
def guest() -> Path:
    environment = dict(os.environ)
    environment.setdefault("CC", f"{sys.executable} -m ziglang cc")
    subprocess.run(["make", "-s", "-C", HERE, f"BUILD={BUILD}"], check=True, env=environment)
    return BUILD / "guests" / "test-network.elf"


class Peer:
    """The other end of a guest's cable."""

    def __init__(self, stream: socket.socket, process: subprocess.Popen[bytes]) -> None:
        self.stream = stream
        self.process = process

    def send(self, frame: bytes) -> None:
        self.stream.sendall(struct.pack(">I", len(frame)) + frame)

    def exactly(self, count: int) -> bytes:
        taken = b""
        while len(taken) < count:
            more = self.stream.recv(count - len(taken))
            assert more, "the guest's end of the cable has gone"
            taken += more
        return taken

    def receive(self) -> bytes:
        (length,) = struct.unpack(">I", self.exactly(4))
        return self.exactly(length)

    def ask(self, command: bytes = b"", target: bytes = GUEST) -> bytes:
        """Sends a command; the guest's answer to it."""
        self.send(frame(command, target=target))
        return self.receive()[14:]

    def answers(self, target: bytes) -> bool:
        """Whether a frame to this address comes in. What is sent after it does, so that nobody
        needs to wait for an answer that does not come."""
        self.send(frame(b"first", target=target))
        self.send(frame(b"second"))
        answer = self.receive()
        if answer[14:20] == b"second":
            return False
        assert answer[14:19] == b"first"
        assert self.receive()[14:20] == b"second"
        return True

    def end(self) -> tuple[int, str]:
        console, said = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, (console + said).decode()


def frame(words: bytes, length: int = 60, target: bytes = GUEST) -> bytes:
    return (target + OURS + TYPE + words).ljust(length, b"\0")


def command_on(where: str, image: Path, cable: Path) -> list[str]:
    if where == "machine":
        system = ["--machine", "versatilepb", "--kernel", str(image), "--mac", GUEST.hex(":")]
        return [machine_binary(), "boot", *system, "--net", f"unix:{cable}"]
    qemu = shutil.which("qemu-system-arm")
    if qemu is None:
        pytest.skip("qemu-system-arm is not installed")
    netdev = f"stream,id=n,server=off,addr.type=unix,addr.path={cable}"
    command = [qemu, "-M", "versatilepb", "-display", "none", "-monitor", "none", "-no-reboot"]
    command += ["-audiodev", "none,id=sound", "-serial", "stdio", "-kernel", str(image)]
    return [*command, "-netdev", netdev, "-net", f"nic,netdev=n,macaddr={GUEST.hex(':')}"]


@contextmanager
def connected(where: str, image: Path, folder: Path) -> Iterator[Peer]:
    """A guest that is ready, and its peer."""
    cable = folder / "cable"
    with socket.socket(socket.AF_UNIX) as waits:
        waits.bind(str(cable))
        waits.listen()
        waits.settimeout(SECONDS)
        process = subprocess.Popen(
            command_on(where, image, cable),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            stream, _ = waits.accept()
            with stream:
                stream.settimeout(SECONDS)
                assert process.stdout is not None
                assert process.stdout.readline() == b"ready\n"
                yield Peer(stream, process)
        finally:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("where", ["machine", pytest.param("qemu", marks=pytest.mark.qemu)])
def test_frames_come_back_as_they_went(guest: Path, tmp_path: Path, where: str) -> None:
    contents = random.Random(1)
    with connected(where, guest, tmp_path) as peer:
        waiting: list[bytes] = []
        # QEMU pads to 64 bytes before the CRC, four too many
        shortest = 64 if where == "qemu" else 60
        for length in [*range(shortest, 132), *range(132, 1514, 37), 1511, 1512, 1513, 1514]:
            sent = frame(b"\0" + contents.randbytes(length - 15), length)
            peer.send(sent)
            waiting.append(sent)
            # one may come in while another is answered
            while len(waiting) > 1 or (waiting and length == 1514):
                assert peer.receive() == OURS + GUEST + waiting.pop(0)[12:]
        assert peer.ask(b"Q")[:1] == b"Q"
        status, said = peer.end()
        assert status == 0, said
        assert "done\n" in said


def test_only_what_is_wanted_comes_in(guest: Path, tmp_path: Path) -> None:
    """Not on QEMU, whose interface lets everything in."""
    with connected("machine", guest, tmp_path) as peer:

        def comes() -> list[bool]:
            return [peer.answers(to) for to in (GUEST, EVERYBODY, NOBODY, *GROUPS)]

        assert comes() == [True, True, False, False, False]
        peer.ask(b"M")
        assert comes() == [True, True, False, True, True]
        peer.ask(b"P")
        assert comes() == [True] * 5
        peer.ask(b"N")
        peer.ask(b"H" + table(GROUPS[1]))
        assert comes() == [True, True, False, False, True]
        peer.ask(b"H" + table(GROUPS[0]))
        assert comes() == [True, True, False, True, False]


def table(group: bytes) -> bytes:
    """The multicast table that lets this group in: the upper six bits of the address's CRC are the
    place, most significant first."""
    register = zlib.crc32(group) ^ 0xFFFFFFFF
    place = int(f"{register & 63:06b}"[::-1], 2)
    return (1 << place).to_bytes(8, "little")


def test_packet_memory_overflows(guest: Path, tmp_path: Path) -> None:
    """Four packets fit while the guest does not listen, the rest is lost, and it is told."""
    with connected("machine", guest, tmp_path) as peer:
        peer.send(frame(b"S"))
        for number in range(1, 13):
            peer.send(frame(b"kept" + bytes([number]), 1514))
        assert peer.receive()[14:22] == b"S\1\4\1\2\3\4\0"
        assert peer.ask(b"S")[:4] == b"S\0\0\0"


def test_the_other_end_goes(guest: Path, tmp_path: Path) -> None:
    """A guest that sleeps until a frame comes does so for ever then, which is said."""
    with connected("machine", guest, tmp_path) as peer:
        peer.ask()
        peer.stream.close()
        status, said = peer.end()
        assert status == 1
        assert "the other end has closed the connection; the cable is unplugged\n" in said
        assert "for an interrupt that cannot come" in said
