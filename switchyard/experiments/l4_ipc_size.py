# SPDX-License-Identifier: Apache-2.0
"""One-way IPC between two address spaces by the message's length: registers, then strings.

One way is half a round trip: the cycles from the trap into the kernel to the partner's first
instruction. Published for the processor's family are three points of the fastest kernel, as the
project's list of tasks names them. Beside them stands the floor: what is left of the path if it
checked nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from switchyard.build import BOARD, GUESTS, TAGS
from switchyard.experiments import l4, l4_trap
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings, Table
from switchyard.experiments.l4 import COLUMNS
from switchyard.experiments.l4_trap import Trap
from switchyard.machine import Stats
from switchyard.plot import Figure, Mark, Series
from switchyard.records import Parameter, Published, Record

NAME = "l4-ipc-size"
MACHINE = "sa1110"
SYSTEM = "switchyard-l4"
PROGRAM = "bench-size"

WORDS = range(64)
SHOWN = (0, 4, 5, 8, 9, 12, 16, 20, 32, 48, 63)  # in the table
STRINGS = (16, 64, 256, 1024, 4096, 16384, 65536)
# Under `single-space` no page of a program is on the kernel's books, from which string copies
# take their frames.
WITHOUT_STRINGS = ("single-space",)
FIRST_STRING = 64  # bench/l4/size.c: regions of strings follow those of words

ROUNDS, QUICK_ROUNDS = 1_000, 100
STRING_ROUNDS, QUICK_STRING_ROUNDS = 50, 10
WARMUP = 20
CYCLES_TO_START = 400_000_000
CYCLES_A_ROUND = 2_000_000  # ten times the slowest, a flush on both sides; 64 KB: half of that

NICTA = "NICTA::Pistachio-embedded, SA-1100 at 206 MHz"
# The published kernel's own path on the machine `sa1110`, one way, by the simulator's log of its
# instructions; that kernel is no part of this repository (docs/ipc-path.md).
THEIR_CALL, THEIR_REPLY = 132, 147
ANCHORS = {
    4: Published(131, f"{NICTA}: 131 cycles one way with up to 4 message registers"),
    8: Published(141, f"{NICTA}: 141 cycles one way with 8 message registers"),
    16: Published(161, f"{NICTA}: 161 cycles one way with 16 message registers"),
}

# The floor: instructions and memory accesses without which no message arrives, by the timing of
# docs/machine-sa1110.md when all of them hit. docs/ipc-path.md has them one by one.
FLOOR = {
    "trap: issue, exception entry, branch from the vector": 5,
    "the running thread's TCB": 1,
    "keep r11, sp, lr": 3,
    "the partner's TCB from its id": 3,
    "the sender waits, the partner runs: two words": 2,
    "the sender's id for the receiver": 1,
    "the partner's space, its DACR and PID: load, write": 5,
    "the UTCB pointer: load, address, store": 3,
    "the partner's r11, sp, lr and where it goes on": 4,
    "return: write PC and mode": 3,
}
# Curves that nowhere differ by more are drawn as one.
SAME = 0.03

FLOOR_A_WORD = 2  # load and store one word from message register 5 on
IN_REGISTERS = 4


@dataclass(frozen=True)
class Point:
    """A run: one scheme, and cycles one way by length; strings by bytes."""

    scheme: str
    machine: str
    rounds: int
    cycles: Mapping[str, float]
    traps: Mapping[int, Trap] = field(hash=False)


def floor(words: int) -> int:
    """Cycles one way of a path that checks nothing."""
    return sum(FLOOR.values()) + FLOOR_A_WORD * max(0, words - IN_REGISTERS)


def anchor_of(scheme: str, words: int) -> Published | None:
    """The published value: it is a kernel with fast address-space switching."""
    if scheme != "fass":
        return None
    return ANCHORS[4] if words <= 4 else ANCHORS.get(words)


class L4IpcSize(FromRuns[Point]):
    """IPC by the number of message registers, and with strings."""

    name = NAME
    question = "What does a message cost one way, by its length?"
    source = NICTA

    def jobs(self, settings: Settings) -> list[Job]:
        """A run a scheme for words, and one for strings."""
        rounds = settings.rounds or (QUICK_ROUNDS if settings.quick else ROUNDS)
        few = settings.rounds or (QUICK_STRING_ROUNDS if settings.quick else STRING_ROUNDS)
        sizes = ",".join(str(size) for size in STRINGS)
        return [
            self._job(scheme, "words", f"words={WORDS[0]}-{WORDS[-1]}", len(WORDS), rounds)
            for scheme in COLUMNS
        ] + [
            self._job(scheme, "strings", f"words=0 strings={sizes}", len(STRINGS) + 1, few)
            for scheme in COLUMNS
            if scheme not in WITHOUT_STRINGS
        ]

    def _job(self, scheme: str, kind: str, lengths: str, number: int, rounds: int) -> Job:
        return Job(
            name=f"{scheme}-{kind}",
            guest=GUESTS[f"{BOARD}-{scheme}-{PROGRAM}"],
            machine=l4.machine(scheme, MACHINE),
            append=f"{lengths} rounds={rounds} warmup={WARMUP}",
            max_cycles=CYCLES_TO_START + number * (rounds + WARMUP) * CYCLES_A_ROUND,
            parameters={"scheme": scheme, "kind": kind},
        )

    def measure(self, job: Job, stats: Stats) -> Point:
        """Regions are numbered by words, and by the string's place from `FIRST_STRING` on."""
        rounds = int(dict(word.split("=") for word in job.append.split())["rounds"])
        regions = {words: words for words in WORDS}
        if job.parameters["kind"] == "strings":
            regions = {FIRST_STRING + place: size for place, size in enumerate(STRINGS)}
        traps = {
            size: l4_trap.measured(stats, region, rounds, traps=2)
            for region, size in regions.items()
        }
        if job.parameters["kind"] == "strings":
            # A string's answer is an empty message, which has its own cost.
            empty = l4_trap.measured(stats, 0, rounds, traps=2).cycles
            cycles = {str(size): 2 * trap.cycles - empty for size, trap in traps.items()}
        else:
            cycles = {str(size): trap.cycles for size, trap in traps.items()}
        return Point(str(job.parameters["scheme"]), stats.machine, rounds, cycles, traps)

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, tables, two figures, and a sentence on each published value."""
        words = {s: points[f"{s}-words"] for s in COLUMNS}
        strings = {s: points[f"{s}-strings"] for s in COLUMNS if s not in WITHOUT_STRINGS}
        return Outcome(
            records=records(words, strings),
            tables=[table(words), string_table(strings), floor_table()],
            figure=figure(words),
            notes=notes(words, strings),
            more={"strings": string_figure(strings)},
        )


def records(words: Mapping[str, Point], strings: Mapping[str, Point]) -> list[Record]:
    """Every measured value, and the floor."""
    made = []
    for scheme, point in words.items():
        for n in WORDS:
            value, anchor = point.cycles[str(n)], anchor_of(scheme, n)
            made.append(
                _record(point, "one_way", {"message_registers": n}, value, "cycles", anchor)
            )
    machine = words["fass"].machine
    for n in WORDS:
        parameters = {"message_registers": n}
        made.append(Record(NAME, machine, SYSTEM, "none", "floor", floor(n), "cycles", parameters))
    for point in strings.values():
        for size in STRINGS:
            value = point.cycles[str(size)]
            made.append(_record(point, "one_way", {"string_bytes": size}, value, "cycles"))
    return made


def _record(
    point: Point,
    metric: str,
    parameters: Mapping[str, Parameter],
    value: float,
    unit: str,
    published: Published | None = None,
) -> Record:
    return Record(
        experiment=NAME,
        machine=point.machine,
        system=SYSTEM,
        scheme=point.scheme,
        metric=metric,
        parameters=parameters,
        value=round(value, 3),
        unit=unit,
        published=published,
    )


def table(words: Mapping[str, Point]) -> Table:
    """Cycles one way by message registers."""
    rows = []
    for n in SHOWN:
        anchor = anchor_of("fass", n)
        cells = [f"{point.cycles[str(n)]:.0f}" for point in words.values()]
        rows.append([f"{n}", *cells, f"{anchor.value:g}" if anchor else "", f"{floor(n)}"])
    return Table(
        title="One way, cycles, by message registers: median of the round trips, halved",
        columns=["words", *words, "published", "floor"],
        rows=rows,
        caption=f"published: {NICTA}; floor: no checks, every access a hit",
    )


def string_table(strings: Mapping[str, Point]) -> Table:
    """Cycles one way by bytes of one string."""
    rows = []
    for size in STRINGS:
        cells = [f"{point.cycles[str(size)]:.0f}" for point in strings.values()]
        fass = strings["fass"].cycles[str(size)]
        rows.append([f"{size}", *cells, f"{fass / size * 4:.1f}"])
    return Table(
        title="One way, cycles, with a string",
        columns=["bytes", *strings, "fass, a word"],
        rows=rows,
        caption="a string one way, an empty message back, whose cost is taken off",
    )


def floor_table() -> Table:
    """What the floor consists of."""
    rows = [[step, f"{cycles}"] for step, cycles in FLOOR.items()]
    rows.append([f"all of it, up to {IN_REGISTERS} words", f"{floor(0)}"])
    rows.append(["each word more: a load and a store", f"{FLOOR_A_WORD}"])
    return Table(title="The floor, cycles", columns=["step", "cycles"], rows=rows)


def notes(words: Mapping[str, Point], strings: Mapping[str, Point]) -> list[str]:
    """A sentence on each published value, and on what else is to be seen."""
    fass, flush = words["fass"], words["flush"]
    made = []
    for n, anchor in ANCHORS.items():
        value = fass.cycles[str(n)]
        share = value / anchor.value - 1
        made.append(
            f"fass with {n} message registers: {value:.0f} cycles, {abs(share):.0%} "
            f"{'below' if share < 0 else 'above'} the published {anchor.value:g} and "
            f"{value - floor(n):.0f} above the floor of {floor(n)}."
        )
    made.append(
        "That kernel, from its public history, was run on this machine: its path takes "
        f"{THEIR_CALL} cycles for a call and {THEIR_REPLY} for a reply with wait here. So the "
        "model has the processor's cycles for that path, and the distance to it is the length of "
        "the path and nothing else. The floor is by the same model: the distance to that is this "
        "path's own."
    )
    misses = sum(
        fass.traps[4].rates[name]
        for name in ("icache_misses", "dcache_misses", "itlb_misses", "dtlb_misses")
    )
    made.append(f"fass, 4 message registers: {misses:.2f} misses of any kind a round trip.")
    ratio = flush.cycles["4"] / fass.cycles["4"]
    made.append(
        f"flush takes {flush.cycles['4']:.0f} cycles one way in the kernel, {ratio:.0f} times as "
        "many, and its programs' own refills come on top; longer messages then cost it more a "
        "word, as both UTCBs are fetched from memory again."
    )
    tags = words[TAGS].cycles
    made.append(
        f"With hardware tags, the bound of all ways to switch, one way takes {tags['4']:.0f} "
        f"cycles up to 4 words and {tags[str(WORDS[-1])]:.0f} with {WORDS[-1]}, under fass "
        f"{fass.cycles['4']:.0f} and {fass.cycles[str(WORDS[-1])]:.0f}."
    )
    big, bytes_ = strings["fass"], STRINGS[-1]
    cycles = big.cycles[str(bytes_)]
    made.append(
        f"A string of {bytes_ // 1024} KB takes {cycles:.0f} cycles, {cycles / bytes_ * 4:.1f} a "
        "word: each line is fetched once from the sender's memory, and each word is written past "
        "the caches into the receiver's frame."
    )
    return made


def _curves(points: Mapping[str, Point], lengths: Sequence[int]) -> list[Series]:
    """A series for each scheme; those whose lines would cover each other share one."""
    shared: list[list[str]] = []
    for scheme in points:
        for schemes in shared:
            first, point = points[schemes[0]].cycles, points[scheme].cycles
            if all(abs(point[str(n)] / first[str(n)] - 1) < SAME for n in lengths):
                schemes.append(scheme)
                break
        else:
            shared.append([scheme])
    return [
        Series(
            schemes[0],
            f"{' and '.join(schemes)}, measured",
            [Mark(n, points[schemes[0]].cycles[str(n)]) for n in lengths],
        )
        for schemes in shared
    ]


def figure(words: Mapping[str, Point]) -> Figure:
    """Cycles by message registers."""
    series = _curves({s: point for s, point in words.items() if s != "flush"}, WORDS)
    marks = [Mark(n, anchor.value) for n, anchor in ANCHORS.items()]
    published = Series("fass", "published: 131, 141, 161", [Mark(0, 131), *marks], published=True)
    lowest = Series("floor", "floor: no checks", [Mark(n, floor(n)) for n in WORDS])
    flush = words["flush"]
    return Figure(
        title="IPC between two address spaces, one way, by message registers",
        subtitle=[
            f"StrongARM SA-1110 at 200 MHz; measured: simulated machine {MACHINE}, median of "
            f"{flush.rounds:,} round trips, halved;",
            f"published: {NICTA}. Not shown: flush, {flush.cycles['0']:,.0f} to "
            f"{flush.cycles[str(WORDS[-1])]:,.0f} cycles",
        ],
        x_title="untyped words (message registers 1 to n)",
        y_title="cycles one way",
        description=(
            f"Cycles one way rise from {words['fass'].cycles['0']:.0f} with no words to "
            f"{words['fass'].cycles[str(WORDS[-1])]:.0f} with {WORDS[-1]} under fass; published "
            "are 131 up to 4 words, 141 with 8, 161 with 16."
        ),
        series=[*series, published, lowest],
        y_range=(0, 450),
        y_ticks=list(range(0, 451, 50)),
        x_ticks=[0, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 63],
    )


def string_figure(strings: Mapping[str, Point]) -> Figure:
    """Cycles by bytes of a string."""
    return Figure(
        title="A string between two address spaces, one way",
        subtitle=[
            f"StrongARM SA-1110 at 200 MHz; simulated machine {MACHINE}, median of "
            f"{strings['fass'].rounds:,} round trips"
        ],
        x_title="bytes (log scale)",
        y_title="cycles one way (log scale)",
        description="Cycles one way by the string's length for each scheme, both axes logarithmic.",
        series=_curves(strings, STRINGS),
        log_x=True,
        log_y=True,
        x_ticks=list(STRINGS),
    )
