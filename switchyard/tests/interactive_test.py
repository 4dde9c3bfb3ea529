# SPDX-License-Identifier: Apache-2.0
"""Machines in Python: the real simulator with kernels of both architectures, and with programs of a
few instructions. What the page about it shows is run to the letter."""

import doctest
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from switchyard import Machine
from switchyard.errors import InputError, RunError
from switchyard.run import build, machine
from switchyard.run.interactive import System
from switchyard.run.remote import expanded, unescaped

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.guests

ROOT = build.root()
PAGE = ROOT / "docs" / "python.md"
ARM = ROOT / "build" / "guests" / "assabet-fass-test.elf"
PC = ROOT / "build" / "guests" / "isa-pc-bare-bench-compute.elf"

# Serial port 1 of the SA-1110: echoes each character, and sleeps until the next comes.
ECHO = (
    0xE3A04102,  # mov r4, #0x80000000
    0xE3844801,  # orr r4, r4, #0x10000
    0xE3A0000B,  # mov r0, #RXE | TXE | RIE
    0xE584000C,  # str r0, [r4, #UTCR3]
    0xE3A02004,  # mov r2, #RID
    0xE5941020,  # again: ldr r1, [r4, #UTSR1]
    0xE3110002,  # tst r1, #RNE
    0x15940014,  # ldrne r0, [r4, #UTDR]
    0x15840014,  # strne r0, [r4, #UTDR]
    0x1AFFFFFA,  # bne again
    0xE584201C,  # str r2, [r4, #UTSR0]
    0xEE0F0F58,  # mcr p15, 0, r0, c15, c8, 2: wait for interrupt
    0xEAFFFFF7,  # b again
)
# Calls f, writes an instruction of it anew, calls it again, and ends well.
NOP, FLUSH_ICACHE = 0xE1A00000, 0xEE070F15
REWRITES = (
    0xEE110F10,  # mrc p15, 0, r0, c1, c0, 0
    0xE3800A01,  # orr r0, r0, #0x1000: the instruction cache
    0xEE010F10,  # mcr p15, 0, r0, c1, c0, 0
    NOP,
    NOP,
    0xEB000008,  # bl f
    0xE59F1024,  # ldr r1, new
    0xE28F2018,  # adr r2, f
    0xE5821000,  # str r1, [r2]
    NOP,  # here belongs FLUSH_ICACHE
    0xEB000003,  # bl f
    *(0xE3A01205, 0xE3A00000, 0xE5810010, 0xEAFFFFFE),  # exits with 0 through the probe
    0xE3A00001,  # f: mov r0, #1
    0xE1A0F00E,  # mov pc, lr
    0xE3A00002,  # new: mov r0, #2
)

# Stores 1 and then 2 to 0xc0010100, and waits.
STORES = (
    0xE28F00F8,  # add r0, pc, #0xf8
    0xE3A01001,  # mov r1, #1
    0xE5801000,  # str r1, [r0]
    0xE3A01002,  # mov r1, #2
    0xE5801000,  # str r1, [r0]
    0xEAFFFFFE,  # b .
)


def image(folder: Path, words: tuple[int, ...]) -> Path:
    """A raw image, which is put to 0xc0010000."""
    file = folder / "kernel.bin"
    file.write_bytes(struct.pack(f"<{len(words)}I", *words))
    return file


def arm(**options: str | int) -> System:
    return Machine("sa1110").boot(ARM, append="only=thread_kip", **options)  # type: ignore[arg-type]


def test_run_until() -> None:
    with arm() as m:
        m.run_until(symbol="kernel_main")
        assert m["pc"] == m["r15"] == m.symbol("kernel_main")
        at = m.cycles
        m.run_until(cycle=at + 12345)
        assert at + 12345 <= m.cycles < at + 12345 + 1000
        text = m.run_until(console="thread_kip")
        assert text
        assert m.console.endswith(text)
        assert "thread_kip" in m.console
        stats = m.wait()
        assert stats.end.good
        console = m.console
    run = machine.run(machine.Boot("sa1110", ARM, append="only=thread_kip"))
    assert stats.cycles == run.stats.cycles, "being watched changed the run"
    assert (stats.counters, console) == (run.stats.counters, run.console)


