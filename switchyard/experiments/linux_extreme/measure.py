# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `extreme`, each of which measures every number of pages."""

from collections.abc import Mapping

from switchyard.data.records import Record, of_case
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.linux_suite import KERNELS, SYSTEM, Kernel, Run
from switchyard.run.machine import Stats

PROCESSES = (2, 4, 16)
SHARING = ("private", "shared")
PAGES = tuple(range(1, 33))
QUICK_PAGES = (1, 4, 8, 12, 16, 20, 24, 28, 32)
ROUNDS, QUICK_ROUNDS = 20, 15


class LinuxExtreme(Experiment[Run]):
    """Fig. 4: the extreme DTLB benchmark."""

    name = "linux-extreme"
    question = "What do shared pages save, where TLB entries are lost, kept or shared?"
    source = "Wiggins et al., ACSAC 2003, Fig. 4"

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, number of processes, mapping and boot, for every number of pages."""
        pages = ",".join(str(p) for p in QUICK_PAGES) if settings.quick else "1-32"
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            job
            for kernel in KERNELS
            for processes in PROCESSES
            for sharing in SHARING
            for job in suite.jobs(
                kernel,
                f"{processes:02}-{sharing}",
                f"extreme processes={processes} sharing={sharing} pages={pages} rounds={rounds}",
                {"processes": processes, "sharing": sharing, "quick": settings.quick},
                settings,
            )
        ]

    def measure(self, job: Job, stats: Stats) -> Run:
        """Each number of pages; the guest numbers its streams by their order."""
        pages = QUICK_PAGES if job.parameters["quick"] else PAGES
        run = suite.measure(job, stats, range(1, len(pages) + 1))
        by_pages = {p: run.cases[1 + place] for place, p in enumerate(pages)}
        return Run(run.machine, run.clock_hz, by_pages)

    def records(self, samples: Mapping[str, Run]) -> list[Record]:
        """A process's turn: reading the pages, yielding, and the switch."""
        runs = suite.together(samples)
        return [
            record
            for kernel in KERNELS
            for processes in PROCESSES
            for record in self._of(
                kernel,
                processes,
                {sharing: runs[f"{kernel}-{processes:02}-{sharing}"] for sharing in SHARING},
            )
        ]

    def _of(self, kernel: Kernel, processes: int, by: Mapping[str, Run]) -> list[Record]:
        records = []
        for sharing, run in by.items():
            for pages, case in run.cases.items():
                records += suite.records(
                    self.name,
                    run,
                    case,
                    "turn",
                    {"processes": processes, "sharing": sharing, "pages": pages},
                    value=lambda cycles, each=run: each.us(cycles) / processes,  # type: ignore[misc]
                    divide=processes,
                    scheme=kernel.scheme,
                )
        private, shared = (by[sharing].cases for sharing in SHARING)
        factor = max(
            private[pages].timed.summary.mean / shared[pages].timed.summary.mean
            for pages in private
        )
        return records + of_case(
            self.name,
            kernel.machine,
            SYSTEM,
            kernel.scheme,
            {"processes": processes},
            [("private_over_shared_at_most", factor, "ratio")],
        )
