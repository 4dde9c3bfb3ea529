# SPDX-License-Identifier: Apache-2.0
"""What is published of the real processors and anybody can measure again, beside the machines here.

Linux's delay loop by the loops_per_jiffy that boards print when they boot; single instructions by
the manuals' tables; memory by a chain of pointers, single words and blocks; coprocessor 15. The
guest (bench/silicon.c) has no operating system: what it measures is the machine alone.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from switchyard.build import BARE, BOARD, GUESTS, VERSATILE
from switchyard.errors import RunError
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings
from switchyard.figure import Table
from switchyard.machine import Stats
from switchyard.plot import Bar, Bars
from switchyard.records import Published, Record

NAME = "silicon"
SYSTEM = "none"
MACHINES = {"sa1110": BOARD, "sa1110-sdram": BOARD, "versatilepb": VERSATILE}
STRONGARM, ARM9 = ("sa1110", "sa1110-sdram"), ("versatilepb",)

PAIRS, QUICK_PAIRS = 15, 3
TIMES = 64
STEPS = 16  # of a case in one turn of its loop: UNROLLED in bench/silicon_cases.S
MOST_CYCLES = 400_000_000
LINE = 32  # bytes

DM = "SA-1100 and SA-1110 Developer's Manuals, table of instruction timings"
DDI = "ARM9EJ-S TRM (DDI 0222B), table 8.2 and its interlocks"
ITSY = (
    "Grunwald et al., Policies for Dynamic Clock Scheduling, OSDI 2000, table of memory access "
    "times: Itsy, SA-1100 at 206.4 MHz"
)
FASS = "Wiggins et al., ACSAC 2003, section 2"


@dataclass(frozen=True)
class Case:
    """One of the guest's loops: what a step of it is, and what is published for a step, in cycles.

    A step whose result is used is two instructions, the second an ADD.
    """

    about: str
    strongarm: float | None = None
    arm9: float | None = None


# In the order of LOOPS in bench/silicon.c; the places are the guest's streams.
CASES = {
    "empty": Case("the loop without any step"),
    "delay": Case("a turn of Linux's delay loop: SUBS, BHI"),
    "alu": Case("ADD", 1, 1),
    "alu_dependent": Case("ADD of the ADD before", 1, 1),
    "shift_constant": Case("ADD with a shift by a constant", 1, 1),
    "shift_register": Case("ADD with a shift by a register", 1, 2),
    "load": Case("LDR, its word not used", 1, 1),
    "load_used": Case("LDR, its word used at once", 3, 3),
    "load_byte_used": Case("LDRB, its byte used at once", 3, 4),
    "load_signed_used": Case("LDRSB, its byte used at once", 4, 4),
    "load_shifted": Case("LDR with a shifted register offset, its word used at once", 3, 4),
    "store": Case("STR", 1, 1),
    "load_four": Case("LDM of four", 4, 4),
    "load_eight": Case("LDM of eight", 8, 8),
    "store_four": Case("STM of four", 4, 4),
    "swap": Case("SWP, its word not used", 2, 2),
    "mul_short": Case("MUL by a number of few bits, not used", 1, 2),
    "mul_long": Case("UMULL, not used", 2, 3),
    "branch": Case("B", 2, 3),
    "branch_not": Case("B, not taken", 1, 1),
    "mov_pc": Case("MOV to the program counter", None, 4),
    "mrs": Case("MRS", 1, 2),
    "mrc_used": Case("MRC of the identity, used at once", 3),
    "domains": Case("MCR to the domain access control register", 1),
    "drain": Case("MCR: drain the write buffer, which is empty"),
    "dtlb_entry": Case("MCR: invalidate an entry of the data TLB"),
    "clean_entry": Case("MCR: clean a line of the data cache that is clean"),
    "chase": Case("a chain of pointers, each in another line, none in the cache", 69),
    "words": Case("LDR of an address that is not cached", 20),
    "read": Case("LDM of eight: a line that is not in the cache"),
    "write": Case("STM of eight: a line that is not in the cache"),
    "copy": Case("LDM and STM of eight: a line to another, neither in the cache"),
}
INSTRUCTIONS = tuple(CASES)[2:23]
MEMORY = ("chase", "words")
BLOCKS = ("read", "write", "copy")
# In the figure: what differs between the processors, and memory.
DRAWN = (
    *("shift_register", "load_byte_used", "load_shifted", "mul_short", "mul_long", "branch"),
    *("mov_pc", "mrs", "load_eight", *MEMORY),
)
COPROCESSOR = ("domains", "drain", "dtlb_entry", "clean_entry")
# "cache misses (≈ 70 cycles per line)": the number that the memory of `sa1110` is made of.
FASS_LINE = 70
ITSY_MODEL = "sa1110"  # the machine with asynchronous DRAM, as the Itsy has it


@dataclass(frozen=True)
class Board:
    """A boot log: what the kernel counted in a tick of its clock, and the processor's clock."""

    name: str
    loops_per_jiffy: int
    clock_hz: int
    source: str
    # The log has BogoMIPS too, which are loops_per_jiffy * HZ / 500,000: so HZ is 100 in both.
    hz: int = 100

    @property
    def cycles(self) -> float:
        """Cycles of a turn of the loop there."""
        return self.clock_hz / self.loops_per_jiffy / self.hz


