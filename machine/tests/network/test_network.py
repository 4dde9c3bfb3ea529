# SPDX-License-Identifier: Apache-2.0
"""`--net` with unmodified Linux at one end or at both: pings, datagrams of all sizes, data by TCP
that must come back as it went, and what else a run may have beside a network."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from patience import SECONDS
from simulator import machine_binary
from terminal import Terminal

from switchyard.run import build_linux
from switchyard.run.build_linux import I386, SERVERS, SYSTEMS, Linux

pytestmark = [pytest.mark.linux, pytest.mark.guests, pytest.mark.slow]

PROMPT = b"\n# "
LEFT = b"switchyard-machine: left by Ctrl-A x after "
KILOBYTES = 200


class Shell(Terminal):
    """Linux with a shell, and an address where it has been given one."""

    address = ""

    def command(self, line: str, *shown: str) -> str:
        """Types a command that ends by itself, and waits for what it shows; what came then."""
        self.type(line.encode() + b"\n")
        for text in shown:
            self.expect(text.encode())
        return self.expect(PROMPT).decode()

    def begin(self, line: str, shown: str) -> None:
        """Types a command that waits for somebody."""
        self.type(line.encode() + b"\n")
        self.expect(shown.encode())

    def press_enter(self) -> None:
        """For a shell that has shown its prompt before anybody looked."""
        self.command("")

    def up(self, address: str) -> None:
        self.address = address
        self.command(f"net up eth0 {address} 255.255.255.0")

    def without_errors(self) -> None:
        """No frame was dropped or damaged, no segment was: what it has counted says so."""
        shown = self.command("cat /proc/net/dev /proc/net/snmp")
        eth0 = re.search(r"eth0:(.*)", shown)
        tcp = re.search(r"Tcp: (RtoAlg.*)\r\nTcp: (.*)\r\n", shown)
        assert eth0, shown
        assert tcp, shown
        numbers = [int(number) for number in eth0[1].split()]
        received, sent = numbers[:8], numbers[8:]
        assert received[1] > 10 < sent[1], shown  # packets
        # Errors, drops, FIFO, frame. Linux drops what it is to send before it believes in the link.
        assert received[2:6] == [0] * 4, shown
        assert [sent[2], *sent[4:7]] == [0] * 4, shown  # errors; FIFO, collisions, carrier
        counted = dict(zip(tcp[1].split(), tcp[2].split(), strict=True))
        assert (counted["InErrs"], counted["InCsumErrors"]) == ("0", "0"), shown

    def processor_seconds(self) -> float:
        """The host's time that it has taken."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return sum(int(ticks) for ticks in fields[11:13]) / os.sysconf("SC_CLK_TCK")

    def leave(self) -> None:
        self.type(b"\x01x")
        self.expect(LEFT)
        assert self.end() == 0


class Lab:
    """The computers of a test; none of them outlives it."""

    def __init__(self, system: Linux, stack: ExitStack) -> None:
        self.system = system
        self.stack = stack

    def start(self, command: list[str]) -> Shell:
        shell = Shell(command)
        self.stack.callback(shell.close)
        return shell

    def machine(self, *options: str) -> Shell:
        """One of ours, which boots from power-on unless told otherwise."""
        command = [machine_binary(), "boot", *options]
        if "--restore" not in options:
            system = [("--machine", self.system.machine), ("--kernel", self.system.kernel)]
            system += [("--initrd", self.system.initrd)]
            system += [("--dtb", self.system.dtb)] if self.system.dtb else []
            system += [("--append", self.system.append("shell"))]
            command += [str(word) for pair in system for word in pair]
        return self.start(command)

    def listening(self, where: str, *options: str) -> tuple[Shell, str]:
        """One of ours that waits for its other end, and where to connect to."""
        shell = self.machine("--net", f"listen-{where}", *options)
        shell.expect(b"--net listen-")
        return shell, shell.expect(b": waiting for the other end").decode()


def at_prompt(*shells: Shell) -> None:
    """Waits for them and gives them addresses."""
    for number, shell in enumerate(shells, 1):
        shell.expect(PROMPT)
        shell.up(f"10.0.0.{number}")


@contextmanager
def laboratory(system: Linux) -> Iterator[Lab]:
    build_linux.ensure([system])
    with ExitStack() as stack:
        yield Lab(system, stack)


@pytest.fixture
def lab() -> Iterator[Lab]:
    with laboratory(SYSTEMS["linux-versatilepb"]) as plugged:
        yield plugged


