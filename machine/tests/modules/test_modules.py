# SPDX-License-Identifier: Apache-2.0
"""The modules of the simulator use each other in one direction: there is no circle among them.

Nor is there one inside an architecture. Its files stand in four rooms, each on those before it, and
what stands in a room (a file, or a whole folder) uses the rest of the room in one direction too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"

# The rooms of an architecture, the lowest first.
ROOMS = ["isa", "memory", "cpu", "watch"]
# Below all rooms: what a machine file says. On all of them: what brings the architecture in.
BELOW = ["config"]
ABOVE = ["loader", "machines", "vectors"]
ARCHITECTURES = sorted(
    folder.name for folder in SOURCES.iterdir() if all((folder / room).is_dir() for room in ROOMS)
)

Graph = dict[str, set[str]]


def code(text: str) -> str:
    """Without comments, and without what is compiled for tests alone, which may use anything."""
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"\bpub\(in [\w:]+\)", "pub", text)
    return re.split(r"#\[cfg\(test\)\]\s*mod \w+ \{", text)[0]


def paths(text: str) -> set[str]:
    """The modules that a source names by `crate::`, also several in braces."""
    modules = set(re.findall(r"\bcrate::(\w+)", text))
    for several in re.findall(r"\bcrate::\{(.*?)\};", text, re.S):
        outside = re.sub(r"\{[^{}]*\}", "", several)
        modules |= {part.strip().split("::")[0] for part in outside.split(",") if part.strip()}
    return modules


def uses(sources: Path) -> Graph:
    """Which of the library's modules uses which others."""
    modules = re.findall(r"^pub mod (\w+);", (sources / "lib.rs").read_text("utf-8"), re.M)
    graph: Graph = {}
    for module in modules:
        files = [sources / f"{module}.rs", *(sources / module).rglob("*.rs")]
        graph[module] = set()
        for file in files:
            if file.exists() and not file.stem.endswith("tests"):
                graph[module] |= paths(code(file.read_text("utf-8"))) & set(modules) - {module}
    return graph


def sources_of(folder: Path) -> dict[tuple[str, ...], str]:
    """The code of the modules in a folder, each by its path from there."""
    modules = {}
    for file in sorted(folder.rglob("*.rs")):
        path = file.relative_to(folder).with_suffix("").parts
        if not file.stem.endswith("tests"):
            modules[path[:-1] if path[-1] == "mod" else path] = code(file.read_text("utf-8"))
    return modules


def flat(tree: str) -> list[str]:
    """The paths of a tree of uses: `a::{b, c::{d, e}}` has a::b, a::c::d, a::c::e."""
    if "{" not in tree:
        return [re.split(r"\s+as\s", tree)[0].strip()]
    head, _, rest = tree.partition("{")
    inner = rest[: rest.rindex("}")]
    parts, depth, part = [], 0, ""
    for letter in inner + ",":
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [head.strip() + path for each in parts if each.strip() for path in flat(each.strip())]


def named(text: str) -> list[list[str]]:
    """The paths that a source names from `crate`, `super` or `self`, in `use` or in passing."""
    trees = re.findall(r"\buse\s+([^;]+);", text)
    rest = re.sub(r"\buse\s+[^;]+;", "", text)
    in_passing = re.findall(r"(?<![\w:])(?:crate|super|self)(?:::\w+)+", rest)
    found = [path.split("::") for tree in trees for path in flat(tree)]
    return found + [path.split("::") for path in in_passing]


def inline(text: str) -> list[tuple[list[str], str]]:
    """A source and the modules that stand in it in braces, each with its path and its own text."""
    own, found, at = "", [], 0
    for match in re.finditer(r"\bmod (\w+)\s*\{", text):
        if match.start() < at:
            continue
        end, depth = match.end(), 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        own += text[at : match.start()]
        inner = inline(text[match.end() : end - 1])
        found += [([match[1], *path], part) for path, part in inner]
        at = end
    return [([], own + text[at:]), *found]


