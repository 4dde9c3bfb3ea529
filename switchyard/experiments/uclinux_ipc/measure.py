# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's latencies and bandwidths: one a kernel, line and boot."""

from collections.abc import Mapping

from switchyard.data.records import Record, of_case
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import uclinux
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.lines import Case
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.uclinux import FASTER, KERNELS, MACHINE, WITH, WITHOUT
from switchyard.run.machine import Stats

FIFO, BW_FIFO = Case("potato", "fifo"), Case("bandwidth", "fifo", "MB/s")
LINES = (FIFO, BW_FIFO, Case("potato", "pipe"), Case("bandwidth", "pipe", "MB/s"))
ROUNDS = {"potato": 1000, "bandwidth": 20}
QUICK_SHARE = 5


class UclinuxIpc(Experiment[Run]):
    """Table 1: FIFO latency and bandwidth."""

    name = "uclinux-ipc"
    question = "What do tokens and bytes through a FIFO cost with an MMU, and without one?"
    source = f"{uclinux.PAPER}, Table 1"

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, line and boot."""
        cases = []
        for line in LINES:
            full = ROUNDS[line.question]
            rounds = settings.times(full, full // QUICK_SHARE)
            words = f"{line.question} case={line.case} rounds={rounds}"
            cases.append((line.name, words, {"case": line.name}))
        return uclinux.jobs(cases, settings)

    def measure(self, job: Job, stats: Stats) -> Run:
        """The line's case."""
        (line,) = [line for line in LINES if line.name == job.parameters["case"]]
        return suite.measure(job, stats, [line.stream])

    def records(self, samples: Mapping[str, Run]) -> list[Record]:
        """Every measured value, and how much better it is without an MMU."""
        runs = suite.together(samples)
        records = []
        for line in LINES:
            us = {}
            for kernel in KERNELS:
                run = runs[f"{kernel.scheme}-{line.name}"]
                case = run.cases[line.stream]
                us[kernel] = run.us(case.timed.summary.mean)
                records += suite.records(
                    self.name,
                    run,
                    case,
                    line.metric,
                    {"case": line.case},
                    value=line.of(run),
                    unit=line.unit,
                    scheme=kernel.scheme,
                )
            gains = [
                ("gain", us[WITH] / us[WITHOUT], "1"),
                ("gain_over_fass", us[FASTER] / us[WITHOUT], "1"),
            ]
            where = {"case": line.name}
            records += of_case(self.name, MACHINE, suite.SYSTEM, WITHOUT.scheme, where, gains)
        return records
