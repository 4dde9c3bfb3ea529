# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/spaces.c and bench/l4/pingpong.c: one a machine, scheme and question."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from switchyard.data.records import Parameter
from switchyard.experiments import l4, l4_pc, l4_riscv
from switchyard.experiments.l4_small_spaces import measure as sets
from switchyard.experiments.l4_small_spaces.measure import KINDS as SMALL_KINDS
from switchyard.experiments.l4_small_spaces.measure import SAMPLES, Kind
from switchyard.run.build import BOARD, BOUNDS, GUESTS, PC, TAGS, VERSATILE, VIRT, schemes_on
from switchyard.run.experiment import BandPlan, Case, Experiment, Job, Settings, each
from switchyard.run.machine import Stats

FLUSH = "flush"

# The number of address spaces, a server's and its clients' ...
SPACES = "spaces"
SIZES = (2, 3, 4, 6, 8, 12, 14, 15, 16, 17, 18, 20, 24, 32, 48, 64)
QUICK_SIZES = (2, 16, 64)
ROUNDS, QUICK_ROUNDS = 2000, 100  # calls in a sample
CYCLES_A_CALL = 1_500_000  # a guest that hangs is stopped

# ... and what ping-pong goes through in each round, as bench/l4/pingpong.c numbers it.
CODE, PAGES, LINES = "code", "pages", "lines"
_PAGES = SMALL_KINDS["dtlb"]
_LINES = Kind(3, 32, 20, (0, 8, 20))
ARM_KINDS = {
    PAGES: _PAGES,
    CODE: Kind(0, 256, 20, (0, 8, 16, 20)),  # of four bytes
    LINES: _LINES,
}
PC_KINDS = {PAGES: _PAGES, CODE: SMALL_KINDS["trace-cache"], LINES: _LINES}
U74_KINDS = {PAGES: _PAGES, CODE: Kind(0, 512, 20, (0, 8, 16, 20)), LINES: _LINES}
KINDS = {BOARD: ARM_KINDS, VERSATILE: ARM_KINDS, PC: PC_KINDS, VIRT: U74_KINDS}
JOBS = {PC: l4_pc.job, VIRT: l4_riscv.job}

# What is told of a round trip, of all that is counted: what each machine's table has.
COUNTED = (
    "round", "instructions", "icache_misses", "dcache_misses", "itlb_misses", "dtlb_misses",
    "fill_stall_cycles", "walk_stall_cycles", "cache_flushes", "tlb_flushes", "domains_recycled",
)  # fmt: skip
COUNTED_ON_PC = (
    "round", "instructions", "traces_built", "itlb_misses", "dtlb_misses", "cr3_loads"
)  # fmt: skip
COUNTED_ON_U74 = (
    "round", "instructions", "icache_misses", "dcache_misses", "itlb_misses", "dtlb_misses",
    "table_walks", "fill_stall_cycles", "walk_stall_cycles", "tlb_flushes", "mispredictions",
)  # fmt: skip
COUNTED_ON = {PC: COUNTED_ON_PC, VIRT: COUNTED_ON_U74}
# Where it is asked what a result rests on.
BAND_SPACES, BAND_ROUNDS = 8, 200