JORNADA = Board(
    "Jornada 720, SA-1110",
    683_008,
    206_400_000,
    "linux-arm-kernel, 7 February 2020, log of Linux 3.16.81 on a Jornada 720: "
    "136.60 BogoMIPS (lpj=683008)",
)
HAWKBOARD = Board(
    "OMAP-L138 (DA850), ARM926EJ-S",
    747_520,
    300_000_000,
    "log of Linux 2.6.32-rc6 on a Hawkboard, 2009: 149.50 BogoMIPS (lpj=747520)",
)
BOARDS = {**dict.fromkeys(STRONGARM, JORNADA), **dict.fromkeys(ARM9, HAWKBOARD)}
# init/calibrate.c: calibration ends when it knows the number to one part in 2^LPS_PREC.
LPS_PREC = 8


@dataclass(frozen=True)
class Point:
    """A machine: the cycles of each case's step."""

    machine: str
    clock_hz: int
    pairs: int
    cycles: Mapping[str, float] = field(hash=False)

    def megabytes(self, name: str) -> float:
        """What a case whose steps are lines moves in a second, in millions of bytes."""
        return LINE * self.clock_hz / self.cycles[name] / 1e6

    def loops_per_jiffy(self) -> float:
        """What Linux would count here if this machine had the published board's clock."""
        board = BOARDS[self.machine]
        return board.clock_hz / board.hz / self.cycles["delay"]


class Silicon(FromRuns[Point]):
    """The machines beside the boards."""

    name = NAME
    question = "How far are the machines from the processors that they are models of?"
    source = "boot logs, manuals and papers, named at each value"

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a machine."""
        pairs = settings.rounds or (QUICK_PAIRS if settings.quick else PAIRS)
        return [
            Job(
                name=machine,
                guest=GUESTS[f"{board}-{BARE}-bench-silicon"],
                machine=machine,
                append=f"times={TIMES} pairs={pairs}",
                max_cycles=MOST_CYCLES,
                parameters={"machine": machine},
            )
            for machine, board in MACHINES.items()
        ]

    def measure(self, job: Job, stats: Stats) -> Point:
        """The middle of each case's pairs, less the empty loop."""
        pairs = int(dict(word.split("=") for word in job.append.split())["pairs"])
        turns = {
            name: turn(stats.samples.get(place, []), pairs, f"{job.name}: {name}")
            for place, name in enumerate(CASES)
        }
        cycles = {
            name: value if name in ("empty", "delay") else (value - turns["empty"]) / STEPS
            for name, value in turns.items()
        }
        return Point(job.name, stats.clock_hz, pairs, cycles)

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, a table for each kind of measurement, the figure, and what differs."""
        found = [points[machine] for machine in MACHINES]
        return Outcome(
            records=[record for point in found for record in records(point)],
            tables=[delays(found), *tables(found)],
            figure=figure(found),
            notes=notes(found),
        )


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


def published(point: Point, name: str) -> Published | None:
    """What is published for a case on a machine's processor."""
    case = CASES[name]
    strong = point.machine in STRONGARM
    value = case.strongarm if strong else case.arm9
    if value is None or (name in MEMORY and point.machine != ITSY_MODEL):
        return None
    return Published(value, ITSY if name in MEMORY else DM if strong else DDI)


