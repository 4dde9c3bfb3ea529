# SPDX-License-Identifier: Apache-2.0
"""The cases in groups, published beside measured."""

from collections.abc import Sequence

from switchyard.data.published import find
from switchyard.experiments.silicon.measure import ARM9, BLOCKS, BOARDS, CASES, MACHINES, STRONGARM
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

INSTRUCTIONS = tuple(CASES)[2:23]
COPROCESSOR = ("domains", "drain", "dtlb_entry", "clean_entry")
MEMORY = ("chase", "words")
# In the figure: what differs between the processors, and memory.
DRAWN = (
    *("delay", "shift_register", "load_byte_used", "load_shifted", "mul_short", "mul_long"),
    *("branch", "mov_pc", "mrs", "load_eight", *MEMORY),
)
MODELS = (STRONGARM[0], *ARM9)  # of a board's pipeline each, and the first with its memory
LPS_PREC = 8  # init/calibrate.c: Linux knows the loops to one part in 2^LPS_PREC
# "cache misses (≈ 70 cycles per line)": the number that the memory of `sa1110` is made of.
FASS_LINE, FASS = 70, "Wiggins et al., ACSAC 2003, section 2"


def view(results: Results) -> View:
    """Tables of instructions, coprocessor and memory; a figure of what differs."""
    silicon = Silicon(results)
    return View(
        tables=[
            silicon.table("Instructions, cycles", INSTRUCTIONS),
            silicon.table("Coprocessor 15, cycles", COPROCESSOR),
            silicon.table("Memory, cycles", (*MEMORY, *BLOCKS)),
            silicon.bandwidths(),
        ],
        figures={"": silicon.figure()},
        words={
            "models": MODELS,
            "machines": silicon.machines,
            "boards": BOARDS,
            "published": silicon.published,
            "as_published": silicon.as_published,
            "parts": 2**LPS_PREC,
            "line": FASS_LINE,
            "source": FASS,
        },
    )


class Silicon:
    """The machines by name, and what is published of their processors."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self.machines = {name: results.rows.find(machine=name) for name in MACHINES}

    def published(self, machine: str, case: str) -> float | None:
        """What is published for a case on a machine's processor."""
        return self._results.paper(case, machine=machine)

    def as_published(self, machine: str) -> tuple[int, int]:
        """How many instructions take what their manual says, and of how many it says something."""
        row = self.machines[machine]
        known = {
            case: value
            for case in (*INSTRUCTIONS, "domains")
            if (value := self.published(machine, case)) is not None
        }
        return sum(abs(row[case] - value) <= 0.05 for case, value in known.items()), len(known)

    def table(self, title: str, cases: Sequence[str]) -> Table:
        """Some cases on each machine; what is published for a processor, behind its machines."""
        columns = [""]
        for group in (STRONGARM, ARM9):
            columns += [*group, "publ.", "diff."]
        rows = []
        for case in cases:
            cells = [CASES[case]]
            for group in (STRONGARM, ARM9):
                value, paper = self.machines[group[0]][case], self.published(group[0], case)
                cells += [f"{self.machines[machine][case]:.1f}" for machine in group]
                cells += [f"{paper:g}", f"{value / paper - 1:+.1%}"] if paper else ["", ""]
            rows.append(cells)
        sources = {
            statement.source: None
            for case in cases
            for machine in MODELS
            if (statement := find(self._results.statements, case, machine=machine))
        }
        return Table(
            title=title,
            columns=columns,
            rows=rows,
            caption=f"published: {'; '.join(sources)}; difference: of the machine that is named "
            "first",
        )

    def bandwidths(self) -> Table:
        """Memory in blocks."""
        return Table(
            title="Memory in blocks, MB/s (millions of bytes)",
            columns=["", *self.machines],
            rows=[
                [
                    CASES[case],
                    *(f"{row[f'{case}_bandwidth']:.1f}" for row in self.machines.values()),
                ]
                for case in BLOCKS
            ],
        )

    def figure(self) -> Bars:
        """Some of what is published beside what is measured."""
        bars = []
        for machine in MODELS:
            for case in DRAWN:
                paper = self.published(machine, case)
                if paper is not None:
                    name = f"{case.replace('_', ' ')}, {machine}"
                    bars.append(Bar(name, "measured", self.machines[machine][case]))
                    bars.append(Bar(name, "published", paper, published=True))
        return Bars(
            title="The machines beside the processors that they are models of",
            subtitle=[
                "cycles a step, measured by a guest without an operating system; hollow: published"
            ],
            value_title="cycles (log scale)",
            description="Cycles of instructions, of Linux's delay loop and of memory accesses on "
            "the simulated machines, each beside the value published for the real processor.",
            bars=bars,
            stacked=False,
            log=True,
        )
