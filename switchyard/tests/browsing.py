# SPDX-License-Identifier: Apache-2.0
"""Pages in Chromium; the browser itself is a fixture of `conftest`."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from switchyard.tests.patience import SECONDS

# What a page is expected to show comes at once, but not on a busy host.
expect.set_options(timeout=1000 * SECONDS)

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def opened(
    browser: Browser, path: Path, viewport: Any = DESKTOP, scripts: bool = True, dark: bool = False
) -> Page:
    """The page in a window of its own; whatever goes wrong in it fails the test."""
    context = browser.new_context(
        viewport=viewport,
        java_script_enabled=scripts,
        reduced_motion="reduce",
        color_scheme="dark" if dark else "light",
    )
    context.set_default_timeout(1000 * SECONDS)
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: faults.append(request.url))
    page.goto(path.as_uri())
    if scripts:
        page.wait_for_selector("html[data-ready]")
    assert faults == [path.as_uri()]
    return page


def follow_the_guide(page: Page) -> None:
    """Goes through what a page says there is to see, to its end."""
    while page.locator("#guide-back").is_enabled():
        page.locator("#guide-back").click()
    seen = [page.locator("#guide li.shown").inner_text()]
    while page.locator("#guide-on").is_enabled():
        page.locator("#guide-on").click()
        seen.append(page.locator("#guide li.shown").inner_text())
    assert len(set(seen)) == page.locator("#guide li").count() >= 4
    assert page.evaluate("explorer.position") > 0
