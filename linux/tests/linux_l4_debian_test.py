# SPDX-License-Identifier: Apache-2.0
"""Debian's BusyBox for i386 as it is, static and with its C library, where Linux is a server on L4.

It says there what it says on plain Linux on the same machine, byte for byte, whatever is small. Its
C library has its thread-local storage in GS, and reads below its base; its awk computes with the
floating-point unit.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard.run import build_linux, machine, programs
from switchyard.run.build_linux import I386, SERVERS, Linux
from switchyard.tests import debian

# The server's kernel takes three minutes to build.
pytestmark = [pytest.mark.linux, pytest.mark.slow, pytest.mark.guests, pytest.mark.long]

PACKAGES = ("busybox-static", "busybox", "libc6")
LIBRARIES = ("libc.so.6", "libresolv.so.2", "libm.so.6")
LOADER = "ld-linux.so.2"
PROGRAM = "bin/busybox"
MAX_CYCLES = 8_000_000_000

SCRIPT = """\
set -e
busybox --install -s /bin
echo begin
seq 1 300 | sort -rn | head -n 1
seq 1 3000 | gzip | gunzip | sha256sum
( seq 1 100 | while read n; do echo $((n * n)); done ) | ( sort -n | tail -n 1 )
for n in 1 2 3 4 5 6; do ( echo $n | tr 1-6 a-f > /tmp/$n.new; mv /tmp/$n.new /tmp/$n ) & done
wait
cat /tmp/[1-6] | tr -d '\\n'; echo
yes | head -n 5000 | md5sum
awk 'BEGIN { for (i = 0; i < 1000; i++) s += i / 3; print s, s % 7.25, int(s * 1.1) }'
ls -l /bin/busybox | awk '{ print $5 }'
echo end
"""


@pytest.fixture(scope="module")
def unpacked() -> Iterator[Path]:
    with debian.unpacked("i386", PACKAGES) as folder:
        yield folder


def archive(unpacked: Path, package: str) -> bytes:
    """The disk's part: the program, its libraries if it has any, and the script."""
    libraries: list[tuple[str, int, bytes]] = []
    if package == "busybox":
        found = [next((unpacked / "libc6").rglob(f"i386-linux-gnu/{name}")) for name in LIBRARIES]
        loader = next((unpacked / "libc6").rglob(f"i386-linux-gnu/{LOADER}"))
        libraries = [("lib", 0o40755, b"")]
        libraries += [(f"lib/{file.name}", 0o100755, file.read_bytes()) for file in found]
        libraries += [(f"lib/{LOADER}", 0o100755, loader.read_bytes())]
    program = (PROGRAM, 0o100755, (unpacked / package / PROGRAM).read_bytes())
    return programs.archive([*libraries, program, ("script", 0o100644, SCRIPT.encode())])


def said(system: Linux, disk: Path, archive: bytes) -> str:
    build_linux.ensure([system])
    disk.write_bytes(system.initrd.read_bytes() + archive)
    boot = system.boot(MAX_CYCLES, "quiet -- run /bin/busybox sh /script")
    run = machine.run(replace(boot, initrd=disk), must_succeed=False)
    text = run.console.replace("\r", "")
    assert "init: /bin/busybox ended with status 0\n" in text, text[-4000:]
    found = re.search(r"^begin\n(.*?)^end\n", text, re.M | re.S)
    assert found is not None, text[-4000:]
    return found[1]


@pytest.mark.parametrize("package", ["busybox-static", "busybox"])
def test_it_says_what_it_says_on_plain_linux(
    package: str, unpacked: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    files = archive(unpacked, package)
    expected = said(I386["linux-i386"], tmp_path / "plain.cpio", files)
    assert len(expected.splitlines()) == 7
    for small, server in SERVERS.items():
        with subtests.test(msg="-".join(small) or "large"):
            assert said(server, tmp_path / "server.cpio", files) == expected
