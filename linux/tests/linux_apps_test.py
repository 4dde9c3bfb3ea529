# SPDX-License-Identifier: Apache-2.0
"""Debian's SQLite, libfcgi, Apache and TCC as benchmarks (linux/debian), here and on the machine.

The programs are of 32 bits, so that they run here as they run there; each compares what it is told
with what it has worked out itself.
"""

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest

from switchyard.data.suite import APPLICATIONS
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.linux_servers import (
    BOUND,
    EVERY,
    GROUPED,
    MACHINE,
    NATIVE,
    NATIVE_BOUND,
    SMALL,
)
from switchyard.run import build, build_linux, runner
from switchyard.run.build_linux import I386_BENCH
from switchyard.run.experiment import Settings
from switchyard.tests.runs import Silent
from switchyard.tools import doctor

NAMES = ("database", "web", "make", "x11", "doom")
EXECUTABLES = {
    "database": ("suite",),
    "web": ("suite",),
    "apache": ("suite", "apache_clock.so", "fetched"),
    "make": ("suite", "cc", "files"),
}
FOUND = doctor.server()  # what a C library of 32 bits takes, too
can_build = pytest.mark.skipif(
    not FOUND or not all(finding.good for finding in FOUND),
    reason="Linux on L4 cannot be built here: see `switchyard doctor linux`",
)


@pytest.mark.parametrize("name", NAMES)
def test_jobs(name: str) -> None:
    for settings in (Settings(quick=True), Settings()):
        jobs = EXPERIMENTS[f"linux-l4-{name}"].jobs(settings)
        assert len({job.name for job in jobs}) == len(jobs)
        assert {job.parameters["on"] for job in jobs} == set(EVERY)
        for job in jobs:
            on = str(job.parameters["on"])
            question = "apache" if "-apache-" in job.name else name
            assert f" bench {question} " in job.append
            assert (job.machine == f"{MACHINE}-tags") == (on in (BOUND, NATIVE_BOUND))
            assert ("l4.small=programs" in job.append) == (on in (SMALL, "all", GROUPED))
            assert ("l4.small=server" in job.append) == (on in ("server", "all", GROUPED))
            assert ("groups" in job.guest.images.kernel.name) == (on == GROUPED)


def built(name: str) -> Path:
    """The folder of the programs, which need no kernel."""
    folder = build.root() / "build" / "linux" / I386_BENCH.config / name
    made = [str(folder / each) for each in EXECUTABLES[name]]
    command = ["make", "-s", "-C", str(build.root() / "linux"), f"CONFIG={I386_BENCH.config}"]
    command.append(f"CACHE={build_linux.cache()}")
    with build.only_builder(build_linux.cache()):
        done = subprocess.run([*command, *made], check=False, capture_output=True, text=True)
    if "apt-get brings no packages" in done.stderr:
        pytest.skip("no Debian packages for i386 from apt-get")
    assert done.returncode == 0, done.stderr
    return folder


def said(folder: Path, *words: str, environment: Mapping[str, str] | None = None) -> str:
    command = [str(folder / "suite"), *words, "rounds=2"]
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | (environment or {}),
        )
    except OSError as error:
        pytest.skip(f"no program of 32 bits runs here: {error}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("END status=0\n")
    text: str = done.stdout
    return text


@can_build
@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_queries_are_answered_here() -> None:
    text = said(built("database"), "database")
    assert re.findall(r"^CASE stream=\d name=(\S+)", text, re.M) == ["simple", "list", "complex"]


@can_build
@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_requests_are_answered_here() -> None:
    """By a port of this computer; one connection ends before it asks."""
    folder = built("web")
    port = free_port()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, port, (0, 128), 3)
        text = said(folder, "web", "sizes=0,8", "warmup=1", f"port={port}")
        assert asked.result() == ["Hello, world: 0\n"] * 3 + ["Hello, world: 128\n"] * 3
    assert len(re.findall(r"^SAMPLES stream=\d (\d+) (\d+)$", text, re.M)) == 2