def records(point: Point) -> list[Record]:
    """Every value of a machine."""

    def made(metric: str, value: float, unit: str, anchor: Published | None) -> Record:
        return Record(
            NAME, point.machine, SYSTEM, "none", metric, round(value, 6), unit, {}, anchor
        )

    board = BOARDS[point.machine]
    loops = made(
        "loops_per_jiffy",
        point.loops_per_jiffy(),
        "loops",
        Published(board.loops_per_jiffy, board.source),
    )
    found = [loops]
    for name in CASES:
        anchor = Published(board.cycles, board.source) if name == "delay" else None
        value = point.cycles[name]
        found.append(made(name, value, "cycles", anchor or published(point, name)))
    return found + [
        made(f"{name}_bandwidth", point.megabytes(name), "MB/s", None) for name in BLOCKS
    ]


def difference(value: float, anchor: float | None) -> str:
    """How far a value is from the published one; nothing where none is."""
    return "" if anchor is None else f"{value / anchor - 1:+.1%}"


def delays(found: Sequence[Point]) -> Table:
    """loops_per_jiffy, brought to the boards' clocks."""
    rows = []
    for point in found:
        board = BOARDS[point.machine]
        value = point.loops_per_jiffy()
        rows.append(
            [
                board.name,
                f"{board.clock_hz / 1e6:g}",
                f"{board.loops_per_jiffy:,}",
                point.machine,
                f"{point.cycles['delay']:.3f}",
                f"{value:,.0f}",
                difference(value, board.loops_per_jiffy),
            ]
        )
    return Table(
        title="Linux's delay loop: loops_per_jiffy at the published board's clock",
        columns=["board", "MHz", "published", "machine", "cycles a turn", "measured", "difference"],
        rows=rows,
        caption="measured: the board's clock by the cycles of a turn here, in a tick of 1/100 s; "
        f"Linux finds the number to one part in {2**LPS_PREC} (LPS_PREC), with its ticks in it",
    )


def tables(found: Sequence[Point]) -> list[Table]:
    """The cases in groups, published beside measured."""
    return [
        table(found, "Instructions, cycles", INSTRUCTIONS),
        table(found, "Coprocessor 15, cycles", COPROCESSOR),
        table(found, "Memory, cycles", (*MEMORY, *BLOCKS)),
        Table(
            title="Memory in blocks, MB/s (millions of bytes)",
            columns=["", *(point.machine for point in found)],
            rows=[
                [CASES[name].about, *(f"{point.megabytes(name):.1f}" for point in found)]
                for name in BLOCKS
            ],
        ),
    ]


def table(found: Sequence[Point], title: str, names: Sequence[str]) -> Table:
    """Some cases on each machine; what is published for a processor, behind its machines."""
    groups = [[point for point in found if point.machine in names] for names in (STRONGARM, ARM9)]
    columns = [""]
    for group in groups:
        columns += [*(point.machine for point in group), "publ.", "diff."]
    rows = []
    for name in names:
        row = [CASES[name].about]
        for group in groups:
            anchor = published(group[0], name)
            row += [f"{point.cycles[name]:.1f}" for point in group]
            row += [f"{anchor.value:g}" if anchor else ""]
            row += [difference(group[0].cycles[name], anchor.value if anchor else None)]
        rows.append(row)
    sources = ITSY if set(names) & set(MEMORY) else f"{DM}; {DDI}"
    return Table(
        title=title,
        columns=columns,
        rows=rows,
        caption=f"published: {sources}; difference: of the machine that is named first",
    )


