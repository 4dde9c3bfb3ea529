# SPDX-License-Identifier: Apache-2.0
"""The experiments: a folder each, after a published table or figure."""

import importlib
import inspect
from pathlib import Path
from typing import Any

from switchyard.errors import InputError, one_of
from switchyard.run import user_paths
from switchyard.run.experiment import Experiment

# The folders, in the order in which the experiments are listed.
FOLDERS = (
    "switching", "silicon", "p4_microbench", "l4_ipc", "l4_ipc_size", "l4_primitives",
    "l4_collisions", "l4_extreme", "l4_policy", "l4_pagefault", "l4_overheads", "l4_small_spaces",
    "l4_revocation", "l4_servers", "linux_ipc", "linux_ctx", "linux_extreme", "linux_tlb_sharing",
    "linux_off", "linux_overheads", "linux_entry", "linux_l4_calls", "linux_l4_pipe",
    "linux_l4_wc", "linux_l4_database", "linux_l4_make", "linux_l4_web", "linux_l4_x11",
    "linux_l4_doom", "linux_l4_switches", "linux_asid", "uclinux_ipc", "uclinux_ctx",
)  # fmt: skip


def _of(folder: str, path: Path) -> Experiment[Any]:
    """The one of a folder, whose class is in `measure.py`."""
    file = path / "measure.py"
    try:
        module = importlib.import_module(f"{__name__}.{folder}.measure")
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
    experiment: Experiment[Any] = classes[0]()
    return experiment


def _all() -> dict[str, Experiment[Any]]:
    """Ours, and those of the user's own: their folders are packages beside ours."""
    own = user_paths.experiments()
    user_paths.refuse("package", FOLDERS, own)
    ours = {folder: Path(__path__[0]) / folder for folder in FOLDERS}
    __path__.extend(str(folder.parent) for folder in own.values())
    found: dict[str, Experiment[Any]] = {}
    for folder, path in (ours | own).items():
        experiment = _of(folder, path)
        if experiment.name in found:
            name = experiment.name
            raise InputError(f"{name}: two experiments of this name; expected another name")
        found[experiment.name] = experiment
    return found


EXPERIMENTS: dict[str, Experiment[Any]] = _all()


def find(name: str) -> Experiment[Any]:
    """The experiment of that name."""
    if name not in EXPERIMENTS:
        raise InputError(f"{name}: unknown experiment; {one_of(name, EXPERIMENTS)}")
    return EXPERIMENTS[name]
