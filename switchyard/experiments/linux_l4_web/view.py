# SPDX-License-Identifier: Apache-2.0
"""Fig. 7: cycles of a request over the working set, and what the ends of the curves met."""

from switchyard.experiments import linux_l4_shown as shown
from switchyard.experiments.linux_l4_web.measure import PAGES, WEB
from switchyard.experiments.linux_servers import EVERY, MACHINE, ON_ALL
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show


def view(results: show.Results) -> show.View:
    rows = results.rows
    found = shown.found(WEB, results)
    (over_all,) = rows.select("mean_saved")
    curves = {on: rows.select("cycles", on=on) for on in EVERY}
    figure = show.lines(
        "A request to a web server that asks a FastCGI server",
        f"Linux {Linux.version}; simulated machine {MACHINE}, and the same with hardware tags",
        show.Axes(
            "cycles from a request to its reply over pages that the FastCGI server reads",
            step=20_000,
            x_ticks=tuple(map(int, PAGES)),
        ),
        [show.line(ON_ALL[on], curve, "pages", "cycles") for on, curve in curves.items()],
    )
    tables = shown.tables(WEB, found, (PAGES[0], PAGES[len(PAGES) // 2], PAGES[-1]))
    return show.View(tables, {"": figure}, {**locals(), "first": PAGES[0], "last": PAGES[-1]})
