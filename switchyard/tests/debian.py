# SPDX-License-Identifier: Apache-2.0
"""Debian's packages for other architectures, by name, for tests that run their programs."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from switchyard.data import files


@contextmanager
def unpacked(architecture: str, packages: Sequence[str]) -> Iterator[Path]:
    """A folder with a folder of files for each; what apt knows of it stays apart.

    Skips the test where apt-get does not bring them.
    """
    with files.scratch() as folder:
        lists, cache, status = (folder / name for name in ("lists", "cache", "status"))
        lists.mkdir()
        cache.mkdir()
        status.touch()
        options = {
            "APT::Architecture": architecture,
            "APT::Architectures": architecture,
            "Dir::State::lists": lists,
            "Dir::State::status": status,
            "Dir::Cache": cache,
        }
        apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items())]
        try:
            # (One list of several may be missing; whether it is needed, the download says.)
            subprocess.run([*apt, "update"], cwd=folder, check=False, capture_output=True)
            fetch = [*apt, "download", *packages]
            subprocess.run(fetch, cwd=folder, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip(f"no Debian packages for {architecture} from apt-get")
        (folder / "files").mkdir()
        for package in folder.glob("*.deb"):
            into = folder / "files" / package.name.partition("_")[0]
            subprocess.run(["dpkg-deb", "-x", package, into], check=True)
        yield folder / "files"
