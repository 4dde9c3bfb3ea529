# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `ctx`, each of which measures every number of processes."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import on_linux, rings
from switchyard.experiments.linux_ctx import prefork
from switchyard.experiments.linux_suite import BOARDS, KERNELS, ORIGINAL, Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.experiment import BandPlan, Case, Job, Parameter, Settings

SIZES = (0, 1, 4, 8, 16)  # KB
COUNTS = (*range(2, 13), 14, 16, 20, 24, 28, 32, 36, 40)
QUICK_COUNTS = (2, 4, 8, 16, 24, 32, 40)
ROUNDS, QUICK_ROUNDS = 15, 10  # of each boot
BAND_ROUNDS = 40


def _band_jobs(settings: Settings) -> list[Job]:
    """The paper's machine, two processes that touch nothing."""
    words = f"ctx processes={COUNTS[0]} size=0 rounds={settings.rounds or BAND_ROUNDS}"
    return on_linux.once(ORIGINAL, "00k", words, {"size_kb": 0, "processes": COUNTS[0]}, settings)


class LinuxCtx(OnLinux):
    """Fig. 2: lmbench context switching latency."""

    name = "linux-ctx"
    question = "What does a switch cost as processes and the memory that they touch grow?"
    source = "Wiggins et al., ACSAC 2003, Fig. 2"
    band = BandPlan(
        f"switch_{COUNTS[0]}_us",
        "us",
        _band_jobs,
        scheme=suite.SCHEME,
        label="{machine}, {size_kb} KB",
    )

    def row(self, job: Job, sample: Run) -> dict[str, Parameter]:
        """A switch by the number of processes, in microseconds."""
        times = {f"switch_{n}_us": rings.us(sample, n) for n in rings.counts(sample)}
        return {**job.parameters, **times}

    def jobs(self, settings: Settings) -> list[Job]:
        """Rings for themselves, and those of a server that forks them."""
        counts = ",".join(map(str, QUICK_COUNTS if settings.quick else COUNTS))
        words = f"processes={counts} size={{}} rounds={settings.times(ROUNDS, QUICK_ROUNDS)}"
        alone = on_linux.rings(SIZES, words, {"quick": settings.quick})
        return suite.jobs(KERNELS, alone, settings) + prefork.jobs(settings)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every switch; then what each kernel takes at most, and how many times less than flushing.

        The last two where nothing is touched, as is what more processes add.
        """
        runs = suite.together(samples)
        by = {kernel: {size: runs[f"{kernel}-{size:02}k"] for size in SIZES} for kernel in KERNELS}
        for kernel, sizes in by.items():
            for size, run in sizes.items():
                yield from rings.cases(run, {"size_kb": size}, kernel.scheme)
        for board in BOARDS:
            original = by[board[0]][0]
            for kernel in board:
                run, on = by[kernel][0], (kernel.machine, kernel.scheme)
                every = by[kernel].values()
                most = max(rings.us(other, n) for other in every for n in rings.counts(other))
                yield Case(*on, {}, [("switch_at_most", most, "us")])
                for n in rings.counts(run) if kernel != board[0] else ():
                    gain = rings.us(original, n) / rings.us(run, n)
                    yield Case(*on, {"processes": n, "size_kb": 0}, [("gain", gain, "1")])
                yield rings.grown(run, {"size_kb": 0}, kernel.scheme)
        yield from prefork.cases(runs)
