# SPDX-License-Identifier: Apache-2.0
"""Papers that a text names, as links."""

from switchyard.show import papers


def test_papers_are_linked_and_the_rest_is_text() -> None:
    text = "<b> Wiggins et al. 2003, Fig. 5; David et al., ExpCS 2007 & the paper on small spaces"
    link = '<a href="https://doi.org/{}">{}</a>'
    assert papers.linked(text) == (
        "&lt;b&gt; "
        + link.format("10.1007/978-3-540-39864-6_28", "Wiggins et al. 2003")
        + ", Fig. 5; "
        + link.format("10.1145/1281700.1281703", "David et al., ExpCS 2007")
        + ' &amp; <a href="https://trustworthy.systems/publications/papers/Uhlig_DSHH_02.pdf">'
        "the paper on small spaces</a>"
    )
    assert papers.linked("Nobody et al., 2003") == "Nobody et al., 2003"
