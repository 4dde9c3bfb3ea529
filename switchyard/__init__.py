# SPDX-License-Identifier: Apache-2.0
"""Switchyard: a laboratory for switching address spaces on virtually-tagged caches.

The package drives the simulator (a program of its own, `switchyard-machine`), builds the guests
that run on it, runs experiments and sets what they measure beside what was published.
"""

from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchyard.interactive import Machine

__all__ = ["Machine", "__version__"]

try:
    __version__ = metadata.version("switchyard")
except metadata.PackageNotFoundError:  # run straight from the source, never installed
    __version__ = "0+source"


def __getattr__(name: str) -> object:
    """`switchyard.Machine`, when it is first asked for: the command line does without."""
    if name == "Machine":
        from switchyard.interactive import Machine

        return Machine
    raise AttributeError(f"module 'switchyard' has no attribute {name!r}")
