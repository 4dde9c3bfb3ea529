# SPDX-License-Identifier: Apache-2.0
"""A sample made of counters: cycles, misses, stalls and kernel events for one unit of work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from switchyard.data.summary import Interval
from switchyard.experiments import repeats
from switchyard.experiments.l4 import rates_of
from switchyard.run.machine import Stats

# Not in every experiment's tables: a space takes part in another's directory entry.
SHARED = {"sections_shared": 9}


@dataclass(frozen=True)
class Counted:
    """What a unit of work took in a run's region; `rates` has it by the names of the records.

    `means` are the cycles of each of its runs, where there were several.
    """

    machine: str
    clock_mhz: float
    units: int
    rates: Mapping[str, float]
    means: tuple[float, ...] = ()

    @property
    def interval(self) -> Interval:
        """Of the cycles, over the runs."""
        return Interval.of(self.means or (self.cycles,))

    @property
    def cycles(self) -> float:
        """Cycles for a unit."""
        return self.rates["cycles"]

    @property
    def us(self) -> float:
        """Microseconds for a unit."""
        return self.cycles / self.clock_mhz

    @classmethod
    def measured(cls, stats: Stats, region: int, units: int) -> "Counted":
        """From the region that holds `units` units of work."""
        counts = stats.region(region)
        rates = rates_of(counts, units)
        rates |= {name: counts.event(number) / units for name, number in SHARED.items()}
        return cls(stats.machine, stats.clock_hz / 1e6, units, rates)

    @classmethod
    def together(cls, runs: Sequence["Counted"]) -> "Counted":
        """The runs of a case as one: rates in their mean, units in all."""
        first = runs[0]
        rates = repeats.means([run.rates for run in runs])
        means = tuple(run.cycles for run in runs)
        return cls(first.machine, first.clock_mhz, sum(run.units for run in runs), rates, means)
