# SPDX-License-Identifier: Apache-2.0
"""The modules of the simulator use each other in one direction: there is no circle among them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"


def code(text: str) -> str:
    """Without comments, and without what is compiled for tests alone, which may use anything."""
    text = re.sub(r"//.*", "", text)
    return re.split(r"#\[cfg\(test\)\]\s*mod \w+ \{", text)[0]


def paths(text: str) -> set[str]:
    """The modules that a source names by `crate::`, also several in braces."""
    modules = set(re.findall(r"\bcrate::(\w+)", text))
    for several in re.findall(r"\bcrate::\{(.*?)\};", text, re.S):
        outside = re.sub(r"\{[^{}]*\}", "", several)
        modules |= {part.strip().split("::")[0] for part in outside.split(",") if part.strip()}
    return modules


def uses(sources: Path) -> dict[str, set[str]]:
    """Which of the library's modules uses which others."""
    modules = re.findall(r"^pub mod (\w+);", (sources / "lib.rs").read_text("utf-8"), re.M)
    graph: dict[str, set[str]] = {}
    for module in modules:
        files = [sources / f"{module}.rs", *(sources / module).rglob("*.rs")]
        graph[module] = set()
        for file in files:
            if file.exists() and not file.stem.endswith("tests"):
                graph[module] |= paths(code(file.read_text("utf-8"))) & set(modules) - {module}
    return graph


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
