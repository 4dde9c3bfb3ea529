# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/web.c: one a system and boot, for all sizes of the working set; of apache.c.

Requests come from a second machine (servers/requests.c), in step with the first: a run is as
repeatable as without it.
"""

from collections.abc import Iterator, Mapping

from switchyard.data.suite import APPLICATIONS
from switchyard.experiments import linux_l4_requests
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_l4_apps import Application
from switchyard.experiments.linux_servers import ALL, SERVER
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
APACHE = Application(
    "apache", {"apache": "A request to Apache"}, boots=2, parameter="server", ending="-apache"
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
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        words = linux_l4_requests.words(rounds)
        return [
            *(linux_l4_requests.asked(job, rounds) for job in WEB.jobs(settings, words)),
            *(linux_l4_requests.apache_asked(job, rounds) for job in APACHE.jobs(settings, words)),
        ]

    def measure(self, job: Job, stats: Stats) -> Run:
        return (APACHE if APACHE.ending in job.name else WEB).measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every size on every system, and Apache; what all small save in the mean over the sizes.

        Of the mean of requests, and of the quickest of them.
        """
        least: dict[tuple[str, str], float] = {}
        saved = []
        for application in (WEB, APACHE):
            runs = application.together(samples)
            streams = {case: n for n, case in APPLICATIONS[application.question].items()}
            for case in application.cases(samples):
                on, name = str(case.where["on"]), str(case.where[application.parameter])
                quickest = float(runs[on].cases[streams[name]].timed.summary.least)
                least[on, name] = quickest
                values = [*case.values, ("cycles_least", quickest, "cycles")]
                yield case._replace(values=values)
                if on == ALL and application is WEB:
                    saved += [value for name, value, _ in values if name == "cycles_saved"]
        mean = sum(saved) / len(saved)
        of_least = [1 - least[ALL, pages] / least[SERVER, pages] for pages in PAGES]
        whole = [("mean_saved", mean, "1"), ("least_saved", sum(of_least) / len(PAGES), "1")]
        yield Case(runs[ALL].machine, suite.SCHEME, {"on": ALL}, whole)
