# SPDX-License-Identifier: Apache-2.0
"""Each query on each system, and what it met."""

from switchyard.experiments import linux_l4_shown as shown
from switchyard.experiments.linux_l4_database.measure import DATABASE
from switchyard.show import declared as show


def view(results: show.Results) -> show.View:
    found = shown.found(DATABASE, results)
    title = "Queries to a database server in another process"
    tables = shown.tables(DATABASE, found, DATABASE.names)
    return show.View(tables, {"": shown.figure(DATABASE, found, title)}, locals())
