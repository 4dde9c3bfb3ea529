# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's system calls on native Linux and on two servers: one a boot."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from switchyard.data.suite import STREAMS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import Run
from switchyard.run.build_linux import I386_BENCH, SERVERS, Linux
from switchyard.run.experiment import Case, Experiment, Job, Settings, each
from switchyard.run.machine import Stats

MACHINE = "p4-willamette"
QUESTION = "call"
ROUNDS, QUICK_ROUNDS = 1000, 100

# By the names of the systems in records: native Linux; the server, which is large, and its
# programs large, or small.
NATIVE, LARGE, SMALL = "native", "large", "small"
SYSTEMS: Mapping[str, Linux] = {
    NATIVE: I386_BENCH,
    LARGE: replace(SERVERS[()], disk="bench"),
    SMALL: replace(SERVERS["programs",], disk="bench"),
}

# What is counted of each operation: the names of the records, and of the counters.
COUNTED = {
    "instructions": ("instructions",),
    "traces_built": ("trace_cache_misses",),
    "itlb_misses": ("itlb_misses",),
    "dtlb_misses": ("dtlb_misses",),
    "dcache_misses": ("dcache_read_misses",),
    "l2_misses": ("l2_read_misses",),
    "cr3_loads": ("ttb_writes",),
}


class LinuxL4Calls(Experiment[Run]):
    """What a system call costs where Linux is a server."""

    name = "linux-l4-calls"
    question = "What does a system call cost where Linux is a server, and do small spaces help?"
    source = "The paper on small spaces, Table 2"
    system = suite.SYSTEM
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            job
            for system, linux in SYSTEMS.items()
            for job in suite.booted(
                linux,
                MACHINE,
                system,
                f"{QUESTION} case=all rounds={rounds}",
                {"on": system},
                settings,
                places=1,
            )
        ]

    def measure(self, job: Job, stats: Stats) -> Run:
        return suite.measure(job, stats, list(STREAMS[QUESTION]), COUNTED)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Cycles of each case, their spread, and what was counted."""
        for system, run in suite.together(samples).items():
            for stream, name in STREAMS[QUESTION].items():
                case = run.cases[stream]
                summary = case.timed.summary
                values = [
                    ("cycles", summary.mean, "cycles"),
                    ("cycles_p5", summary.p5, "cycles"),
                    ("cycles_median", summary.median, "cycles"),
                    ("cycles_p95", summary.p95, "cycles"),
                    ("samples", summary.count, "1"),
                    ("boots", len(case.timed.means), "1"),
                    *each(case.rates, "per_operation"),
                ]
                if len(case.timed.means) > 1:
                    values.append(("cycles_uncertainty", case.timed.interval.uncertainty, "1"))
                yield Case(run.machine, suite.SCHEME, {"on": system, "case": name}, values)
