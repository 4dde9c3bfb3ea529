# SPDX-License-Identifier: Apache-2.0
"""Schemes, machines, experiments and guests of the user's own, in a folder outside the package."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from switchyard.run import tree

FACTS = "SWITCH_ORDER := 9\nSWITCH_PROTECTS := 1\nSWITCH_CPUS := "
KINDS = ("guest", "scheme", "machine", "experiment")
# Those whose test compiles no kernel.
FAST = ("guest", "machine")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """With the command on the PATH, whatever Python runs the tests."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "switchyard").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m switchyard "$@"\n')
    (programs / "switchyard").chmod(0o755)
    return {**os.environ, "PATH": os.pathsep.join([str(programs), os.environ["PATH"]])}


def run(
    folder: Path, environment: dict[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["switchyard", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    "kind",
    [kind if kind in FAST else pytest.param(kind, marks=pytest.mark.long) for kind in KINDS],
)
def test_each_kind_begins_as_one_that_works(
    tmp_path: Path, environment: dict[str, str], kind: str
) -> None:
    """The test that comes with it passes."""
    lab = tmp_path / "lab"
    lab.mkdir()
    begun = run(lab, environment, "new", kind, f"my-{kind}")
    assert begun.returncode == 0, begun.stderr
    assert "next: pytest " in begun.stdout
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--rootdir", lab, lab],
        cwd=lab,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_what_is_ones_own_is_listed_like_ours(tmp_path: Path, environment: dict[str, str]) -> None:
    lab, below = tmp_path / "lab", tmp_path / "lab" / "some" / "where"
    below.mkdir(parents=True)
    for kind in KINDS:
        assert run(lab, environment, "new", kind, f"my-{kind}").returncode == 0
    lists = (["machines"], ["experiments"], ["build", "--list"])
    wanted = ({"my-machine"}, {"my-experiment"}, {"my-guest", "assabet-my-scheme-test"})
    for place, before in ((below, []), (tmp_path, ["--path", str(lab)]), (tmp_path, [])):
        for command, names in zip(lists, wanted, strict=True):
            said = run(place, environment, *before, *command, "--json")
            listed = {entry["name"] for entry in json.loads(said.stdout)} & names
            assert listed == (names if place == below or before else set())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["guest", "Hello"], "expected small letters"),
        (["guest", "../hello"], "expected small letters"),
        (["guest", "hello"], "is there; expected another name"),
        (["machine", "sa1110"], "a machine of Switchyard's own; expected another name"),
        (["scheme", "fass"], "a scheme of Switchyard's own; expected another name"),
        (["experiment", "l4-ipc"], "an experiment of Switchyard's own; expected another name"),
        (["kernel", "mine"], "'kernel' is not one of"),
    ],
)
def test_a_name_that_cannot_be_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "guests" / "hello").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    done = run(tmp_path, environment, "new", *arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"switchyard.toml": "path = 3"}, "switchyard.toml: path: expected a list of folders"),
        ({"switchyard.toml": "path = ["}, "expected a TOML file"),
        ({"switchyard.toml": "paths = []"}, "did you mean path?"),
        ({"switchyard.toml": 'path = ["none"]'}, "none not found; expected a folder"),
        ({"experiments/mine/measure.py": "1 / 0"}, "ZeroDivisionError: division by zero"),
        ({"experiments/mine/measure.py": ""}, "0 classes of Experiment; expected one"),
        ({"machines/sa1110.toml": ""}, "a machine of Switchyard's own"),
        ({"schemes/fass/facts.mk": FACTS + "sa1110\n"}, "a scheme of Switchyard's own"),
        ({"schemes/mine/facts.mk": FACTS + "z80\n"}, "expected processors of a kernel"),
    ],
)
def test_a_folder_that_is_wrong_is_one_line(
    files: dict[str, str], said: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    for name, text in {"switchyard.toml": 'path = ["."]', **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    command = "machines" if "machines" in " ".join(files) else "experiments"
    done = run(tmp_path, environment, command)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1, done.stderr
    assert said in done.stderr
    assert run(tmp_path, environment, "--version").returncode == 0


def test_a_tree_of_links_follows_what_it_shows(tmp_path: Path) -> None:
    """Folders that `make` is called in are real, as it must find its way up from there."""
    given, place, mine = tmp_path / "given", tmp_path / "place", tmp_path / "mine"
    for name in ("Makefile", "main.c", "switch/flush/facts.mk", "plain/x"):
        (given / name).parent.mkdir(parents=True, exist_ok=True)
        (given / name).touch()
    mine.mkdir()
    tree.mirror(given, place, {})
    assert (place / "switch").is_symlink()
    tree.mirror(given, place, {Path("switch/mine"): mine})
    (given / "main.c").unlink()
    (given / "new.c").touch()
    tree.mirror(given, place, {Path("switch/mine"): mine})
    assert {path.name for path in place.iterdir()} == {"Makefile", "new.c", "switch", "plain"}
    assert not (place / "switch").is_symlink()
    assert (place / "switch" / "mine").samefile(mine)
    assert (place / "switch" / "flush").samefile(given / "switch" / "flush")
    assert (place / "plain").is_symlink()
