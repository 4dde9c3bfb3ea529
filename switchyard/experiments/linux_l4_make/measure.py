# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/make.c: one a system."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_l4_apps import Application
from switchyard.experiments.linux_suite import Run
from switchyard.run.experiment import Case, Experiment, Job, Settings, Stats

MAKE = Application(
    "make",
    {"compile": "One file compiled", "make": "All files of a microkernel, from nothing"},
    boots=1,
)
QUICK_FILES = 4  # of 32


class LinuxL4Make(Experiment[Run]):
    """4.9: a compilation, and make."""

    name = "linux-l4-make"
    question = "What do small spaces save of a compilation?"
    source = "The paper on small spaces, 4.9"
    system = suite.SYSTEM
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        few = settings.quick or settings.rounds
        return MAKE.jobs(settings, f"rounds=1 files={QUICK_FILES}" if few else "case=all")

    def measure(self, job: Job, stats: Stats) -> Run:
        return MAKE.measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        return MAKE.cases(samples)
