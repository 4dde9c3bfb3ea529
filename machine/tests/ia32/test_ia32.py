# SPDX-License-Identifier: Apache-2.0
"""The IA-32 machine against Unicorn on random streams, and tests of that comparison itself."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from dataclasses import replace

import ia32_compare
import pytest
from ia32_checks import run_streams
from ia32_compare import KINDS, compare, disassemble
from ia32_reference import Reference
from ia32_streams import GDT
from ia32_vectors import EIP, Answer, Case, MachineRun, machine_command

# Kind, seed, instructions.
STREAMS = {
    "integer instructions": ("plain", 20041, 120_000),
    "with page tables": ("spaces", 20042, 100_000),
}
# Each of these faults occurs so often at least: divide error, invalid opcode, general protection,
# page fault.
LEAST = {"plain": {0: 20, 6: 20}, "spaces": {0: 10, 13: 50, 14: 1000}}


@pytest.mark.parametrize("name", STREAMS)
def test_random_streams(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind, seed, instructions = STREAMS[name]
    run_streams(kind, seed, instructions, LEAST[kind], capsys)


def test_every_kind_of_page_fault_occurs() -> None:
    """By the code's bits: present or not, read or write, level 0 or 3."""
    reference = Reference()
    codes: Counter[int] = Counter()
    for number in range(3):
        for case in KINDS["spaces"](random.Random(number)):
            faults = reference.run(case).faults
            codes.update(code for vector, code, _, _ in faults if vector == 14)
    # A read at level 0 of a page that is there cannot fail.
    assert set(codes) == {0, 2, 3, 4, 5, 6, 7}


class PlantedRun(MachineRun):
    """A machine whose XADD of registers of 32 bits spoils EBX."""

    def answers(self) -> list[Answer]:
        return [planted(*pair) for pair in zip(self.cases, super().answers(), strict=True)]


def planted(case: Case, answer: Answer) -> Answer:
    start, end = case.state[EIP] - case.first, case.end - case.first
    if b"\x0f\xc1" not in case.blocks[0][1][start:end]:
        return answer
    state = list(answer.state)
    state[3] ^= 1
    return replace(answer, state=tuple(state))


def test_a_planted_fault_is_found_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ia32_compare, "MachineRun", PlantedRun)
    mismatch = next(compare(machine_command(), "plain", 1, 50_000))
    assert "ebx: " in mismatch.report()
    first = disassemble(mismatch.case, mismatch.case.state[EIP])
    assert any("0fc1" in line for line in first[:2])


# Input that is no case: (what is wrong, the bytes made from a good case).
def good() -> Case:
    state = (0,) * 8 + (0x10000, 2) + (0x10, 0x08, 0x10, 0x10, 0x10, 0x10)
    flat = b"\xff\xff\0\0\0"
    table = bytes(8) + flat + b"\x9b\xcf\0" + flat + b"\x93\xcf\0"
    blocks = ((0x10000, b"\x40\x40\x40\x40"), (GDT, table))
    return Case(77, 10, 0x10002, 0, state, (1, 0, 0), (GDT, 0x17), blocks, ((0x10000, 4),))


def changed(word: int, value: int) -> bytes:
    data = good().encode()
    return data[: 4 * word] + value.to_bytes(4, "little") + data[4 * word + 4 :]


# Words of the encoding: 0 magic, 15 to 20 selectors, 26 the number of blocks, 27 and 28 the first
# one's address and length.
BAD = {
    "wrong magic": changed(0, 0x12345678),
    "a selector beyond the table": changed(20, 0x18),
    "code that is no code": changed(16, 0x10),
    "block outside memory": changed(27, 0x40000000),
    "block of odd length": changed(28, 3),
    "end of file inside a case": good().encode()[:-6],
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_bad_input(data: bytes) -> None:
    for before in (b"", good().encode()):
        result = subprocess.run(
            machine_command(), input=before + data, capture_output=True, check=False
        )
        assert result.returncode == 2
        lines = result.stderr.decode().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("switchyard-machine: vectors: ")
        assert "expected" in lines[0]


def test_there_are_no_caches_to_be_switched_on() -> None:
    command = [*machine_command(), "--caches"]
    result = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert result.returncode == 2
    assert b"has none" in result.stderr


def test_the_good_case_is_good() -> None:
    (answer,) = MachineRun(machine_command(), [good()]).answers()
    assert (answer.state[0], answer.state[EIP]) == (2, 0x10002)
    assert answer == Reference().run(good())