def inside(architecture: str, modules: Mapping[tuple[str, ...], str]) -> Graph:
    """Which part of an architecture uses which others.

    A part is a file or a folder in a room (`memory/mmu`), a room's own `mod.rs` (`memory`), or the
    architecture's ("").
    """

    def part(path: list[str]) -> str:
        known = [n for n in range(len(path) + 1) if tuple(path[:n]) in modules]
        return "/".join(path[: known[-1]][:2])

    graph: Graph = {part(list(module)): set() for module in modules}
    for module, text in modules.items():
        for place, own in inline(text):
            for path in named(own):
                here = [*module, *place]
                if path[0] == "crate":
                    if path[1:2] != [architecture]:
                        continue
                    target = path[2:]
                elif path[0] in ("super", "self"):
                    ups = path.count("super")
                    if ups > len(here):
                        continue
                    target = here[: len(here) - ups] + [
                        step for step in path if step not in ("super", "self")
                    ]
                else:
                    target = [*here, *path] if (*here, path[0]) in modules else []
                    if not target:
                        continue
                graph[part(list(module))].add(part(target))
    return {user: used - {user} for user, used in graph.items()}


def upward(graph: Graph) -> list[tuple[str, str]]:
    """What uses a part of a room above its own, or what stands on all rooms."""
    level = {room: number for number, room in enumerate(BELOW + ROOMS)}

    def height(part: str) -> int:
        return level.get(part.split("/")[0], len(level))

    return sorted(
        (user, used)
        for user, all_used in graph.items()
        for used in all_used
        if height(used) > height(user)
    )


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """A circle, as its modules in order, if there is one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        modules: list[str] = error.args[1]
        return modules
    return []


def test_no_circle() -> None:
    graph = uses(SOURCES)
    assert len(graph) > 20
    assert "bus" in graph["arm"]
    assert circle(graph) == []


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_rooms_stand_on_each_other(architecture: str) -> None:
    modules = sources_of(SOURCES / architecture)
    # There is no other room.
    above = {"riscv": {"loader", "machines", "tree"}}.get(architecture, {*ABOVE})
    assert {module[0] for module in modules if module} == {*BELOW, *ROOMS, *above}
    graph = inside(architecture, modules)
    assert len(graph) > 20
    assert f"{ROOMS[1]}/memsys" in graph[f"{ROOMS[2]}/core"]
    assert upward(graph) == []
    assert circle(graph) == []


# Edges that would lead up, or close a circle within a room.
@pytest.mark.parametrize(
    ("module", "line", "up", "closed"),
    [
        ("isa/insn", "use crate::arm::cpu::exec::{self, Handler};", True, True),
        ("isa/insn", "use crate::arm::isa::{kind::Kind, decoder};", False, True),
        ("isa/kind", "mod inner { use super::super::insn::Insn; }", False, True),
        ("isa/kind", "fn f() { super::insn::Insn(0) }", False, True),
        ("memory/memsys/data", "use super::super::super::watch::ideal::Checker;", True, True),
        ("memory/tlb", "use crate::arm::watch::ideal;", True, True),
        ("cpu/core/state", "use crate::{arm::cpu::run, event};", False, True),
        ("cpu/timing", "use crate::arm::Machine;", True, False),
        ("cpu/exec/data", "use super::single; pub(in crate::arm) fn f() {}", False, False),
    ],
)
def test_an_arrow_up_is_found(module: str, line: str, up: bool, closed: bool) -> None:
    modules = sources_of(SOURCES / "arm")
    modules[tuple(module.split("/"))] += code(line)
    graph = inside("arm", modules)
    assert (upward(graph) != []) is up
    assert (circle(graph) != []) is closed


# The edges that once closed one.
@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("counters", "use crate::profile::Profile;"),
        ("state", "use crate::{event, machine::Machine};"),
        ("config", "use crate::registry;"),
        ("dev", "use crate::net::{self, Address};"),
    ],
)
def test_a_circle_is_found(module: str, line: str) -> None:
    graph = uses(SOURCES)
    graph[module] |= paths(line)
    assert module in circle(graph)


def test_what_is_no_use() -> None:
    text = "// crate::a\nuse super::b; #[cfg(test)]\nmod tests { use crate::c; }"
    assert paths(code(text)) == set()
    assert paths("use crate::{a::{b, c}, d};") == {"a", "d"}
