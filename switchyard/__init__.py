# SPDX-License-Identifier: Apache-2.0
"""Switchyard: a laboratory for switching address spaces on virtually-tagged caches.

The package drives the simulator (a program of its own, `switchyard-machine`), builds the guests
that run on it, runs experiments and sets what they measure beside what was published.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchyard.data.records import rows as rows
    from switchyard.run.interactive import Machine as Machine

    __version__: str
else:

    def __getattr__(name: str) -> object:
        """What takes long, when it is asked for: most commands do without."""
        if name == "Machine":
            from switchyard.run.interactive import Machine

            return Machine
        if name == "rows":
            from switchyard.data.records import rows

            return rows
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import metadata

        try:
            return metadata.version("switchyard")
        except metadata.PackageNotFoundError:  # run straight from the source, never installed
            return "0+source"
