# SPDX-License-Identifier: Apache-2.0
"""The tasks of bench/tasks on this computer, against Python's libraries and published vectors."""

import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from switchyard.run import build

pytestmark = pytest.mark.guests


@pytest.fixture(scope="module")
def program() -> Path:
    tasks = build.root() / "build" / "bench" / "suite" / "tasks"
    tools = [f"PYTHON={sys.executable}", f"CC={sys.executable} -m ziglang cc"]
    build.make("tasks", ["make", "-C", "bench", *tools, "tasks"], [tasks])
    return tasks


def asked(program: Path, *words: str | int, data: bytes | None = None) -> dict[str, str]:
    command = [str(program), *map(str, words), *(["-"] if data is not None else [])]
    done = subprocess.run(command, input=data or b"", capture_output=True, check=True)
    lines = (line.partition(" ") for line in done.stdout.decode().splitlines())
    return {name: value for name, _, value in lines}


def inflated(program: Path, *words: str | int, data: bytes | None = None) -> tuple[bytes, bytes]:
    """What went into a stream of deflate, and what comes out of it."""
    said = asked(program, "deflate", *words, data=data)
    out = bytes.fromhex(said["out"])
    assert int(said["result"]) == zlib.crc32(out)
    stream = zlib.decompressobj(-15)
    content = stream.decompress(out)
    assert stream.eof
    assert stream.unused_data == b""
    return bytes.fromhex(said["before"]), content


def test_deflate_on_its_own_data(program: Path) -> None:
    for size, passes, slices in ((1, 1, 1), (2, 3, 2), (5_000, 1, 7), (300_000, 2, 99)):
        before, after = inflated(program, size, passes, slices)
        assert after == before
        assert len(before) == size


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    parts=st.lists(
        st.tuples(st.binary(min_size=1, max_size=40), st.integers(1, 300)), min_size=1, max_size=8
    ),
    slices=st.integers(1, 9),
)
def test_deflate_on_any_data(program: Path, parts: list[tuple[bytes, int]], slices: int) -> None:
    data = b"".join(text * times for text, times in parts)
    before, after = inflated(program, len(data), 1, slices, data=data)
    assert before == data
    assert after == data


def test_codes_that_would_be_too_long(program: Path) -> None:
    # Fibonacci's numbers make the deepest tree (the first is the block's end): a code of 20 bits.
    counts = [1, 2]
    while len(counts) < 20:
        counts.append(counts[-1] + counts[-2])
    data = b"".join(bytes([65 + i]) * n for i, n in enumerate(counts))
    done = subprocess.run(
        [str(program), "literals", str(len(data))], input=data, capture_output=True, check=True
    )
    out = bytes.fromhex(done.stdout.decode().split()[1])
    assert zlib.decompress(out, -15) == data


def test_deflate_compresses_as_zlib_does(program: Path) -> None:
    said = asked(program, "deflate", 200_000, 1, 5)
    ours = len(bytes.fromhex(said["out"]))
    zlibs = len(zlib.compress(bytes.fromhex(said["before"]), 6))
    assert ours < 1.02 * zlibs


@pytest.mark.parametrize(
    ("key", "block", "cipher"),
    [
        # FIPS 197, appendices B and C.1
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3243f6a8885a308d313198a2e0370734",
            "3925841d02dc09fbdc118597196a0b32",
        ),
        (
            "000102030405060708090a0b0c0d0e0f",
            "00112233445566778899aabbccddeeff",
            "69c4e0d86a7b0430d8cdb78070b4c55a",
        ),
    ],
)
def test_aes_against_the_standard(program: Path, key: str, block: str, cipher: str) -> None:
    assert asked(program, "aes-block", key, block)["out"] == cipher


def test_aes_chains_its_blocks(program: Path) -> None:
    key = bytes(range(16)).hex()
    data = bytes(range(160))
    after = bytes.fromhex(asked(program, "aes", 160, 1, 3, data=data)["after"])
    chain = bytes(16)
    for at in range(0, 160, 16):
        mixed = bytes(a ^ b for a, b in zip(chain, data[at : at + 16], strict=True))
        chain = bytes.fromhex(asked(program, "aes-block", key, mixed.hex())["out"])
        assert after[at : at + 16] == chain


def test_crc_is_zlibs(program: Path) -> None:
    said = asked(program, "crc", 5_000, 3, 11)
    assert int(said["result"]) == zlib.crc32(bytes.fromhex(said["before"]) * 3)


def test_sorting(program: Path) -> None:
    said = asked(program, "sort", 1_000, 1, 13)
    before, after = bytes.fromhex(said["before"]), bytes.fromhex(said["after"])
    assert list(after) == sorted(before)
    assert int(said["result"]) == zlib.crc32(after)
    worst = bytes(range(255, -1, -1))
    said = asked(program, "sort", 256, 1, 5, data=worst)
    assert bytes.fromhex(said["after"]) == bytes(range(256))


@pytest.mark.parametrize("kind", ["sort", "deflate", "aes", "crc"])
def test_slices_change_nothing(program: Path, kind: str) -> None:
    whole = asked(program, kind, 4_096, 1, 1)
    for slices in (2, 50, 100, 4_097):
        assert asked(program, kind, 4_096, 1, slices) == whole
    assert int(whole["result"]) != 0
