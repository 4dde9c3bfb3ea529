# SPDX-License-Identifier: Apache-2.0
"""The simulator that the tests run."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def machine_binary() -> str:
    """$SWITCHYARD_MACHINE, else the build of the checkout: the optimised one, where there is one,
    for the tests that use it run whole systems."""
    named = os.environ.get("SWITCHYARD_MACHINE")
    builds = [ROOT / "target" / kind / "switchyard-machine" for kind in ("release", "debug")]
    built = [b for b in builds if b.is_file()]
    if not named and not built:
        pytest.fail("switchyard-machine is not built (or set SWITCHYARD_MACHINE)")
    return named or str(built[0])
