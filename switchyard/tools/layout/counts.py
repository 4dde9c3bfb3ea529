# SPDX-License-Identifier: Apache-2.0
"""How often instructions were executed, as the simulator counted it (`boot --counts`)."""

import csv
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from switchyard.errors import InputError

COLUMNS = ("region", "kernel", "address", "encoding", "fetched", "executed")


@dataclass(frozen=True)
class Count:
    """What one instruction did: a branch that was executed was taken."""

    encoding: int
    fetched: float
    executed: float


@dataclass
class Counts:
    """A workload's instructions by their addresses: the kernel's, and those of programs."""

    kernel: dict[int, Count] = field(default_factory=dict)
    user: dict[int, Count] = field(default_factory=dict)

    def often(self, rarer: int) -> int:
        """How often is often enough to count: a share of what is usual.

        Usual is the count of the instruction in the middle, when each stands there as often as it
        was fetched: about the rounds of a loop that most of the code goes through once.
        """
        fetched = sorted(c.fetched for c in (*self.kernel.values(), *self.user.values()))
        middle = sum(fetched) / 2
        for count, summed in zip(fetched, itertools.accumulate(fetched), strict=True):
            if summed >= middle:
                return max(1, int(count / rarer))
        return 1


def read(file: Path, regions: Iterable[int] = ()) -> Counts:
    """The counts of those regions together, or of all but region 0, the timing alone."""
    wanted = frozenset(regions)
    counts = Counts()
    try:
        with file.open(newline="") as text:
            table = csv.DictReader(text)
            if missing := [name for name in COLUMNS if name not in (table.fieldnames or [])]:
                raise InputError(f"{file}: no column '{missing[0]}'; expected what --counts writes")
            for row in table:
                _add(counts, row, wanted)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
    except (ValueError, TypeError, csv.Error):
        line = f"{file}:{table.line_num}"
        raise InputError(f"{line}: no count; expected what --counts writes") from None
    if not counts.kernel and not counts.user:
        raise InputError(f"{file}: no instruction; expected counts of regions of interest")
    return counts


def _add(counts: Counts, row: dict[str, str], wanted: frozenset[int]) -> None:
    region, kernel, address, encoding, fetched, executed = (int(row[c], 0) for c in COLUMNS)
    if region not in wanted if wanted else region == 0:
        return
    places = counts.kernel if kernel else counts.user
    before = places.get(address, Count(encoding, 0, 0))
    places[address] = Count(encoding, before.fetched + fetched, before.executed + executed)
