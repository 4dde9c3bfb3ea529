# SPDX-License-Identifier: Apache-2.0
"""An experiment with the suite of benchmarks (`bench/unix`): what of a run is of which case."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from switchyard.data.suite import ALONE, SERVED, STREAMS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import Booted, Run
from switchyard.run.experiment import Experiment, Job, Parameter, Settings, Stats


def streams(job: Job) -> Mapping[int, int]:
    """The streams of what a job asks for, by what its cases are called there."""
    question = job.append.partition(" bench ")[2].partition(" ")[0]
    if question in ("ctx", "sharing", "prefork"):
        counts = job.numbers("processes")
        second = SERVED if question == "prefork" else ALONE
        return {n: n for n in (*counts, *(second + n for n in counts))}
    # the guest numbers these by their places
    if question == "extreme":
        return {pages: place for place, pages in enumerate(job.numbers("pages"), 1)}
    if question == "pingpong":
        step = job.number("step")
        return {n * step: place for place, n in enumerate(job.numbers("sizes"), 1)}
    if question == "chain":
        return {1: 1}
    only = job.word("case")
    return {n: n for n, case in STREAMS[question].items() if only in (None, "all", case)}


class OnLinux(Experiment[Run]):
    """Its runs ask one question each; `counted` and `flushing` as in `linux_suite.measure`."""

    system = suite.SYSTEM
    counted: Mapping[str, Sequence[str]] = suite.RATES
    flushing: re.Pattern[str] = suite.FLUSHING

    def measure(self, job: Job, stats: Stats) -> Run:
        """Every case of the question."""
        asked = streams(job)
        run = suite.measure(job, stats, list(asked.values()), self.counted, self.flushing)
        return replace(run, cases={case: run.cases[stream] for case, stream in asked.items()})


def once(
    kernel: Booted,
    name: str,
    words: str,
    parameters: Mapping[str, Parameter],
    settings: Settings,
    places: int = len(suite.LINKS),
) -> list[Job]:
    """A question in one boot, for a band: the same boot at all ends."""
    (job,) = suite.jobs([kernel], [(name, words, parameters)], settings, 1, places)
    return [replace(job, name=f"{kernel}-{name}")]


def rings(
    sizes: Iterable[int], words: str, parameters: Mapping[str, Parameter], head: str = ""
) -> list[suite.Question]:
    """Questions for rings of processes, one for each size of memory (KB), the `{}` of `words`."""
    return [
        (f"{head}{size:02}k", f"ctx {words.format(size)}", {"size_kb": size, **parameters})
        for size in sizes
    ]
