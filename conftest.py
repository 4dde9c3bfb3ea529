# SPDX-License-Identifier: Apache-2.0
"""What the tests of all folders share."""

import pytest
from hypothesis import settings

# An example takes as long as a busy host makes it take.
settings.register_profile("patient", parent=settings.default, deadline=None)
settings.load_profile("patient")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no processor waits for another at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
