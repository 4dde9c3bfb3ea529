# SPDX-License-Identifier: Apache-2.0
"""The multi-server system of servers/: a second machine's pings are answered, on QEMU this
computer's."""

import shutil
import socket
import struct
import subprocess
from pathlib import Path

import pytest

from switchyard.experiments import l4
from switchyard.run import build, machine, variants
from switchyard.run.build import BARE, BOUNDS, GUESTS, PC, PING, SERVERS, VERSATILE, schemes_on
from switchyard.run.machine import Boot
from switchyard.tests.patience import SECONDS

pytestmark = pytest.mark.guests

SCHEMES = (*schemes_on(VERSATILE), *BOUNDS)
MAX_CYCLES = 1_000_000_000
MACHINES = {VERSATILE: "versatilepb", PC: "p4-willamette"}


def servers(
    scheme: str,
    words: str,
    peer_words: str = "",
    cycles: int = MAX_CYCLES,
    board: str = VERSATILE,
) -> Boot:
    """The servers under a scheme, and the machine that pings them."""
    guest = GUESTS[f"{board}-{scheme}-{SERVERS}"]
    image, pinger = build.ensure([guest, GUESTS[f"{board}-{BARE}-{PING}"]])
    where = l4.machine(scheme, MACHINES[board])
    return Boot(where, image, words, cycles, peer=pinger, peer_append=peer_words)


def finish(boot: Boot, *options: str) -> subprocess.CompletedProcess[str]:
    command = [str(machine.binary()), *boot.arguments(), *options]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=SECONDS)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pings_are_answered(scheme: str) -> None:
    checked = [] if scheme in BOUNDS else ["--check", "coherence"]
    done = finish(servers(scheme, "warmup=2 rounds=10 load=16"), *checked)
    assert (done.returncode, done.stderr) == (0, "")
    assert "PINGS warmup=2 rounds=10\n" in done.stdout


@pytest.mark.parametrize("scheme", schemes_on(PC))
def test_pings_are_answered_on_the_pc(scheme: str) -> None:
    boot = servers(scheme, "warmup=2 rounds=10 load=16", board=PC)
    done = finish(boot, "--check", "coherence")
    assert (done.returncode, done.stderr) == (0, "")
    assert "PINGS warmup=2 rounds=10\n" in done.stdout


@pytest.mark.parametrize("board", [VERSATILE, PC])
@pytest.mark.parametrize("data", [0, 1, 2, 3, 56, 1472])
def test_the_pinger_compares_every_reply(board: str, data: int) -> None:
    scheme, cycles = ("fass", 60_000_000) if board == VERSATILE else ("flush", 600_000_000)
    boot = servers(scheme, "rounds=0", f"count=5 data={data}", cycles, board)
    said = finish(boot).stderr
    assert "--peer: PING answered=5 " in said
    assert " wrong=0\n" in said
    assert "--peer: ended: exit with status 0\n" in said


def test_two_machines_are_as_repeatable_as_one() -> None:
    boot = servers("flush", "warmup=2 rounds=5")
    first, second = (machine.run(boot) for _ in range(2))
    assert first.text == second.text
    assert first.stats.region(1).entries == 5


def test_who_has_no_network_has_no_peer(tmp_path: Path) -> None:
    boot = servers("flush", "")
    idle = tmp_path / "idle"
    idle.write_bytes(variants.IDLE)
    done = finish(Boot("sa1110", idle, peer=boot.peer))
    assert done.returncode == 2
    assert done.stderr.endswith(
        "machine sa1110 has no network interface; expected a machine with the board versatile or "
        "isa-pc or virt\n"
    )
    assert "--peer " in done.stderr
    done = finish(boot, "--peer-machine", "sa1110")
    assert done.returncode == 2
    assert "--peer-machine sa1110: machine sa1110 has no network interface" in done.stderr
    done = finish(boot, "--net", "unix:/nowhere")
    assert done.returncode == 2
    assert "--net" in done.stderr


