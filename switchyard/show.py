# SPDX-License-Identifier: Apache-2.0
"""What the command line shows: tables, notes and progress, drawn with rich."""

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich import box, progress
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from switchyard import machine
from switchyard.build import Guest
from switchyard.build_linux import Linux
from switchyard.doctor import Finding
from switchyard.errors import InputError

if TYPE_CHECKING:  # these draw figures, and take a second to import
    from switchyard.bench import Speed
    from switchyard.experiments.experiment import Experiment, Job, Outcome
    from switchyard.figure import Table as ResultTable


def _table(title: str, columns: Sequence[str], numbers: bool = False) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if numbers else "left", overflow="fold")
    return table


class Progress:
    """A bar on a terminal, a line now and then elsewhere. A context, and a runner's listener."""

    def __init__(self, console: Console, name: str) -> None:
        self._console = console
        self._name = name
        self._total = 0
        self._done = 0
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: progress.TaskID | None = None

    def __enter__(self) -> "Progress":
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def building(self, guest: Guest | Linux) -> None:
        """An image is being brought up to date."""
        self._console.print(f"{self._name}: building {guest.name}", soft_wrap=True)

    def started(self, total: int, kept: int = 0) -> None:
        """That many jobs are wanted; `kept` of them need not run."""
        self._total = total
        self._task = self._bar.add_task(f"{self._name}: running", total=total)
        note = f", {kept} of them kept from before" if kept else ""
        self._console.print(f"{self._name}: {total} runs{note}", soft_wrap=True)

    def finished(self, job: "Job") -> None:
        """A job is done."""
        self.tick(job.name)

    def tick(self, what: str = "") -> None:
        """One more is done."""
        self._done += 1
        if self._task is not None:
            self._bar.advance(self._task)
        # a log wants signs of life, not a line for each run
        step = max(1, self._total // 8)
        if self._bar.disable and (self._done % step == 0 or self._done == self._total):
            note = f" ({what})" if what else ""
            self._console.print(
                f"{self._name}: {self._done} of {self._total} runs done{note}", soft_wrap=True
            )


def outcome(console: Console, found: "Outcome") -> None:
    """An experiment's tables and notes."""
    for one in found.tables:
        result_table(console, one)
    for note in found.notes:
        console.print(escape(note))
        console.print()


def result_table(console: Console, found: "ResultTable") -> None:
    """One table of results."""
    table = _table(found.title, found.columns, numbers=True)
    for place, column in enumerate(table.columns):
        column.justify = "left" if found.left(place) else "right"
    for row in found.rows:
        table.add_row(*row)
    table.caption = found.caption or None
    table.caption_justify = "left"
    console.print(table)


def findings(console: Console, found: Iterable[Finding]) -> None:
    """What this computer has and lacks."""
    table = _table("This computer", ["needed", "found", "for", "install it with"])
    for one in found:
        state = one.found or "-"
        if one.fault and one.found:
            state += f" ({one.fault})"
        table.add_row(one.name, state, one.why, "" if one.good else escape(one.command))
    console.print(table)


def simulator(console: Console) -> None:
    """Where the simulator is."""
    try:
        console.print(f"simulator: {machine.binary()}", soft_wrap=True)
    except InputError as error:
        console.print(f"simulator: {error}", soft_wrap=True)


def machines(console: Console, found: Iterable[Mapping[str, Any]]) -> None:
    """The machine descriptions."""
    table = _table("Machines", ["name", "what it is"])
    for one in found:
        table.add_row(str(one.get("name", "")), escape(str(one.get("description", ""))))
    console.print(table)


def assumed(console: Console, found: Mapping[str, Mapping[str, Any]]) -> None:
    """A machine's assumed constants."""
    table = _table("Assumed: what no source gives", ["constant", "here", "low", "high", "why"])
    for name, one in found.items():
        numbers = (str(one[which]) for which in ("value", "low", "high"))
        table.add_row(name, *numbers, escape(str(one["why"])))
    console.print(table)


def guests(console: Console, found: Iterable[Guest | Linux]) -> None:
    """The images that can be built."""
    table = _table("Guest images", ["name", "what it is"])
    for guest in found:
        table.add_row(guest.name, guest.about)
    console.print(table)


def experiments(console: Console, found: Iterable["Experiment[Any]"]) -> None:
    """What can be reproduced."""
    table = _table("Experiments", ["name", "question", "published in"])
    for one in found:
        table.add_row(one.name, one.question, one.source)
    console.print(table)


def speeds(console: Console, found: Sequence["Speed"]) -> None:
    """How fast the simulator is, and beside others."""
    table = _table(
        "Simulated, for each second of host time (median; waiting for interrupts left out)",
        ["workload", "scheme", "cycles", "host s", "Mcycles/s", "Minstr/s", "spread"],
        numbers=True,
    )
    for speed in found:
        table.add_row(
            speed.workload.name,
            speed.workload.scheme,
            f"{speed.cycles:,}",
            f"{speed.median:.3f}",
            f"{speed.cycles_per_second / 1e6:.1f}",
            f"{speed.instructions_per_second / 1e6:.1f}",
            f"{speed.spread:.0%}",
        )
    console.print(table)
    for speed in found:
        for rival in speed.rivals:
            console.print(
                f"{speed.workload.name}: {speed.ratio(rival):.2f} times the instructions a second "
                f"of {rival.about} ({rival.instructions_per_second / 1e6:.1f} million)",
                soft_wrap=True,
            )
        for note in speed.notes:
            console.print(f"{speed.workload.name}: {escape(note)}", soft_wrap=True)
