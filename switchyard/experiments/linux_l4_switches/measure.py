# SPDX-License-Identifier: Apache-2.0
"""A boot a load, in which Linux counts who follows whom (linux/l4/os/switches.c)."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from switchyard.errors import RunError
from switchyard.experiments import linux_l4_requests
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_servers import MACHINE
from switchyard.run.build_linux import SERVERS
from switchyard.run.experiment import Case, Job, OfRuns, Settings, Stats

STREAM = 255
SCHEME = "small-spaces"
MAKE, WEB = "make", "web"
FILES = 3
REQUESTS_MADE, QUICK_REQUESTS = 60, 10
# Of a process in the stream: its number, and its name.
PROCESS = struct.Struct("<I16s")


@dataclass(frozen=True)
class Switches:
    """From one process to another, so often; processes as in `init 1`."""

    source: str
    target: str
    count: int


def read(samples: Sequence[int], where: str) -> list[Switches]:
    """What the stream says; `where` names the run in errors."""
    pair = struct.Struct(f"<{2 * PROCESS.size}sI")
    data = struct.pack(f"<{len(samples)}I", *samples)
    if not data or len(data) % pair.size:
        raise RunError(f"{where}: {len(samples)} samples of switches; expected pairs of processes")
    switches = []
    for both, count in pair.iter_unpack(data):
        source, target = (_called(pid, name) for pid, name in PROCESS.iter_unpack(both))
        switches.append(Switches(source, target, count))
    return switches


def _called(pid: int, name: bytes) -> str:
    return f"{name.rstrip(bytes(1)).decode(errors='replace')} {pid}"


class LinuxL4Switches(OfRuns):
    """5.2: which spaces are switched between."""

    name = "linux-l4-switches"
    question = "Which programs follow which, where Linux is a server?"
    source = "The paper on small spaces, 5.2, Figs. 9 and 10"
    system = suite.SYSTEM
    digits = 0

    def jobs(self, settings: Settings) -> list[Job]:
        rounds = settings.times(REQUESTS_MADE, QUICK_REQUESTS)
        make = self._job(MAKE, "make", f"make case=make files={FILES} rounds=1")
        web = self._job(WEB, "apache", f"apache {linux_l4_requests.words(rounds)}")
        return [make, linux_l4_requests.apache_asked(web, rounds)]

    def _job(self, load: str, disk: str, words: str) -> Job:
        """With the server and all programs in small spaces."""
        linux = replace(SERVERS["server", "programs"], disk=disk)
        append = linux.append(f"l4.switches quiet -- bench {words}")
        return Job(load, linux, MACHINE, append, suite.MAX_CYCLES, parameters={"load": load})

    def measure(self, job: Job, stats: Stats) -> list[Case]:
        """A case a pair."""
        return [
            Case(
                MACHINE,
                SCHEME,
                {**job.parameters, "from": one.source, "to": one.target},
                [("switches", one.count, "1")],
            )
            for one in read(stats.samples.get(STREAM, []), job.name)
        ]
