# SPDX-License-Identifier: Apache-2.0
"""A program on a terminal of its own, and the person before it."""

import os
import pty
import select
import signal
import termios
import time

from patience import SECONDS


class Terminal:
    """A run and the person before it."""

    def __init__(self, command: list[str]) -> None:
        self.said = b""
        self.process, self.keys = pty.fork()
        if self.process == 0:
            os.execvp(command[0], command)
        self.status: int | None = None

    def type(self, keys: bytes) -> None:
        os.write(self.keys, keys)

    def expect(self, text: bytes) -> bytes:
        """Waits for what the terminal shows next; what it showed before that."""
        deadline = time.monotonic() + SECONDS
        while text not in self.said:
            ready, _, _ = select.select([self.keys], [], [], deadline - time.monotonic())
            assert ready, f"{text!r} does not come; {self.said!r}"
            self.said += self.read()
        before, _, self.said = self.said.partition(text)
        return before

    def read(self) -> bytes:
        try:
            return os.read(self.keys, 4096)
        except OSError as error:  # Linux's word for a terminal that nobody has open any more
            raise AssertionError(f"it has ended; it said {self.said!r}") from error

    def raw(self) -> bool:
        """Whether keys come one by one, without signals."""
        return not termios.tcgetattr(self.keys)[3] & (termios.ICANON | termios.ISIG | termios.ECHO)

    def wait_until(self, raw: bool) -> None:
        deadline = time.monotonic() + SECONDS
        while self.raw() != raw:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def end(self) -> int:
        """Its exit status, or minus the signal."""
        deadline = time.monotonic() + SECONDS
        done = 0
        while done == 0:
            done, status = os.waitpid(self.process, os.WNOHANG)
            assert time.monotonic() < deadline, "it does not end"
            time.sleep(0.01)
        self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def close(self) -> None:
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.keys)
