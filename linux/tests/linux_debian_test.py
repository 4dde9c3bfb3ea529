# SPDX-License-Identifier: Apache-2.0
"""Debian's BusyBox as it is, dynamically linked, on Linux that switches address spaces fast.

Package and C library are those of the architecture armel (ARMv5TE), fetched by their names. A shell
starts pipelines of programs, which hand data to each other, are stopped by SIGPIPE, and meet at the
same addresses after each fork().
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard.run import build_linux, machine, programs
from switchyard.run.build_linux import SYSTEMS
from switchyard.tests import debian

pytestmark = [pytest.mark.linux, pytest.mark.slow, pytest.mark.guests]

KERNELS = ["linux-versatilepb", "linux-versatilepb-fass"]
PACKAGES = ("busybox", "libc6")
# Where they are in the packages, and on the disk.
PROGRAM, LIBRARY = "bin/busybox", "lib/arm-linux-gnueabi"
LIBRARIES = ("ld-linux.so.3", "libc.so.6", "libresolv.so.2")
MAX_CYCLES = 20_000_000_000

SCRIPT = """\
set -e
busybox --install -s /bin
seq 1 300 | sort -rn | head -n 1
seq 1 3000 | gzip | gunzip | sha256sum
( seq 1 100 | while read n; do echo $((n * n)); done ) | ( sort -n | tail -n 1 )
for n in 1 2 3 4 5 6; do ( echo $n | tr 1-6 a-f > /tmp/$n.new; mv /tmp/$n.new /tmp/$n ) & done
wait
cat /tmp/[1-6] | tr -d '\\n'; echo
yes | head -n 5000 | md5sum
awk 'BEGIN { for (i = 0; i < 1000; i++) s += i; print s }'
"""
NUMBERS = hashlib.sha256("".join(f"{n}\n" for n in range(1, 3001)).encode()).hexdigest()
YES = hashlib.md5(b"y\n" * 5000, usedforsecurity=False).hexdigest()
SAID = ["300", f"{NUMBERS}  -", "10000", "abcdef", f"{YES}  -", "499500"]


@pytest.fixture(scope="module")
def unpacked() -> Iterator[Path]:
    """The packages' files."""
    with debian.unpacked("armel", PACKAGES) as folder:
        yield folder


@pytest.mark.parametrize("name", KERNELS)
def test_it_says_what_it_says_anywhere(name: str, unpacked: Path, tmp_path: Path) -> None:
    system = SYSTEMS[name]
    build_linux.ensure([system])
    libraries = [next(unpacked.rglob(f"{LIBRARY}/{library}")) for library in LIBRARIES]
    archive = programs.archive(
        [
            ("lib", 0o40755, b""),
            *((f"lib/{file.name}", 0o100755, file.read_bytes()) for file in libraries),
            (PROGRAM, 0o100755, next(unpacked.rglob(PROGRAM)).read_bytes()),
            ("script", 0o100644, SCRIPT.encode()),
        ]
    )
    disk = tmp_path / "disk.cpio"
    disk.write_bytes(system.initrd.read_bytes() + archive)
    boot = system.boot(MAX_CYCLES, "quiet -- run /bin/busybox sh /script")
    run = machine.run(replace(boot, initrd=disk, check="coherence"))  # which findings fail
    lines = run.console.replace("\r", "").splitlines()
    assert "init: /bin/busybox ended with status 0" in lines, run.console[-4000:]
    first = lines.index(SAID[0])
    assert lines[first : first + len(SAID)] == SAID
