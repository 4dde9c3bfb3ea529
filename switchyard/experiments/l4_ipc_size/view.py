# SPDX-License-Identifier: Apache-2.0
"""Cycles one way by a message's length, beside what is published and the floor."""

from collections.abc import Mapping, Sequence

from switchyard.data.rows import Row
from switchyard.experiments import l4_pc
from switchyard.experiments.l4 import ABOUT, COLUMNS, MACHINE
from switchyard.experiments.l4_ipc_size.measure import (
    FLOOR,
    FLOOR_A_WORD,
    IN_REGISTERS,
    STRINGS,
    WITHOUT_STRINGS,
    WORDS,
    floor,
)
from switchyard.show.figure import Figure, Mark, Series, Table
from switchyard.show.views import Results, View

NICTA = "NICTA::Pistachio-embedded, SA-1100 at 206 MHz"
SHOWN = (0, 4, 5, 8, 9, 12, 16, 20, 32, 48, 63)  # in the table
# The published kernel's own path on the machine `sa1110`, one way, by the simulator's log of its
# instructions; that kernel is no part of this repository (docs/ipc-path.md).
THEIR_CALL, THEIR_REPLY = 132, 147
# Curves that nowhere differ by more are drawn as one.
SAME = 0.03


def view(results: Results) -> View:
    """Words and strings."""
    arm, pc = l4_pc.apart(results.rows)

    def words(scheme: str, n: int) -> Row:
        return arm.find("one_way", scheme=scheme, message_registers=n)

    def string(scheme: str, size: int) -> Row:
        return arm.find(scheme=scheme, string_bytes=size)

    def paper(n: int) -> float | None:
        return results.paper("one_way", scheme="fass", message_registers=n)

    by_words = {s: [words(s, n) for n in WORDS] for s in COLUMNS}
    by_bytes = {
        s: [string(s, size) for size in STRINGS] for s in COLUMNS if s not in WITHOUT_STRINGS
    }
    tables = [
        Table(
            title="One way, cycles, by message registers: median of the round trips, halved",
            columns=["words", *COLUMNS, "floor"],
            rows=[
                [
                    f"{n}",
                    *(f"{curve[n]['one_way']:.0f}" for curve in by_words.values()),
                    f"{floor(n)}",
                ]
                for n in SHOWN
            ],
            caption="floor: no checks, every access a hit",
        ),
        Table(
            title="One way, cycles, with a string",
            columns=["bytes", *by_bytes, "fass, a word"],
            rows=[
                [
                    f"{size}",
                    *(f"{string(scheme, size)['one_way']:.0f}" for scheme in by_bytes),
                    f"{string('fass', size)['one_way'] / size * 4:.1f}",
                ]
                for size in STRINGS
            ],
            caption="a string one way, an empty message back, whose cost is taken off",
        ),
        Table(
            title="The floor, cycles",
            columns=["step", "cycles"],
            rows=[
                *([step, f"{cycles}"] for step, cycles in FLOOR.items()),
                [f"all of it, up to {IN_REGISTERS} words", f"{floor(0)}"],
                ["each word more: a load and a store", f"{FLOOR_A_WORD}"],
            ],
        ),
    ]
    pc_words = {s: [pc.find(scheme=s, message_registers=n) for n in WORDS] for s in l4_pc.there(pc)}
    pc_bytes = {s: [pc.find(scheme=s, string_bytes=n) for n in STRINGS] for s in l4_pc.there(pc)}
    if pc_words:
        tables += [
            _on_pc("words", {n: {s: rows[n] for s, rows in pc_words.items()} for n in SHOWN}),
            _on_pc(
                "bytes",
                {n: {s: rows[i] for s, rows in pc_bytes.items()} for i, n in enumerate(STRINGS)},
            ),
        ]
    return View(
        tables,
        {
            "": _by_words(by_words, {n: paper(n) for n in (0, 4, 8, 16)}),
            "strings": _by_bytes(by_bytes),
            **({"pc": _pc_figure(pc_words)} if pc_words else {}),
        },
        {
            "pc_words": pc_words,
            "pc_bytes": pc_bytes,
            "words": words,
            "string": string,
            "paper": paper,
            "floor": floor,
            "their_call": THEIR_CALL,
            "their_reply": THEIR_REPLY,
            "most": WORDS[-1],
            "bytes": STRINGS[-1],
        },
    )


