# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's rings and lines on the core with identifiers and on the one without."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import on_linux, rings
from switchyard.experiments.linux_ipc import measure as ipc
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.build import TAGS
from switchyard.run.build_linux import RISCV_BENCH, Linux
from switchyard.run.experiment import BandPlan, Case, Job, Parameter, Settings


@dataclass(frozen=True)
class Kernel:
    """The one kernel, by the machine, which tells it whether there are identifiers."""

    machine: str
    scheme: str
    short: str
    linux: Linux = RISCV_BENCH
    word: str = ""

    def __str__(self) -> str:
        return self.scheme

    @property
    def where(self) -> dict[str, Parameter]:
        """What its records are of."""
        return {"machine": self.machine, "scheme": self.scheme}


FLUSHING = Kernel("virt-u74", suite.SCHEME, "flushing")
TAGGED = Kernel("virt-u74-asid", TAGS, "ASIDs")
KERNELS = (FLUSHING, TAGGED)

CTX = "ctx"
SIZES = (0, 4, 16, 64)  # KB that each process reads
COUNTS = (2, 4, 8, 16, 32)  # processes in a ring
CTX_ROUNDS = 15
BOOTS = 3

# As those of the suite, by what RISC-V's machine counts: instructions are fetched by physical
# addresses, so that an emptied instruction cache is no part of a switch.
RATES = suite.RATES | {
    "address_space_switches": ("satp_writes",),
    "flushes": ("dtlb_invalidate_all",),
    "dcache_misses": ("dcache_read_misses", "dcache_write_misses"),
    "aborts": ("exception_page_fault_fetch", "exception_page_fault_data"),
}
# The functions that have SFENCE.VMA in them, on the way of a switch (Linux, arch/riscv/mm).
FENCING = re.compile(r"switch_mm|(local_)?flush_tlb\w*|__flush_tlb_range")


def _band_jobs(settings: Settings) -> list[Job]:
    """On the core as it is sold."""
    return ipc.pipe_once(FLUSHING, settings, places=1)


class LinuxAsid(OnLinux):
    """lmbench on Linux with address-space identifiers and without."""

    name = "linux-asid"
    question = "What do address-space identifiers save where a switch loses TLBs alone?"
    source = "none published"
    counted, flushing = RATES, FENCING
    band = BandPlan("pipe_us", "us", _band_jobs, scheme=suite.SCHEME, label="{machine}, {case}")

    def row(self, job: Job, sample: Run) -> dict[str, Parameter]:
        """The mean of each case, in microseconds."""
        return suite.means(job, sample)

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a machine, question of the suite and boot; one for each size of the rings."""
        rounds = settings.times(CTX_ROUNDS, CTX_ROUNDS // ipc.QUICK_SHARE)
        words = f"processes={','.join(map(str, COUNTS))} size={{}} rounds={rounds}"
        asked = on_linux.rings(SIZES, words, {"question": CTX}, f"{CTX}-")
        asked += [ipc.asked(question, settings) for question in ipc.ROUNDS]
        boots = None if settings.quick or settings.rounds else BOOTS
        return suite.jobs(KERNELS, asked, settings, boots, places=1)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every switch and every line on both."""
        runs = suite.together(samples)
        for kernel in KERNELS:
            yield from ipc.line_cases(kernel, runs)
            for size in SIZES:
                run = runs[f"{kernel.scheme}-{CTX}-{size:02}k"]
                yield from rings.cases(run, {"size_kb": size}, kernel.scheme)
