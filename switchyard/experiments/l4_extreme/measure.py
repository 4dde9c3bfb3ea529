# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/os's extreme on L4, and where a turn's time begins to grow."""

from collections.abc import Iterator, Mapping, Sequence

from switchyard.data.records import Parameter
from switchyard.experiments import l4
from switchyard.experiments.counted import Counted
from switchyard.run.build import TAGS
from switchyard.run.experiment import BandPlan, Case, Experiment, Job, Settings, Value, each
from switchyard.run.machine import Stats

PROCESSES = (2, 4, 16)
PAGES = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 40, 44, 48)
# fass with pages at one address is not in the paper: each access of the next process collides. Nor
# are hardware tags, whose TLB has an entry for each process all the same.
CASES = (("fass", 0), ("fass-shared", 0), ("fass-shared", 1), ("fass", 1), (TAGS, 1))
BAND_PAGES = 20  # near where the factor is largest
ROUNDS, QUICK_ROUNDS = 2_000, 200
# A collision flushes everything, at worst 75,000 cycles (section 2), and may come with each yield.
CYCLES_A_ROUND = 150_000
# A break is where the time has grown by half, without the reads themselves, from that of one page.
BROKEN = 1.5
RECYCLING = 0.1  # fewer domains recycled a turn are none
COUNTED = (
    "cycles", "dtlb_misses", "itlb_misses", "collisions", "cache_flushes", "tlb_flushes",
    "domains_recycled", "walk_stall_cycles", "fill_stall_cycles",
)  # fmt: skip
MAPPINGS = ("private", "shared")  # how the pages are mapped, by the guest's word


def job_name(scheme: str, shared: int, processes: int, pages: int) -> str:
    """The name of a case's run."""
    return f"{scheme}-{MAPPINGS[shared]}-{processes:02}-{pages:02}"


def _label(case: Mapping[str, Parameter]) -> str:
    how = MAPPINGS[int(case["shared"])]
    return "{scheme}, {how}, {processes} processes, {pages} pages".format(how=how, **case)


class L4Extreme(Experiment[Counted]):
    """Fig. 4: the extreme benchmark for 2, 4 and 16 processes."""

    name = "l4-extreme"
    question = "What is the most that sharing TLB entries can save?"
    source = "Wiggins et al., ACSAC 2003, Fig. 4"
    system = l4.SYSTEM
    band = BandPlan(
        "cycles",
        "cycles",
        label=_label,
        ratios={
            f"private over shared, {processes} processes, {BAND_PAGES} pages": (
                job_name("fass-shared", 0, processes, BAND_PAGES),
                job_name("fass-shared", 1, processes, BAND_PAGES),
            )
            for processes in (2, 16)
        },
    )

    def jobs(self, settings: Settings) -> list[Job]:
        return _jobs(settings, CASES)

    def choices(self, settings: Settings) -> list[Job]:
        """With every scheme; in one space for all, the mapping makes no difference."""
        return _jobs(settings, [(scheme, shared) for scheme in l4.COLUMNS for shared in (0, 1)])

    def measure(self, job: Job, stats: Stats) -> Counted:
        """For one process's turn: the reads and the yield."""
        l4.samples(job, stats, 1)
        return Counted.measured(stats, 1, job.number("rounds") * job.number("processes"))

    def cases(self, samples: Mapping[str, Counted]) -> Iterator[Case]:
        """Each case; then what the paper says of curves in numbers."""
        for scheme, shared in CASES:
            for processes in PROCESSES:
                for pages in PAGES:
                    case = samples[job_name(scheme, shared, processes, pages)]
                    mapped: dict[str, Parameter] = {
                        "mapping": MAPPINGS[shared],
                        "processes": processes,
                        "pages": pages,
                    }
                    values = [*each(case.rates, "per_turn", COUNTED), ("turn", case.us, "us")]
                    yield Case(case.machine, scheme, mapped, values)
        for processes in PROCESSES:
            private, shared_ = (
                [samples[job_name("fass-shared", shared, processes, pages)] for pages in PAGES]
                for shared in (0, 1)
            )
            where = {"processes": processes}
            yield Case(private[0].machine, "fass-shared", where, _curves(private, shared_))


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


def _curves(private: Sequence[Counted], shared: Sequence[Counted]) -> Iterator[Value]:
    """The largest factor between them, and where each breaks if no domain is recycled."""
    ratios = (p.cycles / s.cycles for p, s in zip(private, shared, strict=True))
    factor, pages = max(zip(ratios, PAGES, strict=True))
    yield "largest_factor", factor, "ratio"
    yield "largest_factor_at", pages, "pages"
    if shared[0].rates["domains_recycled"] > RECYCLING:
        return
    read = read_cycles([case.cycles for case in shared])
    for name, curve in (("private_break", private), ("shared_break", shared)):
        most = BROKEN * curve[0].cycles
        at = zip(PAGES, (case.cycles for case in curve), strict=True)
        # the least number of pages at which a turn takes much longer than the reads explain
        broken = next((n for n, turn in at if turn - read * (n - 1) > most), None)
        if broken is not None:
            yield name, broken, "pages"


def read_cycles(shared: Sequence[float]) -> float:
    """What one page more costs while all fit: from 1 to 8 shared pages."""
    few = PAGES.index(8)
    return (shared[few] - shared[0]) / (PAGES[few] - PAGES[0])
