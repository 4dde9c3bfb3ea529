# SPDX-License-Identifier: Apache-2.0
"""Figures as files, drawn once: a picture is kept by everything that decides it.

Drawing takes a second or two a figure, and loading the drawing library as long as all the rest of a
`run` whose results are kept. So `plot` is asked, and imported, only for what was never drawn. What
`run` draws is what the report and the book show.
"""

import hashlib
import json
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from switchyard import files
from switchyard.figure import Drawn
from switchyard.store import Store

HERE = Path(__file__).parent
# What a picture depends on beside what it shows; a change of it is another picture.
SOURCES = ("plot.py", "panels.py", "figure.py", "labels.py", "inline.py")
LIBRARIES = ("altair", "vl-convert-python")
KINDS = ("svg", "png")  # of files
PAGE = "page"  # what the report's page draws by itself


@cache
def _drawn_by() -> list[str]:
    sources = [hashlib.sha256((HERE / name).read_bytes()).hexdigest() for name in SOURCES]
    return sources + [metadata.version(name) for name in LIBRARIES]


def key(figure: Drawn, kind: str) -> str:
    """What a picture of that kind is kept by."""
    whole = json.dumps(["picture", kind, repr(figure), _drawn_by()])
    return hashlib.sha256(whole.encode()).hexdigest()


def save(figure: Drawn, stem: Path) -> list[Path]:
    """Writes the figure as `stem`.svg and `stem`.png, and says where they are."""
    store = Store()
    keys = {kind: key(figure, kind) for kind in KINDS}
    kept = {kind: store.get(keys[kind]) for kind in KINDS}
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in KINDS]
    if None in kept.values():
        from switchyard import plot  # takes a second

        plot.save(figure, stem)
        for kind, path in zip(KINDS, paths, strict=True):
            store.put(keys[kind], path.read_bytes())
        return paths
    for kind, path in zip(KINDS, paths, strict=True):
        files.write(path, kept[kind] or b"")
    return paths


def svg(figure: Drawn) -> str:
    """The figure as an SVG picture, as `save` writes it."""

    def draw() -> bytes:
        from switchyard import plot

        return plot.svg(figure).encode()

    return _kept(figure, "svg", draw).decode()


def on_page(figure: Drawn) -> dict[str, Any]:
    """The figure as the Vega-Lite specification that the report's page draws."""

    def draw() -> bytes:
        from switchyard import plot

        return json.dumps(plot.spec(figure, page=True)).encode()

    drawn: dict[str, Any] = json.loads(_kept(figure, PAGE, draw))
    return drawn


def _kept(figure: Drawn, kind: str, draw: Callable[[], bytes]) -> bytes:
    store = Store()
    by = key(figure, kind)
    picture = store.get(by)
    if picture is None:
        picture = draw()
        store.put(by, picture)
    return picture
