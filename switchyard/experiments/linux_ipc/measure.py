# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's questions on every kernel: a run a question and boot."""

from collections.abc import Mapping
from dataclasses import replace

from switchyard.data.records import Parameter, Record
from switchyard.data.suite import STREAMS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.lines import Case
from switchyard.experiments.linux_suite import KERNELS, ORIGINAL, Kernel, Run
from switchyard.run.machine import Stats

PIPE = Case("potato", "pipe")
LINES = (
    Case("potato", "fcntl"),
    Case("potato", "fifo"),
    PIPE,
    Case("potato", "unix"),
    Case("potato", "fcntl-strict"),
    *(Case("bandwidth", case, "MB/s") for case in STREAMS["bandwidth"].values()),
    *(
        Case(question, case)
        for question in ("process", "call", "memory", "signal")
        for case in STREAMS[question].values()
    ),
)
# Of each boot of full runs; the paper says how many lmbench made of none.
ROUNDS = {
    "potato": 400,
    "bandwidth": 10,
    "process": 30,
    "call": 1000,
    "memory": 100,
    "signal": 200,
}
BAND_ROUNDS = 80
QUICK_SHARE = 5  # a quick run makes a fifth of the rounds
# A null call takes one of two times by boot, one of them in few boots (3 of 20 when this was
# written): as many as meet both nearly always.
BOOTS = {"call": 20}


class LinuxIpc(Experiment[Run]):
    """Table 1: lmbench on the original Linux and on the fast one."""

    name = "linux-ipc"
    question = "What do tokens, bytes and processes cost on Linux with slow and fast switches?"
    source = "Wiggins et al., ACSAC 2003, Table 1"

    band_metric = ("pipe_us", "us")
    band_system = suite.SYSTEM
    band_scheme = suite.SCHEME
    band_label = "{machine}, {case}"

    def band_jobs(self, settings: Settings) -> list[Job]:
        """A round trip by a pipe on the paper's machine: one boot, the same at all ends."""
        rounds = settings.rounds or BAND_ROUNDS
        words = f"{PIPE.question} case={PIPE.case} rounds={rounds}"
        parameters = {"question": PIPE.question, "case": PIPE.case}
        (job,) = suite.jobs(ORIGINAL, PIPE.case, words, parameters, settings, boots=1)
        return [replace(job, name=f"{ORIGINAL}-{PIPE.case}")]

    def row(self, job: Job, sample: Run) -> dict[str, Parameter]:
        """The mean of each case, in microseconds."""
        names = STREAMS[str(job.parameters["question"])]
        times = {
            f"{names[stream]}_us": sample.us(case.timed.summary.mean)
            for stream, case in sample.cases.items()
        }
        return {**job.parameters, **times}

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, question of the suite, and boot."""
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

    def records(self, samples: Mapping[str, Run]) -> list[Record]:
        """Each line of each kernel, over its boots."""
        runs = suite.together(samples)
        return [record for kernel in KERNELS for record in line_records(self.name, kernel, runs)]


def line_jobs(kernel: Kernel, question: str, settings: Settings, boots: int | None) -> list[Job]:
    """The runs of all lines of a question on a kernel, so many boots or the usual number."""
    full = ROUNDS[question]
    words = f"{question} rounds={settings.times(full, full // QUICK_SHARE)}"
    return suite.jobs(kernel, question, words, {"question": question}, settings, boots)


def line_records(experiment: str, kernel: Kernel, runs: Mapping[str, Run]) -> list[Record]:
    """Each line of a kernel, over its boots."""
    return [
        record
        for line in LINES
        for run in [runs[f"{kernel}-{line.question}"]]
        for record in suite.records(
            experiment,
            run,
            run.cases[line.stream],
            line.metric,
            {"question": line.question, "case": line.case},
            value=line.of(run),
            unit=line.unit,
            scheme=kernel.scheme,
        )
    ]
