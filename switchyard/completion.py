# SPDX-License-Identifier: Apache-2.0
"""Names that a shell completes: each function gives those that begin as what was typed."""


def _from(incomplete: str, known: list[str]) -> list[str]:
    return [name for name in known if name.startswith(incomplete)]


def experiments(incomplete: str) -> list[str]:
    """Experiments."""
    from switchyard.experiments import EXPERIMENTS

    return _from(incomplete, list(EXPERIMENTS))


def machines(incomplete: str) -> list[str]:
    """Machines; a file of one's own is the shell's business."""
    from switchyard.run import variants

    return _from(incomplete, variants.names())


def images(incomplete: str) -> list[str]:
    """Guest images and Linuxes."""
    from switchyard.run import build, build_linux

    every = [system.name for system in build_linux.every()]
    return _from(incomplete, [*build.GUESTS, build_linux.ALL, *every])


def workloads(incomplete: str) -> list[str]:
    """What the simulator's own speed is measured with."""
    from switchyard.tools import bench

    return _from(incomplete, [workload.name for workload in bench.find([])])
