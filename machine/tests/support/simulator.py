# SPDX-License-Identifier: Apache-2.0
"""The simulator that the tests run."""

from pathlib import Path

import pytest

from switchyard.errors import InputError
from switchyard.run import machine

ROOT = Path(__file__).resolve().parents[3]


def machine_binary() -> str:
    """The command's own, `machine.binary`. Not cargo's in `target/release`: a build of the wheel
    moves that away while others run."""
    try:
        return str(machine.binary())
    except InputError as error:
        pytest.fail(str(error))
