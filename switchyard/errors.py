# SPDX-License-Identifier: Apache-2.0
"""The ways a command ends other than well; `cli` turns them into exit statuses.

Anything else that is raised is a fault of Switchyard itself, and shows its traceback.
"""

import difflib
import signal
from collections.abc import Iterable
from enum import IntEnum


class Status(IntEnum):
    """Exit statuses of the command line."""

    DONE = 0
    FAILED = 1
    BAD_INPUT = 2


class InputError(Exception):
    """What the user gave is wrong, or something the user must provide is not there.

    The message is one line: what, where, and what was expected.
    """


def meant(name: str, known: Iterable[str]) -> str:
    """For an unknown name: what was meant, perhaps, as a question; or nothing."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}? " if near else ""


def one_of(name: str, known: Iterable[str]) -> str:
    """The end of the line for an unknown name: what was meant, perhaps, and what there is."""
    names = list(known)
    return f"{meant(name, names)}expected one of {', '.join(names)}"


class RunError(Exception):
    """A guest, a build or an experiment failed; the first line says which, the rest shows how."""


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP, which end a command as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class StoppedError(Exception):
    """The user ended the command; the message is one line that says what is kept."""

    def __init__(self, message: str, cause: BaseException | None = None) -> None:
        super().__init__(message)
        number = cause.number if isinstance(cause, Terminated) else signal.SIGINT
        self.status = 128 + number  # by the convention of shells
