# SPDX-License-Identifier: Apache-2.0
"""What the README of the switching schemes says they cost is what the kept results say.

`python kernel/tests/switch_costs_test.py` writes the table anew.
"""

import re
from pathlib import Path

from switchyard.data import results
from switchyard.run import build

README = build.root() / "kernel" / "arch" / "arm" / "switch" / "README.md"
MARKED = re.compile(r"(<!-- results: l4-ipc costs -->\n).*?(<!-- end -->)", re.S)
# Columns: a scheme and how many clients; rows: a text, and metrics of a round trip.
COLUMNS = (("flush", 18), ("fass", 5), ("fass", 18), ("fass", 64), ("single-space", 18))
ROWS = (
    ("cycles", ("cycles",)),
    ("of these, waiting for line fills", ("fill_stall_cycles",)),
    ("instruction lines / data lines missed", ("icache_misses", "dcache_misses")),
    ("ITLB / DTLB misses", ("itlb_misses", "dtlb_misses")),
    ("cache flushes", ("cache_flushes",)),
    ("domains recycled / clean ones", ("domains_recycled", "clean_domains_recycled")),
)


def number(value: float) -> str:
    """As short as it says enough."""
    return f"{value:.0f}" if value >= 10 or value < 0.01 else f"{value:.2g}"


def table() -> str:
    """The table, from the results that are kept."""
    kept = results.read(build.root() / "docs" / "results" / f"l4-ipc{results.CASES}").records
    values = {
        (record.scheme, record.parameters.get("clients"), record.metric): record.value
        for record in kept
        if record.machine == "sa1110" and set(record.parameters) == {"clients"}
    }
    lines = [
        "| per round trip | " + " | ".join(f"{name}, {n} clients" for name, n in COLUMNS) + " |",
        "|---" * (len(COLUMNS) + 1) + "|",
    ]
    for text, metrics in ROWS:
        cells = [
            " / ".join(number(values[scheme, clients, metric]) for metric in metrics)
            for scheme, clients in COLUMNS
        ]
        lines.append(f"| {text} | " + " | ".join(cells) + " |")
    return "\n" + "\n".join(lines) + "\n\n"


def renewed(text: str) -> str:
    """The README with the table that is right."""
    assert MARKED.search(text)
    return MARKED.sub(lambda marks: marks[1] + table() + marks[2], text)


def test_the_readme_says_what_the_results_say() -> None:
    text = README.read_text(encoding="utf-8")
    assert text == renewed(text), f"run: python {Path(__file__).name}"


def test_another_number_is_found() -> None:
    text = README.read_text(encoding="utf-8")
    cycles = re.search(r"\| cycles \| (\d+) \|", text)
    assert cycles is not None
    changed = text.replace(cycles[1], str(int(cycles[1]) + 1))
    assert changed != renewed(changed) == text


if __name__ == "__main__":
    README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8")
