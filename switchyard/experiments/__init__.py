# SPDX-License-Identifier: Apache-2.0
"""The experiments: a folder each, after a published table or figure."""

from typing import Any

from switchyard.errors import InputError, one_of
from switchyard.experiments.experiment import Experiment
from switchyard.experiments.l4_collisions.measure import L4Collisions
from switchyard.experiments.l4_extreme.measure import L4Extreme
from switchyard.experiments.l4_ipc.measure import L4Ipc
from switchyard.experiments.l4_ipc_size.measure import L4IpcSize
from switchyard.experiments.l4_overheads.measure import L4Overheads
from switchyard.experiments.l4_pagefault.measure import L4PageFault
from switchyard.experiments.l4_policy.measure import L4Policy
from switchyard.experiments.l4_primitives.measure import L4Primitives
from switchyard.experiments.linux_ctx.measure import LinuxCtx
from switchyard.experiments.linux_entry.measure import LinuxEntry
from switchyard.experiments.linux_extreme.measure import LinuxExtreme
from switchyard.experiments.linux_ipc.measure import LinuxIpc
from switchyard.experiments.linux_overheads.measure import LinuxOverheads
from switchyard.experiments.linux_tlb_sharing.measure import LinuxTlbSharing
from switchyard.experiments.p4_microbench.measure import P4Microbench
from switchyard.experiments.silicon.measure import Silicon
from switchyard.experiments.uclinux_ctx.measure import UclinuxCtx
from switchyard.experiments.uclinux_ipc.measure import UclinuxIpc

EXPERIMENTS: dict[str, Experiment[Any]] = {
    experiment.name: experiment
    for experiment in (
        Silicon(),
        P4Microbench(),
        L4Ipc(),
        L4IpcSize(),
        L4Primitives(),
        L4Collisions(),
        L4Extreme(),
        L4Policy(),
        L4PageFault(),
        L4Overheads(),
        LinuxIpc(),
        LinuxCtx(),
        LinuxExtreme(),
        LinuxTlbSharing(),
        LinuxOverheads(),
        LinuxEntry(),
        UclinuxIpc(),
        UclinuxCtx(),
    )
}


def find(name: str) -> Experiment[Any]:
    """The experiment of that name."""
    if name not in EXPERIMENTS:
        raise InputError(f"{name}: unknown experiment; {one_of(name, EXPERIMENTS)}")
    return EXPERIMENTS[name]
