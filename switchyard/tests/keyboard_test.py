# SPDX-License-Identifier: Apache-2.0
"""A PC's keyboard: controller and keyboard answer as QEMU's do, and keys come as they do there."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from switchyard.tests import bare

PROGRAM = [sys.executable, "-m", "switchyard"]
KEYS = ["a", "shift-b", "ctrl-alt-delete", "f7", "f12", "kp_enter", "kp_divide", "kp_5", "print"]
KEYS += ["pause", "up", "caps_lock", "num_lock", "alt_r-q", "slash", "grave_accent", "spc", "esc"]
WAIT_S = 60


def boot(kernel: Path, script: Path, machine: str) -> subprocess.CompletedProcess[str]:
    words = ["boot", "--machine", machine, "--kernel", str(kernel), "--input", str(script)]
    return subprocess.run([*PROGRAM, *words], check=False, capture_output=True, text=True)


def on_qemu(kernel: Path, folder: Path) -> str:
    serial = folder / "serial"
    command = ["qemu-system-i386", "-M", "isapc", "-display", "none", "-kernel", str(kernel)]
    command += ["-audiodev", "none,id=sound", "-serial", f"file:{serial}", "-monitor", "stdio"]
    until = time.monotonic() + WAIT_S

    def wait_for(text: str) -> None:
        while not (serial.exists() and serial.read_text().endswith(text)):
            assert time.monotonic() < until, serial.read_text()
            time.sleep(0.05)

    with subprocess.Popen(
        [*command, "-no-reboot"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as qemu:
        assert qemu.stdin is not None
        try:
            wait_for("K")
            for key in KEYS:
                qemu.stdin.write(f"sendkey {key} 10\n")
                qemu.stdin.flush()
            qemu.wait(WAIT_S)  # the guest resets it
        finally:
            qemu.kill()
    return serial.read_text()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("qemu-system-i386") is None, reason="no qemu-system-i386")
def test_it_answers_as_qemus(tmp_path: Path) -> None:
    kernel = bare.compiled("keyboard/keyboard.c", bare.PC, tmp_path)
    script = tmp_path / "script"
    script.write_text(f'#!expect\nexpect "K"\npress {" ".join(KEYS)}\nexpect "D"\n')
    done = boot(kernel, script, "p4-willamette")
    assert (done.returncode, done.stderr) == (0, "")
    theirs = on_qemu(kernel, tmp_path)
    assert done.stdout.splitlines() == theirs.splitlines()
    assert theirs.endswith("01 81 D")


def test_a_machine_without_a_keyboard(tmp_path: Path) -> None:
    (tmp_path / "kernel").write_bytes(b"\xfe\xff\xff\xea" * 16)
    script = tmp_path / "script"
    script.write_text('#!expect\nsend "a"\npress ret\n')
    done = boot(tmp_path / "kernel", script, "sa1110")
    assert done.returncode == 2
    assert f"{script}: line 3: the machine has no keyboard; expected one that has" in done.stderr
