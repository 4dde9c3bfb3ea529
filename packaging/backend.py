# SPDX-License-Identifier: Apache-2.0
"""What `pip` and `uv` build the package with: maturin, with the guests put into the wheel before.

A wheel has beside the package and the simulator the guests' sources and their images, ready built
(`switchyard/sources`, see `switchyard/run/tree.py`), so that experiments run where there is
neither a checkout nor a compiler. The sources weigh 2 MB, the images 26 MB and less than half of
that in the wheel; the compiler that both stand in for is 400 MB.
"""

import hashlib
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import maturin

ROOT = Path(__file__).resolve().parent.parent
STAGED = ROOT / "switchyard" / "sources"
# maturin puts what is in here where an environment's other data are.
DATA = ROOT / "switchyard" / "wheel" / "data"
FOLDERS = ("include", "kernel", "l4", "user", "bench", "servers", "linux", "machine/machines")

# What has no guests in it is maturin's alone.
build_sdist = maturin.build_sdist
build_editable = maturin.build_editable
get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_sdist = maturin.get_requires_for_build_sdist
get_requires_for_build_editable = maturin.get_requires_for_build_editable
prepare_metadata_for_build_wheel = maturin.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = maturin.prepare_metadata_for_build_editable


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, object] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """The wheel; what was put into the package for it is taken away again."""
    try:
        stage()
        name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    finally:
        shutil.rmtree(STAGED, ignore_errors=True)
        shutil.rmtree(DATA, ignore_errors=True)
    return name


def stage() -> None:
    """Makes the manual page and all guests but Linux, and puts them where they are taken from."""
    sys.path.insert(0, str(ROOT))
    # no package is needed for these that pyproject.toml does not say
    from switchyard import cli, helps
    from switchyard.run import build

    page = DATA / "share" / "man" / "man1" / "switchyard.1"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(helps.manual(cli.app), encoding="utf-8")
    shutil.rmtree(STAGED, ignore_errors=True)
    images = build.ensure(one for one in build.GUESTS.values() if not one.fetches)
    for folder in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__", "tests")
        shutil.copytree(ROOT / folder, STAGED / folder, ignore=ignored)
    (STAGED / "guests").mkdir()
    for image in images:
        shutil.copy(image, STAGED / "guests")
    whole = hashlib.sha256()
    for file in sorted(STAGED.rglob("*")):
        if file.is_file():
            whole.update(f"{file.relative_to(STAGED)}\n".encode() + file.read_bytes())
    (STAGED / "digest").write_text(whole.hexdigest() + "\n")
