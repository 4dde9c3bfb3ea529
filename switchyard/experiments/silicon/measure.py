# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/silicon.c, and of bench/u74/silicon.c: one a machine, every case."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from switchyard.experiments.silicon import u74
from switchyard.run.build import BARE, BOARD, GUESTS, VERSATILE, VIRT
from switchyard.run.experiment import Case, Experiment, Job, RunError, Settings, Stats, Value, each

MACHINES = {"sa1110": BOARD, "sa1110-sdram": BOARD, "versatilepb": VERSATILE}
STRONGARM, ARM9 = ("sa1110", "sa1110-sdram"), ("versatilepb",)

PAIRS, QUICK_PAIRS = 15, 3
TIMES = 64
STEPS = 16  # of a case in one turn of its loop: UNROLLED in bench/silicon_cases.S
MOST_CYCLES = 2_000_000_000
LINE = 32  # bytes

# What a step of each of the guest's loops is, in the order of LOOPS in bench/silicon.c; the places
# are the guest's streams. A step whose result is used is two instructions, the second an ADD.
CASES = {
    "empty": "the loop without any step",
    "delay": "a turn of Linux's delay loop: SUBS, BHI",
    "alu": "ADD",
    "alu_dependent": "ADD of the ADD before",
    "shift_constant": "ADD with a shift by a constant",
    "shift_register": "ADD with a shift by a register",
    "load": "LDR, its word not used",
    "load_used": "LDR, its word used at once",
    "load_byte_used": "LDRB, its byte used at once",
    "load_signed_used": "LDRSB, its byte used at once",
    "load_shifted": "LDR with a shifted register offset, its word used at once",
    "store": "STR",
    "load_four": "LDM of four",
    "load_eight": "LDM of eight",
    "store_four": "STM of four",
    "swap": "SWP, its word not used",
    "mul_short": "MUL by a number of few bits, not used",
    "mul_long": "UMULL, not used",
    "branch": "B",
    "branch_not": "B, not taken",
    "mov_pc": "MOV to the program counter",
    "mrs": "MRS",
    "mrc_used": "MRC of the identity, used at once",
    "domains": "MCR to the domain access control register",
    "drain": "MCR: drain the write buffer, which is empty",
    "dtlb_entry": "MCR: invalidate an entry of the data TLB",
    "clean_entry": "MCR: clean a line of the data cache that is clean",
    "chase": "a chain of pointers, each in another line, none in the cache",
    "words": "LDR of an address that is not cached",
    "read": "LDM of eight: a line that is not in the cache",
    "write": "STM of eight: a line that is not in the cache",
    "copy": "LDM and STM of eight: a line to another, neither in the cache",
}
BLOCKS = ("read", "write", "copy")


@dataclass(frozen=True)
class Board:
    """A board that prints loops_per_jiffy when it boots: the processor's clock, and Linux's."""

    name: str
    clock_hz: int
    # The log has BogoMIPS too, which are loops_per_jiffy * HZ / 500,000: so HZ is 100 in both.
    hz: int = 100


JORNADA = Board("Jornada 720, SA-1110", 206_400_000)
HAWKBOARD = Board("OMAP-L138 (DA850), ARM926EJ-S", 300_000_000)
BOARDS = {**dict.fromkeys(STRONGARM, JORNADA), **dict.fromkeys(ARM9, HAWKBOARD)}


@dataclass(frozen=True)
class Sample:
    """A machine: the cycles of each case's step."""

    machine: str
    clock_hz: int
    cycles: Mapping[str, float] = field(hash=False)

    def megabytes(self, name: str) -> float:
        """What a case whose steps are lines moves in a second, in millions of bytes."""
        return LINE * self.clock_hz / self.cycles[name] / 1e6

    def loops_per_jiffy(self) -> float:
        """What Linux would count here if this machine had the published board's clock."""
        board = BOARDS[self.machine]
        return board.clock_hz / board.hz / self.cycles["delay"]


class Silicon(Experiment[Sample]):
    """The machines beside the boards."""

    name = "silicon"
    question = "How far are the machines from the processors that they are models of?"
    source = "boot logs, manuals and papers, named at each value"

    def jobs(self, settings: Settings) -> list[Job]:
        pairs = settings.times(PAIRS, QUICK_PAIRS)
        boards = {**MACHINES, u74.MACHINE: VIRT}
        return [
            Job(
                name=machine,
                guest=GUESTS[f"{board}-{BARE}-bench-silicon"],
                machine=machine,
                append=f"times={TIMES} pairs={pairs}",
                max_cycles=MOST_CYCLES,
                parameters={"machine": machine},
            )
            for machine, board in boards.items()
        ]

    def measure(self, job: Job, stats: Stats) -> Sample:
        """The middle of each case's pairs, less the empty loop."""
        pairs = job.number("pairs")
        names = u74.CASES if job.machine == u74.MACHINE else CASES
        turns = {
            name: turn(stats.samples.get(place, []), pairs, f"{job.name}: {name}")
            for place, name in enumerate(names)
        }
        cycles = {
            name: value if name in ("empty", "delay") else (value - turns["empty"]) / STEPS
            for name, value in turns.items()
        }
        return Sample(job.name, stats.clock_hz, cycles)

    def cases(self, samples: Mapping[str, Sample]) -> Iterator[Case]:
        for machine in MACHINES:
            yield Case(machine, "none", {}, _values(samples[machine]))
        cycles = samples[u74.MACHINE].cycles
        every = {**cycles, **u74.derived(cycles)}
        yield Case(u74.MACHINE, "none", {}, list(each(every, "cycles")))


def _values(sample: Sample) -> list[Value]:
    return [
        ("loops_per_jiffy", sample.loops_per_jiffy(), "loops"),
        *each(sample.cycles, "cycles", CASES),
        *((f"{name}_bandwidth", sample.megabytes(name), "MB/s") for name in BLOCKS),
    ]


def turn(samples: Sequence[int], pairs: int, what: str) -> float:
    """Cycles of one turn: the second of a pair has TIMES turns more than the first."""
    if len(samples) != 2 * pairs:
        raise RunError(f"{what}: {len(samples)} samples, expected {2 * pairs}")
    more = statistics.median(
        second - first for first, second in zip(samples[::2], samples[1::2], strict=True)
    )
    if more <= 0:
        raise RunError(f"{what}: twice as many turns take {more} cycles more; expected some")
    return more / TIMES
