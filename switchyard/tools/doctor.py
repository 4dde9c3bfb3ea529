# SPDX-License-Identifier: Apache-2.0
"""What this computer must have, what it lacks, and the command that installs it.

One table for both users: `switchyard doctor`, and `make`, which runs this file by the system's
Python before anything is installed (so: the standard library only, no import from the package,
and nothing that an old Python cannot read):

    python3 -I switchyard/tools/doctor.py [--install] [setup|test|linux|long]
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = (3, 11)
OS_RELEASE = Path("/etc/os-release")


def checkout() -> bool:
    """Whether this is a checkout, and not what a wheel brought (tree.py)."""
    return (ROOT / "kernel").is_dir()


@dataclass(frozen=True)
class Finding:
    """One thing that is needed: whether it is there, and how to get it."""

    name: str
    why: str
    found: str  # a version or "yes"; empty when it is not there
    fault: str  # empty when it is good enough
    packages: tuple[str, ...]  # Debian's and Ubuntu's packages that bring it
    command: str  # the one command that installs it, for a person
    optional: bool = False  # without it some tests are skipped, or some guests not to be built

    @property
    def good(self) -> bool:
        """There, and new enough."""
        return not self.fault

    @property
    def missing(self) -> bool:
        """Not good, and nothing goes without it."""
        return not self.good and not self.optional


def _version(*command: str) -> str:
    """The first version number that a command prints; empty when it cannot be run."""
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    number = re.search(r"\d+(\.\d+)+", done.stdout)
    return number.group(0) if done.returncode == 0 and number else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _qemu() -> Finding:
    why = "make test: the same kernels on another simulator"
    return _tool("qemu-system-arm", why, ["qemu-system-arm", "--version"], "qemu-system-arm")


def _qemu_of_the_pc(why: str) -> Finding:
    return _tool("qemu-system-i386", why, ["qemu-system-i386", "--version"], "qemu-system-x86")


def _qemu_of_riscv(why: str) -> Finding:
    name = "qemu-system-riscv64"
    return _tool(name, why, [name, "--version"], "qemu-system-misc")


def _browser() -> Finding:
    why = "make test: the report, opened"
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return _tool(name, why, [name, "--version"], "chromium")
    return _tool("chromium", why, ["chromium", "--version"], "chromium")


def bochs() -> Finding:
    """Bochs, with the one of its displays that needs no window. Also called by the tests."""
    version = _version("bochs", "--help")
    if not any(Path("/usr/lib").glob("*/bochs/plugins/libbx_term_gui.so")):
        version = ""
    packages = ("bochs", "bochs-term")
    return Finding(
        "bochs",
        "make test, optional: IA-32 systems on another simulator",
        version,
        "" if version else "not found",
        packages,
        f"sudo apt-get install {' '.join(packages)}",
        optional=True,
    )


def release(file: Path = OS_RELEASE) -> tuple[str, str]:
    """The distribution and its version, as `debian` and `12`; empty where they are not told."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", ""
    said = dict(re.findall(r"^(ID|VERSION_ID)=[\"']?([^\"'\n]*)", text, re.MULTILINE))
    return said.get("ID", ""), said.get("VERSION_ID", "")


def sources_from(distribution: str, version: str) -> tuple[tuple[str, ...], str]:
    """Where Linux's sources come from there: the package that apt has, if any, and the command."""
    package = ("linux-source-6.12",)
    command = f"sudo apt-get install {package[0]}"
    if (distribution, version) == ("debian", "12"):
        # its own kernel is 6.1; apt-cache policy names the archive
        archive = "deb http://security.debian.org/debian-security bookworm-security main"
        return package, f"{command} (it is in Debian 12's security archive: {archive})"
    if (distribution, version) == ("debian", "13"):
        return package, command
    page = f"https://packages.debian.org/trixie/all/{package[0]}/download"
    whose = "Ubuntu has no such package" if distribution == "ubuntu" else "only Debian has it"
    return (), f"sudo apt-get install ./{package[0]}_*_all.deb ({whose}; Debian 13's: {page})"


def _linux() -> list[Finding]:
    """What `switchyard build linux` takes: Debian's sources, and what they are built with."""
    why = "Linux on the machines"
    source = "linux-source-6.12"
    there = Path(f"/usr/src/{source}.tar.xz").exists()
    packages, command = sources_from(*release())
    fault = "" if there else "not found"
    return [
        Finding(source, why, "yes" if there else "", fault, packages, command),
        _tool(
            "arm-linux-gnueabi-gcc",
            why,
            ["arm-linux-gnueabi-gcc", "--version"],
            "gcc-arm-linux-gnueabi",
        ),
        _tool("flex", why, ["flex", "--version"], "flex"),
        _tool("bison", why, ["bison", "--version"], "bison"),
        _tool("bc", why, ["bc", "--version"], "bc"),
        _tool("xz", why, ["xz", "--version"], "xz-utils"),
        _tool("patch", why, ["patch", "--version"], "patch"),
    ]


