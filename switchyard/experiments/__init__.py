# SPDX-License-Identifier: Apache-2.0
"""The experiments: a folder each, after a published table or figure."""

import importlib
import inspect
from collections.abc import Iterator
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
from switchyard.experiments.l4_revocation.measure import L4Revocation
from switchyard.experiments.l4_servers.measure import L4Servers
from switchyard.experiments.l4_small_spaces.measure import L4SmallSpaces
from switchyard.experiments.linux_ctx.measure import LinuxCtx
from switchyard.experiments.linux_entry.measure import LinuxEntry
from switchyard.experiments.linux_extreme.measure import LinuxExtreme
from switchyard.experiments.linux_ipc.measure import LinuxIpc
from switchyard.experiments.linux_off.measure import LinuxOff
from switchyard.experiments.linux_overheads.measure import LinuxOverheads
from switchyard.experiments.linux_tlb_sharing.measure import LinuxTlbSharing
from switchyard.experiments.p4_microbench.measure import P4Microbench
from switchyard.experiments.silicon.measure import Silicon
from switchyard.experiments.switching.measure import Switching
from switchyard.experiments.uclinux_ctx.measure import UclinuxCtx
from switchyard.experiments.uclinux_ipc.measure import UclinuxIpc
from switchyard.run import user_paths

EXPERIMENTS: dict[str, Experiment[Any]] = {
    experiment.name: experiment
    for experiment in (
        Switching(),
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
        L4SmallSpaces(),
        L4Revocation(),
        L4Servers(),
        LinuxIpc(),
        LinuxCtx(),
        LinuxExtreme(),
        LinuxTlbSharing(),
        LinuxOff(),
        LinuxOverheads(),
        LinuxEntry(),
        UclinuxIpc(),
        UclinuxCtx(),
    )
}


def _own() -> Iterator[Experiment[Any]]:
    """Those of the user's own: their folders are packages beside ours."""
    folders = user_paths.experiments()
    user_paths.refuse(
        "package",
        [experiment.package().rpartition(".")[2] for experiment in EXPERIMENTS.values()],
        folders,
    )
    __path__.extend(str(folder.parent) for folder in folders.values())
    for name, folder in folders.items():
        file = folder / "measure.py"
        try:
            module = importlib.import_module(f"{__name__}.{name}.measure")
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise InputError(f"{file}: {said}; expected an experiment") from error
        classes = [
            member
            for member in vars(module).values()
            if isinstance(member, type)
            and issubclass(member, Experiment)
            and member.__module__ == module.__name__
            and not inspect.isabstract(member)
        ]
        if len(classes) != 1:
            raise InputError(f"{file}: {len(classes)} classes of Experiment; expected one")
        yield classes[0]()


for _experiment in _own():
    if _experiment.name in EXPERIMENTS:
        raise InputError(f"{_experiment.name}: two experiments of this name; expected another name")
    EXPERIMENTS[_experiment.name] = _experiment


def find(name: str) -> Experiment[Any]:
    """The experiment of that name."""
    if name not in EXPERIMENTS:
        raise InputError(f"{name}: unknown experiment; {one_of(name, EXPERIMENTS)}")
    return EXPERIMENTS[name]
