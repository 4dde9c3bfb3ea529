# SPDX-License-Identifier: Apache-2.0
"""The suite on this very computer: what it says, and that it leaves nothing behind."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from switchyard import cli
from switchyard.data import records
from switchyard.data.records import Record
from switchyard.experiments.linux_ctx.measure import QUICK_COUNTS
from switchyard.experiments.linux_extreme.measure import QUICK_PAGES
from switchyard.experiments.linux_ipc.measure import LINES
from switchyard.run.build import root
from switchyard.tests.patience import SECONDS
from switchyard.tools import bench_host

pytestmark = [
    pytest.mark.guests,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux"),
]


def running(scratch: Path) -> list[str]:
    """The processes that were started with a folder in there for their files."""
    commands = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has ended
            continue
        if f"dir={scratch}" in words:
            commands.append(words)
    return commands


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def test_this_computer_beside_a_machine(
    tmp_path: Path, scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    parameters = {"question": "potato", "case": "pipe"}
    machine = Record("linux-ipc", "sa1110", "linux", "flush", "latency", 573.0, "us", parameters)
    records.save([machine], out / "linux-ipc.json")
    before = os.sched_getaffinity(0)
    assert cli.execute(["bench-host", "--quick", "--out", str(out)]) == 0
    assert os.sched_getaffinity(0) == before
    assert list(scratch.iterdir()) == []
    assert running(scratch) == []
    cases = {
        (r.metric, tuple(sorted(r.parameters.items())))
        for r in records.load(out / "bench-host.json")
    }
    assert ("latency", tuple(sorted(parameters.items()))) in cases
    assert ("switch", (("processes", 40), ("size_kb", 16))) in cases
    assert ("turn", (("pages", 32), ("processes", 2), ("sharing", "shared"))) in cases
    assert len(cases) == len(LINES) + 2 * len(QUICK_COUNTS) + 2 * len(QUICK_PAGES)
    said = capsys.readouterr().out
    (pipe,) = [line.split() for line in said.splitlines() if line.split()[:1] == ["pipe"]]
    assert pipe[-1] == "573"
    assert "switchyard run linux-ctx linux-extreme" in " ".join(said.split())
    for name in ("bench-host", "bench-host-ctx", "bench-host-extreme"):
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_can_be_interrupted(tmp_path: Path, scratch: Path, number: signal.Signals) -> None:
    bench_host.ensure()
    command = [sys.executable, "-m", "switchyard", "bench-host", "--out", str(tmp_path / "out")]
    # tests that a shell runs in the background ignore it, and so would a child of theirs
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            command, cwd=root(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    finally:
        signal.signal(signal.SIGINT, before)
    deadline = time.monotonic() + SECONDS
    # the suite and a child of its own
    while not len(running(scratch)) >= 2 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    said, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + number, said
    assert "Traceback" not in said
    assert list(scratch.iterdir()) == []
    assert running(scratch) == []
    assert not (tmp_path / "out").exists()


def test_a_processor_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["bench-host", "--cpu", "1023"]) == 2
    assert "--cpu 1023: expected a processor that may be used here" in capsys.readouterr().err
