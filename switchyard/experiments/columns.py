# SPDX-License-Identifier: Apache-2.0
"""What L4's experiments compare: the schemes, and the bound that a machine with tags gives.

`tags` is a kernel that flushes nothing, on the machine with ideal address-space tags
(docs/machine-tags.md): the bound, but for the sets of the caches in which programs lie.
"""

from switchyard.build import SCHEMES, TAGS

COLUMNS = (*SCHEMES, TAGS)


def machine(scheme: str, name: str) -> str:
    """The machine that a scheme runs on, where the others run on the one called `name`."""
    return f"{name}-{TAGS}" if scheme == TAGS else name