def exchange(left: Shell, right: Shell, kilobytes: int = KILOBYTES) -> None:
    """Everything that they can do with each other, in both directions."""
    for client, server in ((left, right), (right, left)):
        client.command(f"net ping {server.address} 10", f"from {server.address}: 10,")
        server.begin("net serve 7", "serving port 7")
        client.command(f"net echo {server.address} 7 {kilobytes}", f"{kilobytes} KB to ")
        server.expect(f"echoed {kilobytes * 1024} bytes".encode())
        server.expect(PROMPT)
        server.begin("net serve-udp 9 40", "serving port 9")
        client.command(f"net udp {server.address} 9 40", "40 datagrams to ")
        server.expect(b"echoed 40 datagrams")
        server.expect(PROMPT)
    for shell in (left, right):
        shell.without_errors()


@pytest.mark.parametrize("kind", ["tcp", pytest.param("unix", marks=pytest.mark.long)])
def test_two_machines(lab: Lab, tmp_path: Path, kind: str) -> None:
    waiting, there = lab.listening("tcp::0" if kind == "tcp" else f"unix:{tmp_path / 'cable'}")
    calling = lab.machine("--net", there)
    at_prompt(waiting, calling)
    exchange(waiting, calling)
    # who stays says that the other has gone, and lives on
    calling.leave()
    waiting.expect(b"the other end has closed the connection; the cable is unplugged")
    waiting.command("uptime", " ms")
    waiting.leave()
    assert not (tmp_path / "cable").exists()


@pytest.mark.long
def test_two_machines_of_other_kinds(lab: Lab, tmp_path: Path) -> None:
    """A PC and another PC, then the ARM: the NE2000 and the LAN91C111 on one cable."""
    with laboratory(I386["linux-i386"]) as pcs:
        waiting, there = pcs.listening(f"unix:{tmp_path / 'pcs'}")
        calling = pcs.machine("--net", there)
        at_prompt(waiting, calling)
        exchange(waiting, calling)
        calling.leave()
        waiting.leave()
        waiting, there = pcs.listening(f"unix:{tmp_path / 'kinds'}")
        arm = lab.machine("--net", there)
        at_prompt(waiting, arm)
        exchange(waiting, arm)
        arm.leave()
        waiting.leave()


@pytest.mark.long
@pytest.mark.parametrize("small", SERVERS, ids=lambda small: "-".join(small) or "large")
def test_linux_on_l4(small: tuple[str, ...], tmp_path: Path) -> None:
    """As a server on L4, which has its driver beside it, and plain Linux on another PC."""
    with laboratory(I386["linux-i386"]) as plain, laboratory(SERVERS[small]) as servers:
        waiting, there = plain.listening(f"unix:{tmp_path / 'cable'}")
        calling = servers.machine("--net", there)
        at_prompt(waiting, calling)
        exchange(waiting, calling)
        calling.leave()
        waiting.leave()


@pytest.mark.qemu
def test_a_machine_and_qemu(lab: Lab, tmp_path: Path) -> None:
    if shutil.which("qemu-system-arm") is None:
        pytest.fail("qemu-system-arm: not found; install it with: apt-get install qemu-system-arm")
    cable = tmp_path / "cable"
    ours, _ = lab.listening(f"unix:{cable}")
    netdev = f"stream,id=n,server=off,addr.type=unix,addr.path={cable}"
    command = lab.system.qemu_command("shell")
    qemu = lab.start([*command, "-netdev", netdev, "-net", "nic,netdev=n"])
    at_prompt(ours, qemu)
    exchange(ours, qemu)
    # its link goes down with the cable
    ours.leave()
    qemu.command("uptime", " ms")


