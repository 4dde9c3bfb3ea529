# SPDX-License-Identifier: Apache-2.0
"""Nothing that we started outlives us, however we end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from switchyard.data import files
from switchyard.run import build
from switchyard.run.child_process import leashed
from switchyard.tests.patience import SECONDS

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")
ROOT = Path(__file__).parents[2]

# A program that says its process's number, then sleeps; and one that starts it by way of `run`.
# It sleeps for longer than anybody waits for its end.
SLEEPER = (
    "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); "
    f"time.sleep({2 * SECONDS})"
)
STARTER = """
import signal, sys, threading
from pathlib import Path
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests were started by nohup
from switchyard.data import files
from switchyard.run import build, machine
def simulate():
    with files.scratch():
        machine.Processes().run([sys.executable, "-c", sys.argv[1], sys.argv[2]])
def make():
    build.root = lambda: Path(sys.argv[3])
    build.make("a guest", ["make", "-C", sys.argv[3]], [])
{started}
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def soon(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def started(how: str, folder: Path) -> tuple["subprocess.Popen[bytes]", int]:
    """A process that runs the program SLEEPER by our means, and that program's number."""
    told = folder / "pid"
    rule = f"all:\n\t@exec '{sys.executable}' -c \"$$SLEEPER\" '{told}'\n"
    (folder / "Makefile").write_text(rule)
    code = STARTER.format(started=how)
    environment = {**os.environ, "TMPDIR": str(folder), "SLEEPER": SLEEPER}
    command = [sys.executable, "-c", code, SLEEPER, str(told), str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    assert soon(lambda: told.exists() and told.read_text() != "")
    return process, int(told.read_text())


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGKILL], ids=["SIGHUP", "SIGKILL"])
@pytest.mark.parametrize(
    "how",
    ["simulate()", "one = threading.Thread(target=simulate); one.start(); one.join()"],
    ids=["main", "thread"],
)
def test_a_simulator_ends_with_us(how: str, number: signal.Signals, tmp_path: Path) -> None:
    process, pid = started(how, tmp_path)
    assert alive(pid)
    process.send_signal(number)
    process.wait()
    assert soon(lambda: not alive(pid))
    # and its folder goes with the next
    assert list(tmp_path.glob("switchyard-scratch-*"))
    files._clean.cache_clear()
    files._clean(tmp_path)
    assert not list(tmp_path.glob("switchyard-scratch-*"))


def test_a_build_ends_with_us_and_keeps_its_lock_until_then(tmp_path: Path) -> None:
    process, pid = started("make()", tmp_path)
    process.kill()
    process.wait()
    with build.only_builder(tmp_path / "build"):
        assert soon(lambda: not alive(pid))


def test_a_leashed_program_is_itself(tmp_path: Path) -> None:
    shown = [sys.executable, "-c", "import sys; print(sys.argv[1:], input()); sys.exit(7)", "a b"]
    done = subprocess.run(
        leashed(shown, signal.SIGKILL), input="said", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "['a b'] said\n", "")
    for name, status in (("none", 127), ("text", 126)):
        (tmp_path / "text").write_text("no program")
        command = leashed([str(tmp_path / name)], signal.SIGKILL)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert done.stderr.startswith(f"{tmp_path / name}: ")
        assert done.stderr.count("\n") == 1
