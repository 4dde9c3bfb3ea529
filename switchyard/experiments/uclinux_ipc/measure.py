# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's latencies and bandwidths: one a kernel, line and boot."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import uclinux
from switchyard.experiments.lines import Line
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.experiments.uclinux import KERNELS, MACHINE, SPAWN, WITHOUT
from switchyard.run.experiment import Case, Job, Settings

FIFO, BW_FIFO = Line("potato", "fifo"), Line("bandwidth", "fifo", "MB/s")
LINES = (FIFO, BW_FIFO, Line("potato", "pipe"), Line("bandwidth", "pipe", "MB/s"))
ROUNDS = {"potato": 1000, "bandwidth": 20}
QUICK_SHARE = 5


class UclinuxIpc(OnLinux):
    """Table 1: FIFO latency and bandwidth."""

    name = "uclinux-ipc"
    question = "What do tokens and bytes through a FIFO cost with an MMU, and without one?"
    source = f"{uclinux.PAPER}, Table 1"

    def jobs(self, settings: Settings) -> list[Job]:
        cases = []
        for line in LINES:
            full = ROUNDS[line.question]
            rounds = settings.times(full, full // QUICK_SHARE)
            words = f"{line.question} case={line.case} rounds={rounds} {SPAWN}"
            cases.append((line.name, words, {"case": line.name}))
        return suite.jobs(KERNELS, cases, settings)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every measured value, and how much better it is without an MMU."""
        runs = suite.together(samples)
        for line in LINES:
            us = {}
            for kernel in KERNELS:
                run = runs[f"{kernel.scheme}-{line.name}"]
                us[kernel] = run.us(run.cases[line.stream].timed.summary.mean)
                yield line.case_of(run, kernel.scheme, {"case": line.case})
            yield Case(MACHINE, WITHOUT.scheme, {"case": line.name}, uclinux.gains(us))
