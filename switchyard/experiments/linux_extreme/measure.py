# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `extreme`, each of which measures every number of pages."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import KERNELS, Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.experiment import Case, Job, Settings

PROCESSES = (2, 4, 16)
SHARING = ("private", "shared")
QUICK_PAGES = (1, 4, 8, 12, 16, 20, 24, 28, 32)
ROUNDS, QUICK_ROUNDS = 20, 15


class LinuxExtreme(OnLinux):
    """Fig. 4: the extreme DTLB benchmark."""

    name = "linux-extreme"
    question = "What do shared pages save, where TLB entries are lost, kept or shared?"
    source = "Wiggins et al., ACSAC 2003, Fig. 4"

    def jobs(self, settings: Settings) -> list[Job]:
        """A run measures every number of pages."""
        pages = ",".join(map(str, QUICK_PAGES)) if settings.quick else "1-32"
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        questions: list[suite.Question] = [
            (
                f"{processes:02}-{sharing}",
                f"extreme processes={processes} sharing={sharing} pages={pages} rounds={rounds}",
                {"processes": processes, "sharing": sharing, "quick": settings.quick},
            )
            for processes in PROCESSES
            for sharing in SHARING
        ]
        return suite.jobs(KERNELS, questions, settings)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """A process's turn: reading the pages, yielding, and the switch."""
        runs = suite.together(samples)
        for kernel in KERNELS:
            for processes in PROCESSES:
                by = {sharing: runs[f"{kernel}-{processes:02}-{sharing}"] for sharing in SHARING}
                for sharing, run in by.items():
                    for pages, case in run.cases.items():
                        yield suite.case(
                            run,
                            case,
                            kernel.scheme,
                            "turn",
                            {"processes": processes, "sharing": sharing, "pages": pages},
                            divide=processes,
                        )
                private, shared = (run.cases for run in by.values())
                factor = max(
                    private[pages].timed.summary.mean / shared[pages].timed.summary.mean
                    for pages in private
                )
                most = [("private_over_shared_at_most", factor, "ratio")]
                yield Case(kernel.machine, kernel.scheme, {"processes": processes}, most)
