# SPDX-License-Identifier: Apache-2.0
"""Linux as a server on the microkernel: boots, calls, a program of somebody's, its self-test."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard.run import build_linux, machine, programs
from switchyard.run.build_linux import SERVER, SERVERS, Server

# Its kernel takes three minutes to build.
pytestmark = [pytest.mark.linux, pytest.mark.slow, pytest.mark.guests, pytest.mark.long]

MACHINE = SERVER.machine
MAX_CYCLES = 12_000_000_000
EVERY = [pytest.param(server, id="-".join(small) or "large") for small, server in SERVERS.items()]

# Writes its argument, its child's work on inherited memory, a fault that is caught; ends with 42.
PROGRAM = r"""
static int call(int number, int a, const void *b, unsigned c) {
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return answer;
}
enum { EXIT = 1, FORK = 2, WRITE = 4, WAITPID = 7, GETPID = 20, SIGNAL = 48 };
static volatile int shared = 1;
static void say(const char *word) {
    unsigned length = 0;
    while (word[length]) length++;
    call(WRITE, 1, word, length);
    call(WRITE, 1, "\n", 1);
}
static void caught(int signal) {
    say(signal == 11 ? "caught" : "other");
    call(EXIT, 42, 0, 0);
}
__attribute__((used)) static void begin(int *stack) {
    int status = 0;
    int parent = call(GETPID, 0, 0, 0);
    say((const char *)stack[2]);
    int child = call(FORK, 0, 0, 0);
    if (child == 0) {
        shared = 7;
        call(EXIT, call(GETPID, 0, 0, 0) != parent ? shared : 0, 0, 0);
    }
    if (call(WAITPID, child, &status, 0) == child && status == 7 << 8 && shared == 1) say("forked");
    call(SIGNAL, 11, (const void *)caught, 0);
    *(volatile int *)8 = 1;
    say("not caught");
    call(EXIT, 1, 0, 0);
}
__asm__(".globl _start\n_start: mov %esp, %eax\n push %eax\n call begin\n");
"""


@pytest.fixture(scope="module", params=EVERY)
def server(request: pytest.FixtureRequest) -> Server:
    system: Server = request.param
    build_linux.ensure([system])
    return system


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("program"), PROGRAM)


def compiled(folder: Path, text: str) -> Path:
    (folder / "prog.c").write_text(text)
    command = [sys.executable, "-m", "ziglang", "cc", "--target=x86-freestanding-none", "-O1"]
    command += ["-mcpu=pentium4-mmx-sse-sse2", "-nostdlib", "-static", "-fno-pic"]
    subprocess.run([*command, "-o", "prog", "prog.c"], cwd=folder, check=True)
    return folder / "prog"


def test_it_boots_and_ends(server: Server) -> None:
    """Under the coherence checker."""
    run = machine.run(replace(server.boot(MAX_CYCLES, "quiet end"), check="coherence"))
    assert "init: user space after" in run.console
    assert server.last_line in run.console
    assert run.stats.end.good


def test_a_program_runs(server: Server, program: Path) -> None:
    """System calls, a child, copied memory, a signal; and its status is the run's."""
    boot = programs.boot(MACHINE, program, "prog", ["said"], server=replace(server, disk="run"))
    run = machine.run(replace(boot, max_cycles=MAX_CYCLES), must_succeed=False)
    assert run.console.replace("\r", "").endswith("\nsaid\nforked\ncaught\n"), run.console
    assert run.stats.end.status == 42


# Calls the server 1,000 times, then opens and writes what its first word names, or writes at 0.
CALLER = r"""
static int call(int number, int a, const void *b, unsigned c) {
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return answer;
}
enum { EXIT = 1, WRITE = 4, OPEN = 5, GETPID = 20 };
__attribute__((used)) static void begin(int *stack) {
    for (int i = 0; i < 1000; i++) call(GETPID, 0, 0, 0);
    const char *name = (const char *)stack[2];
    if (*name == '/') {
        call(WRITE, call(OPEN, (int)name, (const void *)1, 0), "1", 1);
    } else if (*name == '0') {
        *(volatile int *)0 = 1;
    }
    call(EXIT, 0, 0, 0);
}
__asm__(".globl _start\n_start: mov %esp, %eax\n push %eax\n call begin\n");
"""
CRASH = "/sys/module/l4/parameters/crash"


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("caller"), CALLER)


