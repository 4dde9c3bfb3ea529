# SPDX-License-Identifier: Apache-2.0
"""What each benchmark takes longer on the fast kernel that is turned off."""

import math

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.lines import Lines
from switchyard.experiments.linux_ipc.measure import LINES
from switchyard.experiments.linux_off.measure import COUNTS, SIZES
from switchyard.experiments.linux_suite import MACHINES, OFF, SCHEME, Kernel, Operation
from switchyard.experiments.rings import Rings
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

LIMIT = 0.01  # what a kernel option may cost where it is off
MEANT = (
    "Means over the boots. Longer: of MB/s, less. ±: half the 95 % confidence interval of that. "
    "Instructions: by how many more"
)


class Pair:
    """A benchmark on both kernels of a machine."""

    def __init__(self, board: str, name: str, unit: str, plain: Operation, off: Operation) -> None:
        self.board, self.name, self.unit, self.plain, self.off = board, name, unit, plain, off
        # by what share it takes longer turned off in the mean: of a rate, has less
        less, more = (off, plain) if unit == "MB/s" else (plain, off)
        self.longer = more["value"] / less["value"] - 1
        # half the 95 % confidence interval of that, from those of both means
        self.half = math.hypot(*(row.interval("value").uncertainty for row in (plain, off)))
        # whether that is within the limit, as far as the boots tell
        surely = "no" if self.longer - self.half > LIMIT else "cannot be told"
        self.verdict = "yes" if self.longer + self.half <= LIMIT else surely
        # by what share it executes more: where things lie in memory has no part in that
        self.more_instructions = self._share("instructions")
        # by what share it switches address spaces more often: who runs next is scheduling
        self.more_switches = self._share("address_space_switches")

    def more(self, name: str) -> float:
        """How much more there is turned off of what is counted, each time."""
        return self.off[name] - self.plain[name]

    def _share(self, name: str) -> float:
        """That as a share of what there is on the plain kernel; none of nothing."""
        return self.off[name] / self.plain[name] - 1 if self.plain[name] else 0.0


COLUMNS = {
    "unit": lambda pair: pair.unit.replace("us", "µs"),
    "unmodified": lambda pair: show.number(pair.plain["value"]),
    "fass=off": lambda pair: show.number(pair.off["value"]),
    "longer": lambda pair: f"{pair.longer:+z.1%}",
    "±": lambda pair: f"{pair.half:.1%}",
    "within 1 %": lambda pair: pair.verdict,
    "instructions": lambda pair: f"{pair.more_instructions:+z.1%}",
}


def fattest(pairs: list[Pair]) -> Pair:
    """The one that executes most more."""
    return max(pairs, key=lambda pair: pair.more_instructions)


def view(results: show.Results) -> show.View:
    pairs = {board: _pairs(results, board) for board in MACHINES}
    every = [pair for board in MACHINES for pair in pairs[board]]
    more = [pair for pair in every if pair.more_instructions > LIMIT]
    restless = [pair for pair in more if pair.more_switches > LIMIT]
    by = {v: [p for p in every if p.verdict == v] for v in ("yes", "no", "cannot be told")}
    worst = {board: max(its, key=lambda pair: pair.longer) for board, its in pairs.items()}
    titles = {b: f"Linux {Linux.version} on {b}: unmodified, and fast with fass=off" for b in pairs}
    tables = []
    for board, its in pairs.items():
        lines, words = [(pair.name, pair) for pair in its], ["unit", "within 1 %"]
        tables.append(show.table(titles[board], "benchmark", lines, COLUMNS, MEANT, words))
    figure = show.bars(
        "What fast switching costs where it is turned off",
        "fass=off against the unmodified kernel, means over boots of five links each",
        "longer, %",
        [show.Bar(pair.name, suite.ABOUT[pair.board], 100 * pair.longer) for pair in every],
    )
    return show.View(tables, {"": figure}, locals())


def _pairs(results: show.Results, board: str) -> list[Pair]:
    kernels = [Kernel(board, scheme) for scheme in (SCHEME, OFF)]
    lines, rings = Lines(results, LINES), Rings(results.rows, "size_kb", "KB")
    return [
        Pair(board, name, line.unit, *(lines.on(kernel, name) for kernel in kernels))
        for name, line in lines.lines.items()
    ] + [
        Pair(board, f"{n} processes, {size} KB", "us", *(rings.switch(k, size, n) for k in kernels))
        for size in SIZES
        for n in COUNTS
    ]