@pytest.mark.parametrize(
    ("name", "kernel", "append", "start"),
    [
        pytest.param("sa1110", ARM, "only=thread_kip", "kernel_main", id="arm"),
        pytest.param("p4-willamette", PC, "rounds=1", "main", id="pc"),
    ],
)
def test_back_and_forth(name: str, kernel: Path, append: str, start: str) -> None:
    """By steps, to a call, to a cycle where it has been: the same there, and in the end."""

    def state(m: System) -> tuple[int, dict[str, int]]:
        return m.cycles, dict(m.registers)

    with Machine(name).boot(kernel, append) as m:
        m.run_until(symbol=start)
        there = [state(m)]
        for _ in range(20):
            m.step()
            there.append(state(m))
        m.reverse_step(5)
        assert state(m) == there[15]
        m.run_until(cycle=there[0][0] + 30_000)
        middle = state(m)
        m.run(20_000)
        later = state(m)
        m.reverse_continue(symbol=start)
        assert state(m) == there[0]
        m.run_until(cycle=there[0][0] + 30_000)
        assert state(m) == middle
        m.run_until(cycle=middle[0] + 20_000)
        assert state(m) == later
        m.reverse_continue(address=m.symbol(start))
        with pytest.raises(
            RunError, match=rf"symbol {start}: not in its past, which begins at cycle 0$"
        ):
            m.reverse_continue(symbol=start)
        m.reverse_step()
        assert m.cycles == 0
        m.run_until(symbol=start)
        m.reverse_continue()
        assert m.cycles == 0
        with pytest.raises(InputError, match="expected one of symbol, address and written"):
            m.reverse_continue(symbol=start, address=0)
        stats, console = m.wait(), m.console
    run = machine.run(machine.Boot(name, kernel, append))
    assert stats.end.good
    assert stats.cycles == run.stats.cycles, "going back changed the run"
    assert (stats.counters, console) == (run.stats.counters, run.console)


def test_the_last_stores(tmp_path: Path) -> None:
    with Machine("sa1110").boot(image(tmp_path, STORES)) as m:
        place = 0xC001_0100
        m.run(10_000)
        for value, at in ((1, 0xC001_0010), (0, 0xC001_0008)):
            m.reverse_continue(written=place)
            assert (int.from_bytes(m.read(place, 4), "little"), m["pc"]) == (value, at)
        with pytest.raises(RunError, match="a store to 0xc0010100: not in its past"):
            m.reverse_continue(written=place)
    with Machine("p4-willamette").boot(PC, "rounds=1") as m:
        m.run_until(symbol="main")
        m.run(40_000)
        place, after = m.symbol("numbers"), m.read(m.symbol("numbers"), 4)
        m.reverse_continue(written=place)
        assert m.read(place, 4) != after
        m.step()
        assert m.read(place, 4) == after


