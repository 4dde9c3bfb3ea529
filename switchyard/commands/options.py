# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have."""

from typing import Any

import typer

from switchyard import completion

# CPU_SETSIZE of Linux' sched_setaffinity(2).
MOST_CPU = 1023
# What the simulator counts cycles in, and what the guests' programs read their numbers into.
MOST_CYCLES = 2**64 - 1
MOST_IN_GUEST = 2**31 - 1


def number(least: int, most: int, what: str, *names: str) -> Any:
    """An option with a whole number between these, which help and errors name (`helps.between`)."""
    return typer.Option(*names, metavar="N", min=least, max=most, help=what)


def machine_option(what: str = "A machine, or its file.") -> Any:
    """`--machine`, with the names that are known for a shell to complete."""
    return typer.Option(
        "--machine", "-m", metavar="NAME|FILE", autocompletion=completion.machines, help=what
    )