def armel() -> Finding:
    """The C library of programs with glibc, and of the kernel's own self-tests (linux/kselftest).

    The compiler brings the shared library alone.
    """
    package = "libc6-dev-armel-cross"
    there = Path("/usr/arm-linux-gnueabi/lib/libc.a").exists()
    return Finding(
        "glibc for armel",
        "make test: programs with glibc on the machines",
        "yes" if there else "",
        "" if there else "not found",
        (package,),
        f"sudo apt-get install {package}",
    )


def server() -> list[Finding]:
    """Linux as a server on L4 (linux/l4): a PC's compiler makes it, with glibc of 32 bits.

    Other computers cannot build it.
    """
    if not re.fullmatch(r"x86_64|i.86", platform.machine()):
        return []
    why = "Linux as a server on L4"
    compilers = Path("/usr/lib/gcc/x86_64-linux-gnu")
    installed = [int(folder.name) for folder in compilers.glob("[0-9]*") if folder.name.isdigit()]
    version = max(installed, default=14)  # Debian 13's
    needs = (
        ("libc6-dev-i386", Path("/usr/lib32/libc.a")),
        (f"lib32gcc-{version}-dev", compilers / str(version) / "32" / "libgcc.a"),
    )
    return [
        Finding(
            package,
            why,
            "yes" if file.exists() else "",
            "" if file.exists() else "not found",
            (package,),
            # what they recommend, gcc-multilib, would remove the cross compilers
            f"sudo apt-get install --no-install-recommends {package}",
            optional=True,
        )
        for package, file in needs
    ]


def i386() -> list[Finding]:
    """Linux for the small PC: a computer of that kind has the compiler."""
    why = "make test-long: Linux on p4-willamette"
    tools = [_qemu_of_the_pc(why)]
    if re.fullmatch(r"x86_64|i.86", platform.machine()):
        return tools
    name = "i686-linux-gnu-gcc"
    return [_tool(name, why, [name, "--version"], "gcc-i686-linux-gnu"), *tools]


OPENSBI = Path("/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin")


def riscv() -> list[Finding]:
    """Linux for QEMU's RISC-V board, and the firmware that starts it."""
    why = "make test-long: Linux on virt-u74"
    compiler = "riscv64-linux-gnu-gcc"
    return [
        _tool(compiler, why, [compiler, "--version"], "gcc-riscv64-linux-gnu"),
        _qemu_of_riscv(why),
        opensbi(),
    ]


def opensbi() -> Finding:
    """The firmware of RISC-V's machines."""
    found = "yes" if OPENSBI.exists() else ""
    return Finding(
        name="opensbi",
        why="kernels for RISC-V that do not run in machine mode",
        found=found,
        fault="" if found else "not found",
        packages=("opensbi",),
        command="sudo apt-get install opensbi",
        optional=True,
    )


def _rust_version() -> str:
    """The oldest compiler that the simulator builds with, as its Cargo.toml has it."""
    for file in (ROOT / "Cargo.toml", ROOT / "machine" / "Cargo.toml"):
        if file.exists():
            line = re.search(r'^rust-version\s*=\s*"([\d.]+)"', file.read_text(), re.MULTILINE)
            if line:
                return line.group(1)
    return "0"


def _tool(name: str, why: str, command: list[str], package: str) -> Finding:
    version = _version(*command)
    fault = "" if version else "not found"
    return Finding(name, why, version, fault, (package,), f"sudo apt-get install {package}")


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    why = "the package and the command line"
    if sys.version_info[:2] < PYTHON:
        wanted = ".".join(str(part) for part in PYTHON)
        command = "sudo apt-get install python3, or: make PYTHON=/path/to/python3.11"
        return Finding("Python", why, version, f"older than {wanted}", (), command)
    return Finding("Python", why, version, "", (), "")


def _venv() -> Finding:
    inside = sys.prefix != sys.base_prefix  # then a virtual environment was made already
    good = inside or importlib.util.find_spec("ensurepip") is not None
    return Finding(
        "Python venv",
        "a place for the Python packages",
        "yes" if good else "",
        "" if good else "not found",
        ("python3-venv",),
        "sudo apt-get install python3-venv",
    )


def _compiler(why: str) -> Finding:
    for name in ("cc", "gcc", "clang"):
        version = _version(name, "--version")
        if version:
            return Finding("C compiler", why, version, "", (), "")
    packages = ("gcc", "libc6-dev")
    command = f"sudo apt-get install {' '.join(packages)}"
    return Finding("C compiler", why, "", "not found", packages, command)


def _make(why: str) -> Finding:
    return _tool("make", why, ["make", "--version"], "make")


