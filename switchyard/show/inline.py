# SPDX-License-Identifier: Apache-2.0
"""Rows of data inside a chart's specification, and how charts are made in little time.

Altair copies a chart, and all that is in it, at each call that adds to it, and checks each part
against the schema of Vega-Lite as it is made. Both took most of a figure's time. Rows are not
changed once they are in a chart, so they are not copied; that what comes out is sound is a test
(figure_test.py).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

# For functions that make specifications: nothing is checked meanwhile.
unchecked = debug_mode(False)


def with_properties(chart: Any, **properties: Any) -> Any:
    """The chart with these; what `chart.properties` does, but of the chart itself, not a copy."""
    for name, value in properties.items():
        setattr(chart, name, value)
    return chart


class Rows(alt.Data):
    """Rows that a chart and its copies have in common."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(values=list(rows))  # type: ignore[no-untyped-call]

    def __deepcopy__(self, _memo: object = None) -> "Rows":
        """Itself."""
        return self

    def to_dict(self, *_how: Any, **_named: Any) -> dict[str, Any]:
        """As they are: numbers and texts."""
        return {"values": self.values}
