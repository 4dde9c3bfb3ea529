# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/chain.c: one a system, size of pipes, and boot."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_servers as servers
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_l4_apps import compared
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.experiment import Case, Job, Settings

STREAM = 1
# What programs read and write at a time, and what a pipe holds: that of the paper's time, and that
# of today.
CHUNKS = (4096, 65536)
CATS = 2
KILOBYTES, QUICK_KILOBYTES = 1024, 128
ROUNDS, QUICK_ROUNDS = 2, 1
BOOTS = 1  # two differ by 2 % in the median, by 8 at most


class LinuxL4Wc(OnLinux):
    """4.4: a file through programs that copy, to one that counts."""

    name = "linux-l4-wc"
    question = "What do small spaces save where a file goes from program to program by pipes?"
    source = "The paper on small spaces, 4.4"
    counted = servers.COUNTED
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        few = settings.quick or settings.rounds
        words = (
            f"cats={CATS} kilobytes={QUICK_KILOBYTES if few else KILOBYTES} "
            f"rounds={settings.times(ROUNDS, QUICK_ROUNDS)}"
        )
        questions = [
            (f"-{chunk}", f"chain chunk={chunk} {words}", {"chunk": chunk}) for chunk in CHUNKS
        ]
        return servers.jobs(
            "pipes", questions, settings, among=servers.EVERY, boots=BOOTS, profile=False
        )

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """All of it; and what is saved."""
        runs = suite.together(samples)
        for chunk in CHUNKS:
            of = {on: runs[f"{on}-{chunk}"] for on in servers.EVERY}
            measured = {on: (run, run.cases[STREAM]) for on, run in of.items()}
            yield from compared(measured, {"chunk": chunk})
