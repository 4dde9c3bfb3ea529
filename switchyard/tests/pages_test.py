# SPDX-License-Identifier: Apache-2.0
"""Every page of the book, the report and those to step through, on a phone: all is readable.

Contrast is that of WCAG 2.1, 1.4.3: 4.5 of a text to its background, 3 of large letters.
"""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from switchyard import cli
from switchyard.run import build
from switchyard.tests.browsing import PHONE
from switchyard.tests.patience import SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.guests]

LOOK = Path(__file__).with_name("page_faults.js").read_text(encoding="utf-8")


def faults(browser: Browser, pages: list[Path], name: str = "") -> list[Any]:
    """Of each page in the light and in the dark, as it is first seen."""
    found = []
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport=PHONE, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        context.set_default_timeout(1000 * SECONDS)
        page = context.new_page()
        for path in pages:
            page.goto(f"{path.as_uri()}{name}")
            if page.locator("html[data-ready], script#explorer").count():
                page.wait_for_selector("html[data-ready]")
            seen = page.evaluate(LOOK)
            if seen["wide"] > 0 or seen["faint"]:
                found.append((scheme, path.name, seen))
        context.close()
    return found


def test_pages_to_step_through(tmp_path: Path, browser: Browser) -> None:
    path = tmp_path / "ipc.html"
    assert cli.execute(["explore", str(path)]) == 0
    assert faults(browser, [path]) == []


@pytest.mark.long
def test_every_page_of_the_book(tmp_path: Path, browser: Browser) -> None:
    done = subprocess.run(["make", "book"], cwd=build.root(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = sorted((build.root() / "build" / "book").rglob("*.html"))
    assert len(pages) > 50
    assert faults(browser, pages) == []
    report = tmp_path / "report.html"
    kept = build.root() / "docs" / "results"
    assert cli.execute(["report", str(kept), "--out", str(report)]) == 0
    assert faults(browser, [report]) == []
    assert faults(browser, [report], "#everything") == []
