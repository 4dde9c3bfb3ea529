# SPDX-License-Identifier: Apache-2.0
"""The one limit of what is waited for: no test rests on how fast the host is."""

# What is waited for takes seconds, on a busy or slow host minutes; more means that it hangs.
SECONDS = 1800
