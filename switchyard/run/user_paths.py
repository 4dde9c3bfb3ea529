# SPDX-License-Identifier: Apache-2.0
"""Schemes, machines, experiments and guests of the user's own, in folders outside the package.

Such a folder is named by `--path`, or by `path` in a file `switchyard.toml` in the folder that one
is in or above it. What is in it is found like ours:

    schemes/NAME/        a switching scheme, as in kernel/arch/ARCH/switch: which one its facts say
    machines/NAME.toml   a machine
    experiments/NAME/    an experiment, as in switchyard/experiments; its package is beside ours
    guests/NAME/         a guest without a kernel: a Makefile that makes BUILD/NAME.elf

Processes that are started take the folders along in `SWITCHYARD_PATH`. They are looked for once in
a process, when they are first needed.
"""

import functools
import os
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from switchyard.errors import InputError, one_of

VARIABLE = "SWITCHYARD_PATH"
CONFIGURATION = "switchyard.toml"


def choose(folders: Sequence[Path]) -> None:
    """From `--path`: these folders and no others."""
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"--path {folder}: not found; expected a folder")
    os.environ[VARIABLE] = os.pathsep.join(str(folder.resolve()) for folder in folders)


@functools.cache
def folders() -> tuple[Path, ...]:
    """The folders of the user's own, none by default."""
    given = os.environ.get(VARIABLE)
    if given:
        return tuple(Path(path) for path in given.split(os.pathsep) if path)
    file = configuration()
    if file is None:
        return ()
    listed = tuple((file.parent / path).resolve() for path in _path(file))
    for folder in listed:
        if not folder.is_dir():
            raise InputError(f"{file}: path: {folder} not found; expected a folder")
    return listed


def configuration() -> Path | None:
    """The nearest `switchyard.toml`, here or above."""
    try:
        here = Path.cwd()
    except OSError:  # a folder that was removed
        return None
    places = (folder / CONFIGURATION for folder in (here, *here.parents))
    return next((file for file in places if file.exists()), None)


def _path(file: Path) -> list[str]:
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {error}; expected a TOML file") from None
    for key in read:
        if key != "path":
            raise InputError(f"{file}: {key}: unknown key; {one_of(key, ['path'])}")
    paths = read.get("path", [])
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise InputError(f'{file}: path: expected a list of folders, as in path = ["."]')
    return paths


def schemes() -> dict[str, Path]:
    """The folders of switching schemes, by name."""
    return _named("schemes", "*/facts.mk", lambda file: file.parent)


def machines() -> dict[str, Path]:
    """The machine files, by name."""
    return _named("machines", "*.toml", lambda file: file)


def experiments() -> dict[str, Path]:
    """The folders of experiments, by the names of their packages."""
    return _named("experiments", "*/measure.py", lambda file: file.parent)


def guests() -> dict[str, Path]:
    """The folders of guests, by name."""
    return _named("guests", "*/Makefile", lambda file: file.parent)


def _named(kind: str, pattern: str, what: Callable[[Path], Path]) -> dict[str, Path]:
    named: dict[str, Path] = {}
    for folder in folders():
        for file in sorted((folder / kind).glob(pattern)):
            there = what(file)
            if there.stem in named:
                raise InputError(
                    f"{there}: {named[there.stem]} has this name; expected another name"
                )
            named[there.stem] = there
    return named


def refuse(kind: str, ours: Iterable[str], own: dict[str, Path]) -> None:
    """What is ours keeps its name."""
    article = "an" if kind[0] in "aeiou" else "a"
    for name in ours:
        if name in own:
            raise InputError(
                f"{own[name]}: {article} {kind} of Switchyard's own; expected another name"
            )
