# SPDX-License-Identifier: Apache-2.0
"""The runs, a dot each."""

from switchyard.show.figure import Figure, Mark, Series, Table
from switchyard.show.views import Results, View


def view(results: Results) -> View:
    """A table of their names, and their cycles."""
    (row,) = results.rows
    marks = [Mark(place, cycles) for place, cycles in enumerate(row.values())]
    figure = Figure("cycles", [], "run", "cycles", [Series("run", "runs", marks)])
    return View([Table("cycles", ["run"], [[name] for name in row])], {"": figure})
