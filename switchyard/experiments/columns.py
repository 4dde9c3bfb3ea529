# SPDX-License-Identifier: Apache-2.0
"""What L4's experiments compare: the schemes that there are, and the bounds for them.

`tags` is a kernel that flushes nothing, on the machine with ideal address-space tags
(docs/machine-tags.md): the bound, but for the sets of the caches in which programs lie.
"""

from switchyard.build import BOARD, BOUNDS, KERNELS, schemes_on

COLUMNS = (*schemes_on(BOARD), *BOUNDS)
# Where all of memory is mapped for everybody from the start.
UNPROTECTED = tuple(scheme.name for scheme in KERNELS.schemes if not scheme.protects)


def machine(scheme: str, name: str) -> str:
    """The machine that a scheme runs on, where the others run on the one called `name`."""
    ending = {one.name: one.machines for one in KERNELS.schemes}.get(scheme)
    return f"{name}-{ending}" if ending else name
