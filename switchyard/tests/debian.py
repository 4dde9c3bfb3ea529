# SPDX-License-Identifier: Apache-2.0
"""Debian's packages for other architectures, by name, for tests that run their programs."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from switchyard.data import files
from switchyard.run import build


@contextmanager
def unpacked(architecture: str, packages: Sequence[str]) -> Iterator[Path]:
    """A folder with a folder of files for each.

    Skips the test where apt-get does not bring them.
    """
    with files.scratch() as folder:
        fetch = [str(build.root() / "linux/debian/fetch"), architecture, str(folder), *packages]
        if subprocess.run(fetch, check=False, capture_output=True).returncode != 0:
            pytest.skip(f"no Debian packages for {architecture} from apt-get")
        yield folder
