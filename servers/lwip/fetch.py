#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetch lwIP's sources, which are not kept here, and unpack those that the stack is made of.

usage: fetch.py FOLDER

They are inside a crate of crates.io, whose version and checksum stand below; cargo, which builds
the simulator, fetches it, from whichever registry it is told to use. FOLDER gets `core`,
`include`, `netif` and the licence.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

CRATE, VERSION = "lwip", "0.4.0"
SHA256 = "91a6b1dcb50bc8c8c032b7fefb5176aad2ce3eaed5b8307aace0b8d1e348184e"
NAME = f"{CRATE}-{VERSION}"
# The crate's own older copy, with its author's changes, is in `old-src`.
WANTED = tuple(f"{NAME}/src/{folder}/" for folder in ("core", "include", "netif"))
LICENCE = f"{NAME}/COPYING"


def fetched() -> Path | None:
    """The crate, if cargo has it and it is the one."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    for file in sorted(home.glob(f"registry/cache/*/{NAME}.crate")):
        if hashlib.sha256(file.read_bytes()).hexdigest() == SHA256:
            return file
    return None


def fetch() -> Path:
    """The crate, from the registry if need be."""
    if (found := fetched()) is not None:
        return found
    # This command fetches the one crate, without those that it would need to be compiled as one.
    command = ["cargo", "info", "--quiet", f"{CRATE}@{VERSION}"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, text=True)
    except OSError as error:
        sys.exit(f"fetch.py: cargo: {error.strerror}; expected cargo, which fetches lwIP")
    if (found := fetched()) is None:
        said = done.stderr.strip() or "fetched"
        sys.exit(f"fetch.py: {NAME}: {said}; expected a crate with SHA-256 {SHA256}")
    return found


def main() -> None:
    """Fetch and unpack."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(fetch()) as crate:
        for member in crate:
            if member.name.startswith(WANTED):
                place = folder / member.name.removeprefix(f"{NAME}/src/")
            elif member.name == LICENCE:
                place = folder / "COPYING"
            else:
                continue
            if (content := crate.extractfile(member)) is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.read())


main()
