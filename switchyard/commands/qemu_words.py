# SPDX-License-Identifier: Apache-2.0
"""QEMU's spelling of what `boot` can do: options are taken over, or told what stands for them here.

Words that are no options of QEMU stay as they are, and so does all that follows `--run`.
"""

import re
import sys
from collections.abc import Sequence

from switchyard.errors import InputError

# Machines of QEMU whose names are not those of ours.
MACHINES = {
    "pc": "p4-willamette",
    "isapc": "p4-willamette",
    "q35": "p4-willamette",
    "virt": "virt-rv64",
}
# Options that have a value, and mean the same by another name.
SAME = {
    "-kernel": "--kernel",
    "-initrd": "--initrd",
    "-dtb": "--dtb",
    "-append": "--append",
    "-drive": "--drive",
    "-sd": "--drive",
    "-bios": "--bios",
    "-global": "--global",
}
# Devices that are plugged by the same words, without the file or wire that QEMU wants to know of.
PLUGGED = re.compile(r"(virtio-serial-device|virtconsole)(,|$)")
# Where the characters of a console come from and go to: this terminal.
TERMINAL = re.compile(r"(stdio|null)(,|$)")
# What is so here anyway: nothing stands for it.
GIVEN = {"-nographic", "-no-reboot", "-nodefaults"}
GIVEN_WITH_VALUE = {"-accel", "-display", "-vga", "-monitor", "-rtc", "-name"}
# What there is instead.
INSTEAD = {
    "-cpu": "--machine alone, which says the core, too (switchyard machines)",
    "-nic": "--net WHERE (docs/network.md)",
    "-net": "--net WHERE (docs/network.md)",
    "-netdev": "--net WHERE (docs/network.md)",
    "-device": "the board's own devices, virtconsole, and --drive FILE, --net WHERE",
    "-chardev": "stdio: what is typed comes from this terminal, or by --input FILE",
    "-hda": "--drive FILE, a memory card",
    "-cdrom": "--drive FILE, a memory card",
    "-d": "--log FILE, or --trace FILE",
    "-D": "--log FILE",
    "-icount": "nothing: each run of the same is the same, to the cycle",
    "-loadvm": "--restore FILE",
    "-pflash": "--kernel FILE: nothing runs before it",
}
# Values with which some of these are so here anyway: a drive of `virt` has its disk by itself, and
# its network interface is always there.
SO_HERE = {
    "-cpu": re.compile(r"(rv64|arm926|sa1110)$"),
    "-device": re.compile(r"virtio-(blk|net)-device\b"),
    "-chardev": TERMINAL,
}
SIZE = re.compile(r"(\d+)([KMG]?)i?B?", re.I)
# What is meant as one.
NUMBER = re.compile(r"(size=)?\d+\w?$")


def translated(arguments: Sequence[str]) -> list[str]:
    """The arguments of the whole command line, those of `boot` in our spelling."""
    words = list(arguments)
    place = 2 if words[:1] == ["--path"] else 0
    if words[place : place + 1] != ["boot"]:
        return words
    return [*words[: place + 1], *_boot(words[place + 1 :])]


def _boot(words: Sequence[str]) -> list[str]:
    ours: list[str] = []
    left = list(words)
    stopped = waits = False
    while left:
        word = left.pop(0)
        if word == "--run":
            return [*ours, word, *left]
        if word == "-s":
            waits = True
            ours += ["--gdb", ":1234"]
        elif word == "-S":
            stopped = True
        elif word in GIVEN:
            pass
        elif word in ("-semihosting", "-semihosting-config"):
            if word.endswith("config"):
                _value(word, left)
            if "--semihosting" not in ours:
                ours.append("--semihosting")
        elif word in SAME:
            ours += [SAME[word], _value(word, left)]
        elif word in GIVEN_WITH_VALUE:
            _value(word, left)
        elif word in ("-M", "-machine"):
            name = _value(word, left).split(",")[0]
            ours += ["--machine", MACHINES.get(name, name)]
        elif word == "-m" and left and SIZE.fullmatch(left[0].removeprefix("size=")):
            ours += ["--ram", _size(left.pop(0))]
        elif word == "-m" and left and NUMBER.match(left[0]):
            raise InputError(f"-m {left[0]}: no size; expected such as 256M")
        elif word == "-smp":
            _one_processor(_value(word, left))
        elif word == "-serial":
            _serial(_value(word, left))
        elif word == "-gdb":
            where = _value(word, left)
            waits = True
            ours += ["--gdb", where.removeprefix("tcp:")]
        elif word == "-device" and left and PLUGGED.match(left[0]):
            ours += ["--device", left.pop(0).split(",")[0]]
        elif word in SO_HERE and left and SO_HERE[word].match(left[0]):
            left.pop(0)
        elif word in INSTEAD:
            raise InputError(f"{word}: QEMU's; expected {INSTEAD[word]}")
        else:
            ours.append(word)
    if stopped and not waits and "--gdb" not in ours:
        raise InputError("-S: QEMU's; expected -s as well, or --gdb :PORT, which waits, stopped")
    return ours


def _value(word: str, left: list[str]) -> str:
    if not left:
        raise InputError(f"{word}: no value; expected one, as in QEMU")
    return left.pop(0)


def _one_processor(count: str) -> None:
    """A kernel for several runs on one, too: that there is no more is said, and it starts."""
    if re.match(r"(cpus=)?1(,|$)", count) is None:
        sys.stderr.write(f"switchyard: -smp {count}: there is one processor here\n")


def _size(text: str) -> str:
    """A size as `--ram` has it; QEMU's number alone is one of megabytes."""
    size = SIZE.fullmatch(text.removeprefix("size="))
    assert size is not None
    return f"{size[1]}{size[2].upper() or 'M'}"


def _serial(where: str) -> None:
    """The first serial port is on this terminal."""
    if where not in ("stdio", "mon:stdio", "none", "null") and not where.startswith("chardev:"):
        raise InputError(
            f"-serial {where}: QEMU's; expected stdio: the console is this terminal, "
            "--console N says of which port, and --input FILE types"
        )
