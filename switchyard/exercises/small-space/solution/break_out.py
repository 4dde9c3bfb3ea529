# SPDX-License-Identifier: Apache-2.0
"""The stack is beyond the segment's end: the next push faults, and the space becomes large."""

from collections.abc import MutableMapping


def break_out(registers: MutableMapping[str, int]) -> None:
    """The region ends a few megabytes from its base; 256 MB are beyond it."""
    registers["esp"] = 0x1000_0000
