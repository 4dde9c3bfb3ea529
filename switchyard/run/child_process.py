# SPDX-License-Identifier: Apache-2.0
"""Programs that end when we do, also when we are killed and can end nobody.

This file is run, too: it asks Linux for a signal at its parent's death (prctl(2),
PR_SET_PDEATHSIG, which an exec keeps) and becomes the program:

    python3 -I -S child_process.py PARENT SIGNAL PROGRAM [ARGUMENT]...

Linux means the thread that started the program, not its process: `subprocess` is called by the
thread that waits for the end. It imports nothing of ours, so that it starts in some 20 ms.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def leashed(command: list[str], number: int) -> list[str]:
    """The command that runs `command` and sends it signal `number` when this process ends."""
    me = [sys.executable, "-I", "-S", __file__]
    return [*me, str(os.getpid()), str(int(number)), *command]


def main(arguments: list[str]) -> int:
    """Becomes the program; returns, as shells do, 127 if there is none such, 126 if it will not."""
    parent, number, *command = arguments
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != int(parent):  # it ended before it could be asked for
        return 1
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return 127 if isinstance(error, FileNotFoundError) else 126


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
