# SPDX-License-Identifier: Apache-2.0
"""The two ways a command ends other than well; `cli` turns them into exit statuses.

Anything else that is raised is a fault of Switchyard itself, and shows its traceback.
"""

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


class RunError(Exception):
    """A guest, a build or an experiment failed; the first line says which, the rest shows how."""
