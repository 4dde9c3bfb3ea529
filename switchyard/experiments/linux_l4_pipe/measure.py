# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/pingpong.c: one a system, structure that is filled, and boot."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_servers as servers
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.l4_small_spaces.measure import Kind
from switchyard.experiments.linux_l4_apps import THAN
from switchyard.experiments.linux_servers import ALL, BOUND, LARGE, NATIVE, SERVER, SMALL
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.experiment import Case, Job, Parameter, Settings

# As far as Fig. 4 of the paper goes: to 15,000 NOPs, 200 jumps and 120 pages that are read.
KINDS = {
    "trace-cache": Kind("nops", 1024, 14, (0, 8, 14)),
    "itlb": Kind("jumps", 20, 10, (0, 3, 10)),
    "dtlb": Kind("pages", 12, 10, (0, 5, 10)),
}
ROUNDS, QUICK_ROUNDS = 50, 20
SYSTEMS = (NATIVE, LARGE, SMALL, SERVER, ALL, BOUND)
BOOTS = 1  # two differ by 2 % in the median, by 8 at most


class LinuxL4Pipe(OnLinux):
    """Fig. 6: ping-pong by pipes."""

    name = "linux-l4-pipe"
    question = "What does a byte to another process and back cost, native and where Linux serves?"
    source = "The paper on small spaces, Fig. 6"
    counted = servers.COUNTED
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        """All sizes of a kind in one run."""
        few = settings.quick or settings.rounds
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        questions = [
            (
                f"-{kind}",
                f"pingpong kind={one.word} step={one.step} rounds={rounds} "
                f"sizes={','.join(map(str, one.quick)) if few else f'0-{one.steps}'}",
                {"kind": kind},
            )
            for kind, one in KINDS.items()
        ]
        return servers.jobs("pipes", questions, settings, among=SYSTEMS, boots=BOOTS, profile=False)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every size; how many times what small ones take the others take, least and most."""
        runs = suite.together(samples)
        times: dict[str, list[float]] = {SMALL: [], ALL: []}
        for kind in KINDS:
            by = {on: runs[f"{on}-{kind}"] for on in SYSTEMS}
            cycles = {
                on: {size: case.timed.summary.mean for size, case in run.cases.items()}
                for on, run in by.items()
            }
            for on, run in by.items():
                for size, case in run.cases.items():
                    values = list(servers.values(case))
                    if on in times:
                        times[on].append(cycles[THAN[on]][size] / cycles[on][size])
                        values.append(("speedup", times[on][-1], "ratio"))
                        over_native = cycles[NATIVE][size] / cycles[on][size]
                        values.append(("speedup_native", over_native, "ratio"))
                    where: dict[str, Parameter] = {"on": on, "kind": kind, "size": size}
                    yield Case(run.machine, suite.SCHEME, where, values)
        for on, each in times.items():
            told = [("least_speedup", min(each), "ratio"), ("largest_speedup", max(each), "ratio")]
            yield Case(servers.MACHINE, suite.SCHEME, {"on": on}, told)
