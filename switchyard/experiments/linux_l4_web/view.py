# SPDX-License-Identifier: Apache-2.0
"""Fig. 7: cycles of a request over the working set, and what the ends of the curves met; Apache."""

from switchyard.data.rows import number
from switchyard.experiments import linux_l4_shown as shown
from switchyard.experiments.linux_l4_web.measure import APACHE, PAGES, WEB
from switchyard.experiments.linux_servers import ALL, EVERY, MACHINE, ON_ALL, SERVER
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

# (The least is beside the mean.)
COLUMNS: show.Columns = {
    "cycles": shown.COLUMNS["cycles"],
    "least": lambda row: number(row["cycles_least"] / 1000),
    **shown.COLUMNS,
}
OVER = "pages that the FastCGI server reads"
X_TICKS = tuple(map(int, PAGES))
STEP = 5_000
KINDS = {"cycles": "mean", "cycles_least": "least"}


def ticks(least: float, most: float) -> list[float]:
    """Around both, for an axis without a zero."""
    return [STEP * n for n in range(int(least // STEP), int(most // STEP) + 2)]


def view(results: show.Results) -> show.View:
    rows = results.rows
    found = {**shown.found(WEB, results), **shown.found(APACHE, results)}
    (over_all,) = rows.select("mean_saved")
    curves = {on: [found[pages, on] for pages in PAGES] for on in EVERY}
    subtitle = f"Linux {Linux.version}; simulated machine {MACHINE}"
    figure = show.lines(
        "A request to a web server that asks a FastCGI server",
        f"{subtitle}, and the same with hardware tags",
        show.Axes(f"cycles from a request to its reply over {OVER}", step=20_000, x_ticks=X_TICKS),
        [show.line(ON_ALL[on], curve, "pages", "cycles") for on, curve in curves.items()],
    )
    quickest = [
        show.line(f"{ON_ALL[on]}, {name}", curves[on], "pages", metric)
        for on in (SERVER, ALL)
        for metric, name in KINDS.items()
    ]
    marks = [mark for line in quickest for mark in line.marks]
    ends = show.lines(
        "A request in the paper's arrangement: the quickest, and the mean",
        f"{subtitle}; the server of Linux in a small space",
        show.Axes(
            f"cycles from a request to its reply over {OVER}",
            y_ticks=ticks(
                min(mark.y - (mark.half or 0) for mark in marks), max(m.top for m in marks)
            ),
            x_ticks=X_TICKS,
        ),
        quickest,
    )
    tables = [
        *shown.tables(WEB, found, (PAGES[0], PAGES[len(PAGES) // 2], PAGES[-1]), COLUMNS),
        *shown.tables(APACHE, found, APACHE.names, COLUMNS),
    ]
    words = {**locals(), "first": PAGES[0], "last": PAGES[-1]}
    return show.View(tables, {"": figure, "ends": ends}, words)