def notes(found: Sequence[Point]) -> list[str]:
    """What agrees and what does not, from the values at hand."""
    said = [loop_note(point) for point in found if point.machine != "sa1110-sdram"]
    for names in (STRONGARM[:1], ARM9):
        said += [instruction_note(point) for point in found if point.machine in names]
    said += [memory_note(point) for point in found]
    return said


def loop_note(point: Point) -> str:
    """loops_per_jiffy in a sentence."""
    board = BOARDS[point.machine]
    value = point.loops_per_jiffy()
    off = value / board.loops_per_jiffy - 1
    close = "within" if abs(off) <= 2 / 2**LPS_PREC else "more than"
    return (
        f"{point.machine}: a turn of Linux's delay loop takes {point.cycles['delay']:.3f} cycles, "
        f"on {board.name} {board.cycles:.3f} ({board.loops_per_jiffy:,} loops in a tick of "
        f"1/{board.hz} s at {board.clock_hz / 1e6:g} MHz). That makes {value:,.0f} loops, "
        f"{off:+.1%}, {close} two steps of Linux's own calibration, in which are the "
        "ticks' interrupts too."
    )


def instruction_note(point: Point) -> str:
    """Which instructions take what their manual says."""
    anchored = [(name, published(point, name)) for name in (*INSTRUCTIONS, "domains")]
    known = dict.fromkeys(name for name, anchor in anchored if anchor is not None)
    other = [
        f"{CASES[name].about} {point.cycles[name]:.1f} (published: {anchor.value:g})"
        for name, anchor in dict(anchored).items()
        if anchor is not None and abs(point.cycles[name] - anchor.value) > 0.05
    ]
    text = f"{point.machine}: {len(known) - len(other)} of {len(known)} instructions take what "
    text += "their manual says"
    return f"{text}; not so: {'; '.join(other)}." if other else f"{text}."


def memory_note(point: Point) -> str:
    """Lines and words from memory, and what the published ones were measured on."""
    line, word = point.cycles["chase"], point.cycles["words"]
    text = (
        f"{point.machine}: a line from memory takes {line:.1f} cycles with the load that waits for "
        f"it, a single word {word:.1f}"
    )
    lines, words = published(point, "chase"), published(point, "words")
    if lines is None or words is None:
        return f"{text}. Nothing is published for such memory with this processor."
    return (
        f"{text}; on an Itsy, whose SA-1100 had asynchronous DRAM, {lines.value:g} and "
        f"{words.value:g} ({line / lines.value - 1:+.0%} and {word / words.value - 1:+.0%}). The "
        f"machine's memory is made of another measurement, of about {FASS_LINE} cycles a line "
        f"({FASS}), so nothing here was fitted to the Itsy's."
    )


def figure(found: Sequence[Point]) -> Bars:
    """Some of what is published beside what is measured."""
    bars = []
    for point in found:
        if point.machine == "sa1110-sdram":
            continue
        for name in ("delay", *DRAWN):
            anchor = published(point, name)
            value = anchor.value if anchor else None
            if name == "delay":
                value = BOARDS[point.machine].cycles
            if value is not None:
                case = f"{name.replace('_', ' ')}, {point.machine}"
                bars.append(Bar(case, "measured", point.cycles[name]))
                bars.append(Bar(case, "published", value, published=True))
    return Bars(
        title="The machines beside the processors that they are models of",
        subtitle=[
            "cycles a step, measured by a guest without an operating system; hollow: published"
        ],
        value_title="cycles (log scale)",
        description="Cycles of instructions, of Linux's delay loop and of memory accesses on the "
        "simulated machines, each beside the value published for the real processor.",
        bars=bars,
        stacked=False,
        log=True,
    )
