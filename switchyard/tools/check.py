# SPDX-License-Identifier: Apache-2.0
"""Which tests judge a change: from a path of the checkout to the commands that give a verdict.

`RULES` is the one table of it. A path may be named by several rules, and all of them judge it: a
device has its unit tests and its format. Commands that several paths ask for run once.
"""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from switchyard.errors import InputError
from switchyard.run import build

GUESTS = "kernel/tests/guests_test.py"
PYTEST = (sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short")
CARGO = ("cargo", "test", "--locked", "--quiet")
DOCS = (sys.executable, "-m", "switchyard", "docs", "--check")
RUFF = (sys.executable, "-m", "ruff")


@dataclass(frozen=True)
class Judge:
    """A command whose exit status is a verdict, and what it judges."""

    about: str
    command: tuple[str, ...]

    def __str__(self) -> str:
        """The command as one would type it."""
        return shlex.join(
            Path(word).name if word == sys.executable else word for word in self.command
        )


@dataclass(frozen=True)
class Verdict:
    """What came of a judge: its output, and how many seconds it took."""

    judge: Judge
    good: bool
    output: str
    seconds: float


def pytest(about: str, *tests: str) -> Judge:
    """Tests of Python, by file or by name."""
    return Judge(about, (*PYTEST, *tests))


@cache
def importers(module: str) -> list[str]:
    """The package's tests that name a module: `switchyard.run.build`, or `from switchyard.run`."""
    package, _, name = module.rpartition(".")
    named = re.compile(
        rf"\b{re.escape(module)}\b|^from {re.escape(package)} import .*\b{re.escape(name)}\b", re.M
    )
    tests = sorted((build.root() / "switchyard" / "tests").glob("*_test.py"))
    return [f"switchyard/tests/{test.name}" for test in tests if named.search(test.read_text())]


def of_module(path: re.Match[str]) -> Iterator[Judge]:
    """A module of the package: the tests that are called as it is, or all that name it."""
    twin = f"switchyard/tests/{path['name']}_test.py"
    if (build.root() / twin).exists():
        yield pytest("its tests", twin)
    elif tests := importers(path["module"].replace("/", ".")):
        yield pytest("the tests that use it", *tests)


def of_experiment(path: re.Match[str]) -> Iterator[Judge]:
    """An experiment: its tests, and the page and figures that the kept results give."""
    if tests := importers(f"switchyard.experiments.{path['name']}"):
        yield pytest("the experiment's tests", *tests)
    yield Judge("page and figures are the results'", DOCS)


def of_scheme(path: re.Match[str]) -> Iterator[Judge]:
    """A scheme: its images under the coherence checker, first with messages, then all tests."""
    arch = build.ARCHITECTURES[path["arch"]]
    names = [scheme.name for scheme in arch.schemes if not scheme.machines]
    chosen = [path["scheme"]] if path["scheme"] in names else names  # a folder that they share
    messages = {
        "arm": "test_no_stale_state_is_ever_used[{}]",
        "ia32": "test_benchmarks_on_the_pc[bench-ipc-clients=1-5 rounds=100 warmup=10-{}]",
        "riscv": "test_kernel_on_qemu[{}-virt]",
    }[path["arch"]]
    for name in chosen:
        test = f"{GUESTS}::{messages.format(name)}"
        yield pytest(f"{name} under the coherence checker", test)
    for name in chosen:
        yield kernel_tests(path["arch"], name)


# A scheme's tests of the kernel for RISC-V, under the coherence checker where that is short.
RISCV_TESTS = {
    "flush": "flush-virt-u74--False",
    "tags": "tags-virt-u74-asid-only=attack_after-True",
    "single-space": "single-space-virt-u74-only=single_-True",
}


def kernel_tests(arch: str, scheme: str) -> Judge:
    """The kernel's tests under a scheme and under the checker."""
    test = {
        "arm": f"test_kernel_on_the_simulator[{scheme}-]",
        "ia32": f"test_kernel_on_the_pc[{scheme}--True]",
        "riscv": f"test_kernel_on_riscv[{RISCV_TESTS.get(scheme, RISCV_TESTS['flush'])}]",
    }[arch]
    return pytest(f"the kernel's tests under {scheme}", f"{GUESTS}::{test}")


def of_kernel(path: re.Match[str]) -> Iterator[Judge]:
    """The kernel: what its sources must not name, and its tests on one scheme an architecture."""
    yield pytest("what generic code may name", "kernel/tests/kernel_sources_test.py")
    for arch, scheme in (("arm", "fass"), ("ia32", "small-spaces"), ("riscv", "flush")):
        if path["arch"] in (None, arch):
            yield kernel_tests(arch, scheme)


def of_page(path: re.Match[str]) -> Iterator[Judge]:
    """What a page in a browser has of its own: the page's tests."""
    names = ("explore", "report") if path["name"] == "wide" else (path["name"],)
    yield pytest("the page in a browser", *(f"switchyard/tests/{name}_test.py" for name in names))


def of_unit(path: re.Match[str]) -> Iterator[Judge]:
    """A source of the simulator: the unit tests of its module."""
    module = re.sub(r"(_tests|/mod|/tests)$", "", path["module"]).replace("/", "::")
    yield Judge("its unit tests", (*CARGO, "--lib", module))


Rule = Callable[[Sequence[re.Match[str]]], Iterable[Judge]]


def each(judged: Callable[[re.Match[str]], Iterable[Judge]]) -> Rule:
    """A rule that looks at one path after the other."""
    return lambda paths: (judge for path in paths for judge in judged(path))


def one(about: str, *command: str) -> Rule:
    """One command a path; groups of the path stand in braces."""

    def judged(path: re.Match[str]) -> Iterator[Judge]:
        groups = {name: text or "" for name, text in path.groupdict().items()}
        yield Judge(about, tuple(word.format(**groups) for word in command))

    return each(judged)


def tests(about: str, *names: str) -> Rule:
    """Tests of Python; groups of the path stand in braces."""
    return one(about, *PYTEST, *names)


def together(about: str, *command: str) -> Rule:
    """One command for all paths, which stand at its end."""
    return lambda paths: [Judge(about, (*command, *dict.fromkeys(path[0] for path in paths)))]


# From paths to what judges them. Patterns match whole paths, from the checkout's root.
RULES: tuple[tuple[str, Rule], ...] = (
    # formats and types
    (r".*\.rs", one("format", "cargo", "fmt", "--all", "--check")),
    (r".*\.py", together("lint", *RUFF, "check")),
    (r".*\.py", together("format", *RUFF, "format", "--check")),
    (
        r"(switchyard|kernel|l4|servers|linux|bench)/.*\.py",
        one("types", sys.executable, "-m", "mypy"),
    ),
    (
        r"(include|kernel|l4|user|bench|servers|linux|machine/tests)/.*\.(c|cc|h)",
        together("format", "clang-format", "--dry-run", "-Werror"),
    ),
    # the simulator
    (r"machine/tests/Makefile", one("its guests", *CARGO, "--test", "machine")),
    (r"machine/src/(?P<module>.+)\.rs", each(of_unit)),
    (r"machine/src/.*\.rs", tests("no circle among modules", "machine/tests/modules")),
    (
        r"machine/src/(?!dev/|board/).*\.rs|machine/((translator|tests)/)?Cargo.toml|Cargo\.(toml|lock)",
        one("programs on all machines", *CARGO, "--test", "machine"),
    ),
    (
        r"machine/translator/.*",
        one("translated and interpreted", *CARGO, "--test", "machine", "translation"),
    ),
    (r"machine/machines/.*\.toml", one("it is read", *CARGO, "--lib", "config")),
    (
        r"machine/tests/(?P<name>\w+)(\.rs|/.*\.(rs|S|lds|json))",
        one("its tests", *CARGO, "--test", "machine", "{name}"),
    ),
    (
        r"machine/tests/(?P<name>\w+)/(.*/)?((?!test_)\w+\.(py|c|cc|h|toml|lds)|Makefile)",
        tests("the tests beside it", "machine/tests/{name}", "-m", "not long"),
    ),
    # the microkernel, its library, its programs
    (r"kernel/arch/(?P<arch>\w+)/switch/(?P<scheme>[\w-]+)/.*", each(of_scheme)),
    (
        r"kernel/(arch/(?P<arch>\w+)/(?!switch/).*|[\w-]+)\.(c|h|S|mk|lds)|kernel/Makefile",
        each(of_kernel),
    ),
    (r"kernel/.*\.pml|linux/model/.*", tests("the search", "kernel/tests/scheme_model_test.py")),
    (r"include/.*|l4/(include|lib)/.*", tests("names of the L4 manual", "l4/tests")),
    (
        r"(l4/(?!tests)|include/|user/).*\.(c|cc|h|S|lds|mk)|user/Makefile",
        tests("the kernel's tests", f"{GUESTS}::test_kernel_on_the_simulator[fass-]"),
    ),
    (r"kernel/tests/bochs_rom\.S", tests("on Bochs", "kernel/tests/kernel_bochs_test.py")),
    (r"servers/(?!tests).*", tests("pings are answered", "servers/tests")),
    (r"bench/tasks/.*", tests("tasks against libraries", "bench/tests")),
    (
        r"linux/debian/(x11.mk|doom/.*)|bench/unix/(x11|doom).*",
        tests("an X server, Doom's data", "linux/tests/linux_x11_test.py"),
    ),
    (
        r"linux/debian/.*|bench/unix/(database|make|cc|heap)\.[ch]",
        tests("programs of Debian's", "linux/tests/linux_apps_test.py"),
    ),
    (r"bench/unix/.*", tests("they run on Linux", "linux/tests/linux_bench_test.py")),
    (
        r"bench/(?!tasks|unix|tests).*\.(c|h|S|mk|lds)|bench/Makefile",
        tests("they run to their end", GUESTS, "-k", "stale_state or working_sets"),
    ),
    (r"user/test/manual-names\.txt", tests("names of the L4 manual", "l4/tests")),
    # Linux: a kernel is built anew where its sources are newer
    (
        r"linux/(?!tests|model|libs|faults|kselftest|l4|debian).*\.(patch|c|h|S|py|sh|config|mk|lds|list)|linux/Makefile",
        tests("self-tests", "linux/tests/linux_test.py", "linux/tests/linux_fass_test.py"),
    ),
    (r"linux/l4/.*", tests("a boot of it", "linux/tests/linux_l4_boot_test.py")),
    (
        r"linux/(?P<name>libs|faults|kselftest)/.*",
        tests("its tests", "linux/tests/linux_{name}_test.py"),
    ),
    # the package
    (r"switchyard/experiments/(?P<name>\w+)/.*", each(of_experiment)),
    (
        r"(?P<module>switchyard/(?!tests/|experiments/\w+/)(\w+/)*(?P<name>\w+))\.py",
        each(of_module),
    ),
    (r"switchyard/commands/.*\.py", tests("help and errors", "switchyard/tests/help_test.py")),
    (
        r"(?!machine/tests/support/)(.*/)?(test_\w+|\w+_test)\.py",
        together("the test itself", *PYTEST),
    ),
    (r"(\.ci/.*|Makefile)", tests("the runner of all suites", "switchyard/tests/ci_check_test.py")),
    (r"switchyard/show/page/(?P<name>explore|report|wide)\..*", each(of_page)),
    (
        r"switchyard/show/page/chapters\.js",
        tests("chapters and search", "switchyard/tests/report_test.py"),
    ),
    (
        r"switchyard/tests/page_faults\.js",
        tests("pages on a phone, light and dark", "switchyard/tests/pages_test.py"),
    ),
    (
        r"switchyard/tests/few/.*|switchyard/tests/layout_program\.S",
        tests(
            "what they serve", "switchyard/tests/disk_test.py", "switchyard/tests/layout_test.py"
        ),
    ),
    (
        r"switchyard/tools/templates/.*",
        tests("what it writes", "switchyard/tests/user_paths_test.py"),
    ),
    (
        r"switchyard/exercises/.*",
        tests("what is begun and solved", "switchyard/tests/exercises_test.py"),
    ),
    (
        r"Dockerfile|\.dockerignore|\.devcontainer/.*",
        tests("what it installs", "switchyard/tests/container_test.py"),
    ),
    (
        r"switchyard/wheel/.*|pyproject\.toml|requirements(-setup)?\.lock",
        tests("it is installed", "switchyard/tests/wheel_test.py"),
    ),
    # texts
    (
        r"(docs/.*|[A-Z]+|(.*/)?README)\.md|mkdocs\.yml|docs/site/.*",
        tests("links, paths, numbers", "switchyard/tests/docs_test.py"),
    ),
    (
        r"docs/(extend|tutorial|first-guest|riscv|servers)\.md|CONTRIBUTING\.md",
        tests("its steps", "switchyard/tests/tutorial_test.py"),
    ),
    (r"docs/(results|images|chapters)/.*", one("page and figures are the results'", *DOCS)),
)


def changed() -> list[str]:
    """What differs from the last commit, and what is new."""
    listed = subprocess.run(
        ["git", "status", "--porcelain", "--no-renames", "--untracked-files=all", "-z"],
        cwd=build.root(),
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        raise InputError("check: no PATH, and no git checkout to ask what has changed")
    return [line[3:] for line in listed.stdout.split("\0") if line and line[1] != "D"]


def within(path: Path) -> str:
    """A path from the checkout's root."""
    root = build.root().resolve()
    if not path.exists():
        raise InputError(f"{path}: expected a file or folder of {root}")
    try:
        return path.resolve().relative_to(root).as_posix()
    except ValueError:
        raise InputError(f"{path}: expected a file or folder of {root}") from None


def judges(paths: Iterable[Path]) -> list[Judge]:
    """What judges these paths, the quickest kinds first; a folder stands for all files in it."""
    names: list[str] = []
    for path in paths:
        name = within(path)
        files = [f for f in path.rglob("*") if f.is_file()] if path.is_dir() else []
        hidden = re.compile(r"(^|/)(\.|__pycache__)")
        names += [n for f in files if not hidden.search(n := within(f))] or [name]
    found = of(names)
    if names and not found:
        raise InputError(f"{names[0]}: no rule of switchyard/tools/check.py names it")
    return found


def of(names: Iterable[str]) -> list[Judge]:
    """What judges files, by their paths from the root."""
    found: dict[tuple[str, ...], Judge] = {}
    files = list(names)
    for pattern, rule in RULES:
        paths = [path for name in files if (path := re.fullmatch(pattern, name))]
        for judge in rule(paths) if paths else ():
            found.setdefault(judge.command, judge)
    return list(found.values())


def verdict(judge: Judge) -> Verdict:
    """Runs it to its end."""
    begun = time.monotonic()
    try:
        done = subprocess.run(
            judge.command,
            cwd=build.root(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        return Verdict(judge, False, f"{judge.command[0]}: not found\n", 0)
    return Verdict(judge, done.returncode == 0, done.stdout, time.monotonic() - begun)
