# SPDX-License-Identifier: Apache-2.0
"""For `make book`: links out of docs/ become names of files, which a site has not.

What was made before gets into it: the experiments' chapters with what was measured, and the pages
of `switchyard explore`, with a list in their chapter.
"""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

# Where the Makefile puts the chapters.
CHAPTERS = Path(__file__).parents[2] / "build" / "chapters"
# Where explored pages are made (Makefile), where they get on the site, and where their list stands.
MADE, PLACE = Path(__file__).parents[2] / "build" / "explore", "explore"
MARK = "<!-- explore -->"
TITLE = re.compile(r"<h1>(.*?)</h1>")
OUTSIDE = re.compile(r"\[[^\]]*\]\(\.\./([^)#]+)(?:#[^)]*)?\)")


def on_page_markdown(markdown: str, page: Page, **_more: Any) -> str:
    """Called by MkDocs with each page's text."""
    path = Path(page.file.src_uri)
    if path.parent.name == "chapters":  # they have no links out of docs/
        return (CHAPTERS / path.name).read_text(encoding="utf-8")
    return OUTSIDE.sub(r"`\1`", markdown.replace(MARK, _list()))


def on_files(files: Files, config: Any) -> Files:
    """Called by MkDocs with all files of the site."""
    for page in sorted(MADE.glob("*.html")):
        place = f"{PLACE}/{page.name}"
        files.append(File.generated(config, place, abs_src_path=str(page)))
    return files


def _list() -> str:
    """The pages as links; their names are what they show."""
    links = []
    for page in sorted(MADE.glob("*.html")):
        title = TITLE.search(page.read_text(encoding="utf-8"))
        links.append(f"- [{title[1] if title else page.stem}]({PLACE}/{page.name})")
    return "\n".join(["These come with the book:", "", *links]) if links else ""
