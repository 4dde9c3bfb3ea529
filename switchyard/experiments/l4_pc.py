# SPDX-License-Identifier: Apache-2.0
"""What L4's experiments share on the PC: machine, schemes, what is counted, what a trap takes.

The clock is RDTSC (bench/arch/ia32/clock.h). What taking a sample takes by itself is a stream of
its own, and is taken off; so user mode's instructions around a trap, a dozen, and what programs
fill again after a flush are in what a trap takes, other than on ARM (`l4_trap`). By counters of
privileges it could not be told: the prices of SYSEXIT and IRET are counted in user mode.
"""

import statistics
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from switchyard.data.rows import Rows
from switchyard.experiments import l4, l4_trap
from switchyard.run.build import PC, Guest, schemes_on
from switchyard.run.experiment import Experiment, Job, RunError, Settings, Stats

MACHINE = "p4-willamette"
CLOCK_MHZ = 1400
ABOUT = "Pentium 4 (Willamette) at 1.4 GHz"  # for figures
SCHEMES = schemes_on(PC)
LARGE = "flush"  # every space is a large one there
CYCLES_TO_START = 1_400_000_000  # a second of the machine's time
MEASURE_ITSELF = 254  # bench/measure.h: the stream of what taking a sample takes

# For tables: what was counted, by the heads of their columns.
MET = {
    "instr.": ("instructions", 0), "traces": ("traces_built", 1), "I-walks": ("itlb_misses", 1),
    "D-walks": ("dtlb_misses", 1), "CR3": ("cr3_loads", 1),
}  # fmt: skip
MEANT = (
    "traces: built anew; walks: of page tables, for an entry of the instruction TLB or of the data "
    "TLB; CR3: loads of it, which empty TLBs and trace cache"
)

# Rates, by the names of their records: sums of the simulator's counters.
COUNTED = {
    "instructions": ("instructions",),
    "traces_built": ("trace_cache_misses",),
    "trace_build_cycles": ("trace_build_cycles",),
    "itlb_misses": ("itlb_misses",),
    "dtlb_misses": ("dtlb_misses",),
    "dcache_misses": ("dcache_read_misses",),
    "l2_misses": ("l2_read_misses",),
    "mispredictions": ("branch_mispredictions",),
    "cr3_loads": ("ttb_writes",),
}


PLACE = l4.Place(PC, MACHINE, SCHEMES, CYCLES_TO_START, "pc-")
PLACES = (l4.ARM, PLACE)
job = replace(PLACE, prefix="").job  # where no other machine has runs
Some = TypeVar("Some")


class OnBoth(Experiment[Some]):
    """An experiment on an ARM and on the PC."""

    system = l4.SYSTEM
    places: Sequence[l4.Place] = PLACES

    @abstractmethod
    def on(self, place: l4.Place, settings: Settings) -> list[Job]:
        """The runs to make there."""

    def jobs(self, settings: Settings) -> list[Job]:
        """All."""
        return [job for place in self.places for job in self.on(place, settings)]

    def choices(self, settings: Settings) -> list[Job]:
        """Sweeps are of one kind of machine."""
        return self.on(self.places[0], settings)


def job_name(name: str) -> str:
    """The name of a run, beside those of other machines."""
    return PLACE.prefix + name


def is_on(job: Job) -> bool:
    """Whether a job is one of the PC's."""
    return isinstance(job.guest, Guest) and job.guest.board == PC


def apart(rows: Rows) -> tuple[Rows, Rows]:
    """The rows of the other machines, and those of the PC."""
    here = [row.where["machine"] == MACHINE for row in rows]
    pairs = list(zip(rows, here, strict=True))
    return Rows([row for row, on in pairs if not on]), Rows([row for row, on in pairs if on])


def there(rows: Rows) -> list[str]:
    """The schemes that there are rows of: a run may be of before there were more."""
    return [scheme for scheme in SCHEMES if rows.select(scheme=scheme)]


def trap(job: Job, stats: Stats, region: int, traps: int) -> float:
    """Cycles of a trap of the median round of a region, whose rounds have so many; on ARM too."""
    rounds = job.number("rounds")
    if not is_on(job):
        return l4_trap.measured(stats, region, rounds, traps).cycles
    itself = statistics.median(l4.samples(job, stats, MEASURE_ITSELF))
    cycles = statistics.median(l4.samples(job, stats, region, rounds)) - itself
    if cycles <= 0:
        raise RunError(
            f"{job.name}: region {region}: rounds are shorter than what taking their time takes, "
            f"{itself:g} cycles"
        )
    return cycles / traps
