# SPDX-License-Identifier: Apache-2.0
"""Versions as images say them."""

from pathlib import Path

import pytest

from switchyard.data import meta
from switchyard.run import build
from switchyard.run.build_linux import SYSTEMS, Linux

LINUX = (
    b"\x7fELF\0Linux version 6.12.1-x (me@here) (arm-gcc (Debian 12.2.0-14) 12.2.0, GNU ld 2.40) "
    b"#1 Thu Jan  1 00:00:00 UTC 1970\n\0%s version %s (me@here) (arm-gcc) %s\n\0"
)


def test_linux_says_its_version_and_its_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Linux, "symbols", property(lambda _linux: tmp_path / "vmlinux"))
    system = next(iter(SYSTEMS.values()))
    assert meta.versions(system, tmp_path / "packed") == {"kernel": "Linux", "compiler": ""}
    (tmp_path / "vmlinux").write_bytes(LINUX)
    assert meta.versions(system, tmp_path / "packed") == {
        "kernel": "Linux 6.12.1-x",
        "compiler": "arm-gcc (Debian 12.2.0-14) 12.2.0, GNU ld 2.40",
    }


def test_our_images_say_their_compiler(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(b"...\0clang version 22.1.8\0Linker: LLD\0clang version 22.1.8\0")
    guest = build.GUESTS[f"{build.BOARD}-fass-test"]
    assert meta.versions(guest, image) == {
        "kernel": "Switchyard L4, scheme fass",
        "compiler": "clang version 22.1.8",
    }
    image.write_bytes(b"nothing")
    assert meta.versions(guest, image)["compiler"] == ""
