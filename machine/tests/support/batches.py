# SPDX-License-Identifier: Apache-2.0
"""What comparisons with another processor have in common, whatever the architecture: a batch of
cases that the machine answers, and the command for runs of any length.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO, Generic, Protocol, TypeVar


class Encoded(Protocol):
    """A case that can be sent."""

    def encode(self) -> bytes:
        """As `switchyard-machine vectors` reads it."""


C = TypeVar("C", bound=Encoded)
A = TypeVar("A")
M = TypeVar("M")


class BatchRun(Generic[C, A]):
    """A batch of cases in one process of the machine, running beside us until `answers`."""

    def __init__(
        self, command: Sequence[str], cases: list[C], decode: Callable[[BinaryIO, C], A]
    ) -> None:
        self.cases = cases
        self._command = " ".join(command)
        self._decode = decode
        # Files, not pipes: the machine never waits for us to read. Closed by answers().
        self._input = tempfile.TemporaryFile()  # noqa: SIM115
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        for case in cases:
            self._input.write(case.encode())
        self._input.seek(0)
        self._process = subprocess.Popen(
            command, stdin=self._input, stdout=self._output, stderr=self._errors
        )

    def answers(self) -> list[A]:
        status = self._process.wait()
        self._errors.seek(0)
        message = self._errors.read().decode(errors="replace").strip()
        if status != 0:
            raise RuntimeError(f"status {status} from {self._command}: {message}")
        self._output.seek(0)
        try:
            result = [self._decode(self._output, case) for case in self.cases]
        except EOFError:
            raise RuntimeError("switchyard-machine vectors: its output ends early") from None
        for file in (self._input, self._output, self._errors):
            file.close()
        return result


def progress(instructions: int, seed: int) -> Callable[..., None]:
    """Shows how far a run is, after each batch, and the options with which it goes on there."""
    start = time.monotonic()

    def show(batch: int, executed: int, *_: object) -> None:
        rate = executed / (time.monotonic() - start)
        print(
            f"\r{executed:,} of {instructions:,} instructions, {rate:,.0f}/s, "
            f"next: --seed {seed} --first-batch {batch} ",
            end="",
            file=sys.stderr,
            flush=True,
        )

    return show


def report(mismatches: Iterable[M], shown: Callable[[M], str], most: int) -> int:
    """Prints mismatches as they come, `most` of them; the exit status."""
    count = 0
    for mismatch in mismatches:
        count += 1
        print(f"\n{shown(mismatch)}")
        if count == most:
            break
    print(f"\n{count} mismatches", file=sys.stderr)
    return 1 if count else 0
