# SPDX-License-Identifier: Apache-2.0
"""A program runs in a small space of a Pentium 4, and is stopped between two instructions."""

from collections.abc import MutableMapping


def break_out(registers: MutableMapping[str, int]) -> None:
    """Change one register, `registers["eax"] = ...`, so that the program leaves its region."""
