# SPDX-License-Identifier: Apache-2.0
"""HTML pages that are complete in themselves: what those of the report and of `explore` share.

Templates, styles and scripts are in `page/`. All that a page needs gets inside it.
"""

import json
from pathlib import Path

import jinja2
from markupsafe import Markup

PAGE = Path(__file__).with_name("page")


def environment() -> jinja2.Environment:
    """Where templates are found, with the filter `data`."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    templates.filters["data"] = data
    return templates


def source(name: str) -> Markup:
    """A style or a script of ours, as it gets into a page."""
    return Markup((PAGE / name).read_text("utf-8"))  # noqa: S704


def data(value: object) -> Markup:
    """A value as JSON within a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704
