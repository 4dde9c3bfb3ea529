# SPDX-License-Identifier: Apache-2.0
"""Two Linux kernels side by side, one that flushes at each switch and one that switches fast.

Both run the same program (linux/user/turns.c), which says ten times a simulated second what its
switches took. What they say of the same step is shown together, so that simulated time passes for
both alike. Keys go to both.
"""

import os
import queue
import re
import select
import signal
import subprocess
import sys
import termios
import threading
import tty
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields, replace

from switchyard.errors import InputError, RunError
from switchyard.run import machine
from switchyard.run.build_linux import SYSTEMS, Linux
from switchyard.run.child_process import leashed

# The machines that can be shown, and the kernel of each that flushes; the other's name has this
# after it.
MACHINES = {"sa1110": "linux-sa1110", "versatilepb": "linux-versatilepb"}
FAST = "-fass"
KEYS = "+-mlq"
END = "q"

_STEP = re.compile(r"turns: (step=.*)")
_VALUE = re.compile(r"(\w+)=(\d+)")


@dataclass(frozen=True)
class Step:
    """A tenth of a simulated second, as the program says it; numbers are of this step alone."""

    step: int
    processes: int
    kb: int  # that each process touches when it has the token
    rounds: int  # of the token around the ring
    switches: int
    cycles: int
    fills: int  # cycles that waited for lines of the caches
    walks: int  # ... for translations
    buffer: int  # ... for the write buffer
    idle: int
    flushes: int  # of a whole cache

    @property
    def busy(self) -> int:
        """Cycles in which something was computed: instructions that waited for nothing."""
        return self.cycles - self.fills - self.walks - self.buffer - self.idle

    @classmethod
    def read(cls, line: str) -> "Step | None":
        """From a line of the console; None if it says something else."""
        match = _STEP.match(line)
        values = dict(_VALUE.findall(match[1])) if match else {}
        if any(field.name not in values for field in fields(cls)):
            return None
        return cls(**{field.name: int(values[field.name]) for field in fields(cls)})


def kernels(name: str) -> tuple[Linux, Linux]:
    """The kernel of a machine that flushes, and the one that switches fast."""
    if name not in MACHINES:
        raise InputError(f"--machine {name}: expected {' or '.join(MACHINES)}")
    slow, fast = (SYSTEMS[MACHINES[name] + ending] for ending in ("", FAST))
    return replace(slow, machine=name), replace(fast, machine=name)


class Shown:
    """A machine that runs the program: what it says, step by step, and what is typed."""

    def __init__(self, linux: Linux, words: str) -> None:
        self.linux = linux
        self._said: deque[str] = deque(maxlen=machine.CONSOLE_TAIL)
        self._steps: queue.Queue[Step | None] = queue.Queue()
        boot = linux.boot(word=f"quiet -- run /bin/turns {words}")
        command = leashed([str(machine.binary()), *boot.arguments()], signal.SIGKILL)
        # The simulator reads terminals alone.
        self._keyboard, terminal = os.openpty()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=terminal,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except OSError as error:
            os.close(self._keyboard)
            raise RunError(f"{linux.name}: cannot be started: {error.strerror}") from None
        finally:
            os.close(terminal)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.append(line.rstrip())
            step = Step.read(line)
            if step is not None:
                self._steps.put(step)
        self._steps.put(None)

    def next(self) -> Step | None:
        """Waits for what it says next; None at its end. Raises `RunError` if that came too soon."""
        step = self._steps.get()
        if step is None and self._process.wait() != 0:
            tail = "\n".join(f"  | {line}" for line in self._said)
            raise RunError(f"{self.linux.name}: ended before it was told to\n{tail}")
        return step

    def type(self, key: str) -> None:
        """Presses a key."""
        with suppress(OSError):  # it has ended
            os.write(self._keyboard, key.encode())

    def end(self) -> None:
        """Ends it, whatever it does."""
        self._process.kill()
        self._process.wait()
        os.close(self._keyboard)


@contextmanager
def running(linuxes: Sequence[Linux], words: str) -> Iterator[list[Shown]]:
    """A machine for each, which ends with the context; none is left if another does not start."""
    with ExitStack() as ends:
        shown = []
        for linux in linuxes:
            system = Shown(linux, words)
            ends.callback(system.end)
            shown.append(system)
        yield shown


def steps(shown: Sequence[Shown]) -> Iterator[tuple[Step, ...]]:
    """What all say of a step, one step after the other, until one of them ends."""
    while True:
        said = [system.next() for system in shown]
        told = [step for step in said if step is not None]
        if len(told) < len(said):
            return
        yield tuple(told)


@contextmanager
def typing(shown: Sequence[Shown]) -> Iterator[None]:
    """Hands on what is typed at this terminal, if there is one, key by key."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    done = threading.Event()

    def listen() -> None:
        while not done.is_set():
            if not select.select([sys.stdin], [], [], 0.1)[0]:
                continue
            for key in os.read(sys.stdin.fileno(), 64).decode(errors="ignore"):
                for system in shown:
                    if key in KEYS:
                        system.type(key)

    listener = threading.Thread(target=listen, daemon=True)
    tty.setcbreak(sys.stdin)
    listener.start()
    try:
        yield
    finally:
        done.set()
        listener.join()
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
