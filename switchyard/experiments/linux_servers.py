# SPDX-License-Identifier: Apache-2.0
"""What the experiments on Linux as a server on L4 share: which systems there are, what is counted.

Native Linux; the server with its programs in large spaces, and in small ones; and, as the bound,
the server with large spaces on the machine with ideal address-space tags (docs/machine-tags.md),
for which it loads CR3 in vain. Some have as well, as the paper has it, the server itself in a small
space, with programs in large ones and in small ones, and that with groups of small spaces.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from switchyard.data.records import Parameter
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import Measured
from switchyard.run.build_linux import GROUPS, I386_BENCH, SERVERS, Linux, Server
from switchyard.run.experiment import Job, Settings, each

MACHINE = "p4-willamette"

# By the names of the systems in records.
NATIVE, LARGE, SMALL, BOUND = "native", "large", "small", "tags"
ON = {
    NATIVE: "native",
    LARGE: "server, programs large",
    SMALL: "server, programs small",
    BOUND: "server, hardware tags",
}
FOUR = tuple(ON)
# And those with a small server; and what native Linux could save at most.
SERVER, ALL, GROUPED, NATIVE_BOUND = "server", "all", "groups", "native-tags"
ON_ALL = ON | {
    SERVER: "small server, programs large",
    ALL: "all small",
    GROUPED: "all small, in groups",
    NATIVE_BOUND: "native, hardware tags",
}
# As tables order them.
EVERY = (NATIVE, NATIVE_BOUND, LARGE, SMALL, SERVER, ALL, GROUPED, BOUND)

# What is counted of each operation: the names of the records, and of the counters.
COUNTED = {
    "instructions": ("instructions",),
    "traces_built": ("trace_cache_misses",),
    "itlb_misses": ("itlb_misses",),
    "dtlb_misses": ("dtlb_misses",),
    "dcache_misses": ("dcache_read_misses",),
    "l2_misses": ("l2_read_misses",),
    "cr3_loads": ("ttb_writes",),
}


@dataclass(frozen=True)
class System:
    """A kernel with a disk that has a suite of benchmarks, and what it runs on."""

    linux: Linux
    machine: str = MACHINE


def systems(disk: str) -> Mapping[str, System]:
    """All of them, with that disk."""
    large, programs, server, both = (
        replace(SERVERS[small], disk=disk)
        for small in ((), ("programs",), ("server",), ("server", "programs"))
    )
    native = replace(I386_BENCH, disk=disk)
    return {
        NATIVE: System(native),
        NATIVE_BOUND: System(native, f"{MACHINE}-tags"),
        LARGE: System(large),
        SMALL: System(programs),
        SERVER: System(server),
        ALL: System(both),
        GROUPED: System(replace(both, scheme=GROUPS)),
        BOUND: System(large, f"{MACHINE}-tags"),
    }


def jobs(
    disk: str,
    questions: Sequence[tuple[str, str, Mapping[str, Parameter]]],
    settings: Settings,
    *,
    among: Sequence[str] = FOUR,
    boots: int | None = None,
    profile: bool = True,
    word: str = "",
    places: int = 1,
) -> list[Job]:
    """Runs of questions (ending of the name, what is asked, parameters) on each, one a boot.

    `boots` of each, or the usual number, which go through so many links of a server; `word` is for
    the kernels.
    """
    every = systems(disk)
    return [
        job
        for on in among
        for name, words, parameters in questions
        for job in suite.booted(
            every[on].linux,
            every[on].machine,
            f"{on}{name}",
            words,
            {"on": on, **parameters},
            settings,
            boots,
            word,
            places=places if isinstance(every[on].linux, Server) else 1,
            profile=profile,
        )
    ]


def values(case: Measured) -> Iterator[tuple[str, float, str]]:
    """Cycles of a case, their spread, and what was counted."""
    summary = case.timed.summary
    yield "cycles", summary.mean, "cycles"
    yield "cycles_p5", summary.p5, "cycles"
    yield "cycles_median", summary.median, "cycles"
    yield "cycles_p95", summary.p95, "cycles"
    yield "samples", summary.count, "1"
    yield "boots", len(case.timed.means), "1"
    yield from each(case.rates, "per_operation")
    if len(case.timed.means) > 1:
        yield "cycles_uncertainty", case.timed.interval.uncertainty, "1"
