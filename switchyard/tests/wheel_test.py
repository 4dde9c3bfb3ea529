# SPDX-License-Identifier: Apache-2.0
"""What is given to others: the wheel, installed beside nothing else, and the source archive.

No network is asked: what the wheel depends on is linked from this Python's packages, and only that.
"""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from switchyard.run import tree

pytestmark = [pytest.mark.slow, pytest.mark.guests]

ROOT = tree.CHECKOUT
TOOLS = Path(sys.executable).parent
ENVIRONMENT = {**os.environ, "PATH": os.pathsep.join([str(TOOLS), os.environ["PATH"]])}


def run(*command: str | Path, cwd: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, cwd=cwd, env={**ENVIRONMENT, **more}, text=True, capture_output=True, check=False
    )
    done.stdout += done.stderr
    return done


def depended_on(names: list[str]) -> set[str]:
    """Those distributions, and what they depend on, as their metadata say."""
    closure: set[str] = set()
    while names:
        name = re.sub(r"[-_.]+", "-", names.pop()).lower()
        if name in closure:
            continue
        closure.add(name)
        for line in importlib.metadata.requires(name) or []:
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                names.append(needed.name)
    return closure


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel and its dependencies; the folder of its programs."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    built = run(*pip, "wheel", ".", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder)
    assert built.returncode == 0, built.stdout
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "fresh", symlinks=True, with_pip=False)
    programs = folder / "fresh" / "bin"
    there = [*pip, "--python", str(programs / "python")]
    put = run(*there, "install", "--no-index", "--no-deps", "--no-compile", wheel)
    assert put.returncode == 0, put.stdout
    (packages,) = (folder / "fresh").glob("lib/python*/site-packages")
    (described,) = packages.glob("switchyard-*.dist-info")
    wanted = [
        needed.name
        for line in importlib.metadata.Distribution.at(described).requires or []
        if (needed := Requirement(line)).marker is None
    ]
    for name in depended_on(wanted):
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or [] if file.parts[0] != ".."}:
            there_already = packages / top
            if not there_already.exists():
                there_already.symlink_to(str(distribution.locate_file(top)))
    return programs


def test_the_wheel_makes_a_figure_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    """Without a checkout, a compiler or `make`, and with nothing kept."""
    done = run(
        *(installed / "switchyard", "run", "l4-primitives", "--quick"),
        cwd=tmp_path,
        PATH="/nonexistent",
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "results" / "l4-primitives.svg").read_text().startswith("<svg")
    assert "l4-primitives" in done.stdout
    assert (installed.parent / "share" / "man" / "man1" / "switchyard.1").exists()
    begun = run(installed / "switchyard", "new", "machine", "mine", cwd=tmp_path)
    assert begun.returncode == 0, begun.stdout
    listed = run(installed / "switchyard", "machines", cwd=tmp_path / "results")
    assert "\nmine " in listed.stdout
    assert not list((tmp_path / "cache").glob("switchyard/trees"))


def test_what_the_wheel_has_not_ready_it_builds_where_one_may_write(
    installed: Path, tmp_path: Path
) -> None:
    """Of the sources inside; the compiler is an extra, which is said."""
    places = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [
        str(installed / "python"),
        "-c",
        "from switchyard.run import build; (image,) = build.ensure("
        "[build.GUESTS['assabet-fass-bench-primitives'].for_dcache(4096)]); print(image)",
    ]
    without = run(*command, cwd=tmp_path, **places)
    assert "pip install 'switchyard[build]'" in without.stdout
    compiler = importlib.metadata.distribution("ziglang").locate_file("")
    done = run(*command, cwd=tmp_path, PYTHONPATH=str(compiler), **places)
    assert done.returncode == 0, done.stdout
    image = Path(done.stdout.splitlines()[-1])
    assert image.is_relative_to(tmp_path / "cache" / "switchyard" / "trees")
    assert image.read_bytes().startswith(b"\x7fELF")


def test_the_source_archive_is_whole(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("no checkout")
    done = run("maturin", "sdist", "-o", tmp_path)
    assert done.returncode == 0, done.stdout
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        inside = {name.partition("/")[2] for name in packed.getnames()}
    listed = run("git", "ls-files")
    known = set(listed.stdout.splitlines())
    assert known - inside == set()
    assert inside - known <= {"PKG-INFO"}
