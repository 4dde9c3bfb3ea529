# SPDX-License-Identifier: Apache-2.0
"""What the package's tests share."""

import sys
from pathlib import Path

import pytest

from switchyard import build, machine


@pytest.fixture
def fake_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The simulator replaced by `fake_machine.py`, and the guests taken as built."""
    program = tmp_path / "bin" / "switchyard-machine"
    program.parent.mkdir()
    source = Path(__file__).with_name("fake_machine.py")
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{source}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv(machine.OVERRIDE, str(program))
    monkeypatch.setattr(build, "_make", lambda guest: guest.image.write_text(guest.name))
    monkeypatch.setattr(
        build.Guest, "image", property(lambda guest: tmp_path / f"{guest.name}.elf")
    )
    return program
