# SPDX-License-Identifier: Apache-2.0
"""A point made of counters: cycles, misses, stalls and kernel events for one unit of work."""

from collections.abc import Mapping
from dataclasses import dataclass

from switchyard.experiments.l4_ipc_point import EVENTS, MISSES, STALLS
from switchyard.machine import Stats

# Not in every experiment's tables: a space takes part in another's directory entry.
SHARED = {"sections_shared": 9}


@dataclass(frozen=True)
class Counted:
    """What a unit of work took in a run's region; `rates` has it by the names of the records."""

    machine: str
    clock_mhz: float
    units: int
    rates: Mapping[str, float]

    @property
    def cycles(self) -> float:
        """Cycles for a unit."""
        return self.rates["cycles"]

    @property
    def us(self) -> float:
        """The same in microseconds."""
        return self.cycles / self.clock_mhz

    @classmethod
    def measured(cls, stats: Stats, region: int, units: int) -> "Counted":
        """From the region that holds `units` units of work."""
        found = stats.region(region)
        rates = {name: found.counters.total(name) / units for name in ("cycles", "instructions")}
        for name, counters in {**MISSES, **STALLS}.items():
            rates[name] = found.counters.total(*counters) / units
        for name, number in {**EVENTS, **SHARED}.items():
            rates[name] = found.event(number) / units
        return cls(stats.machine, stats.clock_hz / 1e6, units, rates)
