# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/size.c: a run a scheme for words, and one for strings."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import l4, l4_boards, l4_pc
from switchyard.run.experiment import Case, Job, Parameter, Settings, Stats, each

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


class L4IpcSize(l4_pc.OnBoth[l4.Sample]):
    """IPC by the number of message registers, and with strings."""

    name = "l4-ipc-size"
    question = "What does a message cost one way, by its length?"
    source = "NICTA::Pistachio-embedded, SA-1100 at 206 MHz"
    digits = 3

    def on(self, place: l4.Place, settings: Settings) -> list[Job]:
        """Words under every scheme, strings where they can be sent."""
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        few = settings.times(STRING_ROUNDS, QUICK_STRING_ROUNDS)
        sizes = ",".join(map(str, STRINGS))
        return [
            place.job(
                "bench-size",
                scheme,
                f"{lengths} rounds={times} warmup={WARMUP}",
                number * (times + WARMUP) * CYCLES_A_ROUND,
                f"{scheme}-{kind}",
                {"kind": kind},
            )
            for kind, lengths, number, times in (
                ("words", f"words={WORDS[0]}-{WORDS[-1]}", len(WORDS), rounds),
                ("strings", f"words=0 strings={sizes}", len(STRINGS) + 1, few),
            )
            for scheme in place.schemes
            if kind == "words" or place is l4_pc.PLACE or scheme not in WITHOUT_STRINGS
        ]

    def measure(self, job: Job, stats: Stats) -> l4.Sample:
        """Regions are numbered by words, and by the string's place from `FIRST_STRING` on."""
        rounds = job.number("rounds")
        strings = job.parameters["kind"] == "strings"
        regions = dict(enumerate(STRINGS, FIRST_STRING)) if strings else {n: n for n in WORDS}
        # a string's answer is an empty message, which has a cost of its own
        empty = l4_pc.trap(job, stats, 0, traps=2) if strings else 0.0
        values = {}
        for region, size in regions.items():
            one_way = l4_pc.trap(job, stats, region, traps=2)
            met = l4_boards.rates_on(job, stats.region(region), rounds)
            if not l4_pc.is_on(job):
                met = {"misses": sum(met[name] for name in l4.MISSES)}
            values[size] = {
                "one_way": 2 * one_way - empty if strings else one_way,
                "one_way_samples": rounds,
                **met,
            }
        return l4.Sample(stats.machine, str(job.parameters["scheme"]), values)

    def row(self, job: Job, sample: l4.Sample) -> dict[str, Parameter]:
        """Cycles by length."""
        cycles = {str(size): values["one_way"] for size, values in sample.values.items()}
        return {**job.parameters, **cycles}

    def cases(self, samples: Mapping[str, l4.Sample]) -> Iterator[Case]:
        """Words, the floor, and strings; then the PC's."""
        units = {"one_way": "cycles", "one_way_samples": "1"}
        for place in l4_pc.PLACES:
            for kind, parameter in (("words", "message_registers"), ("strings", "string_bytes")):
                for name, sample in samples.items():
                    if name.endswith(f"-{kind}") and sample.machine.startswith(place.machine):
                        for size, values in sample.values.items():
                            told = each(values, "per_round_trip", but=units)
                            yield Case(sample.machine, sample.scheme, {parameter: size}, told)
                if place is l4.ARM and kind == "words":
                    machine = samples["fass-words"].machine
                    for n in WORDS:
                        one_way = [("floor", floor(n), "cycles")]
                        yield Case(machine, "none", {parameter: n}, one_way)
