# SPDX-License-Identifier: Apache-2.0
"""The subcommands of `switchyard`, and what they share.

Each imports what it needs when it is called: to load all of it takes longer than most commands.
"""

import functools
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from switchyard import helps
from switchyard.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    name="switchyard",
    help="A laboratory for switching address spaces on virtually-tagged caches.",
    no_args_is_help=True,
    cls=helps.Group,
    epilog="""
        switchyard experiments
        switchyard run l4-ipc --quick
        switchyard run --help
    """,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

subcommand = functools.partial(app.command, cls=helps.Command)

# What `boot` runs on unless told otherwise.
DEFAULT_MACHINE = "sa1110"
# Where results go unless told otherwise; ignored by git.
RESULTS = Path("results")


def consoles(*written: Path | None) -> "tuple[Console, Console]":
    """Tables go to standard output, progress to standard error.

    Where one of the files that are `written` is standard output (`-`), it has that file alone.
    """
    from rich.console import Console

    from switchyard.data import files

    # Not a terminal: wide enough for every table of ours instead of rich's 80 columns.
    width = None if sys.stdout.isatty() else 110
    tables = Console(width=width, highlight=False, stderr=files.STDOUT in written)
    return tables, Console(stderr=True, highlight=False)


def _version(wanted: bool) -> None:
    if wanted:
        from switchyard import __version__

        print(f"switchyard {__version__}")  # noqa: T201
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
    path: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A folder of your own schemes, machines and the like."),
    ] = None,
) -> None:
    """A laboratory for switching address spaces on virtually-tagged caches."""
    del version
    if path:
        from switchyard.run import user_paths

        user_paths.choose(path)


AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print it as CSV.")]
RecordFile = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write all records here too (standard output: -)."),
]


def form(as_json: bool, as_csv: bool) -> str:
    """How a list is printed: as a table unless told otherwise."""
    if as_json and as_csv:
        raise InputError("--json and --csv; expected one of them")
    return "json" if as_json else "csv" if as_csv else "table"


def tried(json_file: Path | None) -> None:
    """A bad place for a record file that is written at the end shows now."""
    if json_file is not None:
        from switchyard.data import files

        files.writable(json_file)


def short(path: Path) -> str:
    """A path as seen from here, where that is shorter, as a console prints it."""
    from rich.markup import escape

    from switchyard.data import files

    if path == files.STDOUT:
        return "standard output"
    with suppress(ValueError, OSError):  # elsewhere; or we are in a folder that was removed
        path = path.resolve().relative_to(Path.cwd())
    return escape(str(path))