def test_machines_of_ones_own(tmp_path: Path) -> None:
    """As on the command line: where a `switchyard.toml` names a folder."""
    (tmp_path / "machines").mkdir()
    ours = (ROOT / "machine" / "machines" / "sa1110.toml").read_text("utf-8")
    own = ours.replace('name = "sa1110"', 'name = "my-board"', 1)
    assert own != ours
    (tmp_path / "machines" / "my-board.toml").write_text(own)
    (tmp_path / "switchyard.toml").write_text('path = ["."]\n')
    program = (
        "from switchyard import Machine\n"
        f"with Machine('my-board').boot({str(ARM)!r}) as m:\n"
        "    m.run_until(symbol='kernel_main')\n"
        "    print(m)\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("assabet-fass-test.elf on "), done.stderr
    assert done.stdout.endswith("my-board.toml\n")


def test_what_is_inside() -> None:
    with arm() as m:
        m.run_until(symbol="kernel_main")
        pc = m["pc"]
        assert m.read(pc, 16) in ARM.read_bytes()
        assert m.translate(pc) is not None
        assert m.translate(0x4000_0000) is None
        holds = [entry for entry in m.tlb() if entry.va <= pc < entry.va + entry.size]
        (entry,) = (entry for entry in holds if entry.tlb == "instruction")
        assert m.translate(pc) == entry.pa + pc - entry.va
        assert m.caches().lines
        assert m.caches().text.startswith("instruction cache on")
        before, counters = m.instructions, m.counters()
        assert counters.total("instructions") == before
        m.step(3)
        assert m.instructions == before + 3
        m["r4"] = 0x1234
        assert dict(m.registers)["r4"] == 0x1234
        assert "r15" in m.registers
        assert "eax" not in m.registers
        stack = m["sp"] - 64
        m.write(stack, b"switchyard")
        assert m.read(stack, 10) == b"switchyard"
        long = bytes(range(256)) * 12
        m.write(stack - 4096, long)
        assert m.read(stack - 4096, len(long)) == long


def test_saved_and_restored(tmp_path: Path) -> None:
    file = tmp_path / "a state"
    with arm() as m:
        m.run_until(symbol="kernel_main")
        seen = (m.cycles, dict(m.registers))
        m.save(file)
        m.run(100_000)
        assert m.cycles >= seen[0] + 100_000
        m.restore(file)
        assert (m.cycles, dict(m.registers)) == seen
        with pytest.raises(InputError, match=r"no-such: .*expected a saved machine"):
            m.restore(tmp_path / "no-such")
        with pytest.raises(InputError, match=r"elf: is no saved machine; expected"):
            m.restore(ARM)
    with Machine("sa1110").boot(ARM, restore=file) as m:
        assert (m.cycles, dict(m.registers)) == seen
        assert m.wait().end.good


def test_a_pc() -> None:
    with Machine("p4-willamette").boot(PC, "rounds=1") as m:
        m.run_until(symbol="main")
        assert m["pc"] == m["eip"] == m.symbol("main")
        assert m["sp"] == m["esp"] != 0
        assert m.translate(m["pc"]) == m["pc"]
        assert m.tlb()
        assert m.caches().lines
        assert m.regions() == ()
        seen = []
        for _ in range(2):  # in the middle of the region, which looking does not end
            m.run(20_000)
            (region,) = m.regions()
            seen.append(region.counters.total("cycles"))
        assert region.entries == 1
        assert 20_000 <= seen[1] - seen[0] < 21_000
        assert m.counters().total("instructions") == m.instructions
        stats = m.wait()
        assert stats.end.good
        assert "END status=0" in m.console
    run = machine.run(machine.Boot("p4-willamette", PC, append="rounds=1"))
    assert (stats.cycles, stats.regions) == (run.stats.cycles, run.stats.regions)


def test_typing(tmp_path: Path) -> None:
    with Machine("sa1110").boot(image(tmp_path, ECHO)) as m:
        m.run(100_000)  # it sleeps by then, and nothing but a key wakes it
        for text in ('echo "one\\"\r\n', "two ä\x03"):
            m.type(text)
            m.run_until(console=text)
        assert m.console == 'echo "one\\"\r\ntwo ä\x03'
        with pytest.raises(RunError) as caught:
            m.run_until(console="three")
        first, *rest = str(caught.value).splitlines()
        where = "kernel.bin on sa1110: hangs or has died at 0xc0010030"
        assert first == f"{where}, before the text 'three'"
        assert rest[-1].startswith("  | two ä")
        m.type("three")
        m.run_until(console="three")
        assert m.wait().end.kind == "hung"


def test_mistakes_are_one_kind_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"machine sa111: unknown; did you mean sa1110\?"):
        Machine("sa111")
    with pytest.raises(InputError, match=r"no-such\.elf"):
        Machine("sa1110").boot(tmp_path / "no-such.elf")
    with arm() as m:
        with pytest.raises(InputError, match=r"symbol kernel_mein: .*did you mean kernel_main\?$"):
            m.run_until(symbol="kernel_mein")
        with pytest.raises(InputError, match="register r77: unknown; "):
            m["r77"]
        with pytest.raises(InputError, match="expected one of symbol"):
            m.run_until(symbol="main", cycle=5)
        with pytest.raises(InputError, match="address 0x90000000: expected one at which"):
            m.read(0x9000_0000, 4)
        with pytest.raises(RunError, match="has not come to symbol kernel_main by cycle 100"):
            m.run_until(symbol="kernel_main", within=1000)
        with pytest.raises(InputError, match="cycle 5: is past"):
            m.run_until(cycle=5)
        with pytest.raises(RunError) as caught:
            m.run_until(console="no such text")
        assert "ended with status 0, before the text 'no such text'\n" in str(caught.value)
        assert "  | " in str(caught.value)
        with pytest.raises(RunError, match=r"is no more: the guest ended with status 0"):
            m.step()