@dataclass(frozen=True)
class Machine:
    """A machine, and how it is switched there: by what flushes first."""

    name: str
    board: str
    about: str
    schemes: tuple[str, ...]
    best: str  # the scheme of it that is told beside a flush

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What fills its caches and TLBs."""
        return KINDS[self.board]

    def under(self, scheme: str) -> str:
        """Its name, or that of the one like it which the scheme needs."""
        return l4_riscv.machine(scheme) if self.board == VIRT else l4.machine(scheme, self.name)

    def kernel(self, scheme: str) -> str:
        """What its kernel is built for: on a PC a flush is a load of CR3 and nothing else."""
        return FLUSH if self.board == PC and scheme == TAGS else scheme

    def job(self, program: str, scheme: str, append: str, cycles: int, kind: str) -> Job:
        """A run there."""
        make = JOBS.get(self.board, l4.job)
        kernel = self.kernel(scheme)
        job = make(program, kernel, append, cycles, f"{self.name}-{scheme}-{kind}", {"kind": kind})
        guest = GUESTS[f"{self.board}-{kernel}-{program}"]
        parameters = {**job.parameters, "scheme": scheme}
        return replace(job, guest=guest, machine=self.under(scheme), parameters=parameters)


MACHINES = (
    Machine(l4.MACHINE, BOARD, "StrongARM", (*schemes_on(BOARD), *BOUNDS), "fass"),
    Machine("versatilepb", VERSATILE, "ARM926", (*schemes_on(VERSATILE), *BOUNDS), "fass"),
    Machine(l4_pc.MACHINE, PC, "Pentium 4", (*l4_pc.SCHEMES, TAGS), sets.SMALL),
    Machine(l4_riscv.MACHINE, VIRT, "U74", l4_riscv.SCHEMES, TAGS),
)


def ratio(machine: Machine) -> str:
    """What is asked of a machine's assumed constants, as a band's ratio is called."""
    return f"{machine.about}, {BAND_SPACES} spaces, {FLUSH} over {machine.best}"


def _band_jobs(settings: Settings) -> list[Job]:
    """A flush, and the best that protects, among a few spaces on each machine."""
    return [
        _job(machine, scheme, SPACES, [BAND_SPACES], settings.rounds or BAND_ROUNDS, BAND_SPACES)
        for machine in MACHINES
        for scheme in (FLUSH, machine.best)
    ]


class Switching(Experiment[l4.Sample]):
    """A round trip under each scheme, and what part it is of one with a full flush."""

    name = "switching"
    question = "What does each way to switch leave of a round trip with a full flush?"
    source = (
        "Wiggins et al., ACSAC 2003, Fig. 5, and Uhlig et al., Performance of Address-Space "
        "Multiplexing on the Pentium (2002), Fig. 4, for other machines and schemes too"
    )
    system = l4.SYSTEM
    band = BandPlan(
        "round",
        "cycles",
        _band_jobs,
        label="{machine}, {size} spaces, {scheme}",
        ratios={
            ratio(machine): (
                f"{machine.name}-{FLUSH}-{SPACES}-{BAND_SPACES}",
                f"{machine.name}-{machine.best}-{SPACES}-{BAND_SPACES}",
            )
            for machine in MACHINES
        },
    )

    def jobs(self, settings: Settings) -> list[Job]:
        """All sizes of a kind in one run."""
        few = settings.quick or settings.rounds is not None
        calls, rounds = _lengths(settings)
        sizes = QUICK_SIZES if few else SIZES
        on = [(machine, scheme) for machine in MACHINES for scheme in machine.schemes]
        return [
            *(_job(*one, SPACES, sizes, calls) for one in on),
            *(
                _job(*one, kind, of.quick if few else range(of.steps + 1), rounds)
                for one in on
                for kind, of in one[0].kinds.items()
            ),
        ]

    def choices(self, settings: Settings) -> list[Job]:
        """A run a size, for tables of many machines."""
        calls, rounds = _lengths(settings)
        jobs = []
        for machine in MACHINES:
            for scheme in machine.schemes:
                sized = [(SPACES, n, calls, n) for n in SIZES]
                for kind, of in machine.kinds.items():
                    sized += [(kind, n, rounds, n * of.step) for n in range(of.steps + 1)]
                for kind, n, length, size in sized:
                    job = _job(machine, scheme, kind, [n], length, size)
                    parameters = {**job.parameters, "machine": job.machine}
                    jobs.append(replace(job, parameters=parameters))
        return jobs

    def measure(self, job: Job, stats: Stats) -> l4.Sample:
        """Of spaces the regions are numbered by their number, of working sets by their place."""
        if job.parameters["kind"] != SPACES:
            return sets.L4SmallSpaces().measure(job, stats)
        rounds, sizes = job.number("rounds"), job.numbers("spaces")
        counts = {n: sets.counted(job, stats, n, rounds) for n in sizes}
        return l4.Sample(stats.machine, str(job.parameters["scheme"]), counts)

    def row(self, job: Job, sample: l4.Sample) -> dict[str, Parameter]:
        """The one size's."""
        (values,) = sample.values.values()
        return {**job.parameters, **values}

    def cases(self, samples: Mapping[str, l4.Sample]) -> Iterator[Case]:
        """Each case, and what part of the round trip with a full flush it is."""
        for machine in MACHINES:
            counted = COUNTED_ON.get(machine.board, COUNTED)
            for scheme in machine.schemes:
                for kind in (SPACES, *machine.kinds):
                    flushing, own = (
                        samples[f"{machine.name}-{one}-{kind}"].values for one in (FLUSH, scheme)
                    )
                    for size, values in own.items():
                        told = each(values, "per_round", counted, but={"round": "cycles"})
                        share = 100 * values["round"] / flushing[size]["round"]
                        told.append(("share", share, "%"))
                        on = (machine.under(scheme), scheme)
                        yield Case(*on, {"kind": kind, "size": size}, told)


def _lengths(settings: Settings) -> tuple[int, int]:
    """Calls among spaces, and rounds with a working set."""
    return (settings.times(ROUNDS, QUICK_ROUNDS), settings.times(sets.ROUNDS, sets.QUICK_ROUNDS))


def _job(
    machine: Machine,
    scheme: str,
    kind: str,
    steps: Iterable[int],
    rounds: int,
    size: int | None = None,
) -> Job:
    """A run of a question; one of a single size tells it."""
    if kind == SPACES:
        sizes = list(steps)
        append = f"spaces={','.join(map(str, sizes))} rounds={rounds} seed=1"
        cycles = len(sizes) * (SAMPLES + 1) * rounds * CYCLES_A_CALL
        job = machine.job("bench-spaces", scheme, append, cycles, kind)
    else:
        append, cycles = sets.words(machine.kinds[kind], steps, rounds)
        job = machine.job("bench-pingpong", scheme, append, cycles, kind)
    if size is None:
        return job
    return replace(job, name=f"{job.name}-{size}", parameters={**job.parameters, "size": size})
