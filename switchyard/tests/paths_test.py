# SPDX-License-Identifier: Apache-2.0
"""Paths that texts and comments name exist: in Markdown, and in comments of every language."""

import re
from fnmatch import fnmatch

import pytest

from switchyard.run import build

ROOT = build.root()
TOPS = (
    "bench", "docs", "include", "kernel", "l4", "linux", "machine", "packaging", "servers",
    "switchyard", "user", r"\.ci",
)  # fmt: skip
# From the root: `kernel/mapdb.c`; not `/sys/kernel`, nor a part of a longer name.
PATH = re.compile(rf"(?<![\w/.@-])(?:{'|'.join(TOPS)})/[\w.*{{}},<>@/-]*[\w*}}>/]")
# By its name alone, `mapdb.c`, or by the end of its path, `dev/rtc.rs`.
NAME = re.compile(
    r"(?<![\w/.*<>{}@-])(?:[a-z]\w*(?:-\w+)*/)*[a-z]\w*(?:-\w+)*\.(?:c|h|S|rs|py|pml|j2|toml|md)"
    r"(?![\w./-])"
)
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
COMMENT = {
    ".rs": r"//.*",
    ".py": r'#.*|"""[\s\S]*?"""',
    ".toml": r"#.*",
    ".mk": r"#.*",
    ".c": r"/\*[\s\S]*?\*/|//.*",
}
COMMENT |= dict.fromkeys((".h", ".S", ".cc", ".lds"), COMMENT[".c"])
# Of Linux, QEMU, C libraries and the Linux source package; files that readers make.
OTHERS = re.compile(
    r"(mm|crypto|init|hw|target|drivers|fs|asm|lib/(zlib_deflate|crypto)|arch/(arm|x86)|Documentation)/.*"
    r"|include/(linux/.*|image\.h)|linux/\w+\.h>?|l4/l4\.h>|kernel/(sched|fork)\b.*|docs/devel/.*"
    r"|(low|high|type)\.h|(ne|pan|f|flush|fault-armv|copypage-v4mc|fass-shared|fass-tables|deftree)\.c|e\.md|re\.S"
    r"|(cache-v4wb|tlb-v4wbi)\.S|(uaccess|uaccess-asm|stdint|nolibc)\.h|switchyard\.toml"
    r"|switchyard/(sources|wheel/data)\b.*|chapters/hostile\.md|found/null-call\.md"
    r"|(schemes/mine|machines/(test_)?twice|experiments/null_call|guests/hello)\b.*"
)


def files() -> list[str]:
    """All that git knows or would take, or all in an unpacked archive."""
    names = [
        path.relative_to(ROOT).as_posix()
        for top in ROOT.iterdir()
        if not re.fullmatch(r"build|target|dist|results|\.(?!ci|clang).*", top.name)
        for path in ([top] if top.is_file() else top.rglob("*"))
        if "__pycache__" not in path.parts
    ]
    return sorted(names)


FILES = files()
ENDS = {name.split("/", n)[n] for name in FILES for n in range(name.count("/") + 1)}


def there(path: str, name: str) -> bool:
    """Whether a file names one that is there: from the root, from its folder, or as C includes it.

    `*`, `<scheme>`, `NAME` and `{a,b}` stand for any name. Pages make files of their own.
    """
    pattern = re.sub(r"<[^>]*>|\{[^}]*\}|[A-Z@]{2,}", "*", path.rstrip("/"))
    folders = [ROOT, ROOT / "l4" / "include", *(ROOT / name).parents]
    return (
        any((folder / path).exists() for folder in folders)
        or any(fnmatch(one, pattern) for one in FILES)
        or f'title="{path}"' in (ROOT / name).read_text(encoding="utf-8")
    )


def texts(name: str) -> list[str]:
    """What a file says to people."""
    file = ROOT / name
    if file.suffix == ".md":
        return [FENCE.sub("", file.read_text(encoding="utf-8"))]
    comment = COMMENT.get(file.suffix)
    if comment is None or not file.is_file():
        return []
    return re.findall(comment, file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("top", sorted({name.partition("/")[0] for name in FILES}))
def test_what_texts_name_is_there(top: str) -> None:
    wrong = []
    for name in FILES:
        if name.partition("/")[0] != top or name == "CHANGELOG.md":  # which tells of what was
            continue
        for text in texts(name):
            wrong += [f"{name}: {path}" for path in PATH.findall(text) if not there(path, name)]
            wrong += [f"{name}: {file}" for file in NAME.findall(text) if file not in ENDS]
    assert [line for line in wrong if not OTHERS.fullmatch(line.partition(": ")[2])] == []