def _on_pc(head: str, rows: Mapping[int, Mapping[str, Row]]) -> Table:
    schemes = next(iter(rows.values()))
    return Table(
        title=f"One way on {l4_pc.MACHINE}, cycles, by {head}; and what a round trip met",
        columns=[head, *(f"{s}: {name}" for s in schemes for name in ("cycles", *l4_pc.MET))],
        rows=[
            [
                f"{n}",
                *(
                    f"{row[metric]:.{digits}f}"
                    for row in by.values()
                    for metric, digits in (("one_way", 0), *l4_pc.MET.values())
                ),
            ]
            for n, by in rows.items()
        ],
        caption=l4_pc.MEANT,
    )


def _pc_figure(by: Mapping[str, Sequence[Row]]) -> Figure:
    ends = ", ".join(
        f"{s} {rows[0]['one_way']:.0f} to {rows[-1]['one_way']:.0f}" for s, rows in by.items()
    )
    samples = next(iter(by.values()))[0]["one_way_samples"]
    return Figure(
        title="IPC between two address spaces on a Pentium 4, one way, by message registers",
        subtitle=[
            f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}, median of {samples:,} round trips, "
            "halved"
        ],
        x_title="untyped words (message registers 1 to n)",
        y_title="cycles one way",
        description=f"Cycles one way over the number of words: {ends}.",
        series=_curves(by, "message_registers"),
        x_ticks=[0, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 63],
    )


def _curves(by: Mapping[str, Sequence[Row]], x: str) -> list[Series]:
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
    return [
        Series(
            schemes[0],
            f"{' and '.join(schemes)}, measured",
            [row.mark(x, "one_way") for row in by[schemes[0]]],
        )
        for schemes in shared
    ]


def _by_words(by: Mapping[str, Sequence[Row]], papers: Mapping[int, float | None]) -> Figure:
    fass, flush = by["fass"], by["flush"]
    published = [Mark(n, value) for n, value in papers.items() if value is not None]
    return Figure(
        title="IPC between two address spaces, one way, by message registers",
        subtitle=[
            f"{ABOUT}; measured: simulated machine {MACHINE}, median of "
            f"{flush[0]['one_way_samples']:,} round trips, halved;",
            f"published: {NICTA}. Not shown: flush, {flush[0]['one_way']:,.0f} to "
            f"{flush[-1]['one_way']:,.0f} cycles",
        ],
        x_title="untyped words (message registers 1 to n)",
        y_title="cycles one way",
        description=(
            f"Cycles one way rise from {fass[0]['one_way']:.0f} with no words to "
            f"{fass[-1]['one_way']:.0f} with {WORDS[-1]} under fass; published are 131 up to 4 "
            "words, 141 with 8, 161 with 16."
        ),
        series=[
            *_curves({s: curve for s, curve in by.items() if s != "flush"}, "message_registers"),
            Series("fass", "published: 131, 141, 161", published, published=True),
            Series("floor", "floor: no checks", [Mark(n, floor(n)) for n in WORDS]),
        ],
        y_range=(0, 450),
        y_ticks=list(range(0, 451, 50)),
        x_ticks=[0, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 63],
    )


def _by_bytes(by: Mapping[str, Sequence[Row]]) -> Figure:
    return Figure(
        title="A string between two address spaces, one way",
        subtitle=[
            f"{ABOUT}; simulated machine {MACHINE}, median of "
            f"{by['fass'][0]['one_way_samples']:,} round trips"
        ],
        x_title="bytes (log scale)",
        y_title="cycles one way (log scale)",
        description="Cycles one way by the string's length for each scheme, both axes logarithmic.",
        series=_curves(by, "string_bytes"),
        log_x=True,
        log_y=True,
        x_ticks=list(STRINGS),
    )
