# SPDX-License-Identifier: Apache-2.0
"""The oldest Rust that builds the simulator: what `rust-version` says holds for every crate.

That the simulator's own code calls nothing newer is clippy's to say (`incompatible_msrv`).
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from switchyard.run import build
from switchyard.tools import doctor


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def crates() -> list[dict[str, Any]]:
    """All of Cargo.lock that a computer with Linux needs, as their own files describe them."""
    platform = ["--filter-platform", "x86_64-unknown-linux-gnu"]
    command = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1", *platform]
    done = subprocess.run(command, cwd=build.root(), capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)["packages"]
    return found


def test_no_crate_asks_for_a_newer_rust() -> None:
    oldest = doctor._rust_version()
    asked = {crate["name"]: crate["rust_version"] for crate in crates()}
    assert asked["switchyard-machine"] == oldest
    newer = {
        name: wanted
        for name, wanted in asked.items()
        if wanted is not None and numbers(wanted) > numbers(oldest)
    }
    assert not newer, f"newer than Rust {oldest}"


def test_what_is_said_is_what_debian_13_has() -> None:
    assert doctor._rust_version() == "1.85"
    readme = (build.root() / "README.md").read_text(encoding="utf-8")
    assert re.search(r"Rust 1\.85", readme)


@pytest.mark.slow
@pytest.mark.long
def test_the_oldest_compiler_builds_it(tmp_path: Path) -> None:
    oldest = doctor._rust_version()
    installed = (
        subprocess.run(
            ["rustup", "toolchain", "list"], capture_output=True, text=True, check=False
        ).stdout
        if shutil.which("rustup")
        else ""
    )
    if not re.search(rf"^{re.escape(oldest)}[.-]", installed, re.M):
        pytest.skip(f"no Rust {oldest}; get it with: rustup toolchain install {oldest}")
    command = ["cargo", f"+{oldest}", "check", "--locked", "--target-dir", str(tmp_path)]
    subprocess.run(command, cwd=build.root(), check=True)
