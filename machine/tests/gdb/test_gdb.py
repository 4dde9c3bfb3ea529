# SPDX-License-Identifier: Apache-2.0
"""`--gdb`: gdb-multiarch on the kernel's tests. What it shows is held against the instruction log
of a run without it, and being watched must not change a single count."""

from __future__ import annotations

import re
import socket
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from debugger import (
    PROGRAM,
    ROOT,
    RUN,
    SECONDS,
    debug,
    debugger,
    port_said_by,
    show,
    waiting,
)
from simulator import machine_binary

# The log of the kernel's start is long enough: kernel_main comes after 2 million.
LOGGED_CYCLES = 5_000_000

pytestmark = pytest.mark.guests

CORE = [*(f"r{n}" for n in range(13)), "sp", "lr", "pc", "cpsr"]
CP15 = {1: "control", 2: "ttb", 3: "dacr", 5: "fsr", 6: "far", 13: "pid"}


@dataclass
class State:
    """The registers before an instruction, as the log has them."""

    pc: int
    insn: int
    executed: bool
    values: dict[str, int]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> list[State]:
    """Every instruction of the start, from its log; CP15 from the MCR instructions in it."""
    file = tmp_path_factory.mktemp("gdb") / "log"
    run = [machine_binary(), *RUN, "--max-cycles", str(LOGGED_CYCLES), "--log", str(file)]
    subprocess.run(run, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    names = {f"r{n}": name for n, name in enumerate(CORE[:15])}
    values = dict.fromkeys([*CORE, *CP15.values()], 0)
    values |= {"r1": 25, "r2": 0xC0000100, "cpsr": 0xD3, "control": 0x70}  # as the loader left it
    states = []
    for line in file.read_text().splitlines():
        _, pc, insn, *changes = line.split()
        states.append(State(int(pc, 16), int(insn, 16), "-" not in changes, dict(values)))
        states[-1].values["pc"] = states[-1].pc
        if states[-1].executed:
            write_cp15(states[-1].insn, values)
        for change in changes:
            if "=" in change:
                name, value = change.split("=")
                values[names.get(name, name)] = int(value, 16)
    return states


def write_cp15(insn: int, values: dict[str, int]) -> None:
    """What an MCR to coprocessor 15 changes (SA-1110 DM, chapter 5)."""
    number = (insn >> 16) & 15
    if insn & 0x0F10_0F10 != 0x0E00_0F10 or number not in CP15:
        return
    value = values[CORE[(insn >> 12) & 15]]
    kept = {1: 0x330F, 2: 0xFFFF_C000, 13: 0x7E00_0000}.get(number, 0xFFFF_FFFF)
    values[CP15[number]] = value & kept | (0x70 if number == 1 else 0)


def index_of(log: list[State], pc: int) -> int:
    return next(n for n, state in enumerate(log) if state.pc == pc)


def test_registers_and_steps_are_the_logs(log: list[State]) -> None:
    every = [*CORE, *CP15.values()]
    steps = 40
    script = ["break *kernel_main", "info registers", "continue", show(*every)]
    script += ["stepi", show(*every)] * steps
    session = debug("\n".join([*script, "kill"]))
    assert "Breakpoint 1, kernel_main" in session.said
    for name in every:  # `info registers` shows those of CP15, too
        assert re.search(rf"^{name} +0x", session.said, re.M), session.said
    first = index_of(log, session.shown["pc"][0])
    assert first > 1000
    for n in range(steps + 1):
        seen = {name: session.shown[name][n] for name in every}
        assert seen == log[first + n].values, f"after {n} steps"
    start = log[first].values
    assert start["control"] & 0x100D == 0x100D, "MMU, caches and write buffer are on by now"
    assert start["ttb"] >> 20 == 0xC01
    assert start["dacr"] == 1


def first_store(log: list[State], start: int) -> tuple[int, int]:
    """Where the first `str rd, [rn, #offset]` is in the log, and where it stores."""
    for n, state in enumerate(log[start:], start):
        insn = state.insn
        if insn & 0x0F70_0000 == 0x0500_0000 and state.executed:
            offset = insn & 0xFFF if insn & 1 << 23 else -(insn & 0xFFF)
            return n, state.values[CORE[(insn >> 16) & 15]] + offset
    raise AssertionError("no store in the log")


@pytest.mark.parametrize("command", ["awatch", "watch"])
def test_a_watchpoint_stops_behind_the_access(log: list[State], command: str) -> None:
    script = "break *kernel_main\ncontinue\n" + show("pc")
    start = index_of(log, debug(script + "\nkill").shown["pc"][0])
    store, address = first_store(log, start)
    # `watch` only stops where the value changes: something else is put there first
    script += f"\nset var *(unsigned*){address:#x} = 0xdeadbeef"
    script += f"\n{command} *(unsigned*){address:#x}\ncontinue\n" + show("pc")
    session = debug(script + "\nkill")
    assert session.shown["pc"][-1] == log[store + 1].pc == log[store].pc + 4
    assert "Hardware" in session.said
    value = log[store].values[CORE[(log[store].insn >> 12) & 15]]
    assert re.search(rf"(New value|Value) = {value}$", session.said, re.M), session.said


def program_bytes(file: Path, address: int, length: int) -> bytes:
    """What an ELF executable has at a virtual address."""
    elf = file.read_bytes()
    at, size, count = *struct.unpack_from("<I", elf, 28), *struct.unpack_from("<HH", elf, 42)
    for n in range(count):
        kind, offset, va, _, filed = struct.unpack_from("<5I", elf, at + n * size)
        if kind == 1 and va <= address and address + length <= va + filed:
            return elf[offset + address - va :][:length]
    raise AssertionError(f"{address:#x} is not in {file}")


def test_a_user_program(tmp_path: Path) -> None:
    """Its memory by its own addresses, its variables as it changes them, and its end."""
    dump = tmp_path / "main"
    stats = [tmp_path / name for name in ("with", "without")]
    script = f"""
        break *main
        continue
        {show("pc", "cpsr")}
        dump binary memory {dump} $pc $pc+64
        monitor cycles
        monitor tlb
        monitor caches
        monitor translate 0xc0a00000
        delete
        watch *(unsigned*)&num_passed
        continue
        info symbol $pc
        {show("pc")}
        delete
        stepi 1000
        continue
        """
    script = "\n".join(line.strip() for line in script.splitlines())
    session = debug(script, "--stats", str(stats[0]), symbols=PROGRAM)
    pc = session.shown["pc"][0]
    assert dump.read_bytes() == program_bytes(PROGRAM, pc, 64)
    assert session.shown["cpsr"][0] & 0x1F == 0x10
    assert re.search(r"^Old value = 0\nNew value = 1$", session.said, re.M), session.said
    assert re.search(r"^(main|run|end) \+ \d+ in section", session.said, re.M)
    (before,) = struct.unpack("<I", program_bytes(PROGRAM, session.shown["pc"][1] - 4, 4))
    assert before & 0x0C10_0000 == 0x0400_0000, "a store"
    for answer in (
        r"^\d+ cycles, \d+ instructions$",
        r"^data TLB: \d+ entries$",
        r"^data caches on: \d+ lines, \d+ of them dirty",
        r"^va c0a00000 mva c0a00000$",
    ):
        assert re.search(answer, session.said, re.M), answer
    assert "exited normally" in session.said
    assert session.status == 0
    assert "END status=0" in session.console

    run = [machine_binary(), *RUN, "--stats", str(stats[1])]
    alone = subprocess.run(run, capture_output=True, text=True, check=True)
    assert alone.stdout == session.console
    assert stats[0].read_bytes() == stats[1].read_bytes(), "being watched changed the run"


def test_changes_take_effect() -> None:
    """Registers, data, and an instruction whose line is in the cache already."""
    session = debug(f"""
break *kernel_main
continue
stepi
set var *(unsigned*)$pc = 0xe3a0005a
set var $r3 = 0x1234
set var $dacr = 5
set var *(unsigned char*)($sp-8) = 0x77
{show("pc", "r3", "dacr")}
stepi
{show("pc", "r0")}
printf "byte=%x\\n", *(unsigned char*)($sp-8)
kill""")
    assert session.shown["r3"] == [0x1234]
    assert session.shown["dacr"] == [5]
    assert session.shown["byte"] == [0x77]
    assert session.shown["pc"][1] == session.shown["pc"][0] + 4
    assert session.shown["r0"] == [0x5A], "mov r0, #0x5a was executed"


def test_devices_are_not_read() -> None:
    session = debug("x/wx 0x90000010\nx/wx 0xc0001000\nkill")
    assert "Cannot access memory at address 0x90000010" in session.said
    assert re.search(r"^0xc0001000 <_start>:\s+0x\w+$", session.said, re.M), session.said


def test_devices_are_read_when_that_is_asked_for() -> None:
    """Format and divisor of a UART, in words and parts of them."""
    script = ["monitor device-reads on", "x/wx 0x80010000", "x/2hx 0x80010008", "x/bx 0x80010008"]
    session = debug("\n".join([*script, "monitor device-reads off", "x/wx 0x80010000", "kill"]))
    assert re.search(r"^0x80010000:\s+0x00000008$", session.said, re.M), session.said
    assert re.search(r"^0x80010008:\s+0x0001\s+0x0000$", session.said, re.M), session.said
    assert re.search(r"^0x80010008:\s+0x01$", session.said, re.M), session.said
    assert session.said.count("Cannot access memory") == 1


def test_a_hang_is_not_for_ever() -> None:
    """After a hang the debugger puts the guest elsewhere, and it runs; after a reset, too."""
    script = f"""
        break *kernel_main
        continue
        set var *(unsigned*)$pc = 0xeafffffe
        set var $cpsr = 0xd3
        delete
        continue
        {show("pc")}
        set var *(unsigned*)$pc = 0xe1a00000
        tbreak *$pc+4
        jump *$pc
        {show("pc")}
        monitor reset
        maintenance flush register-cache
        {show("pc")}
        tbreak *kernel_main
        continue
        {show("pc")}
        kill"""
    session = debug(script)
    hung, on, start, again = session.shown["pc"]
    assert "SIGABRT" in session.said
    assert (on, again) == (hung + 4, hung), session.said
    assert start != again


def test_ends(tmp_path: Path) -> None:
    killed = debug("kill", "--stats", str(tmp_path / "killed"))
    assert killed.status == 0, "as QEMU ends"
    assert '"kind":"killed"' in (tmp_path / "killed").read_text()
    detached = debug("break *kernel_main\ncontinue\nwatch *(int*)$sp\ndetach")
    assert detached.status == 0
    assert "END status=0" in detached.console
    cut = debug("continue", "--max-cycles", "1000000")
    assert "exited with code 01" in cut.said
    assert cut.status == 1


def send(connection: socket.socket, text: str) -> None:
    connection.sendall(f"+${text}#{sum(text.encode()) % 256:02x}".encode())


def receive(connection: socket.socket, wanted: str) -> None:
    received = b""
    while wanted.encode() not in received:
        more = connection.recv(4096)
        assert more, f"no {wanted} in {received!r}"
        received += more


def test_interrupted_lost_and_found_again() -> None:
    """Ctrl-C stops a running machine, and one whose debugger is lost waits for another."""
    with waiting() as (process, port):
        with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
            send(connection, "vCont;c")
            connection.sendall(b"\x03")
            receive(connection, "T02")
        assert lost(process) == port
        with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n+$nonsense#00$#zz\x03")
        assert lost(process) == port
        with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
            send(connection, "?")
            receive(connection, "T05")
            send(connection, "k")
            assert process.wait(SECONDS) == 0


def lost(process: subprocess.Popen[str]) -> int:
    """The port of a machine that waits again."""
    assert process.stderr is not None
    assert "the debugger is lost" in process.stderr.readline()
    return port_said_by(process)


@pytest.mark.parametrize("address", ["", "1234", ":", ":port", ":70000"])
def test_a_bad_address_is_one_line(address: str) -> None:
    run = [machine_binary(), *RUN, "--gdb", address]
    done = subprocess.run(run, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"switchyard-machine: --gdb {address}: ")
    assert "expected HOST:PORT or :PORT" in done.stderr


# Where a raw image goes, 0xc0010000, on an ARM926EJ-S.
THUMB = 0xC0010010
ARM_PART = (
    0xE28F0009,  # add r0, pc, #THUMB + 1 - (. + 8)
    0xE3A01205,  # mov r1, #0x50000000
    0xE12FFF10,  # bx r0
    0xE1A00000,  # nop
)
THUMB_PART = (
    0x2007,  # movs r0, #7
    0x3001,  # adds r0, #1
    *(0xF000, 0xF802),  # bl f
    0x2000,  # movs r0, #0
    0x6108,  # str r0, [r1, #PROBE_EXIT]
    0x4770,  # f: bx lr
)


@pytest.fixture
def thumb(tmp_path: Path) -> list[str]:
    """Options that boot the program above on an ARM926EJ-S with the SA-1110's board."""
    text = (ROOT / "machine" / "machines" / "versatilepb.toml").read_text()
    text = re.sub(r"^board = .*$", 'board = "assabet"', text, flags=re.M)
    text = re.sub(r"^ram-bytes = .*$", "ram-bytes = 0x0200_0000", text, flags=re.M)
    machine, image = tmp_path / "arm926.toml", tmp_path / "thumb.bin"
    machine.write_text(text)
    image.write_bytes(struct.pack("<4I", *ARM_PART) + struct.pack("<7H", *THUMB_PART))
    return ["boot", "--machine", str(machine), "--kernel", str(image)]


def test_thumb_is_shown_and_stepped(thumb: list[str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    steps = 8
    script = f"""
        set arm fallback-mode thumb
        break *{THUMB + 2:#x}
        continue
        x/i $pc
        {show("pc", "cpsr", "r0")}
        delete"""
    script = "\n".join(line.strip() for line in script.strip().splitlines())
    script += '\nprintf "spsr=%x %x\\n", $spsr_svc, $ifsr\ninfo registers banked'
    script += "".join(f"\nstepi\n{show('pc')}" for _ in range(steps - 4))
    script += "\ncontinue"
    session = debug(script, "--log", str(log), run=thumb, symbols=None)
    assert re.search(r"=> 0xc0010012:\tadds\tr0, #1$", session.said, re.M), session.said
    assert session.shown["cpsr"][0] & 0x20, "Thumb state"
    assert session.shown["r0"] == [7]
    for name in ("r8_fiq", "sp_usr", "lr_irq", "spsr_und"):
        assert re.search(rf"^{name} +0x", session.said, re.M), session.said
    lines = [line.split() for line in log.read_text().splitlines()]
    logged = [int(line[1], 16) for line in lines]
    assert session.shown["pc"] == logged[4 : steps + 1]
    encodings = [line[2] for line in lines]
    assert encodings[:3] == [f"{insn:08x}" for insn in ARM_PART[:3]]
    # the call, and what is after it after the return
    in_order = [*THUMB_PART[:4], THUMB_PART[6], *THUMB_PART[4:6]]
    assert encodings[3:] == [f"{insn:04x}" for insn in in_order]
    assert session.status == 0


def test_banked_registers_are_those_of_other_modes(thumb: list[str]) -> None:
    session = debug(
        f"""
set var $sp_irq = 0x1234
set var $spsr_irq = 0x13
set var $lr_usr = 0x77
set var $cpsr = 0xd2
{show("sp", "spsr_irq")}
set var $cpsr = 0xdf
{show("lr")}
set var $cpsr = 0xd3
continue""".strip(),
        run=thumb,
        symbols=None,
    )
    assert session.shown == {"sp": [0x1234], "spsr_irq": [0x13], "lr": [0x77]}
    assert session.status == 0


PC_IMAGE = ROOT / "build" / "guests" / "isa-pc-bare-bench-compute.elf"
PC = ["boot", "--machine", "p4-willamette", "--kernel", str(PC_IMAGE), "--append", "rounds=1"]
PC_REGISTERS = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eflags"}


def test_a_pc(tmp_path: Path) -> None:
    """Registers and steps are the log's, a write is seen, caches and TLBs are shown, the run is the
    same as unwatched."""
    if not PC_IMAGE.exists():
        pytest.fail(f"{PC_IMAGE} is missing; `switchyard build` builds it")
    stats = [tmp_path / name for name in ("with", "without")]
    log, steps = tmp_path / "log", 30
    alone = [machine_binary(), *PC, "--stats", str(stats[1]), "--log", str(log)]
    ran = subprocess.run(
        alone, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )

    registers = sorted(PC_REGISTERS | {"eip"})
    script = ["break *main", "continue", "info registers", show(*registers)]
    script += ["stepi", show(*registers)] * steps
    script += ["delete", "watch *(unsigned*)&numbers", "continue", show("eip")]
    script += [f"monitor {what}" for what in ("cycles", "tlb", "caches", "translate 0x100000")]
    script += ["delete", "continue"]
    session = debug("\n".join(script), "--stats", str(stats[0]), symbols=PC_IMAGE, run=PC)

    values = dict.fromkeys(PC_REGISTERS, 0)
    states: list[dict[str, int]] = []
    for line in log.read_text().splitlines():
        _, eip, _, *changes = line.split()
        states.append({"eip": int(eip, 16), **values})
        # a branch that is not taken has a dash
        for name, value in (change.split("=") for change in changes if "=" in change):
            values[name] = int(value, 16)
    first = next(n for n, state in enumerate(states) if state["eip"] == session.shown["eip"][0])
    for n in range(steps + 1):
        seen = {name: session.shown[name][n] for name in registers}
        assert seen == states[first + n], f"after {n} steps"
    assert re.search(r"^Old value = 0\nNew value = \d+$", session.said, re.M), session.said
    for answer in (
        r"^cr0 +0x8001",
        r"^\d+ cycles, \d+ instructions$",
        r"^data TLB: \d+ entries$",
        r"^trace cache: \d+ lines, \d+ µops$",
        r"^data cache: \d+ lines$",
        r"^second level: \d+ lines, \d+ of them dirty$",
        # it was walked for a page that nobody had written yet, which is right
        r"^instruction TLB: 00000000 -> 00000000 4M UWd-$",
        r"^second level: line 00100000, (clean|dirty)$",
    ):
        assert re.search(answer, session.said, re.M), answer
    assert session.status == 0
    assert session.console == ran.stdout
    assert stats[0].read_bytes() == stats[1].read_bytes(), "being watched changed the run"


def test_files_only_for_debuggers_of_this_computer(tmp_path: Path) -> None:
    file = tmp_path / "state"
    with waiting("--max-cycles", "10", address="0.0.0.0:0") as (_process, port):
        arguments = [debugger(), "-nx", "--batch", "-ex", f"target remote 127.0.0.1:{port}"]
        done = subprocess.run(
            [*arguments, "-ex", f"monitor save {file}", "-ex", "kill"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    assert "may not name files" in done.stdout, done.stdout
    assert not file.exists()
