# SPDX-License-Identifier: Apache-2.0
"""GDB's remote protocol, from the debugger's side: packets to a simulator that waits with `--gdb`.

The protocol is that of "Debugging with GDB", appendix E. `interactive` is its caller.
"""

import re
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from switchyard.errors import RunError

# Bytes of memory in one packet: a packet has 4096 characters at most, two a byte.
MEMORY_MOST = 1024
# Characters of a register description that are asked for at once.
DESCRIPTION_MOST = 2048
INTERRUPT = b"\x03"


class LostError(RunError):
    """The connection has ended."""

    def __init__(self) -> None:
        super().__init__("the simulator is no more; expected it to answer")


class Remote:
    """A connection to a stopped machine."""

    def __init__(self, port: int) -> None:
        """Connects to a port of this computer."""
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = bytearray()
        self.ask("QStartNoAckMode")
        self._registers = {name: (n, bits) for n, (name, bits) in enumerate(self._described())}

    def close(self) -> None:
        """Ends the connection; a machine that was not told to end waits for another."""
        self._socket.close()

    def send(self, text: str) -> None:
        """Sends a packet."""
        data = text.encode("ascii")
        try:
            self._socket.sendall(b"$%s#%02x" % (data, sum(data) & 255))
        except OSError as error:
            raise LostError from error

    def receive(self) -> str:
        """The next packet."""
        while (end := self._received.find(b"#")) < 0 or len(self._received) < end + 3:
            try:
                more = self._socket.recv(1 << 16)
            except OSError as error:
                raise LostError from error
            if not more:
                raise LostError
            self._received += more
        start = self._received.find(b"$")
        packet = bytes(self._received[start + 1 : end])
        del self._received[: end + 3]
        return unescaped(expanded(packet)).decode("utf-8", "replace")

    def ask(self, text: str) -> str:
        """What is answered to a packet."""
        with self._whole(b""):
            self.send(text)
            return self.receive()

    def go(self, how: str) -> str:
        """Lets it run (`vCont;c`) or step; why it has stopped. Ctrl-C stops it, too."""
        with self._whole(INTERRUPT):
            self.send(how)
            return self.receive()

    @contextmanager
    def _whole(self, message: bytes) -> Iterator[None]:
        """Holds Ctrl-C back while an answer is awaited: half of one would be taken for the next.

        It sends the message, and raises when the answer is there.
        """
        # Another thread gets no signals; where Ctrl-C is ignored (`nohup`), it stays so.
        main = threading.current_thread() is threading.main_thread()
        if not main or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            yield
            return
        pressed = []

        def note(number: int, frame: FrameType | None) -> None:
            pressed.append((number, frame))
            self._socket.sendall(message)

        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
        if pressed and callable(before):
            before(*pressed[0])

    def monitor(self, command: str) -> str:
        """What the simulator says to a command of its own."""
        said = b""
        with self._whole(b""):
            self.send(f"qRcmd,{command.encode('ascii').hex()}")
            while (answer := self.receive()).startswith("O") and answer != "OK":
                said += bytes.fromhex(answer[1:])
        return said.decode("utf-8", "replace")

    def registers(self) -> list[str]:
        """The names of all registers."""
        return list(self._registers)

    def register(self, name: str) -> int:
        """What a register holds."""
        number, _ = self._registers[name]
        return int.from_bytes(bytes.fromhex(self.ask(f"p{number:x}")), "little")

    def set_register(self, name: str, value: int) -> bool:
        """Writes a register; `False` if it takes no such value."""
        number, bits = self._registers[name]
        held = (value & ((1 << bits) - 1)).to_bytes(bits // 8, "little")
        return self.ask(f"P{number:x}={held.hex()}") == "OK"

    def read(self, address: int, length: int) -> bytes:
        """Memory from a virtual address on; less of it where something is not mapped."""
        content = b""
        while len(content) < length:
            asked = min(length - len(content), MEMORY_MOST)
            answer = self.ask(f"m{address + len(content):x},{asked:x}")
            if answer.startswith("E"):
                break
            content += bytes.fromhex(answer)
        return content

    def write(self, address: int, data: bytes) -> bool:
        """Changes memory; `False` if some of it is not there."""
        for at in range(0, len(data), MEMORY_MOST):
            part = data[at : at + MEMORY_MOST]
            if self.ask(f"M{address + at:x},{len(part):x}:{part.hex()}") != "OK":
                return False
        return True

    def _described(self) -> Iterator[tuple[str, int]]:
        """Names and bits of the registers, by their numbers."""
        text = ""
        while True:
            asked = f"qXfer:features:read:target.xml:{len(text):x},{DESCRIPTION_MOST:x}"
            answer = self.ask(asked)
            text += answer[1:]
            if not answer.startswith("m"):
                break
        for name, bits in re.findall(r'<reg name="(\w+)" bitsize="(\d+)"', text):
            yield name, int(bits)


def expanded(packet: bytes) -> bytes:
    """Without run-length coding: `x*N` is x, and as many more as the character N is above 29."""
    return re.sub(rb"(.)\*(.)", lambda run: run[1] * (run[2][0] - 28), packet, flags=re.S)


def unescaped(packet: bytes) -> bytes:
    """Without escapes: `}` and a character with bit 5 turned."""
    return re.sub(rb"\}(.)", lambda pair: bytes([pair[1][0] ^ 0x20]), packet, flags=re.S)
