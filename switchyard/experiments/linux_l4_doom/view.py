# SPDX-License-Identifier: Apache-2.0
"""A picture on each system, and what it met."""

from switchyard.experiments import linux_l4_shown as shown
from switchyard.experiments.linux_l4_doom.measure import DOOM
from switchyard.experiments.linux_servers import EVERY
from switchyard.show import declared as show

HZ = 1.4e9  # of the paper's processor, which is our machine's


def view(results: show.Results) -> show.View:
    found = shown.found(DOOM, results)
    rates = {on: HZ / found["frame", on]["cycles"] for on in EVERY}
    tables = shown.tables(DOOM, found, DOOM.names)
    title = "A game whose pictures an X server shows"
    return show.View(tables, {"": shown.figure(DOOM, found, title)}, locals())