def _rust() -> Finding:
    wanted = _rust_version()
    version = _version("rustc", "--version") if _version("cargo", "--version") else ""
    why = "building the simulator"
    if version and _numbers(version) >= _numbers(wanted):
        return Finding("Rust", why, version, "", (), "")
    fault = f"older than {wanted}" if version else "not found"
    if shutil.which("rustup"):
        command = "rustup toolchain install"  # what rust-toolchain.toml names
    else:
        command = "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
    return Finding("Rust", why, version, fault, (), command)


def _rust_tool(name: str, package: str) -> Finding:
    finding = _tool(f"cargo {name}", "make test", ["cargo", name, "--version"], package)
    if finding.good or not shutil.which("rustup"):
        return finding
    component = {"fmt": "rustfmt"}.get(name, name)
    command = f"rustup component add {component}"
    return Finding(finding.name, finding.why, "", finding.fault, (), command)


def findings(purpose: str) -> list[Finding]:
    """What `purpose` needs.

    `setup`: to build and run; `test`: for the tests as well; `linux`: to build and test Linux;
    `long`: for the tests of it that take hours. A wheel has the simulator and the guests in it, and
    no tests.
    """
    linux = purpose in ("linux", "long")
    if checkout():
        compiler, make = _compiler("linking the simulator"), _make("building everything")
        needs = [_python(), _venv(), compiler, make, _rust()]
    elif linux:
        needs = [_python(), _compiler("building Linux"), _make("building Linux")]
    else:
        needs = [_python(), replace(_make("guests that are not in the wheel"), optional=True)]
    if purpose == "test" and checkout():
        needs += [
            _rust_tool("fmt", "rustfmt"),
            _rust_tool("clippy", "rust-clippy"),
            _qemu(),
            _qemu_of_the_pc("make test: the small PC's kernel on another simulator"),
            _qemu_of_riscv("make test: RISC-V's kernel and programs on another simulator"),
            bochs(),
            _tool("spin", "make test: the schemes' protocol, searched", ["spin", "-V"], "spin"),
            _tool(
                "gdb-multiarch",
                "make test: a debugger on the machines",
                ["gdb-multiarch", "--version"],
                "gdb-multiarch",
            ),
            opensbi(),
            _browser(),
        ]
    if linux:
        needs += [*([_qemu(), armel()] if checkout() else []), *_linux(), *server()]
    if purpose == "long":
        needs += [*i386(), *riscv()]
    return needs


# What a computer may be asked to be fit for, and the words for it; the first is what all need.
PURPOSES = {
    "setup": "to build and run",
    "test": "for make test",
    "linux": "for Linux on the machines",
    "long": "for make test-long",
}


def everything() -> list[Finding]:
    """What building and running needs, and after it, as optional, what the other purposes do."""
    needs = {need.name: need for need in findings("setup")}
    for purpose in PURPOSES:
        for need in findings(purpose):
            needs.setdefault(need.name, replace(need, optional=True))
    return list(needs.values())


def verdict(purpose: str) -> str:
    """A line: whether this computer is fit for a purpose, or what it lacks for it."""
    lacks = [need.name for need in findings(purpose) if need.missing]
    if not lacks:
        return f"ready {PURPOSES[purpose]}"
    return f"not ready {PURPOSES[purpose]}: no {', '.join(lacks)}"


def _apt() -> list[str]:
    """How to call apt-get here; empty where we may not."""
    if shutil.which("apt-get") is None:
        return []
    if os.geteuid() == 0:
        return ["apt-get"]
    if shutil.which("sudo"):
        allowed = subprocess.run(
            ["sudo", "-n", "true"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if allowed.returncode == 0:
            return ["sudo", "-n", "apt-get"]
    return []


def install(packages: list[str]) -> None:
    """Installs Debian packages where we may; whether it worked shows when one looks again."""
    apt = _apt()
    if not apt or not packages:
        return
    print(f"installing {' '.join(packages)} with apt-get", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = [*apt, "install", "-y", "-q", "--no-install-recommends"]

    def tried(*words: str) -> bool:
        done = subprocess.run(words, env=environment, check=False, capture_output=True)
        return done.returncode == 0

    # A list of packages that was never fetched, or is old, makes the first try fail; a package
    # that this distribution has not would keep all others out.
    if not tried(*command, *packages):
        tried(*apt, "update", "-q")
        if not tried(*command, *packages):
            for package in packages:
                tried(*command, package)
    importlib.invalidate_caches()


def main(arguments: list[str]) -> int:
    """For `make`: quiet when all is well, else one line for each thing that is missing."""
    purpose = next((known for known in ("test", "linux", "long") if known in arguments), "setup")
    needs = findings(purpose)
    if "--install" in arguments:
        install([package for need in needs if not need.good for package in need.packages])
        needs = findings(purpose)
    for need in needs:
        if not need.good:
            version = f" {need.found}" if need.found else ""
            print(
                f"{need.name}{version}: {need.fault} ({need.why}); install it with: {need.command}",
                file=sys.stderr,
            )
    return 1 if any(need.missing for need in needs) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
