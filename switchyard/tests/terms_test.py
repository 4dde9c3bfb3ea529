# SPDX-License-Identifier: Apache-2.0
"""What stands on a page for names, units and abbreviations."""

from switchyard.show import terms


def test_names_and_units_are_words() -> None:
    assert terms.words("direct_us") == "direct"
    assert terms.words("round_trip") == "round trip"
    units = {"us": "µs", "ratio": "times", "1": "", "cycles": "cycles", "per_turn": "per turn"}
    assert {name: terms.unit(name) for name in units} == units


def test_abbreviations_are_whole_words() -> None:
    found = terms.abbreviations(["IPCs and DTLB-like, ITLB misses (CPD)", "cache fl."])
    assert list(found) == ["cache fl.", "CPD", "ITLB"]
    assert all(found.values())
    assert list(terms.abbreviations(["fass FASS"])) == ["FASS", "fass"]  # always in one order
