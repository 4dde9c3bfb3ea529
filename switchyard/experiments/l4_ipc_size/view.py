# SPDX-License-Identifier: Apache-2.0
"""Cycles one way by a message's length, beside what is published and the floor."""

from collections.abc import Mapping, Sequence

from switchyard.experiments import l4_pc
from switchyard.experiments.l4 import ABOUT, COLUMNS, MACHINE
from switchyard.experiments.l4_ipc_size import measure
from switchyard.experiments.l4_ipc_size.measure import STRINGS, WORDS, floor
from switchyard.show import declared as show

NICTA = "NICTA::Pistachio-embedded, SA-1100 at 206 MHz"
SHOWN = (0, 4, 5, 8, 9, 12, 16, 20, 32, 48, 63)  # in the table
X_TITLE = "untyped words (message registers 1 to n)"
X_TICKS = [0, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 63]
# The published kernel's own path on the machine `sa1110`, one way, by the simulator's log of its
# instructions; that kernel is no part of this repository (docs/ipc-path.md).
THEIR_CALL, THEIR_REPLY = 132, 147
# Curves that nowhere differ by more are drawn as one.
SAME = 0.03
ONE_WAY = ("one_way", 0)
AXES = show.Axes(f"cycles one way over {X_TITLE}", x_ticks=X_TICKS, y_ticks=range(0, 451, 50))


def view(results: show.Results) -> show.View:
    arm, pc = l4_pc.apart(results.rows)
    with_strings = [s for s in COLUMNS if s not in measure.WITHOUT_STRINGS]
    on_pc = l4_pc.there(pc)

    words, string = arm.by("scheme", "message_registers"), arm.by("scheme", "string_bytes")
    paper = results.papers("one_way", "message_registers", scheme="fass")
    by_words = {s: [words(s, n) for n in WORDS] for s in COLUMNS}
    by_bytes = {s: [string(s, size) for size in STRINGS] for s in with_strings}
    pc_words = {s: [pc.find(scheme=s, message_registers=n) for n in WORDS] for s in on_pc}
    pc_bytes = {s: [pc.find(scheme=s, string_bytes=n) for n in STRINGS] for s in on_pc}
    fass, flush, most = by_words["fass"], by_words["flush"], WORDS[-1]
    steps = {
        **measure.FLOOR,
        f"all of it, up to {measure.IN_REGISTERS} words": floor(0),
        "each word more: a load and a store": measure.FLOOR_A_WORD,
    }
    one_way = {s: show.under(s, ONE_WAY) for s in COLUMNS}
    by_n = {f"{n}": {s: words(s, n) for s in COLUMNS} for n in SHOWN}
    by_size = {f"{n}": {s: string(s, n) for s in with_strings} for n in STRINGS}
    tables = [
        show.table(
            "One way, cycles, by message registers: median of the round trips, halved",
            "words",
            by_n,
            {**one_way, "floor": _floor},
            "floor: no checks, every access a hit",
        ),
        show.table(
            "One way, cycles, with a string",
            "bytes",
            by_size,
            {**{s: one_way[s] for s in with_strings}, "fass, a word": _a_word},
            "a string one way, an empty message back, whose cost is taken off",
        ),
        show.table("The floor, cycles", "step", steps, {"cycles": str}),
    ]
    on_pc_of = {"words": ("message_registers", SHOWN), "bytes": ("string_bytes", STRINGS)}
    for head, (parameter, ns) in on_pc_of.items() if on_pc else ():
        title = f"One way on {l4_pc.MACHINE}, cycles, by {head}; and what a round trip met"
        columns = show.each(on_pc, {"cycles": ONE_WAY, **l4_pc.MET})
        lines = {f"{n}": show.across(pc, "scheme", on_pc, **{parameter: n}) for n in ns}
        tables.append(show.table(title, head, lines, columns, l4_pc.MEANT))
    samples = (flush[0]["one_way_samples"], by_bytes["fass"][0]["one_way_samples"])
    papers = {n: paper(n) for n in (0, 4, 8, 16)}
    beside_flush = {s: rows for s, rows in by_words.items() if s != "flush"}
    figures = {
        "": show.lines(
            "IPC between two address spaces, one way, by message registers",
            f"{ABOUT}; measured: simulated machine {MACHINE}, median of {samples[0]:,} round trips,"
            f" halved;\npublished: {NICTA}. Not shown: flush, {flush[0]['one_way']:,.0f} to "
            f"{flush[-1]['one_way']:,.0f} cycles",
            AXES,
            [
                *_curves(beside_flush, "message_registers"),
                *show.published("fass", "published: 131, 141, 161", papers),
                show.Series("floor", "floor: no checks", [show.Mark(n, floor(n)) for n in WORDS]),
            ],
        ),
        "strings": show.lines(
            "A string between two address spaces, one way",
            f"{ABOUT}; simulated machine {MACHINE}, median of {samples[1]:,} round trips",
            show.Axes("cycles one way over bytes", "xy", None, x_ticks=list(STRINGS)),
            _curves(by_bytes, "string_bytes"),
        ),
    }
    if pc_words:
        rounds = pc_words[on_pc[0]][0]["one_way_samples"]
        figures["pc"] = show.lines(
            "IPC between two address spaces on a Pentium 4, one way, by message registers",
            f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}, median of {rounds:,} round trips, "
            "halved",
            show.Axes(f"cycles one way over {X_TITLE}", x_ticks=X_TICKS),
            _curves(pc_words, "message_registers"),
        )
    return show.View(tables, figures, {**locals(), "bytes": STRINGS[-1]})


def _floor(by: Mapping[str, show.Row]) -> str:
    return f"{floor(int(by['fass'].where['message_registers']))}"


def _a_word(by: Mapping[str, show.Row]) -> str:
    row = by["fass"]
    return f"{row['one_way'] / float(row.where['string_bytes']) * 4:.1f}"


def _curves(by: Mapping[str, Sequence[show.Row]], x: str) -> list[show.Series]:
    """A series for each scheme; those whose lines would cover each other share one."""
    shared: list[list[str]] = []
    for scheme, curve in by.items():
        for schemes in shared:
            pairs = zip(curve, by[schemes[0]], strict=True)
            if all(abs(a["one_way"] / b["one_way"] - 1) < SAME for a, b in pairs):
                schemes.append(scheme)
                break
        else:
            shared.append([scheme])
    labels = {schemes[0]: f"{' and '.join(schemes)}, measured" for schemes in shared}
    return [show.line(label, by[s], x, "one_way", kind=s) for s, label in labels.items()]
