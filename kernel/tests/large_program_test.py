# SPDX-License-Identifier: Apache-2.0
"""A root task of 12 MB in a boot image: up to 16 MB there is room on ARM, up to 32 MB elsewhere."""

import pytest

from switchyard.run import build, machine
from switchyard.run.build import BOARD, PC, VIRT, Guest
from switchyard.run.machine import Boot

pytestmark = [pytest.mark.slow, pytest.mark.guests]

MAX_CYCLES = 3_000_000_000
MACHINES = {BOARD: "sa1110", PC: "p4-willamette", VIRT: "virt-u74"}


@pytest.mark.parametrize("board", MACHINES)
def test_a_large_program_is_there_whole(board: str) -> None:
    guest = Guest(board, "flush", "large", "a root task of 12 MB")
    build.ensure([guest])
    try:
        assert guest.image.stat().st_size > 12 << 20
        boot = Boot(MACHINES[board], guest.image, "", MAX_CYCLES, bios=guest.images.bios)
        run = machine.run(boot, must_succeed=False)
    finally:
        guest.image.unlink(missing_ok=True)
    assert "large: 12582912 bytes, wrong as loaded 0, as written 0" in run.console
    assert run.stats.end.status == 0
