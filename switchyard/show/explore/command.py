# SPDX-License-Identifier: Apache-2.0
"""Runs the guests of a case and writes its page."""

from collections.abc import Callable
from pathlib import Path

from switchyard.data import files
from switchyard.errors import InputError
from switchyard.run import jobs, machine
from switchyard.run.build import Guest
from switchyard.run.build_linux import Linux
from switchyard.show.explore import page
from switchyard.show.explore.cases import MOST, Case, Side
from switchyard.show.explore.page import Seen
from switchyard.show.explore.window import Window


def run(case: Case, out: Path, steps: int = MOST, say: Callable[[str], None] = print) -> None:
    """Makes the page; `say` hears of what takes time."""
    files.writable(out)
    for side in case.sides:
        if side.guest is not None:
            jobs.ensure([side.guest], lambda guest: say(_building(guest)))
    sides = []
    for side in case.sides:
        say(f"running {side.kernel.stem} on {side.machine}")
        sides.append(Seen(side, window(side, steps)))
    files.write(out, page.render(case, sides))


def _building(guest: Guest | Linux) -> str:
    long = ", which takes minutes where its kernel is new" if isinstance(guest, Linux) else ""
    return f"building {guest.name}{long}"


def window(side: Side, steps: int = MOST) -> Window:
    """Runs a guest until its window is over."""
    described = machine.described_in(side.machine)
    boot = machine.Boot(described, side.kernel, side.append, initrd=side.initrd, bios=side.bios)
    with files.scratch() as folder:
        file = folder / "window.json"
        command = [str(machine.binary()), *boot.arguments(), "--window", str(file)]
        command += ["--steps", str(steps)]
        for option, moments in (
            ("--from", side.begin),
            ("--having", side.having),
            ("--to", side.end),
        ):
            for moment in moments:
                command += [option, moment]
        for elf in side.symbols:
            if elf.exists():
                command += ["--symbols", str(elf)]
        done = machine.Processes().run(command)
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode == 2:
            raise machine.refused(boot, said)
        if not file.exists():
            raise InputError(machine.failure(boot, done.returncode, "", said))
        seen = Window.load(file)
    if not seen.steps:
        raise InputError(f"{side.kernel.name}: the window is empty; expected moments apart")
    return seen