class Ethernet:
    """This computer at the other end of QEMU's cable: 10.0.0.2."""

    OURS = bytes.fromhex("525400000001")
    THEIRS = bytes.fromhex("525400123456")  # what QEMU's have without being asked
    IP = bytes([10, 0, 0, 2])
    ASKED = bytes([10, 0, 0, 1])

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream

    def send(self, frame: bytes) -> None:
        frame = frame.ljust(60, b"\0")
        self.stream.sendall(struct.pack(">I", len(frame)) + frame)

    def _exactly(self, count: int) -> bytes:
        taken = b""
        while len(taken) < count:
            more = self.stream.recv(count - len(taken))
            assert more, "the guest's end of the cable has gone"
            taken += more
        return taken

    def receive(self, kind: bytes) -> bytes:
        """The next frame of that type that is for us alone."""
        while True:
            (length,) = struct.unpack(">I", self._exactly(4))
            frame = self._exactly(length)
            if frame[:6] == self.OURS and frame[12:14] == kind:
                return frame

    def find(self) -> bytes:
        """Asks for the guest's address until it says it: at first it is not there yet."""
        ask = bytes.fromhex("0001080006040001") + self.OURS + self.IP + b"\0" * 6 + self.ASKED
        for _ in range(SECONDS):
            self.send((b"\xff" * 6 + self.OURS + b"\x08\x06" + ask).ljust(60, b"\0"))
            try:
                return self.receive(b"\x08\x06")[22:28]
            except TimeoutError:
                continue
        raise AssertionError("no answer")

    def ping(self, data: bytes, spoilt: int = 0) -> bytes:
        """The packet of a ping, `spoilt` in its ICMP checksum."""
        icmp = b"\x08\0\0\0\x53\x59\0\x01" + data
        icmp = icmp[:2] + struct.pack(">H", checksum(icmp) ^ spoilt) + icmp[4:]
        head = b"\x45\0" + struct.pack(">H", 20 + len(icmp)) + bytes([0, 1, 0, 0, 64, 1, 0, 0])
        head += self.IP + self.ASKED
        head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
        return self.THEIRS + self.OURS + b"\x08\0" + head + icmp


def checksum(words: bytes) -> int:
    """That of RFC 1071."""
    total: int = sum(struct.unpack(f">{(len(words) + 1) // 2}H", words + b"\0" * (len(words) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


QEMU_MACHINES = {
    VERSATILE: ["qemu-system-arm", "-M", "versatilepb", "-audiodev", "none,id=sound"],
    PC: ["qemu-system-i386", "-M", "isapc", "-cpu", "pentium2", "-m", "64"],
}
QEMU_INTERFACES = {
    VERSATILE: ["-net", "nic,netdev=n,macaddr={mac}"],
    PC: ["-net", "none", "-device", "ne2k_isa,netdev=n,mac={mac},iobase=0x300,irq=9"],
}


@pytest.mark.qemu
@pytest.mark.parametrize(
    ("scheme", "board"),
    [
        *((scheme, VERSATILE) for scheme in ("flush", "fass", "single-space")),
        *((scheme, PC) for scheme in schemes_on(PC)),
    ],
)
def test_pings_are_answered_on_qemu(scheme: str, board: str, tmp_path: Path) -> None:
    program, *options = QEMU_MACHINES[board]
    qemu = shutil.which(program)
    if qemu is None:
        pytest.skip(f"{program} is not installed")
    (image,) = build.ensure([GUESTS[f"{board}-{scheme}-{SERVERS}"]])
    cable = tmp_path / "cable"
    command = [qemu, *options, "-display", "none", "-monitor", "none", "-no-reboot"]
    command += ["-serial", "stdio", "-kernel", str(image)]
    netdev = f"stream,id=n,server=off,addr.type=unix,addr.path={cable}"
    mac = Ethernet.THEIRS.hex(":")
    command += ["-netdev", netdev, *(text.format(mac=mac) for text in QEMU_INTERFACES[board])]
    with socket.socket(socket.AF_UNIX) as waits:
        waits.bind(str(cable))
        waits.listen()
        waits.settimeout(SECONDS)
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        ) as guest:
            try:
                stream, _ = waits.accept()
                with stream:
                    stream.settimeout(1)
                    wire = Ethernet(stream)
                    assert wire.find() == Ethernet.THEIRS
                    stream.settimeout(SECONDS)
                    for length in (56, 57, 1472):
                        data = bytes(i & 0xFF for i in range(length))
                        wire.send(wire.ping(b"spoilt", spoilt=1))  # nobody answers that
                        wire.send(wire.ping(data))
                        reply = wire.receive(b"\x08\0")
                        assert reply[26:34] == Ethernet.ASKED + Ethernet.IP
                        assert checksum(reply[14:34]) == 0
                        assert reply[34] == 0
                        assert reply[42 : 42 + length] == data
                        assert checksum(reply[34 : 42 + length]) == 0
            finally:
                guest.kill()
