# SPDX-License-Identifier: Apache-2.0
"""What the experiments after the uClinux paper share: one kernel, with an MMU and without one.

All are Linux 6.12 of one configuration and run the same programs, from the same bytes. Without an
MMU every program is in one address space with the kernel, whose map is flat and never changes
(`linux/6.12/nommu`). With one, address spaces are switched with flushes, as in the paper, or fast
(`linux/6.12/fass`), which the paper did not have: what remains of uClinux's advantage.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from switchyard.experiments import linux_suite as suite
from switchyard.run.build_linux import BENCHES, FAST, FLAT, PAGED, Linux
from switchyard.run.experiment import Parameter, Value

PAPER = "Context Switching and IPC Performance Comparison between uClinux and Linux, Samsung, 2005"
MACHINE = "s3c24a0"
CLOCK_MHZ = 200
ABOUT = f"ARM926EJ-S, {CLOCK_MHZ} MHz, Linux {Linux.version}"
# Partners are started as where there is no fork(), with an MMU too.
SPAWN = "spawn=vfork"


@dataclass(frozen=True)
class Kernel:
    """One of the three, by the scheme that it switches with."""

    scheme: str
    label: str
    short: str  # the label in tables
    paper: str  # what the paper calls its own; empty if it has none
    linux: Linux
    word: str = ""  # what its command line begins with
    machine: str = MACHINE

    def __str__(self) -> str:
        return self.scheme

    @property
    def where(self) -> dict[str, Parameter]:
        """What its records are of."""
        return {"scheme": self.scheme}


WITH = Kernel("flush", "with an MMU", "MMU", "Linux", BENCHES[PAGED])
WITHOUT = Kernel("single-space", "without an MMU", "no MMU", "uClinux", BENCHES[FLAT])
FASTER = Kernel(
    suite.FAST,
    "with an MMU, fast switching",
    "MMU, fast",
    "",
    BENCHES[FAST],
    suite.WORDS[suite.FAST],
)
KERNELS = (WITH, FASTER, WITHOUT)
PAPERS = (WITH, WITHOUT)


def gains(us: Mapping[Kernel, float]) -> list[Value]:
    """How many times faster it is without an MMU than with one."""
    return [
        ("gain", us[WITH] / us[WITHOUT], "1"),
        ("gain_over_fass", us[FASTER] / us[WITHOUT], "1"),
    ]