@pytest.fixture
def passt() -> Iterator[Path]:
    """The socket of a user-mode network on this computer, which is 10.9.0.1 on it."""
    if shutil.which("passt") is None:
        pytest.skip("passt is not installed")
    with tempfile.TemporaryDirectory(prefix="switchyard-") as folder, ExitStack() as stack:
        # passt that root starts becomes nobody before it makes its socket
        Path(folder).chmod(0o777)
        cable = Path(folder) / "passt"
        addresses = ["--address", "10.9.0.2", "--netmask", "24", "--gateway", "10.9.0.1"]
        process = subprocess.Popen(
            ["passt", "--foreground", "--ipv4-only", "--socket", str(cable), *addresses],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(process.wait)
        stack.callback(process.kill)
        deadline = time.monotonic() + SECONDS
        while not cable.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.skip("passt does not run here")
            time.sleep(0.02)
        yield cable


@contextmanager
def echoing() -> Iterator[int]:
    """A port of this computer that gives back what one connection brings."""
    with socket.create_server(("127.0.0.1", 0)) as waits:

        def echo() -> None:
            with suppress(OSError):
                connection, _ = waits.accept()
                with connection:
                    while data := connection.recv(4096):
                        connection.sendall(data)

        threading.Thread(target=echo, daemon=True).start()
        yield waits.getsockname()[1]


def test_a_machine_and_this_computer(lab: Lab, passt: Path) -> None:
    shell = lab.machine("--net", f"unix:{passt}")
    shell.expect(PROMPT)
    shell.up("10.9.0.2")
    with echoing() as port:
        shell.command(f"net echo 10.9.0.1 {port} {KILOBYTES}", f"{KILOBYTES} KB to 10.9.0.1 ")
    shell.without_errors()


def test_a_machine_that_waits_lets_the_host_rest(lab: Lab, tmp_path: Path) -> None:
    """A processor that sleeps is not simulated, with a cable neither: it took 2 % of a core, where
    one that does not takes all that it gets."""
    waiting, there = lab.listening(f"unix:{tmp_path / 'cable'}")
    calling = lab.machine("--net", there)
    at_prompt(waiting, calling)
    began = waiting.processor_seconds()
    time.sleep(4)
    assert waiting.processor_seconds() - began < 2
    waiting.command("net ping 10.0.0.2 2", "from 10.0.0.2: 2,")


def test_beside_a_debugger(lab: Lab, tmp_path: Path) -> None:
    """Stopped in the driver while the other end sends, and let go."""
    debugger = shutil.which("gdb-multiarch")
    if debugger is None:
        pytest.fail("gdb-multiarch: not found; install it with: apt-get install gdb-multiarch")
    waiting, there = lab.listening(f"unix:{tmp_path / 'cable'}", "--gdb", "127.0.0.1:0")
    calling = lab.machine("--net", there)
    waiting.expect(b"waiting for a debugger at 127.0.0.1:")
    port = waiting.expect(b"\r\n").decode()
    gdb = lab.start([debugger, "-nx", "-q", "-ex", "set pagination off", str(lab.system.symbols)])
    gdb.expect(b"(gdb) ")
    for line in (f"target remote :{port}", "break smc_interrupt", "disable"):
        gdb.type(line.encode() + b"\n")
        gdb.expect(b"(gdb) ")
    gdb.type(b"continue\n")
    gdb.expect(b"Continuing.")
    at_prompt(waiting, calling)
    gdb.type(b"\x03")
    gdb.expect(b"SIGINT")
    gdb.type(b"enable\ncontinue\n")
    gdb.expect(b"Continuing.")
    calling.begin("net ping 10.0.0.1 5", "net ping")
    gdb.expect(b"Breakpoint 1, ")
    gdb.expect(b"smc_interrupt")
    gdb.type(b"delete\ny\ncontinue\n")
    gdb.expect(b"Continuing.")
    calling.expect(b"from 10.0.0.1: 5,")
    calling.expect(PROMPT)
    exchange(waiting, calling)


def test_saved_and_restored(lab: Lab, tmp_path: Path) -> None:
    """A restored machine is plugged in again, with the address that it had."""
    state = str(tmp_path / "machine.state")
    waiting, there = lab.listening(f"unix:{tmp_path / 'cable'}")
    calling = lab.machine("--net", there, "--save", state)
    at_prompt(waiting, calling)
    exchange(waiting, calling)
    calling.leave()
    waiting.expect(b"the cable is unplugged")
    again = lab.machine("--net", there, "--restore", state)
    again.address = calling.address
    again.press_enter()
    exchange(waiting, again)


def test_checked_and_traced(lab: Lab, tmp_path: Path) -> None:
    """The driver forgets no maintenance; observers see a network as anything else."""
    trace = tmp_path / "trace"
    waiting, there = lab.listening(f"unix:{tmp_path / 'cable'}", "--check", "coherence")
    traced = ("--trace", str(trace), "--symbols", str(lab.system.symbols))
    calling = lab.machine("--net", there, *traced, "--mac", "52:54:00:12:34:56")
    at_prompt(waiting, calling)
    calling.command("cat /sys/class/net/eth0/address", "\n52:54:00:12:34:56\r")
    exchange(waiting, calling, kilobytes=20)
    for shell in (waiting, calling):
        shell.leave()
    assert b"smc_interrupt" in trace.read_bytes()
