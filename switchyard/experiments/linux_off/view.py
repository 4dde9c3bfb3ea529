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
from switchyard.show import declared as show

LIMIT = 0.01  # what a kernel option may cost where it is off
MEANT = (
    "Means over the boots. Longer: of MB/s, less. ±: half the 95 % confidence interval of that. "
    "Instructions: by how many more"
)


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

    def more(self, name: str) -> float:
        """How much more there is turned off of what is counted, each time."""
        return self.off[f"{self.metric}_{name}"] - self.plain[f"{self.metric}_{name}"]

    def share(self, name: str) -> float:
        """That as a share of what there is on the plain kernel; none of nothing."""
        plain = self.plain[f"{self.metric}_{name}"]
        return self.off[f"{self.metric}_{name}"] / plain - 1 if plain else 0.0

    @property
    def more_instructions(self) -> float:
        """By what share it executes more: where things lie in memory has no part in that."""
        return self.share("instructions")

    @property
    def more_switches(self) -> float:
        """By what share it switches address spaces more often: who runs next is scheduling."""
        return self.share("address_space_switches")

    @property
    def half(self) -> float:
        """Half the 95 % confidence interval of that, from those of both means."""
        known = (row.interval(self.metric).uncertainty for row in (self.plain, self.off))
        return math.hypot(*known)

    @property
    def verdict(self) -> str:
        """Whether that is within the limit, as far as the boots tell."""
        if self.longer + self.half <= LIMIT:
            return "yes"
        return "no" if self.longer - self.half > LIMIT else "cannot be told"


COLUMNS = {
    "unit": lambda pair: pair.unit.replace("us", "µs"),
    "unmodified": lambda pair: number(pair.plain[pair.metric]),
    "fass=off": lambda pair: number(pair.off[pair.metric]),
    "longer": lambda pair: f"{pair.longer:+z.1%}",
    "±": lambda pair: f"{pair.half:.1%}",
    "within 1 %": lambda pair: pair.verdict,
    "instructions": lambda pair: f"{pair.more_instructions:+z.1%}",
}


def fattest(pairs: list[Pair]) -> Pair:
    """The one that executes most more."""
    return max(pairs, key=lambda pair: pair.more_instructions)


def view(results: show.Results) -> show.View:
    """A table a machine, and one figure."""
    pairs = {board: _pairs(results, board) for board in MACHINES}
    every = [pair for board in MACHINES for pair in pairs[board]]
    more = [pair for pair in every if pair.more_instructions > LIMIT]
    restless = [pair for pair in more if pair.more_switches > LIMIT]
    by = {v: [p for p in every if p.verdict == v] for v in ("yes", "no", "cannot be told")}
    told, worst = [], {}
    for board, its in pairs.items():
        first, *_, last = sorted(its, key=lambda pair: pair.longer)
        ends = " to ".join(f"{pair.longer:+.1%} ({pair.name})" for pair in (first, last))
        told.append(f"{board} from {ends}")
        worst[board] = max(its, key=lambda pair: pair.longer)
    tables = [
        show.table(
            f"Linux {Linux.version} on {board}: unmodified, and fast with fass=off",
            "benchmark",
            [(pair.name, pair) for pair in its],
            COLUMNS,
            MEANT,
            ["unit", "within 1 %"],
        )
        for board, its in pairs.items()
    ]
    figure = show.bars(
        "What fast switching costs where it is turned off",
        "fass=off against the unmodified kernel, means over boots of four links each",
        "longer, %",
        f"Bars of how much longer each benchmark takes: {'; '.join(told)}.",
        [show.Bar(pair.name, suite.ABOUT[pair.board], 100 * pair.longer) for pair in every],
    )
    return show.View(tables, {"": figure}, locals())


def _pairs(results: show.Results, board: str) -> list[Pair]:
    plain, off = (Kernel(board, scheme).where for scheme in (SCHEME, OFF))
    asked = [
        (line.name, line.unit, line.metric, {"question": line.question, "case": line.case})
        for line in LINES
    ] + [
        (f"{n} processes, {size} KB", "us", "switch", {"processes": n, "size_kb": size})
        for size in SIZES
        for n in COUNTS
    ]
    find = results.rows.find
    return [
        Pair(board, name, unit, m, find(m, **plain, **where), find(m, **off, **where))
        for name, unit, m, where in asked
    ]
