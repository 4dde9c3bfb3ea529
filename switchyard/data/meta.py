# SPDX-License-Identifier: Apache-2.0
"""What a result was made with: versions, hashes, the date. All that may differ from run to run.

Versions of a guest are read out of its image, so they are those of what ran, not of what this
computer would build today.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from switchyard import __version__
from switchyard.run import build, machine, tree
from switchyard.run.build import Guest
from switchyard.run.build_linux import Linux
from switchyard.run.jobs import Prepared

# What a compiler writes into `.comment`, and Linux's own banner, which names both.
COMPILER = re.compile(rb"(?:clang version|GCC: \([^)\0\n]*\)) [0-9][^\0\n]*")
BANNER = re.compile(rb"Linux version (\S+) \([^)\0]*\) \(([^\n\0]+)\) #")


def seconds(name: str) -> float | None:
    """How long the full run took whose results the book keeps; None where no book is."""
    if not tree.checkout():
        return None
    file = build.root() / "docs" / "results" / f"{name}.meta.json"
    if not file.exists():
        return None
    took: float | None = json.loads(file.read_text(encoding="utf-8")).get("seconds")
    return took


def collect(
    begun: datetime, command: Sequence[str], quick: bool, runs: Sequence[Prepared]
) -> dict[str, object]:
    """The metadata of an experiment that was run by `command` (without the program's name)."""
    guests = {prepared.job.guest.name: prepared for prepared in runs}
    machines = {prepared.job.machine: prepared for prepared in runs}
    return {
        "date": begun.isoformat(timespec="seconds"),
        "seconds": round((datetime.now(UTC) - begun).total_seconds(), 1),
        "switchyard": __version__,
        "commit": commit(),
        "command": ["switchyard", *command],
        "quick": quick,
        "simulator": runs[0].hashes.simulator if runs else "",
        "machines": {name: _machine(prepared) for name, prepared in machines.items()},
        "images": {name: _image(prepared) for name, prepared in guests.items()},
        "jobs": [_job(prepared) for prepared in runs],
        "host": host(),
    }


def host() -> dict[str, object]:
    """The computer here, which decides how long a run takes and nothing else."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def commit() -> str:
    """The checkout's commit, with a plus where files differ from it; empty where there is none."""
    if not tree.checkout():
        return ""
    command = ["git", "-C", str(tree.CHECKOUT), "describe", "--always", "--abbrev=12", "--dirty=+"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def versions(guest: Guest | Linux, image: Path) -> dict[str, str]:
    """Kernel and compiler of an image, as far as it says them itself."""
    if isinstance(guest, Linux):
        # the image is packed; the kernel that is in it stands beside it
        text = guest.symbols.read_bytes() if guest.symbols.exists() else b""
        banner = BANNER.search(text)
        if banner is None:
            return {"kernel": "Linux", "compiler": ""}
        return {"kernel": f"Linux {banner[1].decode()}", "compiler": banner[2].decode()}
    compilers = sorted({compiler.decode() for compiler in COMPILER.findall(image.read_bytes())})
    own = "no kernel" if guest.scheme == build.BARE else f"Switchyard L4, scheme {guest.scheme}"
    return {"kernel": own, "compiler": "; ".join(compilers)}


def _image(prepared: Prepared) -> dict[str, object]:
    copies = prepared.boot.files()
    return {
        "about": prepared.job.guest.about,
        **versions(prepared.job.guest, copies.get("kernel", prepared.job.guest.images.kernel)),
        "files": dict(prepared.hashes.files),
    }


def _machine(prepared: Prepared) -> dict[str, str]:
    """The description's first lines; for a machine file its hash too."""
    if machine.is_file(machine.described_in(prepared.job.machine)):
        return {
            "description": f"the machine file {prepared.job.machine}",
            "hash": prepared.hashes.machine,
        }
    for known in machine.machines():
        if known.get("name") == prepared.job.machine:
            return {"description": str(known.get("description", ""))}
    return {"description": ""}


def _job(prepared: Prepared) -> dict[str, object]:
    job = prepared.job
    return {
        "name": job.name,
        "image": job.guest.name,
        "machine": job.machine,
        "append": job.append,
        "max_cycles": job.max_cycles,
        "key": prepared.key,
    }


def dumps(metadata: Mapping[str, Any]) -> str:
    """The text of a metadata file."""
    return json.dumps(metadata, indent=2) + "\n"
