# SPDX-License-Identifier: Apache-2.0
"""Where the papers are that sources name, as links on the report's page."""

import re

from markupsafe import Markup, escape

# How our sources name a paper, and where it is: by its DOI if it has one.
PAPERS = {
    # Implementation of Fast Address-Space Switching and TLB Sharing on the StrongARM Processor
    r"Wiggins et al\.,? (?:ACSAC )?2003": "https://doi.org/10.1007/978-3-540-39864-6_28",
    # Context switch overheads for Linux on ARM platforms
    r"David et al\.,? (?:ExpCS )?2007": "https://doi.org/10.1145/1281700.1281703",
    # Report 2002-1 of the faculty of computer science, University of Karlsruhe: without a DOI
    r"Uhlig et al\.(?:,? \(?2002\)?|, Performance of Address-Space Multiplexing"
    r"(?: on the Pentium)?(?: \(2002\))?)|the paper on small spaces": (
        "https://trustworthy.systems/publications/papers/Uhlig_DSHH_02.pdf"
    ),
}
NAMED = re.compile("|".join(f"({pattern})" for pattern in PAPERS))


def linked(text: str) -> Markup:
    """A text for a page, with a link on each paper that it names."""
    parts, end = [], 0
    links = list(PAPERS.values())
    for match in NAMED.finditer(text):
        link = links[(match.lastindex or 1) - 1]
        parts.append(escape(text[end : match.start()]))
        parts.append(Markup('<a href="{}">{}</a>').format(link, match[0]))
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])
