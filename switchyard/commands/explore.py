# SPDX-License-Identifier: Apache-2.0
"""The command that makes a page of a switch of address spaces, to step through."""

from pathlib import Path
from typing import Annotated

import typer

from switchyard.commands import DEFAULT_MACHINE, consoles, short, subcommand
from switchyard.commands.options import machine_option, number


@subcommand(
    epilog="""
        switchyard explore ipc.html
        switchyard explore recycle.html --case recycle
        switchyard explore ipc.html --scheme flush --scheme fass-shared
        switchyard explore mine.html -k kernel.elf --from sys_yield*3 --to user
    """
)
def explore(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The page, written here.")],
    case: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="What is seen: ipc, recycle, pagefault, small-spaces or linux."
        ),
    ] = "ipc",
    schemes: Annotated[
        list[str] | None,
        typer.Option("--scheme", metavar="NAME", help="Under this scheme; two are side by side."),
    ] = None,
    kernels: Annotated[
        list[Path] | None,
        typer.Option(
            "--kernel",
            "-k",
            metavar="FILE",
            help="In place of a case an image of your own; two are side by side.",
        ),
    ] = None,
    machine_name: Annotated[
        str,
        machine_option(),
    ] = "",
    append: Annotated[str, typer.Option(metavar="WORDS", help="Your kernel's command line.")] = "",
    bios: Annotated[
        str, typer.Option(metavar="FILE", help="Of a RISC-V: its firmware, none, or default.")
    ] = "",
    begin: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="MOMENT", help="Begin at the last of these moments."),
    ] = None,
    having: Annotated[
        list[str] | None,
        typer.Option(metavar="MOMENT", help="Take the first window in which these come."),
    ] = None,
    end: Annotated[
        list[str] | None,
        typer.Option("--to", metavar="MOMENT", help="End at the last of these."),
    ] = None,
    symbols: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Name the programs' functions by this ELF file."),
    ] = None,
    steps: Annotated[int | None, number(1, 1_000_000, "End after so many at the latest.")] = None,
) -> None:
    """Make a page in which to step through a switch: caches, TLBs, flushes and their price.

    A moment is a cycle, +CYCLES, region:N, sample:N, event:N, user, kernel, exception:NAME, an
    address or a function; *N after it means the Nth time.
    """
    from switchyard.show.explore import cases, command

    console, err = consoles(out)
    wish = cases.Wish(
        schemes=schemes or (), machine=machine_name, begin=begin or (), having=having or (),
        end=end or (), symbols=symbols or (), bios=bios,
    )  # fmt: skip
    if kernels:
        shown = cases.own(kernels, append, machine_name or DEFAULT_MACHINE, wish)
    else:
        shown = cases.find(case, wish)
    command.run(shown, out, steps or cases.MOST, lambda line: err.print(f"explore: {line}"))
    console.print(f"written: {short(out)}", soft_wrap=True)
