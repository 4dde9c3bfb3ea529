# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/database.c: one a system."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_l4_apps import Application
from switchyard.experiments.linux_suite import Run
from switchyard.run.experiment import Case, Experiment, Job, Settings, Stats

DATABASE = Application(
    "database",
    {
        "simple": "A row by its key",
        "list": "Eight rows by an index, of two tables",
        "complex": "1024 rows joined and summed up by groups",
    },
    boots=4,
)
QUICK_ROUNDS = 5


class LinuxL4Database(Experiment[Run]):
    """4.7: selects of a local client."""

    name = "linux-l4-database"
    question = "What do small spaces save of a query to a database server on the same computer?"
    source = "The paper on small spaces, 4.7"
    system = suite.SYSTEM
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        """Full runs have of each query as many as the guest has for it."""
        few = settings.quick or settings.rounds
        rounds = settings.times(QUICK_ROUNDS, QUICK_ROUNDS)
        return DATABASE.jobs(settings, f"rounds={rounds}" if few else "case=all")

    def measure(self, job: Job, stats: Stats) -> Run:
        return DATABASE.measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        return DATABASE.cases(samples)