def called(caller: Path, server: Server, word: str, append: str = "") -> machine.Run:
    build_linux.ensure([server])
    boot = programs.boot(
        MACHINE, caller, "caller", [word], append, server=replace(server, disk="run")
    )
    return machine.run(replace(boot, max_cycles=MAX_CYCLES), must_succeed=False)


def test_programs_of_a_name_are_small(caller: Path) -> None:
    """A call then loads no page directory, of 1,000 that would load two each."""
    loads = [
        called(caller, build_linux.with_small((name,)), "-").stats.counters.total("ttb_writes")
        for name in ("program", "another")
    ]
    assert loads[0] < loads[1] - 1900


def test_a_crash_of_a_program_is_a_signal(caller: Path, server: Server) -> None:
    run = called(caller, server, "0")
    assert run.stats.end.status == 128 + 11
    assert "root:" not in run.console


def test_a_crash_of_the_server_is_told(caller: Path, server: Server) -> None:
    """By the root task, with registers, and another task goes on."""
    run = called(caller, server, CRASH, "l4.witness")
    text = run.console.replace("\r", "")
    assert "root: Linux crashed: write at 8\n" in text
    assert re.search(r"^root: eax \w+ ebx 12345678 ecx \w+ edx \w+$", text, re.M)
    address = re.search(r"^root: eip (\w+) eflags \w+$", text, re.M)
    assert address is not None
    assert 0x0114_0000 < int(address[1], 16) < 0x0200_0000
    rounds = re.search(r"^root: another task goes on, (\d+) rounds in 100 ms$", text, re.M)
    assert rounds is not None
    assert int(rounds[1]) > 40
    assert run.stats.end.status == 70


# What programs cannot have there (docs/linux-l4.md).
LACKS = {
    "segments": {
        "limits of segments",
        "types of segments",
        "selectors that are refused",
        "tables that change",
        "tables of segments over switches",
        "code segments",
        "stack segments",
    },
    "ports": {"ports"},
    "alignment checks": {"alignment checks"},
    "debug registers": {"breakpoints in debug registers"},
    "the page of system calls": {
        "SYSENTER where there is one",
        "system calls by the kernel's page",
        "six arguments",
        "signals in system calls by the kernel's page",
        "single steps through a system call",
    },
}


def test_the_self_test(subtests: pytest.Subtests) -> None:
    """That of the other kernels: what fails is what is lacking."""
    build_linux.ensure([SERVER])
    console = machine.run(SERVER.boot(MAX_CYCLES, "quiet"), must_succeed=False).console
    text = console.replace("\r", "")
    failed = set(re.findall(r"^ *FAIL (.+?):", text, re.M))
    result = re.search(r"^RESULT passed=(\d+) failed=(\d+)$", text, re.M)
    assert result is not None, text[-4000:]
    assert int(result[2]) == len(failed)
    for lacks, names in LACKS.items():
        with subtests.test(msg=lacks):
            assert names <= failed, "it is there: take it out of the list"
    assert failed <= set().union(*LACKS.values())


# All of linux/user/stress.c but the scene of kernel modules, which there are none of.
STRESS = "seconds=2 seed=1 without=modules"
STRESS_CYCLES = 20_000_000_000


def test_nothing_is_lost_under_stress(server: Server) -> None:
    """Processes, signals, debuggers, swapping, all at once, under the coherence checker."""
    boot = server.boot(STRESS_CYCLES, f"quiet -- stress {STRESS}")
    run = machine.run(replace(boot, check="coherence"))  # which findings fail
    text = run.console.replace("\r", "")
    assert "init: stress ended with status 0" in text, text[-4000:]
    assert not re.search(r"Oops|BUG:|WARNING:|cut here|Kernel panic", text), text[-4000:]
    played = re.findall(r"^stress: (\d+) times \S+$", text, re.M)
    assert len(played) == 17
    assert all(map(int, played))
    assert f"RESULT steps={sum(map(int, played))} failed=0" in text
    assert run.stats.end.good
    assert not run.stats.diagnostics
