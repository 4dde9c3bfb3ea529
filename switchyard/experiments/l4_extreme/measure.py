# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/os's extreme on L4, and where a turn's time begins to grow."""

from collections.abc import Mapping, Sequence

from switchyard.data.records import Parameter, Record, of_case
from switchyard.experiments import l4
from switchyard.experiments.counted import Counted
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.l4 import COLUMNS, SYSTEM
from switchyard.run.build import TAGS
from switchyard.run.machine import Stats

PROCESSES = (2, 4, 16)
PAGES = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 40, 44, 48)
# fass with pages at one address is not in the paper: each access of the next process collides. Nor
# are hardware tags, whose TLB has an entry for each process all the same.
CASES = (("fass", 0), ("fass-shared", 0), ("fass-shared", 1), ("fass", 1), (TAGS, 1))
BAND_PAGES = 20
ROUNDS = 2_000
QUICK_ROUNDS = 200
# A collision flushes everything, at worst 75,000 cycles (section 2), and may come with each yield.
CYCLES_A_ROUND = 150_000
# A break is where the time has grown by half, without the reads themselves, from that of one page.
BROKEN = 1.5
RECYCLING = 0.1  # fewer domains recycled a turn are none
COUNTED = (
    "cycles", "dtlb_misses", "itlb_misses", "collisions", "cache_flushes", "tlb_flushes",
    "domains_recycled", "walk_stall_cycles", "fill_stall_cycles",
)  # fmt: skip


def mapping(shared: int) -> str:
    """How the pages are mapped."""
    return "shared" if shared else "private"


def job_name(scheme: str, shared: int, processes: int, pages: int) -> str:
    """The name of a case's run."""
    return f"{scheme}-{mapping(shared)}-{processes:02}-{pages:02}"


class L4Extreme(Experiment[Counted]):
    """Fig. 4: the extreme benchmark for 2, 4 and 16 processes."""

    name = "l4-extreme"
    question = "What is the most that sharing TLB entries can save?"
    source = "Wiggins et al., ACSAC 2003, Fig. 4"

    band_metric = ("cycles", "cycles")
    band_system = SYSTEM
    # near where the factor is largest
    band_ratios: Mapping[str, tuple[str, str]] = {
        f"private over shared, {processes} processes, {BAND_PAGES} pages": (
            job_name("fass-shared", 0, processes, BAND_PAGES),
            job_name("fass-shared", 1, processes, BAND_PAGES),
        )
        for processes in (2, 16)
    }

    def banded(self, case: Mapping[str, Parameter]) -> str:
        """As its job, in words."""
        how = mapping(int(case["shared"]))
        return "{scheme}, {how}, {processes} processes, {pages} pages".format(how=how, **case)

    def band_jobs(self, settings: Settings) -> list[Job]:
        """Both mappings where sharing saves most, in short runs."""
        return self.short_jobs(settings, {n for both in self.band_ratios.values() for n in both})

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a case, number of processes and number of pages."""
        return _jobs(settings, CASES)

    def choices(self, settings: Settings) -> list[Job]:
        """The same with every scheme; in one space for all, the mapping makes no difference."""
        return _jobs(settings, [(scheme, shared) for scheme in COLUMNS for shared in (0, 1)])

    def measure(self, job: Job, stats: Stats) -> Counted:
        """For one process's turn: the reads and the yield."""
        l4.samples(job, stats, 1)
        return Counted.measured(stats, 1, l4.word(job, "rounds") * l4.word(job, "processes"))

    def records(self, samples: Mapping[str, Counted]) -> list[Record]:
        """Each case; then what the paper says of curves in numbers."""
        curves = {
            (scheme, shared, processes): [
                samples[job_name(scheme, shared, processes, pages)] for pages in PAGES
            ]
            for scheme, shared in CASES
            for processes in PROCESSES
        }
        records = []
        for (scheme, shared, processes), curve in curves.items():
            for pages, case in zip(PAGES, curve, strict=True):
                rates = [(name, case.rates[name], "per_turn") for name in COUNTED]
                where: dict[str, Parameter] = {
                    "mapping": mapping(shared),
                    "processes": processes,
                    "pages": pages,
                }
                records += self._case(case, scheme, where, [*rates, ("turn", case.us, "us")])
        for processes in PROCESSES:
            private, shared_ = (curves["fass-shared", shared, processes] for shared in (0, 1))
            ratios = (p.cycles / s.cycles for p, s in zip(private, shared_, strict=True))
            factor, pages = max(zip(ratios, PAGES, strict=True))
            values = [("largest_factor", factor, "ratio"), ("largest_factor_at", pages, "pages")]
            if shared_[0].rates["domains_recycled"] <= RECYCLING:
                read = read_cycles([case.cycles for case in shared_])
                for name, curve in (("private_break", private), ("shared_break", shared_)):
                    broken = _broken([case.cycles for case in curve], read)
                    if broken is not None:
                        values.append((name, broken, "pages"))
            where = {"processes": processes}
            records += self._case(private[0], "fass-shared", where, values)
        return records

    def _case(
        self,
        case: Counted,
        scheme: str,
        where: Mapping[str, Parameter],
        values: Sequence[tuple[str, float, str]],
    ) -> list[Record]:
        return of_case(self.name, case.machine, SYSTEM, scheme, where, values)


def _jobs(settings: Settings, cases: Sequence[tuple[str, int]]) -> list[Job]:
    rounds = settings.times(ROUNDS, QUICK_ROUNDS)
    return [
        l4.job(
            "bench-extreme",
            scheme,
            f"processes={processes} pages={pages} shared={shared} rounds={rounds}",
            (rounds + 20) * processes * CYCLES_A_ROUND,
            job_name(scheme, shared, processes, pages),
            {"shared": shared, "processes": processes, "pages": pages},
        )
        for scheme, shared in cases
        for processes in PROCESSES
        for pages in PAGES
    ]


def read_cycles(shared: Sequence[float]) -> float:
    """What one page more costs while all fit: from 1 to 8 shared pages."""
    few = PAGES.index(8)
    return (shared[few] - shared[0]) / (PAGES[few] - PAGES[0])


def _broken(cycles: Sequence[float], read: float) -> int | None:
    """The least number of pages at which a turn takes much longer than the reads explain."""
    at = zip(PAGES, cycles, strict=True)
    return next((n for n, turn in at if turn - read * (n - 1) > BROKEN * cycles[0]), None)
