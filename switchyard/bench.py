# SPDX-License-Identifier: Apache-2.0
"""How fast the simulator itself is: simulated cycles and instructions a second of host time.

The host's time is that of the simulator's run loop, as it measures it: loading and this program
do not count. Each workload runs several times, one after the other, and the median is reported.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from switchyard import build, machine
from switchyard.build import BOARD, GUESTS
from switchyard.records import Record

MACHINE = "sa1110"
SYSTEM = "switchyard-l4"
REPEATS = 5
MAX_CYCLES = 20_000_000_000


@dataclass(frozen=True)
class Workload:
    """A guest run that is timed."""

    name: str
    scheme: str
    program: str
    append: str = ""

    @property
    def guest(self) -> build.Guest:
        """The image it runs."""
        return GUESTS[f"{BOARD}-{self.scheme}-{self.program}"]


WORKLOADS = (
    # one round trip and out: nearly all of it is the kernel, sigma0 and the root task starting
    Workload("boot", "fass", "bench-ipc", "clients=1-1 rounds=1 warmup=0 seed=1"),
    Workload("l4-ipc-flush", "flush", "bench-ipc", "clients=16-16 rounds=10000 warmup=100 seed=1"),
    Workload("l4-ipc-fass", "fass", "bench-ipc", "clients=16-16 rounds=50000 warmup=100 seed=1"),
    Workload("compute", build.BARE, "bench-compute"),
)


@dataclass(frozen=True)
class Speed:
    """What a workload gave: its length, which is always the same, and the host's seconds."""

    workload: Workload
    cycles: int
    instructions: int
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median time; a clock that saw nothing pass counts as its resolution."""
        return max(statistics.median(self.seconds), 1e-9)

    @property
    def cycles_per_second(self) -> float:
        """Simulated cycles a second."""
        return self.cycles / self.median

    @property
    def instructions_per_second(self) -> float:
        """Simulated instructions a second."""
        return self.instructions / self.median

    @property
    def spread(self) -> float:
        """The distance of fastest and slowest run as a share of the median."""
        return (max(self.seconds) - min(self.seconds)) / self.median


def measure(workload: Workload, repeats: int, tick: Callable[[], None]) -> Speed:
    """Runs a workload `repeats` times; `tick` is called after each."""
    boot = machine.Boot(MACHINE, workload.guest.image, workload.append, MAX_CYCLES)
    seconds = []
    lengths = set()
    for _ in range(repeats):
        done = machine.run(boot)
        seconds.append(done.host_seconds)
        lengths.add((done.stats.cycles, done.stats.instructions))
        tick()
    # Same image, same machine, same input: anything else is a fault of the simulator.
    assert len(lengths) == 1, f"{workload.name}: runs differ in length: {sorted(lengths)}"
    cycles, instructions = lengths.pop()
    return Speed(workload, cycles, instructions, tuple(seconds))


def records(speeds: list[Speed]) -> list[Record]:
    """Both rates of each workload."""
    made = []
    for speed in speeds:
        for metric, value in (
            ("cycles_per_second", speed.cycles_per_second),
            ("instructions_per_second", speed.instructions_per_second),
        ):
            made.append(
                Record(
                    experiment="bench",
                    machine=MACHINE,
                    system=SYSTEM,
                    scheme=speed.workload.scheme,
                    metric=metric,
                    parameters={"workload": speed.workload.name},
                    value=round(value),
                    unit="1/s",
                )
            )
    return made
