# SPDX-License-Identifier: Apache-2.0
"""What a trap into the L4 kernel costs, from the samples of bench/l4 and the simulator's counters.

A sample is the time of one round: some traps, and the user-mode instructions around them. They are
the same in every round. How many cycles they take is known from the counters of user mode and
privileged modes: all samples together, less what was spent in the kernel. What is left of the
median round is the kernel's; of the median, because a timer tick falls into a few rounds.
"""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from switchyard.errors import RunError
from switchyard.experiments.l4 import rates_of
from switchyard.run.machine import Stats

# The instruction that traps is counted in user mode, its exception entry is not.
TRAP_ISSUE = 1


@dataclass(frozen=True)
class Trap:
    """Cycles from the trap to the first instruction after it, whoever executes that."""

    cycles: float
    user: float  # cycles of user mode a round
    rounds: int
    rates: Mapping[str, float]  # a round


def samples_of(stats: Stats, region: int, rounds: int) -> list[int]:
    """The samples of a stream, which must be complete."""
    samples = stats.samples.get(region)
    if not samples or len(samples) != rounds:
        raise RunError(f"{len(samples or [])} samples in stream {region}, expected {rounds}")
    return samples


def measured(stats: Stats, region: int, rounds: int, traps: int) -> Trap:
    """From a region whose rounds have `traps` traps each."""
    samples = samples_of(stats, region, rounds)
    counted = stats.region(region)
    kernel = counted.counters.kernel["cycles"]
    user = (sum(samples) - kernel) / rounds
    cycles = (statistics.median(samples) - user) / traps + TRAP_ISSUE
    if user <= 0 or cycles <= TRAP_ISSUE:
        raise RunError(
            f"region {region}: {sum(samples)} cycles in the samples, {kernel} in the kernel; "
            "expected user mode in between"
        )
    return Trap(cycles, user, rounds, rates_of(counted, rounds))
