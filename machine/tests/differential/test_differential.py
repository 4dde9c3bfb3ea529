# SPDX-License-Identifier: Apache-2.0
"""The machine against Unicorn on random streams, and the tests of that comparison itself."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from compare import Batch, alone, compare, first_difference, make_batch, save, shrink
from reference import Reference
from run import replay
from vectors import STATE_NAMES, Case, MachineRun, machine_command

# Core, options, seed, instructions. test_spaces.py adds those with page tables.
STREAMS = {
    "ARMv4": ("sa1110", [], 20031, 750_000),
    "ARMv4 through caches": ("sa1110", ["--caches"], 20032, 250_000),
    "ARMv5TE and Thumb": ("arm926", [], 20033, 1_000_000),
    "ARMv5TE and Thumb through caches": ("arm926", ["--caches"], 20034, 250_000),
}
SEED = 20031
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def machine() -> list[str]:
    return machine_command()


@pytest.mark.slow
@pytest.mark.parametrize("name", STREAMS)
def test_random_streams(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    core, options, seed, instructions = STREAMS[name]
    command = machine_command(core)
    start = time.monotonic()
    done = 0

    def progress(batch: int, executed: int) -> None:
        nonlocal done
        done = executed
        if batch % 5 == 0 or executed >= instructions:
            with capsys.disabled():
                print(
                    f"\n  {name}, seed {seed}: {executed:,} of {instructions:,} instructions, "
                    f"{time.monotonic() - start:.0f} s",
                    end="",
                    flush=True,
                )

    directory = Path(__file__).resolve().parents[3] / "build" / "differential"
    streams = compare(
        [*command, *options], seed, instructions, progress=progress, v5=core == "arm926"
    )
    for mismatch in streams:
        path = save(mismatch, directory)
        again = " ".join(["run.py --core", core, *options, "--replay", str(path)])
        pytest.fail(f"{mismatch.report()}\nreplay: {again}", pytrace=False)
    assert done >= instructions


def planted(*arguments: str) -> list[str]:
    return [sys.executable, str(HERE / "planted.py"), *arguments]


@pytest.fixture(scope="module")
def small() -> tuple[Reference, Batch]:
    reference = Reference()
    batch = make_batch(reference, SEED, 0)
    return reference, Batch(0, batch.cases[:60], batch.expected[:60])


def find(small: tuple[Reference, Batch], *arguments: str) -> tuple[int | None, list[str]]:
    command = planted(*arguments)
    answers = MachineRun(command, small[1].cases).answers()
    return first_difference(small[1], answers), command


def test_a_faultless_machine_passes(small: tuple[Reference, Batch]) -> None:
    assert find(small, "none")[0] is None


@pytest.mark.parametrize("word", range(len(STATE_NAMES)), ids=STATE_NAMES)
def test_a_wrong_word_of_the_state_is_seen(small: tuple[Reference, Batch], word: int) -> None:
    assert find(small, "case", "23", str(word))[0] == 23


def test_a_wrong_byte_of_memory_is_seen(small: tuple[Reference, Batch]) -> None:
    assert find(small, "memory", "31")[0] == 31


def test_a_wrong_instruction_is_found_and_shown(
    small: tuple[Reference, Batch], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ADC with a register shifted by a constant spoils r3: cut down to one ADC, shown, saved."""
    reference, batch = small
    index, command = find(small, "instruction", "0x0fe00010", "0x00a00000", "3")
    assert index is not None
    mismatch = shrink(reference, command, alone(batch, index), "seed 1, batch 0, case 5")
    assert mismatch.case.limit == 1
    report = mismatch.report()
    assert "adc" in report
    assert "r3: " in report
    path = save(mismatch, tmp_path)
    assert replay(command, path) == 1
    assert replay(planted("none"), path) == 0
    assert "adc" in capsys.readouterr().out


# Input that is no case: (what is wrong, the bytes made from a good case, words of the message).
def _good() -> Case:
    state = [0] * 37
    state[35], state[36] = 0xC0000000, 0xD3
    nop = (0xE1A00000).to_bytes(4, "little")
    return Case(77, 1, tuple(state), ((0xC0000000, nop),), ((0xC0000000, 4),))


def _with(word: int, value: int) -> bytes:
    """The good case with one 32-bit word of its encoding replaced."""
    data = _good().encode()
    return data[: 4 * word] + value.to_bytes(4, "little") + data[4 * word + 4 :]


# Words of the encoding: 0 magic, 2 flags, 40 CPSR, 41 blocks, 42 address, 43 length; after the
# four bytes of the block: 45 ranges, 46 address, 47 length.
BAD = {
    "wrong magic": _with(0, 0x12345678),
    "flags": _with(2, 2),
    "mode that does not exist": _with(40, 0x15),
    "block outside RAM": _with(42, 0x40000000),
    "block of odd length": _with(43, 3),
    "range outside RAM": _with(46, 0xFFFFFFFC),
    "range too long": _with(47, 0xFFFFFFF0),
    "end of file inside a case": _good().encode()[:-6],
    "end of file after the magic": _good().encode()[:4],
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_bad_input(machine: list[str], data: bytes) -> None:
    for before in (b"", _good().encode()):
        result = subprocess.run(machine, input=before + data, capture_output=True, check=False)
        assert result.returncode == 2
        lines = result.stderr.decode().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("switchyard-machine: vectors: ")
        assert "expected" in lines[0]


def test_no_cases_is_no_error(machine: list[str]) -> None:
    assert MachineRun(machine, []).answers() == []


def test_the_good_case_is_good(machine: list[str]) -> None:
    (answer,) = MachineRun(machine, [_good()]).answers()
    assert (answer.executed, answer.exception) == (1, 0)
    assert answer.state[35] == 0xC0000004
