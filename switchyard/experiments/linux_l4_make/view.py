# SPDX-License-Identifier: Apache-2.0
"""Each on each system, and what it met."""

from switchyard.experiments.linux_l4_make.measure import MAKE
from switchyard.show import declared as show


def view(results: show.Results) -> show.View:
    found = MAKE.found(results)
    title = "A compiler, started for one file and for all of a microkernel"
    return show.View(*MAKE.shown(results, title), locals())
