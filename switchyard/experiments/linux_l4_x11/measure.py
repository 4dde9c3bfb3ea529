# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/x11.c: one a system and boot, which have all operations."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_l4_apps import Application
from switchyard.experiments.linux_suite import Run
from switchyard.run.experiment import Case, Experiment, Job, Settings
from switchyard.run.machine import Stats

X11 = Application(
    "x11",
    {
        "dot": "Dot",
        "pointer": "QueryPointer",
        "prop": "GetProperty",
        "getimage10": "GetImage 10x10",
        "getimage100": "GetImage 100x100",
        "noop": "NoOperation",
        "rect10": "Rectangle 10x10",
        "line10": "Line of 10 pixels",
        "ftext": "Character of a line of 80",
        "putimage10": "PutImage 10x10",
        "copywinwin10": "Copy 10x10",
        "copywinwin100": "Copy 100x100",
    },
    boots=1,
    objects=128,
)
ROUNDS, QUICK_ROUNDS = 2, 1


class LinuxL4X11(Experiment[Run]):
    """4.5, Table 3: x11perf."""

    name = "linux-l4-x11"
    question = "What do small spaces save of an X server's operations?"
    source = "The paper on small spaces, 4.5 and Table 3"
    system = suite.SYSTEM
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        return X11.jobs(settings, f"rounds={settings.times(ROUNDS, QUICK_ROUNDS)}")

    def measure(self, job: Job, stats: Stats) -> Run:
        return X11.measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        return X11.cases(samples)
