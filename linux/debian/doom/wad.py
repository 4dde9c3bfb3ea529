# SPDX-License-Identifier: GPL-2.0-only
"""wad.py FROM TO MAP DEMO: of Doom's data what a demo in one map needs.

Other maps are left out; music, sounds, pictures of the whole screen, and floors that the map has
nowhere are empty. Patches of walls that it has nowhere, and of monsters, become ones with nothing
in them, of the same width, as Doom looks at all of them when it begins.
(Matthew Fell, "The Unofficial Doom Specs", has the format.)
"""

import struct
import sys
from pathlib import Path

OF_MAP = {
    "THINGS", "LINEDEFS", "SIDEDEFS", "VERTEXES", "SEGS", "SSECTORS", "NODES", "SECTORS", "REJECT",
    "BLOCKMAP",
}  # fmt: skip
SKY = "SKY1"
# What monsters begin with, by their number in a map's list of things: the large ones.
MONSTERS = {7: "SPID", 16: "CYBR", 3003: "BOSS", 3005: "HEAD", 3006: "SKUL"}
# What is shown before a game and after it.
SCREENS = {
    "TITLEPIC", "CREDIT", "HELP1", "HELP2", "INTERPIC", "WIMAP0", "WIMAP1", "WIMAP2", "BOSSBACK",
    "ENDPIC", "PFUB1", "PFUB2", "VICTORY2",
}  # fmt: skip


def name_of(data: bytes) -> str:
    """A name of up to eight letters."""
    return data.split(b"\0")[0].decode("ascii").upper()


def lumps_of(wad: bytes) -> list[tuple[str, bytes]]:
    """All that is in it, by its names, in its order."""
    count, at = struct.unpack_from("<ii", wad, 4)
    entries = (struct.unpack_from("<ii8s", wad, at + 16 * n) for n in range(count))
    return [(name_of(name), wad[place : place + size]) for place, size, name in entries]


def without_others(lumps: list[tuple[str, bytes]], kept: str, demo: str) -> list[tuple[str, bytes]]:
    """The lumps but those of other maps and demos, and without what is to be heard."""
    found, of = [], ""
    for name, data in lumps:
        if name in OF_MAP:
            if of == kept:
                found.append((name, data))
            continue
        of = name if len(name) == 4 and name[0] == "E" and name[2] == "M" else ""
        if not ((of and of != kept) or (name.startswith("DEMO") and name != demo)):
            left = name in SCREENS or name.startswith(("D_", "DS", "DP"))
            found.append((name, b"" if left else data))
    return found


def without_floors(lumps: list[tuple[str, bytes]], sectors: bytes) -> list[tuple[str, bytes]]:
    """Those that no sector has are empty; a number tells some apart that take turns."""
    wanted = {
        name_of(sectors[at + part : at + part + 8]).rstrip("0123456789")
        for at in range(0, len(sectors), 26)
        for part in (4, 12)
    }
    found, inside = [], False
    for name, data in lumps:
        inside = name == "F_START" or (inside and name != "F_END")
        keep = not inside or name.rstrip("0123456789") in wanted
        found.append((name, data if keep else b""))
    return found


def absent_monsters(things: bytes) -> tuple[str, ...]:
    """What patches of monsters begin with that are not among these things."""
    there = {struct.unpack_from("<h", things, at + 6)[0] for at in range(0, len(things) - 9, 10)}
    return tuple(name for number, name in MONSTERS.items() if number not in there)


def patches_of(textures: bytes, names: list[str], wanted: set[str]) -> set[str]:
    """The patches of these textures."""
    (count,) = struct.unpack_from("<i", textures)
    found = set()
    for at in struct.unpack_from(f"<{count}i", textures, 4):
        if name_of(textures[at : at + 8]) in wanted:
            (patches,) = struct.unpack_from("<h", textures, at + 20)
            for n in range(patches):
                (number,) = struct.unpack_from("<h", textures, at + 22 + 10 * n + 4)
                found.add(names[number])
    return found


def empty(patch: bytes) -> bytes:
    """A patch of that one's width, whose columns all end at once."""
    (width,) = struct.unpack_from("<h", patch)
    end = 8 + 4 * width
    return patch[:8] + struct.pack(f"<{width}i", *[end] * width) + b"\xff"


def main() -> None:
    """Reads one and writes the other."""
    source, to, kept, demo = sys.argv[1:]
    lumps = without_others(lumps_of(Path(source).read_bytes()), kept, demo)
    of = dict(lumps)
    lumps = without_floors(lumps, of["SECTORS"])
    absent = absent_monsters(of["THINGS"])
    sides = of["SIDEDEFS"]
    wanted = {
        name_of(sides[at + part : at + part + 8])
        for at in range(0, len(sides), 30)
        for part in (4, 12, 20)
    }
    names = of["PNAMES"]
    listed = [name_of(names[at : at + 8]) for at in range(4, len(names), 8)]
    used = patches_of(of["TEXTURE1"], listed, wanted | {SKY})
    unused = set(listed) - used | {name for name in of if name.startswith(absent)} - SCREENS
    lumps = [(name, empty(data) if name in unused else data) for name, data in lumps]
    content, directory, at = [], [], 12
    for name, data in lumps:
        directory.append(struct.pack("<ii8s", at, len(data), name.encode("ascii")))
        content.append(data)
        at += len(data)
    head = struct.pack("<4sii", b"IWAD", len(lumps), at)
    Path(to).write_bytes(head + b"".join(content) + b"".join(directory))


main()
