# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/size.c: a run a scheme for words, and one for strings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from switchyard.data.records import Parameter, Record, of_case
from switchyard.experiments import l4, l4_pc, l4_trap
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.l4 import COLUMNS, MISSES, SYSTEM
from switchyard.run.machine import Stats

WORDS = range(64)
STRINGS = (16, 64, 256, 1024, 4096, 16384, 65536)
# There no page of a program is on the kernel's books, from which string copies take their frames.
WITHOUT_STRINGS = l4.UNPROTECTED
FIRST_STRING = 64  # bench/l4/size.c: regions of strings follow those of words

ROUNDS, QUICK_ROUNDS = 1_000, 100
STRING_ROUNDS, QUICK_STRING_ROUNDS = 50, 10
WARMUP = 20
CYCLES_A_ROUND = 2_000_000  # ten times the slowest, a flush on both sides; 64 KB: half of that

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
FLOOR_A_WORD = 2  # load and store one word from message register 5 on
IN_REGISTERS = 4


def floor(words: int) -> int:
    """Cycles one way of a path that checks nothing."""
    return sum(FLOOR.values()) + FLOOR_A_WORD * max(0, words - IN_REGISTERS)


@dataclass(frozen=True)
class Sample:
    """A run: one scheme, and by words or bytes the cycles one way and the misses of both ways."""

    scheme: str
    machine: str
    rounds: int
    cycles: Mapping[str, float] = field(hash=False)
    misses: Mapping[str, Mapping[str, float]] = field(hash=False)


def _kinds(settings: Settings) -> dict[str, tuple[str, int]]:
    """Words and strings: the command line, and the most cycles."""
    rounds = settings.times(ROUNDS, QUICK_ROUNDS)
    few = settings.times(STRING_ROUNDS, QUICK_STRING_ROUNDS)
    sizes = ",".join(str(size) for size in STRINGS)
    kinds = {
        "words": (f"words={WORDS[0]}-{WORDS[-1]}", len(WORDS), rounds),
        "strings": (f"words=0 strings={sizes}", len(STRINGS) + 1, few),
    }
    return {
        kind: (
            f"{lengths} rounds={times} warmup={WARMUP}",
            number * (times + WARMUP) * CYCLES_A_ROUND,
        )
        for kind, (lengths, number, times) in kinds.items()
    }


def _on_arm(job: Job, stats: Stats, region: int) -> tuple[float, dict[str, float]]:
    """Cycles one way, and misses of all kinds of a round trip."""
    trap = l4_trap.measured(stats, region, l4.word(job, "rounds"), traps=2)
    return trap.cycles, {"misses": sum(trap.rates[name] for name in MISSES)}


def _on_pc(job: Job, stats: Stats, region: int) -> tuple[float, dict[str, float]]:
    """The same on the PC, by kind of miss."""
    rounds = l4.word(job, "rounds")
    rates = l4_pc.rates_of(stats.region(region), rounds)
    return l4_pc.trap(job, stats, region, rounds, traps=2), rates


class L4IpcSize(Experiment[Sample]):
    """IPC by the number of message registers, and with strings."""

    name = "l4-ipc-size"
    question = "What does a message cost one way, by its length?"
    source = "NICTA::Pistachio-embedded, SA-1100 at 206 MHz"

    def jobs(self, settings: Settings) -> list[Job]:
        """Words under every scheme, strings where they can be sent; on the PC too."""
        return [
            *self.choices(settings),
            *(
                l4_pc.job("bench-size", scheme, words, cycles, l4_pc.job_name(scheme, kind), of)
                for kind, (words, cycles) in _kinds(settings).items()
                for scheme in l4_pc.SCHEMES
                for of in [{"kind": kind}]
            ),
        ]

    def choices(self, settings: Settings) -> list[Job]:
        """Sweeps are of one kind of machine."""
        return [
            l4.job("bench-size", scheme, words, cycles, f"{scheme}-{kind}", {"kind": kind})
            for kind, (words, cycles) in _kinds(settings).items()
            for scheme in COLUMNS
            if kind == "words" or scheme not in WITHOUT_STRINGS
        ]

    def measure(self, job: Job, stats: Stats) -> Sample:
        """Regions are numbered by words, and by the string's place from `FIRST_STRING` on."""
        rounds = l4.word(job, "rounds")
        strings = job.parameters["kind"] == "strings"
        regions = dict(enumerate(STRINGS, FIRST_STRING)) if strings else {n: n for n in WORDS}
        one_way = _on_pc if l4_pc.is_on(job) else _on_arm
        found = {str(size): one_way(job, stats, region) for region, size in regions.items()}
        cycles = {size: each for size, (each, _) in found.items()}
        if strings:
            # A string's answer is an empty message, which has its own cost.
            empty, _ = one_way(job, stats, 0)
            cycles = {size: 2 * both - empty for size, both in cycles.items()}
        misses = {size: rates for size, (_, rates) in found.items()}
        return Sample(str(job.parameters["scheme"]), stats.machine, rounds, cycles, misses)

    def row(self, job: Job, sample: Sample) -> dict[str, Parameter]:
        """Cycles by length; misses have the same names."""
        return {**job.parameters, **sample.cycles}

    def records(self, samples: Mapping[str, Sample]) -> list[Record]:
        """Words, the floor, and strings."""
        floors = [
            record
            for n in WORDS
            for record in of_case(
                self.name,
                samples["fass-words"].machine,
                SYSTEM,
                "none",
                {"message_registers": n},
                [("floor", floor(n), "cycles")],
            )
        ]
        kinds = {"words": ("message_registers", WORDS), "strings": ("string_bytes", STRINGS)}
        found = {
            (kind, on_pc): [
                record
                for name, sample in samples.items()
                if name.endswith(f"-{kind}") and (sample.machine == l4_pc.MACHINE) == on_pc
                for length in lengths
                for record in self._case(sample, parameter, length)
            ]
            for on_pc in (False, True)
            for kind, (parameter, lengths) in kinds.items()
        }
        words, strings, *more = found.values()
        return [*words, *floors, *strings, *(record for some in more for record in some)]

    def _case(self, sample: Sample, parameter: str, length: int) -> list[Record]:
        values = [
            ("one_way", sample.cycles[str(length)], "cycles"),
            ("one_way_samples", sample.rounds, "1"),
            *(
                (name, value, "per_round_trip")
                for name, value in sample.misses[str(length)].items()
            ),
        ]
        where: dict[str, Parameter] = {parameter: length}
        return of_case(self.name, sample.machine, SYSTEM, sample.scheme, where, values, digits=3)
