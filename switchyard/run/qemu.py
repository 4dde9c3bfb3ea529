# SPDX-License-Identifier: Apache-2.0
"""QEMU as a yardstick for the simulator: timed runs, with and without a plugin that models caches.

QEMU here is `qemu-system-arm` or `qemu-system-i386` with its compiler of guest code (TCG), one
thread for the one guest processor. The plugin is `bench/qemu-plugin/cache.c`.
"""

import re
import resource
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from switchyard.data import fields, files
from switchyard.data.fields import Fields
from switchyard.errors import RunError
from switchyard.run import build

# The programs that are QEMU, and the plugin's model of what each one's guest is in the simulator.
MODELS = {"qemu-system-arm": "arm926", "qemu-system-i386": "p4", "qemu-system-riscv64": "u74"}

# The guest ends by itself, on a busy host within minutes, or hangs.
SECONDS = 1800


@dataclass(frozen=True)
class Timed:
    """A run that came to its end: processor time of the whole process, from start to end."""

    seconds: float
    console: str
    instructions: int | None  # None where nothing counted them


def children_seconds() -> float:
    """Processor time, user and system, of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def version(program: str) -> str:
    """The version of that QEMU; empty when there is none."""
    if shutil.which(program) is None:
        return ""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    number = re.search(r"version (\d+(?:\.\d+)+)", done.stdout)
    return number.group(1) if number else ""


def plugin(program: str, shortcuts: bool = False) -> Path:
    """Brings the plugin up to date for that QEMU as it is installed."""
    # Since version 9, QEMU refuses plugins for version 1 of its interface; ours differ in nothing
    # that it uses. Tried with 7.2 only.
    api = 1 if int(version(program).split(".")[0]) < 9 else 2
    folder = build.root() / "build" / "bench" / "qemu-plugin"
    plugin_file = folder / f"{'shortcuts' if shortcuts else 'lookup'}-v{api}.so"
    build.make(
        "QEMU plugin", ["make", "-C", "bench/qemu-plugin", f"API_VERSION={api}"], [plugin_file]
    )
    return plugin_file


def run(command: list[str], end: str) -> Timed:
    """Runs QEMU until it ends by itself; `end` must be on the guest's console by then."""
    before = children_seconds()
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunError(f"{command[0]}: not done after {SECONDS} seconds") from None
    seconds = children_seconds() - before
    console = done.stdout.decode(errors="replace")
    if done.returncode != 0 or end not in console:
        said = (done.stderr.decode(errors="replace") + console).strip().splitlines()[-5:]
        raise RunError("\n  | ".join([f"{command[0]}: status {done.returncode}", *said]))
    return Timed(seconds, console, None)


def run_with_plugin(
    command: list[str], end: str, lookups: bool = True, shortcuts: bool = False
) -> Timed:
    """A run with the plugin, which counts instructions and, if asked to, looks up caches."""
    with files.scratch() as folder:
        out = folder / "counts.json"
        program = command[0]
        given = f"{plugin(program, shortcuts)},model={MODELS[program]},out={out}"
        given += "" if lookups else ",lookups=off"
        timed = run([*command, "-plugin", given], end)
        if not out.exists():
            raise RunError(f"{command[0]}: its plugin wrote no counts")
        counts = Fields(fields.parse(out.read_bytes(), "the plugin's counts"), "plugin")
        return Timed(timed.seconds, timed.console, counts.whole("instructions"))