@can_build
@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_apache_answers_here(tmp_path: Path) -> None:
    """Debian's programs, from where they were unpacked; a request a sample."""
    folder = built("apache")
    fetched = build_linux.cache() / "debian/apache"
    modules = fetched / "apache2-bin/usr/lib/apache2"
    config = (build.root() / "linux/debian/apache2.conf").read_text("utf-8")
    config = config.replace("/usr/lib/apache2", str(modules)).replace("/tmp", str(tmp_path))
    config = config.replace(f"{tmp_path}/fastcgi.socket", "/tmp/fastcgi.socket")
    (tmp_path / "apache2.conf").write_text(config, "utf-8")
    libraries = {str(file.parent) for file in fetched.glob("lib[!c]*/**/*.so.*")}
    libraries |= {str(file.parent) for file in fetched.glob("libcrypt1/**/*.so.*")}
    port = free_port()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, port, (0,), 3)
        text = said(
            folder, "apache", "warmup=1", f"port={port}", f"config={tmp_path / 'apache2.conf'}",
            f"server={fetched / 'apache2-bin/usr/sbin/apache2'}",
            f"preload={folder / 'apache_clock.so'}",
            environment={"LD_LIBRARY_PATH": ":".join(sorted(libraries))},
        )  # fmt: skip
        assert asked.result() == ["Hello, world: 0\n"] * 3
    assert len(re.findall(r"^SAMPLES stream=1 \d+$", text, re.M)) == 2


def free_port() -> int:
    """A port of this computer that nobody has."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def ask(port: int, sizes: Iterable[int], times: int) -> list[str]:
    """What is answered to so many requests of each size."""
    bodies = []
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
            break
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.02)
    for size in sizes:
        for _ in range(times):
            connection = HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", f"/hello.fcgi?{size}")
            bodies.append(connection.getresponse().read().decode())
            connection.close()
    return bodies


@can_build
@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_the_microkernel_compiles_here(tmp_path: Path) -> None:
    """By the list that the disk has, with this computer's places; each object has its source's."""
    folder = built("make")
    listed = (folder / "files").read_text("utf-8").replace("/bin/cc", str(folder / "cc"))
    tcc = build_linux.cache() / "debian/tcc/usr/lib/i386-linux-gnu/tcc/include"
    listed = listed.replace("/src/tcc", f"{tcc} -I{build.root() / 'linux/debian'}")
    listed = listed.replace("/src", str(build.root()))
    (tmp_path / "files").write_text(listed, "utf-8")
    said(folder, "make", f"src={tmp_path}", f"dir={tmp_path}")
    sources = listed.splitlines()[1:]
    assert len(sources) == len(list(tmp_path.glob("*.o"))) >= 30
    n = next(i for i, source in enumerate(sources) if source.endswith("kernel/ipc.c"))
    symbols = subprocess.run(
        ["nm", "--defined-only", tmp_path / f"{n}.o"], check=True, capture_output=True, text=True
    ).stdout
    assert " T ipc_" in symbols


@pytest.mark.linux
@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_on_the_machine(name: str, tmp_path: Path) -> None:
    quick = Settings(quick=True)
    experiment = EXPERIMENTS[f"linux-l4-{name}"]
    records = runner.run(experiment, quick, tmp_path, 2, Silent()).outcome.records
    parameter = "pages" if name == "web" else "case"
    values = {
        (r.parameters["on"], str(r.parameters.get(parameter)), r.metric): r.value for r in records
    }
    for case in APPLICATIONS[name].values():
        # a small space's programs meet as many page faults and switches, and load CR3 for none
        assert values[SMALL, case, "cr3_loads"] < values["large", case, "cr3_loads"] / 4
        assert values["all", case, "cr3_loads"] <= values["server", case, "cr3_loads"]
        assert values[NATIVE, case, "cycles"] < values["large", case, "cycles"]
