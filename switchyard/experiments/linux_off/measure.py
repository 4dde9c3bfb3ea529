# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's questions on the unmodified kernel and on the fast one that is turned off."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import on_linux, repeats, rings
from switchyard.experiments.linux_ipc.measure import QUICK_SHARE, ROUNDS, asked, line_cases
from switchyard.experiments.linux_suite import MACHINES, OFF, SCHEME, Kernel, Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.experiment import Case, Job, Settings

KERNELS = tuple(Kernel(board, scheme) for board in MACHINES for scheme in (SCHEME, OFF))
CTX = "ctx"
COUNTS = (2, 8)  # processes in a ring
SIZES = (0, 16)  # KB that each reads
CTX_ROUNDS = 15
# Twice as many boots as elsewhere, each link of a kernel as often: the difference is a small one.
BOOTS = 2 * len(suite.LINKS)


class LinuxOff(OnLinux):
    """lmbench on the unmodified kernel and on the fast one, turned off."""

    name = "linux-off"
    question = "What does fast switching in the kernel cost where it is turned off?"
    source = "none published; a kernel option is to cost less than 1 % where it is off"

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, question of the suite, and boot; one for each size of the rings."""
        boots = repeats.boots(settings) if settings.quick or settings.rounds else BOOTS
        rounds = settings.times(CTX_ROUNDS, CTX_ROUNDS // QUICK_SHARE)
        words = f"processes={','.join(map(str, COUNTS))} size={{}} rounds={rounds}"
        rings = on_linux.rings(SIZES, words, {"question": CTX}, f"{CTX}-")
        lines = [asked(question, settings) for question in ROUNDS]
        return suite.jobs(KERNELS, [*lines, *rings], settings, boots)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        runs = suite.together(samples)
        for kernel in KERNELS:
            yield from line_cases(kernel, runs)
            for size in SIZES:
                run = runs[f"{kernel}-{CTX}-{size:02}k"]
                yield from rings.cases(run, {"size_kb": size}, kernel.scheme)
