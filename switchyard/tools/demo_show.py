# SPDX-License-Identifier: Apache-2.0
"""What `switchyard demo` draws of two kernels' steps."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from switchyard.tools.demo import Step

STEPS_A_SECOND = 10
BAR = 36  # columns

# Where a step's cycles went, and how that is drawn: by letter, for who sees no colours.
PARTS = (
    ("computing", "busy", "#", "green"),
    ("waiting for caches", "fills", "c", "red"),
    ("waiting for TLBs", "walks", "t", "yellow"),
    ("waiting for writes", "buffer", "b", "magenta"),
    ("idle", "idle", ".", "bright_black"),
)


def switch_us(step: Step) -> float:
    """What a switch takes with all that belongs to it, in simulated microseconds."""
    busy = 1 - step.idle / max(step.cycles, 1)
    return 1e6 / STEPS_A_SECOND * busy / max(step.switches, 1)


def line(steps: Sequence[Step]) -> str:
    """A step in words, for a file or a pipe."""
    slow, fast = steps
    return (
        f"{slow.step / STEPS_A_SECOND:6.1f} s  {slow.processes} processes, {slow.kb} KB each: "
        f"flushing {slow.switches * STEPS_A_SECOND} switches/s ({switch_us(slow):.0f} µs each), "
        f"fast {fast.switches * STEPS_A_SECOND} ({switch_us(fast):.0f} µs), {gain(steps):.1f} times"
    )


def gain(steps: Sequence[Step]) -> float:
    """How many times as often the second goes around the ring."""
    slow, fast = steps
    return fast.rounds / max(slow.rounds, 1)


def screen(steps: Sequence[Step]) -> RenderableType:
    """The whole display."""
    slow, fast = steps
    most = max(step.switches for step in steps)
    grid = Table.grid(expand=True)
    grid.add_column(ratio=1)
    grid.add_column(ratio=1)
    grid.add_row(_kernel("each switch flushes", slow, most), _kernel("fast switching", fast, most))
    foot = Text.assemble(
        (f" {gain(steps):.1f} times as fast. ", "bold"),
        f"A token goes around {slow.processes} processes, each touches {slow.kb} KB; "
        f"{slow.step / STEPS_A_SECOND:.1f} s of simulated time.\n",
        (" + - ", "reverse"),
        " processes  ",
        (" m l ", "reverse"),
        " more, less memory  ",
        (" q ", "reverse"),
        " end",
    )
    return Group(grid, foot)


def _kernel(title: str, step: Step, most: int) -> Panel:
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    rate = step.switches * STEPS_A_SECOND
    table.add_row("switches a second", f"{rate:,}")
    table.add_row("a switch takes", f"{switch_us(step):,.0f} µs")
    table.add_row("flushes a second", f"{step.flushes * STEPS_A_SECOND:,}")
    filled = round(BAR * step.switches / max(most, 1))
    rates = Text("█" * filled, style="cyan")
    legend = Table(box=None, show_header=False, padding=(0, 1))
    legend.add_column(no_wrap=True)
    legend.add_column(justify="right", no_wrap=True)
    for name, part, letter, colour in PARTS:
        share = getattr(step, part) / max(step.cycles, 1)
        legend.add_row(Text.assemble((letter, colour), f" {name}"), f"{share:.0%}")
    return Panel(Group(rates, table, Text(), _bar(step), legend), title=title, box=box.ROUNDED)


def _bar(step: Step) -> Text:
    """A step's cycles as a bar of letters."""
    text, done, sum_ = Text(), 0, 0
    for _, part, letter, colour in PARTS:
        sum_ += getattr(step, part)
        until = round(BAR * sum_ / max(step.cycles, 1))
        text.append(letter * (until - done), style=colour)
        done = until
    return text
