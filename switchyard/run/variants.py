# SPDX-License-Identifier: Apache-2.0
"""Machines that differ from a described one in a few keys, for sweeps.

A key is named as in a machine file, section and name with a dot between: `dcache.size-bytes`. A
variant is written as a machine file of the user's; the simulator says whether it is sound.
"""

import copy
import hashlib
import json
import re
import struct
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from switchyard.data import fields
from switchyard.errors import InputError, one_of
from switchyard.run import build, machine, tree, user_paths
from switchyard.run.build import Guest
from switchyard.run.build_linux import Linux
from switchyard.run.store import readable

Value = int | str
# The table of ranges in a machine file: no part of the machine.
ASSUMED = "assumed"
# kernel/arch/arm: one section of the zeros bank is mapped; the loop that reads it ends by a bit.
MOST_DCACHE_BYTES = 512 << 10
# A kernel that does nothing, on any board: an instruction of ARM's, and a Multiboot kernel (0.6.96,
# 3.1: mark, flags, sum, and where header, image, its end, the end of what is cleared and the entry
# are) with one of IA-32's. Each branches to itself.
IDLE = struct.pack(
    "<9I2s",
    *(0xEAFFFFFE, 0x1BADB002, 1 << 16, (-0x1BADB002 - (1 << 16)) % 2**32),
    *(0x10_0004, 0x10_0000, 0, 0, 0x10_0024),
    b"\xeb\xfe",
)


def names() -> list[str]:
    """The machines that the simulator knows, and those of the user's own."""
    ours = (tree.sources() / "machine" / "machines").glob("*.toml")
    return [*sorted(file.stem for file in ours), *user_paths.machines()]


def describe(name: str) -> dict[str, Any]:
    """A machine's description: of a file of the user's, or of one that the simulator knows."""
    file = Path(machine.described_in(name))
    if not machine.is_file(str(file)):
        file = tree.sources() / "machine" / "machines" / f"{name}.toml"
        if not file.exists():
            raise InputError(f"{name}: unknown machine; {one_of(name, names())}, or a .toml file")
    try:
        described = tomllib.loads(readable(file).read_text("utf-8"))
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError
        raise InputError(f"{file}: {error}; expected a machine file") from None
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; expected a machine file") from None
    processor = described.get("processor")
    core = processor.get("core") if isinstance(processor, dict) else None
    for key, value in (("name", described.get("name")), ("processor.core", core)):
        if not isinstance(value, str):
            raise InputError(f"{file}: {key}: found {fields.shown(value)}; expected a string")
    return described


@dataclass(frozen=True)
class Range:
    """What an assumed constant is here, what it may be, and why."""

    value: int
    low: int
    high: int
    why: str


def ranges(described: Mapping[str, Any]) -> dict[str, Range]:
    """The assumed constants of a description that the simulator finds sound."""
    values = keys(described)
    return {
        name: Range(
            int(values[name]), int(assumed["low"]), int(assumed["high"]), str(assumed["why"])
        )
        for name, assumed in described.get(ASSUMED, {}).items()
    }


def keys(described: Mapping[str, Any]) -> dict[str, Value]:
    """Every key of a description with its value."""
    entries: dict[str, Value] = {}
    for name, value in described.items():
        if name == ASSUMED:
            continue
        if isinstance(value, dict):
            entries |= {f"{name}.{inner}": entry for inner, entry in keys(value).items()}
        else:
            entries[name] = value
    return entries


def changed(described: Mapping[str, Any], changes: Mapping[str, Value]) -> dict[str, Any]:
    """The description with other values for some keys, and a name of its own.

    What is set is no longer assumed, so its range goes: another value may well lie outside.
    """
    variant = copy.deepcopy(dict(described))
    for key, value in changes.items():
        variant.get(ASSUMED, {}).pop(key, None)
        *tables, name = key.split(".")
        inner = variant
        for table in tables:
            inner = inner[table]
        inner[name] = value
    digest = hashlib.sha256(json.dumps(variant, sort_keys=True, default=str).encode()).hexdigest()
    variant["name"] = f"{described['name']}-{digest[:8]}"
    return variant


def save(described: Mapping[str, Any], folder: Path) -> Path:
    """Writes the machine file of a variant."""
    # the name may be anything, and the last eight digits tell variants apart
    file = folder / f"{re.sub(r'[^A-Za-z0-9-]', '-', described['name'])[-64:]}.toml"
    file.write_text(tomli_w.dumps(described), encoding="utf-8")
    return file


def check(file: Path, base: str, changes: Mapping[str, object]) -> None:
    """Has the simulator look at a variant of the machine `base`: it runs one cycle of nothing."""
    idle = file.with_suffix(".image")
    idle.write_bytes(IDLE)
    try:
        machine.run(machine.Boot(str(file), idle, max_cycles=1), must_succeed=False)
    except InputError as error:
        given = ", ".join(f"{key}={value}" for key, value in changes.items())
        said = str(error).removeprefix(f"{machine.BINARY}: ").removeprefix(f"{file}: ")
        raise InputError(f"{base} with {given}: {said}") from None


def fitted(guest: Guest | Linux, described: Mapping[str, Any]) -> Guest | Linux:
    """The guest as it must be built to run on that machine, which the simulator finds sound.

    A kernel for the SA-1110 cleans the data cache by reading as much as there is of it: built for
    less, it would leave dirty lines behind.
    """
    core = described["processor"]["core"]
    if isinstance(guest, Linux) or guest.scheme == build.BARE or core != "sa1110":
        return guest
    usual = {"dcache.line-bytes": 32, "mini-dcache.size-bytes": 512, "mini-dcache.line-bytes": 32}
    for key, value in keys(described).items():
        if value != usual.get(key, value):
            raise InputError(
                f"{key}: {value}; expected {usual[key]}, which {guest.name} is written for"
            )
    size = keys(described).get("dcache.size-bytes")
    if not isinstance(size, int):
        raise InputError(f"dcache.size-bytes: found {fields.shown(size)}; expected a whole number")
    if size > MOST_DCACHE_BYTES:
        raise InputError(
            f"dcache.size-bytes: {size}; expected at most {MOST_DCACHE_BYTES}, "
            f"which {guest.name} can clean"
        )
    return guest.for_dcache(size)
