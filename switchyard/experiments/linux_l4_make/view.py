# SPDX-License-Identifier: Apache-2.0
"""Each on each system, and what it met."""

from switchyard.experiments import linux_l4_shown as shown
from switchyard.experiments.linux_l4_make.measure import MAKE
from switchyard.show import declared as show


def view(results: show.Results) -> show.View:
    found = shown.found(MAKE, results)
    title = "A compiler, started for one file and for all of a microkernel"
    tables = shown.tables(MAKE, found, MAKE.names)
    return show.View(tables, {"": shown.figure(MAKE, found, title)}, locals())
