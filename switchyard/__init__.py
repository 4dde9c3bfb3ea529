# SPDX-License-Identifier: Apache-2.0
"""Switchyard: a laboratory for switching address spaces on virtually-tagged caches.

The package drives the simulator (a program of its own, `switchyard-machine`), builds the guests
that run on it, runs experiments and sets what they measure beside what was published.
"""

from importlib import metadata

try:
    __version__ = metadata.version("switchyard")
except metadata.PackageNotFoundError:  # run straight from the source, never installed
    __version__ = "0+source"
