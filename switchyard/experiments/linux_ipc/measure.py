# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's questions on every kernel: a run a question and boot."""

from collections.abc import Iterator, Mapping

from switchyard.data.suite import STREAMS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import on_linux
from switchyard.experiments.lines import Line
from switchyard.experiments.linux_suite import KERNELS, ORIGINAL, Booted, Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.experiment import BandPlan, Case, Job, Parameter, Settings

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


def pipe_once(kernel: Booted, settings: Settings, places: int = len(suite.LINKS)) -> list[Job]:
    """A round trip by a pipe, for a band."""
    words = f"{PIPE.question} case={PIPE.case} rounds={settings.rounds or BAND_ROUNDS}"
    parameters = {"question": PIPE.question, "case": PIPE.case}
    return on_linux.once(kernel, PIPE.case, words, parameters, settings, places)


def _band_jobs(settings: Settings) -> list[Job]:
    """On the paper's machine."""
    return pipe_once(ORIGINAL, settings)


class LinuxIpc(OnLinux):
    """Table 1: lmbench on the original Linux and on the fast one."""

    name = "linux-ipc"
    question = "What do tokens, bytes and processes cost on Linux with slow and fast switches?"
    source = "Wiggins et al., ACSAC 2003, Table 1"
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
            for boots in [None if few else BOOTS.get(question)]
            for job in suite.jobs([kernel], [asked(question, settings)], settings, boots)
        ]

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        runs = suite.together(samples)
        return (case for kernel in KERNELS for case in line_cases(kernel, runs))


def asked(question: str, settings: Settings) -> suite.Question:
    """All lines of a question."""
    full = ROUNDS[question]
    words = f"{question} rounds={settings.times(full, full // QUICK_SHARE)}"
    return question, words, {"question": question}


def line_cases(kernel: Booted, runs: Mapping[str, Run]) -> Iterator[Case]:
    """Each line of a kernel, over its boots."""
    for line in LINES:
        where = {"question": line.question, "case": line.case}
        yield line.case_of(runs[f"{kernel}-{line.question}"], kernel.scheme, where)
