# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/web.c: one a system and boot, for all sizes of the working set."""

from collections.abc import Iterator, Mapping

from switchyard.data.suite import APPLICATIONS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_l4_apps import Application
from switchyard.experiments.linux_servers import ALL
from switchyard.experiments.linux_suite import Run
from switchyard.run.experiment import Case, Experiment, Job, Settings
from switchyard.run.machine import Stats

PAGES = tuple(APPLICATIONS["web"].values())
WEB = Application(
    "web",
    {pages: f"A request with a working set of {pages} pages" for pages in PAGES},
    boots=4,
    parameter="pages",
    value=int,
)
ROUNDS, QUICK_ROUNDS = 60, 10


class LinuxL4Web(Experiment[Run]):
    """4.6: from a request's arrival to its reply."""

    name = "linux-l4-web"
    question = "What do small spaces save of a request to a web server that asks a FastCGI server?"
    source = "The paper on small spaces, 4.6 and Fig. 7"
    system = suite.SYSTEM
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        return WEB.jobs(settings, f"rounds={settings.times(ROUNDS, QUICK_ROUNDS)}")

    def measure(self, job: Job, stats: Stats) -> Run:
        return WEB.measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every size on every system; what all small save in the mean over the sizes."""
        saved = []
        for case in WEB.cases(samples):
            yield case
            saved += [value for name, value, _ in case.values if name == "cycles_saved"] * (
                case.where["on"] == ALL
            )
        mean = sum(saved) / len(saved)
        yield Case(case.machine, suite.SCHEME, {"on": ALL}, [("mean_saved", mean, "1")])
