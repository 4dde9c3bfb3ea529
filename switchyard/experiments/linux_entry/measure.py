# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's shortest system calls, and of a token's way, on the small PC: one a boot."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from switchyard.data.suite import STREAMS
from switchyard.experiments import linux_servers as servers
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.build_linux import I386_BENCH
from switchyard.run.experiment import Case, Job, Settings

# The questions and their rounds; of the tokens' ways one is enough.
ROUNDS = {"entry": 1000, "call": 1000, "potato": 400}
QUICK_SHARE = 10
ONLY = {"potato": "pipe"}
AGAIN = {"null"}  # getppid by INT 80h, which `entry` has

# What is counted of each operation: the names of the records, and of the counters.
COUNTED = {
    "instructions": ("instructions",),
    "mispredictions": ("branch_mispredictions",),
    **servers.COUNTED,
}


def cases(question: str) -> dict[int, str]:
    """Those of a question that are measured, by their streams."""
    only = ONLY.get(question)
    some = STREAMS[question].items()
    return {s: name for s, name in some if only in (None, name) and name not in AGAIN}


class LinuxEntry(OnLinux):
    """The ways into Linux on a Pentium 4, beside what others have measured."""

    name = "linux-entry"
    question = "What do the ways into Linux cost on a Pentium 4, and a switch of processes?"
    source = "Linux kernel mailing list, 2002; the paper on small spaces, Table 2: native Linux"
    counted = COUNTED
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        return [
            job
            for question, full in ROUNDS.items()
            for rounds in [settings.times(full, full // QUICK_SHARE)]
            for job in suite.booted(
                I386_BENCH,
                servers.MACHINE,
                question,
                f"{question} case={ONLY.get(question, 'all')} rounds={rounds}",
                {"question": question},
                settings,
                places=1,
            )
        ]

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Cycles of each case, their spread, and what was counted."""
        for question, run in suite.together(samples).items():
            for stream, name in cases(question).items():
                case = run.cases[stream]
                rates = {**case.rates, "kernel_instructions": sum(case.functions.values())}
                values = servers.values(replace(case, rates=rates))
                yield Case(run.machine, suite.SCHEME, {"case": name}, values)
