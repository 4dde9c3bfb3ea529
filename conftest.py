# SPDX-License-Identifier: Apache-2.0
"""What the tests of all folders share."""

from hypothesis import settings

# An example takes as long as a busy host makes it take.
settings.register_profile("patient", parent=settings.default, deadline=None)
settings.load_profile("patient")
