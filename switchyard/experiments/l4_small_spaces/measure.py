# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/pingpong.c: one a scheme and structure that is filled."""

import statistics
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from switchyard.data.records import Parameter
from switchyard.experiments import l4, l4_boards, l4_pc
from switchyard.experiments.l4_pc import LARGE, SCHEMES
from switchyard.run.experiment import BandPlan, Case, Experiment, Job, Settings, each
from switchyard.run.machine import Stats


@dataclass(frozen=True)
class Kind:
    """What is filled, as the guest calls it; by how much sizes grow, up to how many steps."""

    word: int | str
    step: int
    steps: int
    quick: tuple[int, ...]  # steps of a quick run

    @property
    def sizes(self) -> tuple[int, ...]:
        """All that are measured."""
        return tuple(n * self.step for n in range(self.steps + 1))


# The paper's figure goes to 15,000 NOPs, 200 jumps and 120 pages that are read.
KINDS = {
    "trace-cache": Kind(0, 512, 29, (0, 8, 16, 29)),
    "itlb": Kind(1, 4, 50, (0, 8, 14, 50)),
    "dtlb": Kind(2, 4, 30, (0, 8, 14, 30)),
}
BANDED = {"trace-cache": 8192, "itlb": 56, "dtlb": 56}  # what still fits
SMALL = "small-spaces"
# Of a sample, as in the paper. The median is told, for a timer tick falls into one.
ROUNDS, QUICK_ROUNDS = 100, 20
SAMPLES = 5
# Ten times the longest round of the paper's figure.
CYCLES_A_ROUND = 200_000


def _band_jobs(settings: Settings) -> list[Job]:
    """The paper's two kernels where each structure is nearly full."""
    return [
        job
        for job in L4SmallSpaces().choices(settings)
        if job.parameters["scheme"] in (LARGE, SMALL)
        and BANDED[str(job.parameters["kind"])] == job.parameters["size"]
    ]


class L4SmallSpaces(Experiment[l4.Sample]):
    """Fig. 4: ping-pong with large and small spaces."""

    name = "l4-small-spaces"
    question = "What do small spaces save, by the working set between two messages?"
    source = "Uhlig et al., Performance of Address-Space Multiplexing on the Pentium (2002), Fig. 4"
    system = l4.SYSTEM
    digits = 3
    called: Mapping[str, str] = {"size": "pages that are used"}
    band = BandPlan(
        "round",
        "cycles",
        _band_jobs,
        label="{kind}, {size}, {scheme}",
        ratios={
            f"{kind}, {n}, large over {SMALL}": (f"{LARGE}-{kind}-{n}", f"{SMALL}-{kind}-{n}")
            for kind, n in BANDED.items()
        },
        # the two readings of what is known of the instruction TLB (docs/machine-p4.md)
        moved_together={
            "an instruction TLB of 128 entries, 31 cycles each": {
                "itlb.entries": 128,
                "walk.code": 31,
            }
        },
    )

    def jobs(self, settings: Settings) -> list[Job]:
        """All sizes of a kind in one run."""
        few = settings.quick or settings.rounds
        return [
            _job(scheme, kind, one.quick if few else range(one.steps + 1), settings)
            for kind, one in KINDS.items()
            for scheme in SCHEMES
        ]

    def choices(self, settings: Settings) -> list[Job]:
        """A run a size, for tables of many machines."""
        return [
            _job(scheme, kind, [n], settings, f"-{n * one.step}", {"size": n * one.step})
            for kind, one in KINDS.items()
            for scheme in SCHEMES
            for n in range(one.steps + 1)
        ]

    def measure(self, job: Job, stats: Stats) -> l4.Sample:
        """Regions and streams are numbered by the sizes' places."""
        step, rounds = job.number("step"), job.number("rounds")
        steps = job.numbers("sizes")
        counts = {n * step: counted(job, stats, i, rounds) for i, n in enumerate(steps)}
        return l4.Sample(stats.machine, str(job.parameters["scheme"]), counts)

    def row(self, job: Job, sample: l4.Sample) -> dict[str, Parameter]:
        """The one size's."""
        (values,) = sample.values.values()
        return {**job.parameters, **values}

    def cases(self, samples: Mapping[str, l4.Sample]) -> Iterator[Case]:
        """Every size; how much faster than large spaces, and where that is most."""
        for kind in KINDS:
            large = samples[f"{LARGE}-{kind}"].values
            for scheme in SCHEMES:
                sample = samples[f"{scheme}-{kind}"]
                faster = {}
                for size, values in sample.values.items():
                    told = each(values, "per_round", but={"round": "cycles"})
                    if scheme != LARGE:
                        faster[size] = large[size]["round"] / values["round"]
                        told.append(("speedup", faster[size], "ratio"))
                    yield Case(sample.machine, scheme, {"kind": kind, "size": size}, told)
                if faster:
                    most = max(faster, key=lambda size: faster[size])
                    told = [("largest_speedup", faster[most], "ratio"), ("largest_at", most, "1")]
                    yield Case(sample.machine, scheme, {"kind": kind}, told)


def counted(job: Job, stats: Stats, number: int, rounds: int) -> dict[str, float]:
    """What a round took, and what was counted for one, in the region and stream of that number."""
    return {
        "round": statistics.median(l4.samples(job, stats, number, SAMPLES)) / rounds,
        **l4_boards.rates_on(job, stats.region(number), SAMPLES * rounds),
    }


def words(of: Kind, steps: Iterable[int], rounds: int) -> tuple[str, int]:
    """The command line of a run, and how many cycles it may take."""
    sizes = list(steps)
    told = f"{sizes[0]}-{sizes[-1]}" if isinstance(steps, range) else ",".join(map(str, sizes))
    return (
        f"kind={of.word} sizes={told} step={of.step} rounds={rounds}",
        len(sizes) * (SAMPLES * rounds + 4) * CYCLES_A_ROUND,
    )


def _job(
    scheme: str,
    kind: str,
    steps: Iterable[int],
    settings: Settings,
    ending: str = "",
    parameters: Mapping[str, Parameter] | None = None,
) -> Job:
    append, cycles = words(KINDS[kind], steps, settings.times(ROUNDS, QUICK_ROUNDS))
    name, more = f"{scheme}-{kind}{ending}", {"kind": kind, **(parameters or {})}
    return l4_pc.job("bench-pingpong", scheme, append, cycles, name, more)
