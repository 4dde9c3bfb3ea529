# SPDX-License-Identifier: Apache-2.0
"""Each query on each system, and what it met."""

from switchyard.experiments.linux_l4_database.measure import DATABASE
from switchyard.show import declared as show


def view(results: show.Results) -> show.View:
    found = DATABASE.found(results)
    title = "Queries to a database server in another process"
    return show.View(*DATABASE.shown(results, title), locals())
