# SPDX-License-Identifier: Apache-2.0
"""Commands for those who change Switchyard: which tests judge a change, and their verdict."""

from pathlib import Path
from typing import Annotated

import typer

from switchyard.commands import consoles, subcommand
from switchyard.errors import Status


@subcommand(
    epilog="""
        switchyard check
        switchyard check machine/src/dev/rtc.rs
        switchyard check kernel/arch/arm/switch/fass --list
    """
)
def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Files and folders of a checkout; without one, all that git sees changed.",
        ),
    ] = None,
    only_list: Annotated[
        bool, typer.Option("--list", help="Say which commands judge it, and run none.")
    ] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", "-k", help="Go on after one that failed.")
    ] = False,
) -> None:
    """Run the tests that judge a change of the sources, up to the first that fails."""
    from switchyard.tools import check as table

    out, progress = consoles()
    judges = table.judges(paths) if paths else table.of(table.changed())
    if only_list:
        for judge in judges:
            out.print(f"{judge.about}: {judge}", soft_wrap=True, markup=False)
        return
    passed = failed = 0
    for judge in judges:
        with progress.status(f"{judge.about}: {judge}", spinner="line"):
            verdict = table.verdict(judge)
        passed, failed = passed + verdict.good, failed + (not verdict.good)
        word = "ok" if verdict.good else "FAILED"
        line = f"{word:<6} {verdict.seconds:6.1f} s  {judge.about}: {judge}"
        out.print(line, soft_wrap=True, markup=False)
        if not verdict.good:
            out.print(verdict.output.rstrip("\n"), soft_wrap=True, markup=False)
            if not keep_going:
                break
    left = len(judges) - passed - failed
    rest = f", {left} not run" if left else ""
    out.print(f"{passed} passed, {failed} failed{rest}" if judges else "nothing has changed")
    if failed:
        raise typer.Exit(Status.FAILED)
