# SPDX-License-Identifier: Apache-2.0
"""What each benchmark takes longer on the fast kernel that is turned off."""

import math
from dataclasses import dataclass

from switchyard.data.rows import Row, number
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_ipc.measure import LINES
from switchyard.experiments.linux_off.measure import COUNTS, SIZES
from switchyard.experiments.linux_suite import MACHINES, OFF, SCHEME, Kernel
from switchyard.run.build_linux import Linux
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

LIMIT = 0.01  # what a kernel option may cost where it is off


@dataclass(frozen=True)
class Pair:
    """A benchmark on both kernels of a machine."""

    board: str
    name: str
    unit: str
    metric: str
    plain: Row
    off: Row

    @property
    def longer(self) -> float:
        """By what share it takes longer turned off in the mean: of a rate, has less."""
        plain, off = self.plain[self.metric], self.off[self.metric]
        return plain / off - 1 if self.unit == "MB/s" else off / plain - 1

    @property
    def more_instructions(self) -> float:
        """By what share it executes more: where things lie in memory has no part in that."""
        name = f"{self.metric}_instructions"
        return self.off[name] / self.plain[name] - 1

    @property
    def more_switches(self) -> float:
        """By what share it switches address spaces more often: who runs next is scheduling."""
        name = f"{self.metric}_address_space_switches"
        return self.off[name] / self.plain[name] - 1 if self.plain[name] else 0.0

    @property
    def half(self) -> float:
        """Half the 95 % confidence interval of that, from those of both means."""
        return math.hypot(
            *(row.interval(self.metric).uncertainty for row in (self.plain, self.off))
        )

    @property
    def verdict(self) -> str:
        """Whether that is within the limit, as far as the boots tell."""
        if self.longer + self.half <= LIMIT:
            return "yes"
        return "no" if self.longer - self.half > LIMIT else "cannot be told"


def view(results: Results) -> View:
    """A table a machine, and one figure."""
    pairs = {board: _pairs(results, board) for board in MACHINES}
    every = [pair for board in MACHINES for pair in pairs[board]]
    more = [pair for pair in every if pair.more_instructions > LIMIT]
    return View(
        tables=[_table(board, its) for board, its in pairs.items()],
        figures={"": _bars(pairs)},
        words={
            "pairs": pairs,
            "limit": LIMIT,
            "count": len(every),
            "more": more,
            "restless": [pair for pair in more if pair.more_switches > LIMIT],
            "fattest": lambda pairs: max(pairs, key=lambda pair: pair.more_instructions),
            "by": lambda verdict: [pair for pair in every if pair.verdict == verdict],
            "worst": {
                board: max(its, key=lambda pair: pair.longer) for board, its in pairs.items()
            },
        },
    )


def _pairs(results: Results, board: str) -> list[Pair]:
    plain, off = (Kernel(board, scheme).where for scheme in (SCHEME, OFF))
    asked = [
        (line.name, line.unit, line.metric, {"question": line.question, "case": line.case})
        for line in LINES
    ] + [
        (f"{n} processes, {size} KB", "us", "switch", {"processes": n, "size_kb": size})
        for size in SIZES
        for n in COUNTS
    ]
    return [
        Pair(
            board,
            name,
            unit,
            metric,
            results.rows.find(metric, **plain, **where),
            results.rows.find(metric, **off, **where),
        )
        for name, unit, metric, where in asked
    ]


def _table(board: str, pairs: list[Pair]) -> Table:
    return Table(
        title=f"Linux {Linux.version} on {board}: unmodified, and fast with fass=off",
        columns=[
            "benchmark",
            "unit",
            "unmodified",
            "fass=off",
            "longer",
            "±",
            "within 1 %",
            "instructions",
        ],
        rows=[
            [
                pair.name,
                pair.unit.replace("us", "µs"),
                number(pair.plain[pair.metric]),
                number(pair.off[pair.metric]),
                f"{pair.longer:+z.1%}",
                f"{pair.half:.1%}",
                pair.verdict,
                f"{pair.more_instructions:+z.1%}",
            ]
            for pair in pairs
        ],
        caption="Means over the boots. Longer: of MB/s, less. ±: half the 95 % confidence interval "
        "of that. Instructions: by how many more",
        words=["unit", "within 1 %"],
    )


def _bars(pairs: dict[str, list[Pair]]) -> Bars:
    told = []
    for board, its in pairs.items():
        ordered = sorted(its, key=lambda pair: pair.longer)
        told.append(
            f"{board} from {ordered[0].longer:+.1%} ({ordered[0].name}) to "
            f"{ordered[-1].longer:+.1%} ({ordered[-1].name})"
        )
    return Bars(
        title="What fast switching costs where it is turned off",
        subtitle=["fass=off against the unmodified kernel, means over boots of four links each"],
        value_title="longer, %",
        description=f"Bars of how much longer each benchmark takes: {'; '.join(told)}.",
        bars=[
            Bar(pair.name, suite.ABOUT[board], 100 * pair.longer)
            for board, its in pairs.items()
            for pair in its
        ],
        stacked=False,
    )