def test_ctrl_c_stops_the_guest(tmp_path: Path) -> None:
    def interrupt(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    before = {
        signal.SIGALRM: signal.signal(signal.SIGALRM, interrupt),
        # as in the foreground: in a shell's background it is ignored
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
    }
    try:
        with Machine("sa1110").boot(image(tmp_path, (NOP, NOP, 0xEAFFFFFC))) as m:
            assert os.getpgid(m._process.pid) != os.getpgrp()
            for go in (m.run, m.wait, lambda: m.run(1 << 40), lambda: m.run_until(console="?")):
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                with pytest.raises(KeyboardInterrupt):
                    go()
                at = m.cycles
                m.run(1000)
                assert at + 1000 <= m.cycles < at + 1100
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_ctrl_c_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As under `nohup`, or in the background of a shell."""
    handlers = []

    def interrupt(*_: object) -> None:
        handlers.append(signal.getsignal(signal.SIGINT))
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    alarm = signal.signal(signal.SIGALRM, interrupt)
    try:
        with Machine("sa1110").boot(image(tmp_path, (NOP, NOP, 0xEAFFFFFC))) as m:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            at = m.cycles
            m.run(400_000_000)
            assert m.cycles >= at + 400_000_000
            assert handlers == [signal.SIG_IGN]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)
        signal.signal(signal.SIGINT, before)


def test_packets_are_unpacked() -> None:
    assert expanded(b"E0* x") == b"E0000x"
    assert expanded(b'a*"b*!') == b"a" * 6 + b"b" * 5
    assert unescaped(b"a}\x03}]") == b"a#}"


def test_ended_with_its_block() -> None:
    with arm(max_cycles=50_000) as m:
        m.run(10_000)
        process = m._process
    assert process.poll() is not None
    assert m.stats is not None
    assert m.stats.end.kind == "killed"
    assert not m._folder.exists()


def test_a_finding_fails_the_test(tmp_path: Path, pytester: pytest.Pytester) -> None:
    flushed = [FLUSH_ICACHE if n == 9 else word for n, word in enumerate(REWRITES)]
    (tmp_path / "good").mkdir()
    good, bad = image(tmp_path / "good", tuple(flushed)), image(tmp_path, REWRITES)
    pytester.makepyfile(f"""
        def test_good(machine):
            assert machine("sa1110", {str(good)!r}).wait().end.good

        def test_bad(machine):
            assert machine("sa1110", {str(bad)!r}).wait().end.good

        def test_unchecked(machine):
            assert machine("sa1110", {str(bad)!r}, check=None).wait().end.good

        def test_bad_and_wrong(machine):
            m = machine("sa1110", {str(bad)!r})
            m.run()
            assert m.stats.end.status == 5
        """)
    result = pytester.runpytest("-p", "switchyard.pytest_plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.re_match_lines(
        [
            r"_+ test_bad _+",
            r"the checker has found:",
            r"kernel\.bin on sa1110: .*0xc001003c.*",
            r"_+ test_bad_and_wrong _+",
            r".*findings of the checker.*",
            r"kernel\.bin on sa1110: .*0xc001003c.*",
        ]
    )


def fences(kind: str) -> list[str]:
    """The page's examples of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)


def test_the_page_shows_what_one_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "build").symlink_to(ROOT / "build")
    monkeypatch.chdir(tmp_path)
    text = "\n".join(fences("pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 10
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(
        test, out=said.append
    )
    assert result.failed == 0, "".join(said)


def test_the_pages_test_passes(pytester: pytest.Pytester) -> None:
    os.symlink(ROOT / "build", pytester.path / "build")
    (example,) = fences("python")
    pytester.makepyfile(example)
    result = pytester.runpytest("-p", "switchyard.pytest_plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)


def test_a_bound_on_a_path_says_why_it_does_not_hold(pytester: pytest.Pytester) -> None:
    os.symlink(ROOT / "build", pytester.path / "build")
    (example,) = fences("py")
    pytester.makepyfile(example)
    result = pytester.runpytest("-p", "switchyard.pytest_plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    said = result.stdout.str()
    told = re.search(r"^\d+ cycles, expected at most 1000:\n(?:  .*\n)+", said, re.M)
    assert told
    assert told[0] in PAGE.read_text("utf-8")
