# SPDX-License-Identifier: Apache-2.0
"""What the package's tests share."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from switchyard.run import build, machine, store
from switchyard.show import drawings
from switchyard.tests.fake_machine import HOLD, LOG

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def faked(folder: Path, drawn: bool = False) -> Iterator[Path]:
    """The simulator replaced by `fake_machine.py`, and the guests by files that are named so.

    Figures are empty files unless they are to be `drawn`: that takes a second each. The stand-in is
    started without the leash (which has its own tests) and without Python's packages.
    """
    program = folder / "bin" / "switchyard-machine"
    program.parent.mkdir()
    source = Path(__file__).with_name("fake_machine.py")
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{source}" "$@"\n')
    program.chmod(0o755)
    image = property(lambda guest: folder / f"{guest.name}.elf")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(machine.OVERRIDE, str(program))
        patch.setenv(store.OVERRIDE, str(folder / "store"))
        patch.setattr(build, "_make", lambda guest: guest.image.write_text(guest.name))
        patch.setattr(build.Guest, "image", image)
        patch.setattr(machine, "leashed", lambda command, _signal: command)
        if not drawn:
            patch.setattr(drawings, "pictures", _undrawn)
        yield program


def _undrawn(_figure: object, stem: Path) -> dict[Path, bytes]:
    return {stem.with_name(f"{stem.name}.{end}"): b"" for end in ("svg", "png")}


def runs_made(folder: Path, patch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Has the stand-in count its runs; what is given says how many, since it was asked last."""
    file = folder / "log"
    file.touch()
    patch.setenv(LOG, str(file))

    def count() -> int:
        lines = file.read_text().splitlines()
        file.write_text("")
        return len(lines)

    return count


def held(folder: Path, patch: pytest.MonkeyPatch, ending: int) -> Path:
    """Has all runs but so many first ones wait until this file is removed."""
    file = folder / "hold"
    file.write_text(str(ending))
    patch.setenv(HOLD, str(file))
    return file


@pytest.fixture
def fake_machine(tmp_path: Path) -> Iterator[Path]:
    """The stand-in for one test."""
    with faked(tmp_path) as program:
        yield program


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium, for the pages of one test file (`browsing.opened`)."""
    from playwright.sync_api import sync_playwright

    program = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    assert program, "no Chromium; install it with: sudo apt-get install chromium"
    with sync_playwright() as playwright:
        # in a container, as in CI, there is no sandbox
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()
