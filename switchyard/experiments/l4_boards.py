# SPDX-License-Identifier: Apache-2.0
"""What was counted in a run of L4, on whichever board it was."""

from collections.abc import Callable, Mapping

from switchyard.experiments import l4, l4_pc, l4_riscv
from switchyard.run.build import PC, VIRT, Guest
from switchyard.run.experiment import Job, Region

# (of a region, for each of its rounds)
RATES_OF: Mapping[str, Callable[[Region, int], dict[str, float]]] = {
    PC: l4_pc.rates_of,
    VIRT: l4_riscv.rates_of,
}


def rates_on(job: Job, region: Region, rounds: int) -> dict[str, float]:
    """What a region of a job's counted for each of its rounds."""
    board = job.guest.board if isinstance(job.guest, Guest) else ""
    return RATES_OF.get(board, l4.rates_of)(region, rounds)
