# SPDX-License-Identifier: Apache-2.0
"""Who follows whom: what Linux says at the probe, as edges of a graph."""

import struct

import pytest

from switchyard.errors import RunError
from switchyard.experiments.linux_l4_switches import measure


def words(*pairs: tuple[int, str, int, str, int]) -> list[int]:
    """As linux/l4/os/switches.c writes them."""
    data = b"".join(
        struct.pack("<I16sI16sI", source, name.encode(), target, other.encode(), count)
        for source, name, target, other, count in pairs
    )
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def test_pairs_of_processes_are_read() -> None:
    told = words((1, "init", 30, "suite", 2), (30, "a name of 15 by", 1, "init", 1))
    assert len(told) == 22
    assert measure.read(told, "boot") == [
        measure.Switches("init 1", "suite 30", 2),
        measure.Switches("a name of 15 by 30", "init 1", 1),
    ]


@pytest.mark.parametrize("told", [[], words((1, "init", 30, "suite", 2))[:-1]])
def test_parts_of_pairs_are_an_error(told: list[int]) -> None:
    with pytest.raises(RunError, match=r"boot: .* expected pairs of processes"):
        measure.read(told, "boot")
