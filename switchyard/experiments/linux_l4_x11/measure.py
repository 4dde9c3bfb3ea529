# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/x11.c: one a system and boot, which have all operations."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_servers as servers
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_l4_apps import BUILDING, FLIPS, Application
from switchyard.experiments.linux_suite import Run
from switchyard.run.experiment import Case, Experiment, Job, Settings, Stats

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
    boots=3,
    objects=128,
    counted=BUILDING,
    events=FLIPS,
)
ROUNDS, QUICK_ROUNDS = 2, 1
# One operation once more, where all is small and both programs have the C library's allocator.
CASE, LIBRARY = "pointer", "glibc"


class LinuxL4X11(Experiment[Run]):
    """4.5, Table 3: x11perf."""

    name = "linux-l4-x11"
    question = "What do small spaces save of an X server's operations?"
    source = "The paper on small spaces, 4.5 and Table 3"
    system = suite.SYSTEM
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        words = f"rounds={settings.times(ROUNDS, QUICK_ROUNDS)}"
        more = X11.jobs(settings, f"{words} memory=", among=[servers.ALL], case=CASE)
        return X11.jobs(settings, words) + more

    def measure(self, job: Job, stats: Stats) -> Run:
        return X11.measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        yield from X11.cases(samples)
        run = suite.together(samples)[f"{servers.ALL}-{CASE}"]
        (case,) = run.cases.values()
        where = {"on": LIBRARY, "case": CASE}
        yield Case(run.machine, suite.SCHEME, where, list(servers.values(case)))
