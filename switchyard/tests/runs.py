# SPDX-License-Identifier: Apache-2.0
"""What tests of whole experiments share."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from switchyard.run import build, build_linux
from switchyard.run.experiment import Job


class Silent:
    """Hears how far a run is, and says nothing."""

    def building(self, guest: build.Guest | build_linux.Linux) -> None:
        pass

    def started(self, total: int, kept: int) -> None:
        pass

    def doing(self, jobs: Sequence[Job]) -> None:
        pass

    def finished(self, job: Job) -> None:
        pass


def digest(folder: Path) -> dict[str, str]:
    """Every result file but the metadata, which holds the date."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(".meta.json")
    }
