# SPDX-License-Identifier: Apache-2.0
"""The cases in groups, published beside measured."""

from collections.abc import Mapping, Sequence

from switchyard.experiments.silicon import measure, u74
from switchyard.experiments.silicon.measure import ARM9, BLOCKS, BOARDS, CASES, MACHINES, STRONGARM
from switchyard.show import declared as show

INSTRUCTIONS = tuple(CASES)[2:23]
COPROCESSOR = ("domains", "drain", "dtlb_entry", "clean_entry")
MEMORY = ("chase", "words")
# In the figure: what differs between the processors, and memory.
DRAWN = (
    *("delay", "shift_register", "load_byte_used", "load_shifted", "mul_short", "mul_long"),
    *("branch", "mov_pc", "mrs", "load_eight", *MEMORY),
)
DRAWN_U74 = ("mul_chain", "fadd_s", "fadd_d", "fmin_d", "convert_d", "move_d")
STEPS = measure.STEPS
MODELS = (STRONGARM[0], *ARM9)  # of a board's pipeline each, and the first with its memory
LPS_PREC = 8  # init/calibrate.c: Linux knows the loops to one part in 2^LPS_PREC
# "cache misses (≈ 70 cycles per line)": the number that the memory of `sa1110` is derived from.
FASS_LINE, FASS = 70, "Wiggins et al., ACSAC 2003, section 2"


def view(results: show.Results) -> show.View:
    boards = BOARDS
    machines = show.across(results.rows, "machine", MACHINES)
    risc = results.rows.find(machine=u74.MACHINE)

    def published(machine: str, case: str) -> float | None:
        return results.paper(case, machine=machine)

    def as_published(machine: str) -> tuple[int, int]:
        """How many instructions take what their manual says, and of how many it says something."""
        row, cases = machines[machine], (*INSTRUCTIONS, "domains")
        known = [(row[c], there) for c in cases if (there := published(machine, c)) is not None]
        return sum(abs(here - there) <= 0.05 for here, there in known), len(known)

    every = {**machines, u74.MACHINE: risc}

    def beside(title: str, cases: Mapping[str, str], *groups: Sequence[str]) -> show.Table:
        """Cases on each machine; what is published for a processor, after its machines."""
        columns, rows = [""], [[text] for text in cases.values()]
        share = u74.MACHINE not in groups[0]
        for group in groups:
            columns += [*group, "publ.", "diff."]
            for case, cells in zip(cases, rows, strict=True):
                value, paper = every[group[0]][case], published(group[0], case)
                cells += [f"{every[machine][case]:.1f}" for machine in group]
                if paper is None:
                    cells += ["", ""]
                else:
                    differs = f"{value / paper - 1:+.1%}" if share else f"{value - paper:+.1f}"
                    cells += [f"{paper:g}", differs]
        asked = [results.statement(c, machine=g[0]) for c in cases for g in groups]
        sources = dict.fromkeys(statement.source for statement in asked if statement)
        told = f"published: {'; '.join(sources)}"
        told += "; difference: of the machine that is named first" * share
        return show.Table(title, columns, rows, told)

    def of_arm(title: str, cases: Sequence[str]) -> show.Table:
        return beside(title, {case: CASES[case] for case in cases}, STRONGARM, ARM9)

    def of_u74(title: str, cases: Mapping[str, str]) -> show.Table:
        return beside(f"SiFive U74: {title}", cases, [u74.MACHINE])

    drawn = {
        f"{case.replace('_', ' ')}, {machine}": {
            "measured": machines[machine][case],
            "published": there,
        }
        for machine in MODELS
        for case in DRAWN
        if (there := published(machine, case)) is not None
    }
    tables = [
        of_arm("Instructions, cycles", INSTRUCTIONS),
        of_arm("Coprocessor 15, cycles", COPROCESSOR),
        of_arm("Memory, cycles", (*MEMORY, *BLOCKS)),
        show.table(
            "Memory in blocks, MB/s (millions of bytes)",
            "",
            [(CASES[case], f"{case}_bandwidth") for case in BLOCKS],
            {name: show.value_of(row, 1) for name, row in machines.items()},
        ),
    ]
    tables += [
        of_u74("instructions, cycles", u74.INSTRUCTIONS),
        of_u74("memory, cycles", {**u74.CHAINS, **u74.BLOCKS}),
        of_u74("bytes at random, cycles over the first-level cache", u74.OVER),
        of_u74("what the TLBs cost, cycles a byte", u74.TLB),
    ]
    figure = show.bars(
        "The machines beside the processors that they are models of",
        "cycles a step, measured by a guest without an operating system; hollow: published",
        "cycles",
        drawn,
        published=["published"],
        log=True,
    )
    shown = {**{name: u74.INSTRUCTIONS[name] for name in DRAWN_U74}, **u74.CHAINS, **u74.OVER}
    second = show.bars(
        "A U74 beside the machine that is a model of it",
        "cycles, measured by a guest without an operating system; hollow: published",
        "cycles",
        {
            text: {"measured": risc[case], "published": there}
            for case, text in shown.items()
            if (there := published(u74.MACHINE, case)) is not None and there > 0
        },
        published=["published"],
        log=True,
    )
    return show.View(tables, {"": figure, "u74": second}, locals())
