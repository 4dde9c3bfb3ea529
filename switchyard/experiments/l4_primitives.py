# SPDX-License-Identifier: Apache-2.0
"""What the L4 kernel's primitives cost: a null system call, thread switches, a page fault.

Nothing is published for them on this processor; the project's own limits stand in the notes.
"""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field

from switchyard.build import BOARD, GUESTS, TAGS
from switchyard.experiments import columns, l4_trap
from switchyard.experiments.columns import COLUMNS
from switchyard.experiments.experiment import Experiment, Job, Outcome, Settings, Table
from switchyard.machine import Stats
from switchyard.plot import Bar, Bars
from switchyard.records import Record

NAME = "l4-primitives"
MACHINE = "sa1110"
SYSTEM = "switchyard-l4"
PROGRAM = "bench-primitives"
# Programs have no page faults there: all memory is mapped from the start.
WITHOUT_FAULTS = columns.UNPROTECTED

ROUNDS, QUICK_ROUNDS = 1_000, 100
WARMUP = 20
CYCLES_TO_START = 400_000_000
CYCLES_A_ROUND = 1_000_000  # ten times the slowest: a fault and its undoing under flush

# bench/l4/primitives.c: places in its table are regions; how many traps a round has.
TRAPS = {
    "null_syscall": (0, 1),
    "system_clock": (1, 1),
    "thread_switch": (2, 2),
    "ipc_in_space": (3, 2),
    "lipc_in_space": (6, 2),
}
PAGE_FAULT, NOTHING = 4, 5
LIMITS = {"null_syscall": 60, "thread_switch": 90, "page_fault": 900}
ABOUT = {
    "null_syscall": "ThreadSwitch to nobody, and nobody else is ready: in and out again",
    "system_clock": "SystemClock: the cheapest call that answers something",
    "thread_switch": "ThreadSwitch to a ready thread of the space, to its first instruction",
    "ipc_in_space": "an empty message to a thread of the space, one way",
    "lipc_in_space": "the same by local ids (Lipc), between threads that wait for local ones",
    "page_fault": "a load from a missing page: fault, pager in another space, map, restart",
}


@dataclass(frozen=True)
class Point:
    """A run: one scheme, cycles by primitive."""

    scheme: str
    machine: str
    rounds: int
    cycles: Mapping[str, float] = field(hash=False)


class L4Primitives(Experiment[Point]):
    """The primitives under each scheme."""

    name = NAME
    question = "What do a null system call, a thread switch and a page fault cost?"
    source = "the project's own limits; nothing published"

    band_metric = ("thread_switch", "cycles")
    band_system = SYSTEM

    def band_jobs(self, settings: Settings) -> list[Job]:
        """The paper's two kernels, in short runs."""
        return self.short_jobs(settings, ("flush", "fass"))

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a scheme."""
        rounds = settings.rounds or (QUICK_ROUNDS if settings.quick else ROUNDS)
        return [
            Job(
                name=scheme,
                guest=GUESTS[f"{BOARD}-{scheme}-{PROGRAM}"],
                machine=columns.machine(scheme, MACHINE),
                append=f"rounds={rounds} warmup={WARMUP} fault={int(scheme not in WITHOUT_FAULTS)}",
                max_cycles=CYCLES_TO_START + 7 * (rounds + WARMUP) * CYCLES_A_ROUND,
                parameters={"scheme": scheme},
            )
            for scheme in COLUMNS
        ]

    def measure(self, job: Job, stats: Stats) -> Point:
        """Traps by the counters; the page fault by its samples, which have the pager in them."""
        rounds = int(dict(word.split("=") for word in job.append.split())["rounds"])
        scheme = str(job.parameters["scheme"])
        cycles = {
            name: l4_trap.measured(stats, region, rounds, traps).cycles
            for name, (region, traps) in TRAPS.items()
        }
        if scheme not in WITHOUT_FAULTS:
            fault = statistics.median(l4_trap.samples_of(stats, PAGE_FAULT, rounds))
            nothing = statistics.median(l4_trap.samples_of(stats, NOTHING, rounds))
            cycles["page_fault"] = fault - nothing
        return Point(scheme, stats.machine, rounds, cycles)

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, a table, the figure, and a sentence on each limit."""
        found = [points[scheme] for scheme in COLUMNS]
        return Outcome(
            records=[_record(point, name) for point in found for name in point.cycles],
            tables=[table(found)],
            figure=figure(found),
            notes=[*notes(points["fass"]), bound(points)],
        )


def _record(point: Point, name: str) -> Record:
    value = round(point.cycles[name], 3)
    return Record(NAME, point.machine, SYSTEM, point.scheme, name, value, "cycles")


def table(found: list[Point]) -> Table:
    """Cycles by primitive and scheme."""
    rows = []
    for name, about in ABOUT.items():
        cells = [f"{p.cycles[name]:.0f}" if name in p.cycles else "" for p in found]
        rows.append([name, *cells, f"{LIMITS[name]}" if name in LIMITS else "", about])
    return Table(
        title="Primitives, cycles: median",
        columns=["", *(point.scheme for point in found), "limit", "what"],
        rows=rows,
        caption="from the trapping instruction to the first one behind it, whoever executes that; "
        "the page fault: of the load that faults, with its pager's instructions",
    )


def notes(fass: Point) -> list[str]:
    """A sentence on each limit, and on what is measured."""
    made = []
    for name, limit in LIMITS.items():
        value = fass.cycles[name]
        kept = "within" if value <= limit else "beyond"
        made.append(
            f"fass, {name}: {value:.0f} cycles, {kept} the limit of {limit}: {ABOUT[name]}."
        )
    return made


def bound(points: Mapping[str, Point]) -> str:
    """What hardware tags leave to save."""
    fass, tags = points["fass"].cycles, points[TAGS].cycles
    said = ", ".join(f"{name} {tags[name]:.0f} cycles ({fass[name]:.0f})" for name in LIMITS)
    return f"With hardware tags, where a switch flushes nothing, beside fass: {said}."


def figure(found: list[Point]) -> Bars:
    """The primitives side by side."""
    return Bars(
        title="Primitives of the L4 kernel",
        subtitle=[
            f"StrongARM SA-1110 at 200 MHz; simulated machine {MACHINE}, median of "
            f"{found[0].rounds:,} rounds; hollow: the project's limits for fass"
        ],
        value_title="cycles (log scale)",
        description="Cycles of each primitive under each scheme, beside the limits set for fass.",
        bars=[
            Bar(name, point.scheme, point.cycles[name])
            for name in ABOUT
            for point in found
            if name in point.cycles
        ]
        + [Bar(name, "limit", limit, published=True) for name, limit in LIMITS.items()],
        stacked=False,
        log=True,
    )
