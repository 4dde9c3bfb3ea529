# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's system calls on native Linux and on servers: one a boot."""

from collections.abc import Iterator, Mapping

from switchyard.data.suite import STREAMS
from switchyard.experiments import linux_servers as servers
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.experiment import Case, Job, Settings

QUESTION = "call"
ROUNDS, QUICK_ROUNDS = 1000, 100
# Links of a server: which code of a call meets in sets of the trace cache is each one's chance.
PLACES = 5
SYSTEMS = (servers.NATIVE, servers.LARGE, servers.SERVER, servers.SMALL, servers.ALL)


class LinuxL4Calls(OnLinux):
    """What a system call costs where Linux is a server."""

    name = "linux-l4-calls"
    question = "What does a system call cost where Linux is a server, and do small spaces help?"
    source = "The paper on small spaces, Table 2"
    counted = servers.COUNTED
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        words = f"{QUESTION} case=all rounds={settings.times(ROUNDS, QUICK_ROUNDS)}"
        return servers.jobs(
            "bench", [("", words, {})], settings, among=SYSTEMS, profile=False, places=PLACES
        )

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Cycles of each case, their spread, and what was counted."""
        for system, run in suite.together(samples).items():
            for stream, name in STREAMS[QUESTION].items():
                where = {"on": system, "case": name}
                yield Case(
                    run.machine, suite.SCHEME, where, list(servers.values(run.cases[stream]))
                )
