# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have."""

from typing import Any

import typer

from switchyard import completion


def machine_option(what: str = "A machine, or its file.") -> Any:
    """`--machine`, with the names that are known for a shell to complete."""
    return typer.Option(
        "--machine", "-m", metavar="NAME|FILE", autocompletion=completion.machines, help=what
    )
