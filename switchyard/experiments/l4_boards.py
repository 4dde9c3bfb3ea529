# SPDX-License-Identifier: Apache-2.0
"""What was counted in a run of L4, on whichever board it was."""

from switchyard.experiments import l4, l4_pc, l4_riscv
from switchyard.run.build import PC, VIRT, Guest
from switchyard.run.experiment import Job, Region

COUNTED_ON = {PC: l4_pc.COUNTED, VIRT: l4_riscv.COUNTED}


def rates_on(job: Job, region: Region, rounds: int) -> dict[str, float]:
    """What a region of a job's counted for each of its rounds."""
    board = job.guest.board if isinstance(job.guest, Guest) else ""
    if board in COUNTED_ON:
        return l4.rates(region, rounds, COUNTED_ON[board])
    return l4.rates_of(region, rounds)
