# SPDX-License-Identifier: Apache-2.0
"""The container: what it installs suffices, and (by `long`) its steps work in an empty Debian."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from switchyard.run import build
from switchyard.tools import doctor

ROOT = build.root()
# What the steps ask for packages by: this computer's own way to the registries.
REGISTRIES = ("/etc/resolv.conf", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")


def installed() -> list[str]:
    """The Debian packages of the Dockerfile."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    listed: str
    (listed,) = re.findall(r"apt-get install -y --no-install-recommends +(.*?)&&", text)
    return listed.split()


def test_it_has_what_doctor_asks_for() -> None:
    wanted = {
        name for need in doctor.findings("setup") for name in need.packages if need.name != "Rust"
    }
    assert wanted <= set(installed())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^sudo apt-get install (.*cargo)$", readme, re.M)
    assert set(line.split()) <= set(installed())


def test_the_editors_container_is_that_of_the_dockerfile() -> None:
    text = (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    described = json.loads(re.sub(r"^ *//.*$", "", text, flags=re.M))
    stage = described["build"]["target"]
    dockerfile = (ROOT / ".devcontainer" / described["build"]["dockerfile"]).read_text()
    assert re.search(rf"^FROM \S+ AS {stage}$", dockerfile, re.M)
    assert described["postCreateCommand"] == "make setup"
    assert f"--shell /bin/bash {described['remoteUser']}" in dockerfile


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="debootstrap needs root")
def test_the_steps_work_in_an_empty_debian(tmp_path: Path) -> None:
    """What the Dockerfile does, in Debian 13 as debootstrap installs it."""
    if shutil.which("debootstrap") is None:
        pytest.skip("no debootstrap; get it with: sudo apt-get install debootstrap")
    debian = tmp_path / "debian"
    include = f"--include={','.join(installed())}"
    command = ["debootstrap", "--variant=minbase", include, "trixie", str(debian)]
    subprocess.run(command, check=True)
    for file in REGISTRIES:
        if Path(file).exists():
            (debian / file[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, debian / file[1:])
    home = debian / "root"
    for name in (".cargo/config.toml", ".config/pip/pip.conf"):
        if (Path.home() / name).exists():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path.home() / name, home / name)
    place = home / "switchyard"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(place)], check=True)
    kept = {
        k: v for k, v in os.environ.items() if k.startswith(("PIP_", "CARGO_REG", "CARGO_SOURCE"))
    }
    environment = {"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **kept}
    steps = "cd /root/switchyard && make demo && .venv/bin/switchyard doctor"
    # as in a container: the C compiler asks /proc for its own place
    mounted = f'mount -t proc proc "$1/proc" && exec chroot "$1" sh -c "{steps}"'
    inside = ["unshare", "--mount", "sh", "-c", mounted, "sh", str(debian)]
    done = subprocess.run(inside, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ready to build and run" in done.stdout
    assert "With fast address-space switching" in done.stdout
