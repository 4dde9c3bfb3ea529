# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's questions on every kernel: a run a question and boot."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from switchyard.data.records import Parameter
from switchyard.data.suite import STREAMS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.lines import Line
from switchyard.experiments.linux_suite import KERNELS, ORIGINAL, Kernel, Run
from switchyard.run.experiment import BandPlan, Case, Experiment, Job, Settings
from switchyard.run.machine import Stats

PIPE = Line("potato", "pipe")
LINES = (
    Line("potato", "fcntl"),
    Line("potato", "fifo"),
    PIPE,
    Line("potato", "unix"),
    Line("potato", "fcntl-strict"),
    *(Line("bandwidth", case, "MB/s") for case in STREAMS["bandwidth"].values()),
    *(
        Line(question, case)
        for question in ("process", "call", "memory", "signal")
        for case in STREAMS[question].values()
    ),
)
# Of each boot of full runs; the paper says how many lmbench made of none.
ROUNDS = {"potato": 400, "bandwidth": 10, "process": 30, "call": 1000, "memory": 100, "signal": 200}
BAND_ROUNDS = 80
QUICK_SHARE = 5  # a quick run makes a fifth of the rounds
# A null call takes one of two times by boot, one of them in few boots (3 of 20 when this was
# written): as many as meet both nearly always.
BOOTS = {"call": 20}


def _band_jobs(settings: Settings) -> list[Job]:
    """A round trip by a pipe on the paper's machine: one boot, the same at all ends."""
    words = f"{PIPE.question} case={PIPE.case} rounds={settings.rounds or BAND_ROUNDS}"
    parameters = {"question": PIPE.question, "case": PIPE.case}
    (job,) = suite.jobs([ORIGINAL], [(PIPE.case, words, parameters)], settings, boots=1)
    return [replace(job, name=f"{ORIGINAL}-{PIPE.case}")]


class LinuxIpc(Experiment[Run]):
    """Table 1: lmbench on the original Linux and on the fast one."""

    name = "linux-ipc"
    question = "What do tokens, bytes and processes cost on Linux with slow and fast switches?"
    source = "Wiggins et al., ACSAC 2003, Table 1"
    system = suite.SYSTEM
    band = BandPlan("pipe_us", "us", _band_jobs, scheme=suite.SCHEME, label="{machine}, {case}")

    def row(self, job: Job, sample: Run) -> dict[str, Parameter]:
        """The mean of each case, in microseconds."""
        return suite.means(job, sample)

    def jobs(self, settings: Settings) -> list[Job]:
        few = settings.quick or settings.rounds
        return [
            job
            for kernel in KERNELS
            for question in ROUNDS
            for job in line_jobs(kernel, question, settings, None if few else BOOTS.get(question))
        ]

    def measure(self, job: Job, stats: Stats) -> Run:
        """Every case of the question, or the one that was asked for."""
        streams = STREAMS[str(job.parameters["question"])]
        only = job.parameters.get("case")
        return suite.measure(job, stats, [n for n, case in streams.items() if only in (None, case)])

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        runs = suite.together(samples)
        return (case for kernel in KERNELS for case in line_cases(kernel, runs))


def line_jobs(kernel: Kernel, question: str, settings: Settings, boots: int | None) -> list[Job]:
    """The runs of all lines of a question on a kernel, so many boots or the usual number."""
    full = ROUNDS[question]
    words = f"{question} rounds={settings.times(full, full // QUICK_SHARE)}"
    return suite.jobs([kernel], [(question, words, {"question": question})], settings, boots)


def line_cases(kernel: Kernel, runs: Mapping[str, Run]) -> Iterator[Case]:
    """Each line of a kernel, over its boots."""
    for line in LINES:
        where = {"question": line.question, "case": line.case}
        yield line.case_of(runs[f"{kernel}-{line.question}"], kernel.scheme, where)
