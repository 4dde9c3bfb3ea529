# SPDX-License-Identifier: Apache-2.0
"""How far a command is that takes long: a bar on a terminal, a line now and then elsewhere.

Apart from `terminal`, as the bar takes long to import.
"""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from rich import progress
from rich.console import Console
from rich.markup import escape
from rich.table import Column

from switchyard.run.build import Guest
from switchyard.run.build_linux import Linux
from switchyard.show.terminal import duration

if TYPE_CHECKING:
    from switchyard.run.experiment import Job


class Progress:
    """A bar on a terminal, a line now and then elsewhere. A context, and a runner's listener."""

    def __init__(self, console: Console, name: str, brief: bool = False) -> None:
        """`brief`: that images are built is one line, for however many."""
        self._console = console
        self._name = name
        self._brief = brief
        self._builds = False
        self._total = 0
        self._done = 0
        self._kept = 0
        self._since = 0.0  # when the first run began that was not kept
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}", table_column=Column(ratio=2, no_wrap=True)),
            progress.BarColumn(bar_width=None, table_column=Column(ratio=1)),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[left]}"),
            console=console,
            transient=True,
            expand=True,
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
        if self._brief and self._builds:
            return
        self._builds = True
        what = "what it runs" if self._brief else guest.name
        self._console.print(f"{self._name}: building {what}", soft_wrap=True)

    def started(self, total: int, kept: int = 0) -> None:
        """That many jobs are wanted; `kept` of them need not run."""
        self._total, self._kept = total, kept
        self._since = time.monotonic()
        self._task = self._bar.add_task(self._name, total=total, left="")
        note = f", {kept} of them kept from before" if kept else ""
        self._console.print(f"{self._name}: {total} runs{note}", soft_wrap=True)

    def doing(self, jobs: "Sequence[Job]") -> None:
        """These are under way."""
        self.at(", ".join(job.name for job in jobs))

    def at(self, what: str) -> None:
        """Says what is under way."""
        if self._task is not None:
            text = f"{self._name}: {what}" if what else self._name
            self._bar.update(self._task, description=escape(text), left=self._left())

    def finished(self, job: "Job") -> None:
        """A job is done."""
        self.tick(job.name)

    def tick(self, what: str = "") -> None:
        """One more is done."""
        self._done += 1
        if self._done == self._kept:
            self._since = time.monotonic()  # reading what is kept says nothing of runs
        if self._task is not None:
            self._bar.advance(self._task)
        # a log wants signs of life, not a line for each run
        step = max(1, self._total // 8)
        if self._bar.disable and (self._done % step == 0 or self._done == self._total):
            note = ", ".join(part for part in (what, self._left()) if part)
            self._console.print(
                f"{self._name}: {self._done} of {self._total} runs done"
                + (f" ({note})" if note else ""),
                soft_wrap=True,
            )

    def _left(self) -> str:
        """How long it will take still, by the runs that were not kept; nothing before the first."""
        done = self._done - self._kept
        if done <= 0 or self._done >= self._total:
            return ""
        seconds = (time.monotonic() - self._since) / done * (self._total - self._done)
        return f"{duration(seconds)} left"
