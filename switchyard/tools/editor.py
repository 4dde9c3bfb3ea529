# SPDX-License-Identifier: Apache-2.0
"""What an editor needs to build, boot and debug a guest by one key: `.vscode`.

F5 in Visual Studio Code runs the task `boot NAME`, which builds the guest and waits for a debugger,
and connects GDB to it.
Each guest adds its own entries to the two files of the folder; those of others stay as they are.
"""

import json
from pathlib import Path
from typing import Any

from switchyard.errors import InputError

PORT = 1234


def tasks(name: str, options: str = "") -> list[dict[str, Any]]:
    """To build it, and to boot it for a debugger, which is ready when the machine waits."""
    waits = {
        "owner": "switchyard",
        "pattern": {"regexp": "^switchyard: (.*)$", "message": 1},
        "background": {
            "activeOnStart": True,
            "beginsPattern": "^build",
            "endsPattern": "waiting for a debugger",
        },
    }
    build = {"type": "shell", "command": f"switchyard build {name}", "group": "build"}
    boot = f"switchyard boot {options}--kernel build/{name}.elf --check coherence --gdb :{PORT}"
    return [
        {"label": f"build {name}", **build, "problemMatcher": ["$gcc"]},
        {
            "label": f"boot {name}",
            "type": "shell",
            "command": boot,
            "dependsOn": f"build {name}",
            "isBackground": True,
            "problemMatcher": waits,
        },
    ]


def launches(name: str) -> list[dict[str, Any]]:
    """GDB on the machine that waits; it goes back in time as well, step by step."""
    return [
        {
            "name": f"{name} (Switchyard)",
            "type": "cppdbg",
            "request": "launch",
            "program": f"${{workspaceFolder}}/build/{name}.elf",
            "cwd": "${workspaceFolder}",
            "preLaunchTask": f"boot {name}",
            "MIMode": "gdb",
            "miDebuggerPath": "gdb-multiarch",
            "miDebuggerServerAddress": f"localhost:{PORT}",
            "stopAtConnect": True,
        }
    ]


def files(folder: Path, name: str, options: str = "") -> dict[Path, str]:
    """The two files of a folder, with a guest's entries added; refuses what is not plain JSON.

    `options` are those of `switchyard boot` that the guest needs.
    """
    place = folder / ".vscode"
    parts: list[tuple[str, dict[str, Any], str, str, list[dict[str, Any]]]] = [
        ("launch.json", {"version": "0.2.0"}, "configurations", "name", launches(name)),
        ("tasks.json", {"version": "2.0.0"}, "tasks", "label", tasks(name, options)),
    ]
    wanted = {}
    for file, begun, members, key, added in parts:
        path = place / file
        whole = _read(path) if path.exists() else begun
        there = [entry for entry in whole.get(members, []) if isinstance(entry, dict)]
        names = {entry[key] for entry in added}
        whole[members] = [*(each for each in there if each.get(key) not in names), *added]
        wanted[path] = json.dumps(whole, indent=2) + "\n"
    return wanted


def _read(path: Path) -> dict[str, Any]:
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: {said}; expected JSON without comments") from None
    if not isinstance(whole, dict):
        raise InputError(f"{path}: expected an object")
    return whole
