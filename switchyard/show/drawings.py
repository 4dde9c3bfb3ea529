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

from switchyard.run.store import Store
from switchyard.show.figure import Drawn

HERE = Path(__file__).parent
# What a picture depends on beside what it shows; a change of it is another picture.
SOURCES = ("plot.py", "panels.py", "graph.py", "figure.py", "labels.py", "inline.py")
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


def pictures(figure: Drawn, stem: Path) -> dict[Path, bytes]:
    """The figure as `stem`.svg and `stem`.png: what is to be in these files."""
    store = Store()
    keys = {kind: key(figure, kind) for kind in KINDS}
    kept = {kind: store.get(by) for kind, by in keys.items()}
    drawn = {kind: picture for kind, picture in kept.items() if picture is not None}
    if len(drawn) < len(KINDS):
        from switchyard.show import plot  # takes a second

        drawn = plot.pictures(plot.spec(figure))
        for kind, picture in drawn.items():
            store.put(keys[kind], picture)
    return {stem.with_name(f"{stem.name}.{kind}"): drawn[kind] for kind in KINDS}


def svg(figure: Drawn) -> str:
    """The figure as an SVG picture, as `save` writes it."""

    def draw() -> bytes:
        from switchyard.show import plot

        return plot.svg(figure).encode()

    return _kept(figure, "svg", draw).decode()


def on_page(figure: Drawn) -> dict[str, Any]:
    """The figure as the Vega-Lite specification that the report's page draws."""

    def draw() -> bytes:
        from switchyard.show import plot

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
