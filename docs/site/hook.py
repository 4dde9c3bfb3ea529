# SPDX-License-Identifier: Apache-2.0
"""For `make book`: links out of docs/ become names of files, which a site has not."""

import re
from typing import Any

OUTSIDE = re.compile(r"\[[^\]]*\]\(\.\./([^)#]+)(?:#[^)]*)?\)")


def on_page_markdown(markdown: str, **_more: Any) -> str:
    """Called by MkDocs with each page's text."""
    return OUTSIDE.sub(r"`\1`", markdown)
