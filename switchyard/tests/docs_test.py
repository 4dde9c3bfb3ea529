# SPDX-License-Identifier: Apache-2.0
"""The book: links lead somewhere, all pages are listed, numbers of READMEs are generated."""

import re
import tomllib
from pathlib import Path

import pytest

from switchyard.run import build

ROOT = build.root()
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
TOPS = {"README.md", "docs", "kernel", "l4", "linux", "machine", "user", "bench", "servers"}
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MkDocs make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    heads = re.findall(r"^#+ (.+)$", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text), re.M)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in LINK.findall(text):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{link}: no such file"
        if anchor:
            assert anchor in anchors(target), f"{link}: no such heading"


# Cycles, times and shares. A README's stand between marks, where `switchyard docs` writes them.
MEASURED = re.compile(
    r"(?<![\w.-])\d[\d,.]*(?: (?:to|and|or) \d[\d,.]*)*"
    r"\s+(?:cycles|µs|us|ms|microseconds|per cent|%)"
)


@pytest.mark.parametrize(
    "page",
    [page for page in sorted(ROOT.rglob("README.md")) if page.parts[len(ROOT.parts)] in TOPS],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_what_a_readme_says_was_measured_is_generated(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^<!-- \w.*?^<!-- end -->$|^```.*?^```$", "", text, flags=re.M | re.S)
    assert MEASURED.findall(text) == []


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M))
    assert listed == {page.name for page in PAGES if page.parent.name == "docs"}
    front = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert listed - {"README.md"} <= set(LINK.findall(front))


def test_the_constants_of_a_machine_are_those_of_its_file() -> None:
    """``table.key` = 3`` in the page on the U74."""
    described = tomllib.loads((build.root() / "machine/machines/virt-u74.toml").read_text("utf-8"))
    page = (build.root() / "docs" / "machine-u74.md").read_text("utf-8")
    quoted = re.findall(r"`([\w-]+)\.([\w-]+)` = (\d+)", page)
    assert len(quoted) > 30
    for table, key, value in quoted:
        assert described[table][key] == int(value), f"{table}.{key}"
