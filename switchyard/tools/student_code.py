# SPDX-License-Identifier: Apache-2.0
"""Runs a student's Python function in a process of its own.

What it raises is not the grader's then, nor how long it takes.
"""

import json
import subprocess
import sys
from pathlib import Path

from switchyard.data import files
from switchyard.errors import InputError

# What that process does: file, then where the registers go as the function leaves them.
CALLED = """
import json, sys, traceback
file = sys.argv[1]
scope = {"__name__": "break_out"}
registers = json.load(sys.stdin)
try:
    exec(compile(open(file, encoding="utf-8").read(), file, "exec"), scope)
    scope["break_out"](registers)
    for name, value in registers.items():
        if type(value) is not int or not 0 <= value < 1 << 32:
            raise ValueError(f'registers["{name}"] = {value!r}: expected 32 bits')
except BaseException as error:
    lines = [at.lineno for at in traceback.extract_tb(error.__traceback__) if at.filename == file]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else 0)
    what = f"no {error}" if isinstance(error, KeyError) else f"{type(error).__name__}: {error}"
    sys.exit(f"{file}:{line}: {what}")
with open(sys.argv[2], "w") as out:
    json.dump(registers, out)
"""
MOST_SECONDS = 20


def changed_by(file: Path, registers: dict[str, int]) -> dict[str, int]:
    """The registers that `break_out` has changed, and what they are now."""
    with files.scratch() as scratch:
        out = scratch / "registers.json"
        command = [sys.executable, "-I", "-c", CALLED, str(file), str(out)]
        expected = "expected a function break_out(registers) that changes one and returns"
        try:
            done = subprocess.run(
                command,
                input=json.dumps(registers),
                capture_output=True,
                text=True,
                timeout=MOST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise InputError(f"{file}: runs for {MOST_SECONDS} s; {expected}") from None
        if done.returncode != 0 or not out.exists():
            said = done.stderr.strip().splitlines() or [f"{file}: it ended the program"]
            raise InputError(f"{said[-1]}; {expected}")
        after: dict[str, int] = json.loads(out.read_text("utf-8"))
    return {name: after[name] for name in registers if after.get(name) != registers[name]}
