# SPDX-License-Identifier: Apache-2.0
"""Packages that only some commands need, and how to get them: the extras of `pyproject.toml`."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from switchyard.errors import InputError


@contextmanager
def needed(by: str, extra: str) -> Iterator[None]:
    """Around imports: what is missing is told in one line, with the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == "switchyard":
            raise
        raise _missing(by, missing, extra) from None


def need(module: str, by: str, extra: str) -> None:
    """Refuses where a module that is run as a program is missing."""
    there = module in sys.modules or importlib.util.find_spec(module) is not None
    if not there or sys.modules.get(module, module) is None:
        raise _missing(by, module, extra)


def _missing(by: str, module: str, extra: str) -> InputError:
    return InputError(
        f"{by} needs {module}; expected it installed: pip install 'switchyard[{extra}]'"
    )
