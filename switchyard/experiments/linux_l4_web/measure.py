# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/web.c: one a system and boot, for all sizes of the working set.

Requests come from a second machine (servers/requests.c), in step with the first: a run is as
repeatable as without it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from switchyard.data.suite import APPLICATIONS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_l4_apps import Application
from switchyard.experiments.linux_servers import ALL, SERVER
from switchyard.experiments.linux_suite import Run
from switchyard.run.build import BARE, GUESTS, PC, REQUESTS
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
ROUNDS, QUICK_ROUNDS, WARMUP = 60, 10, 10
# Of the server; the other machine has the next one.
ADDRESS = "10.0.0.1"


class LinuxL4Web(Experiment[Run]):
    """4.6: from a request's arrival to its reply."""

    name = "linux-l4-web"
    question = "What do small spaces save of a request to a web server that asks a FastCGI server?"
    source = "The paper on small spaces, 4.6 and Fig. 7"
    system = suite.SYSTEM
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        words = f"rounds={rounds} warmup={WARMUP} address={ADDRESS}"
        asks = GUESTS[f"{PC}-{BARE}-{REQUESTS}"]
        return [
            replace(job, peer=asks, peer_append=f"count={WARMUP + rounds}")
            for job in WEB.jobs(settings, words)
        ]

    def measure(self, job: Job, stats: Stats) -> Run:
        return WEB.measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every size on every system; what all small save in the mean over the sizes.

        Of the mean of requests, and of the quickest of them.
        """
        runs = suite.together(samples)
        least = {
            (on, pages): float(run.cases[stream].timed.summary.least)
            for on, run in runs.items()
            for stream, pages in APPLICATIONS["web"].items()
        }
        saved = []
        for case in WEB.cases(samples):
            quickest = least[str(case.where["on"]), str(case.where["pages"])]
            yield case._replace(values=[*case.values, ("cycles_least", quickest, "cycles")])
            saved += [value for name, value, _ in case.values if name == "cycles_saved"] * (
                case.where["on"] == ALL
            )
        mean = sum(saved) / len(saved)
        of_least = [1 - least[ALL, pages] / least[SERVER, pages] for pages in PAGES]
        values = [("mean_saved", mean, "1"), ("least_saved", sum(of_least) / len(PAGES), "1")]
        yield Case(case.machine, suite.SCHEME, {"on": ALL}, values)
