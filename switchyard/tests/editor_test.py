# SPDX-License-Identifier: Apache-2.0
"""What F5 does: the commands of `.vscode`, which GDB follows back in time."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from switchyard.errors import InputError
from switchyard.tools import editor, new
from switchyard.tools.doctor import ROOT


def test_a_second_guest_is_added_and_nothing_is_lost(tmp_path: Path) -> None:
    for name in ("one", "two", "one"):
        for path, text in editor.files(tmp_path, name).items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    launch = json.loads((tmp_path / ".vscode" / "launch.json").read_text())
    names = [each["name"] for each in launch["configurations"]]
    assert sorted(names) == ["one (Switchyard)", "two (Switchyard)"]
    tasks = json.loads((tmp_path / ".vscode" / "tasks.json").read_text())["tasks"]
    labels = {each["label"] for each in tasks}
    assert labels == {"build one", "boot one", "build two", "boot two"}
    for each in [*launch["configurations"], *tasks]:
        needed = each.get("preLaunchTask") or each.get("dependsOn")
        assert needed is None or needed in labels


def test_a_file_that_is_not_plain_json_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "launch.json").write_text("// mine")
    with pytest.raises(InputError, match=r"launch\.json: .*expected JSON without comments"):
        editor.files(tmp_path, "one")


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.skipif(shutil.which("gdb-multiarch") is None, reason="no gdb-multiarch")
@pytest.mark.parametrize("machine", ["", "virt-u74"])
def test_the_tasks_boot_it_and_gdb_goes_back(
    machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = new.make("guest", "hello", tmp_path, machine)
    for file in made.files:
        assert file.exists()
    tasks = json.loads((tmp_path / ".vscode" / "tasks.json").read_text())["tasks"]
    commands = {each["label"]: each["command"] for each in tasks}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ours = f"{sys.executable} -m switchyard"
    run = {
        label: command.replace("switchyard", ours, 1).replace(f":{editor.PORT}", f":{port}")
        for label, command in commands.items()
    }
    path = {"PYTHONPATH": str(ROOT)}
    environment = {**os.environ, **path}
    subprocess.run(run["build hello"].split(), env=environment, check=True)
    (matcher,) = [each["problemMatcher"] for each in tasks if each["label"] == "boot hello"]
    boot = subprocess.Popen(
        run["boot hello"].split(), env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        assert boot.stderr is not None
        assert re.search(matcher["background"]["endsPattern"], boot.stderr.readline())
        (launch,) = json.loads((tmp_path / ".vscode" / "launch.json").read_text())["configurations"]
        # where other programs have the processors, an answer may take longer than GDB waits
        words = [launch["miDebuggerPath"], "-nx", "-batch", "-ex", "set remotetimeout 100"]
        for command in (
            f"target remote localhost:{port}",
            'interpreter-exec mi "-list-target-features"',
            "break run",
            "continue",
            "next",
            "reverse-stepi",
            "kill",
        ):
            words += ["-ex", command]
        words.append(launch["program"].replace("${workspaceFolder}", str(tmp_path)))
        said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
        assert '"reverse"' in said.stdout, said.stdout + said.stderr
        assert "Breakpoint 1, run ()" in said.stdout
        assert "hello.c:" in said.stdout
    finally:
        boot.kill()
        boot.wait()
