# SPDX-License-Identifier: Apache-2.0
"""The command line `switchyard`: arguments in, tables and files out, one line for what is wrong.

Exit status: 0 done; 1 an experiment, a build or a guest failed; 2 wrong usage or bad input;
129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM.
"""

import io
import os
import signal
import sys
import warnings
from contextlib import suppress
from typing import TextIO

import typer

from switchyard import helps
from switchyard.commands import app, explore, machines, qemu_words, results, sources
from switchyard.errors import InputError, RunError, Status, StoppedError, Terminated

# commands make themselves known
__all__ = ["app", "execute", "explore", "machines", "main", "results", "sources"]


def _terminated(number: int, _frame: object) -> None:
    raise Terminated(number)


def _complain(message: str) -> None:
    with suppress(OSError):  # nobody to complain to
        print(f"switchyard: {message}", file=sys.stderr, flush=True)  # noqa: T201


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    del category, filename, lineno, file, line  # for programmers
    _complain(f"warning: {message}")


def execute(arguments: list[str] | None = None) -> int:
    """Runs one command and says its exit status. What is raised past this is a fault of ours."""
    try:
        with warnings.catch_warnings():  # each once in a command
            warnings.showwarning = _warn
            # Not standalone: typer would print a frame of many lines for an unknown option.
            given = qemu_words.translated(sys.argv[1:] if arguments is None else arguments)
            status = app(args=given, prog_name="switchyard", standalone_mode=False)
        sys.stdout.flush()  # here, where it can be told that it failed
    except InputError as error:
        _complain(" ".join(str(error).split()))
        return Status.BAD_INPUT
    except RunError as error:
        _complain(str(error))
        return Status.FAILED
    except StoppedError as error:
        _complain(str(error))
        return error.status
    except typer.Abort as error:
        _complain("interrupted")
        return StoppedError("interrupted", error.__cause__).status
    except typer.TyperException as error:
        message = error.format_message().strip()
        if "\n" in message:  # the help, shown because nothing was asked for
            print(message, file=sys.stderr)  # noqa: T201
        else:
            context = getattr(error, "ctx", None)
            path = context.command_path if context is not None else "switchyard"
            wrong = helps.wrong(error)
            _complain(wrong or f"{message.rstrip('.')}; expected as in: {path} --help")
        return Status.BAD_INPUT
    except BrokenPipeError:  # whoever read our output has gone; nothing is left to say
        return Status.FAILED
    except OSError as error:
        # a full disk, a file that somebody took away, an output that takes no more
        _complain(f"{error.filename or 'output'}: {error.strerror or error}")
        return Status.FAILED
    except MemoryError:
        _complain("out of memory")
        return Status.FAILED
    return status if isinstance(status, int) else Status.DONE


def main() -> None:
    """The entry point of the command `switchyard`."""
    _open_streams()
    signal.signal(signal.SIGTERM, _terminated)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # not under nohup
        signal.signal(signal.SIGHUP, _terminated)
    status = execute()
    try:
        sys.stdout.flush()
    except OSError:
        # said already; what is left in the buffer must not be tried once more at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def _open_streams() -> None:
    """Standard streams that were closed lead nowhere; file names of any bytes can be shown."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
