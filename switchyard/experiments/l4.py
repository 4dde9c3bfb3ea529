# SPDX-License-Identifier: Apache-2.0
"""What L4's experiments share: the schemes that there are, runs of a program, what is counted.

`tags` is a kernel that flushes nothing, on the machine with ideal address-space tags
(docs/machine-tags.md): the bound, but for the sets of the caches in which programs lie.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from switchyard.run.build import BOARD, BOUNDS, GUESTS, KERNELS, SCHEMES, TAGS
from switchyard.run.experiment import Job, Parameter, Region, RunError, Stats

MACHINE = "sa1110"
ABOUT = "StrongARM SA-1110 at 200 MHz"  # for figures
CLOCK_MHZ = 200
SYSTEM = "switchyard-l4"
COLUMNS = (*SCHEMES, *BOUNDS)
# Where all of memory is mapped for everybody from the start.
UNPROTECTED = tuple(scheme.name for scheme in KERNELS.schemes if not scheme.protects)
CYCLES_TO_START = 400_000_000  # two seconds of the machine's time

# Rates, by the names of their records: sums of the simulator's counters ...
MISSES = {
    "icache_misses": ("icache_misses",),
    "dcache_misses": ("dcache_read_misses", "minicache_read_misses"),
    "itlb_misses": ("itlb_misses",),
    "dtlb_misses": ("dtlb_misses",),
}
STALLS = {
    "fill_stall_cycles": ("fill_stall_cycles",),
    "walk_stall_cycles": ("walk_stall_cycles",),
    "write_buffer_stall_cycles": ("write_buffer_stall_cycles",),
}
# ... and events that the kernel reports, by their numbers in kernel/events.h.
EVENTS = {
    "cache_flushes": 1,
    "tlb_flushes": 2,
    "domains_recycled": 3,
    "clean_domains_recycled": 4,
    "collisions": 5,
    "cpd_entries_loaded": 6,
}


def machine(scheme: str, name: str = MACHINE) -> str:
    """The machine that a scheme runs on, where the others run on the one called `name`."""
    ending = {known.name: known.machines for known in KERNELS.schemes}.get(scheme)
    return f"{name}-{ending}" if ending else name


def called(scheme: str) -> str:
    """A scheme in the words of tables and figures."""
    return "hardware tags" if scheme == TAGS else scheme


@dataclass(frozen=True)
class Place:
    """A board that L4 runs on: its machine, and the schemes that there are."""

    board: str
    machine: str
    schemes: tuple[str, ...]
    cycles_to_start: int
    prefix: str = ""  # of the names of its runs

    def job(
        self,
        program: str,
        scheme: str,
        append: str,
        cycles: int,
        name: str = "",
        parameters: Mapping[str, Parameter] | None = None,
    ) -> Job:
        """A run of a benchmark under a scheme; `cycles` at most, beside those to start in."""
        return Job(
            name=self.prefix + (name or scheme),
            guest=GUESTS[f"{self.board}-{scheme}-{program}"],
            machine=machine(scheme, self.machine),
            append=append,
            max_cycles=self.cycles_to_start + cycles,
            parameters={"scheme": scheme, **(parameters or {})},
        )


@dataclass(frozen=True)
class Sample:
    """A run: by case what was measured of it, by metric."""

    machine: str
    scheme: str
    values: Mapping[Any, Mapping[str, float]] = field(hash=False)


ARM = Place(BOARD, MACHINE, COLUMNS, CYCLES_TO_START)
job = ARM.job


def samples(job: Job, stats: Stats, stream: int, count: int | None = None) -> list[int]:
    """The samples of a stream, of which there must be some, or so many."""
    raw = list(stats.samples.get(stream, []))
    if not raw or count not in (None, len(raw)):
        raise RunError(
            f"{job.name}: {len(raw)} samples in stream {stream} from {job.guest.name}, "
            f"expected {count or 'some'}"
        )
    return raw


def rates(region: Region, rounds: int, counted: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """What was counted in a region for each of its rounds, by the names of the records."""
    return {name: region.counters.total(*names) / rounds for name, names in counted.items()}


def rates_of(region: Region, rounds: int) -> dict[str, float]:
    """All that is counted of the kernel on ARM."""
    counted = {**MISSES, **STALLS, "cycles": ("cycles",), "instructions": ("instructions",)}
    events = {name: region.event(number) / rounds for name, number in EVENTS.items()}
    return rates(region, rounds, counted) | events
