# SPDX-License-Identifier: Apache-2.0
"""Figs. 9 and 10: processes in a circle, and how often one followed another."""

from switchyard.experiments.linux_l4_switches.measure import FILES, MAKE, WEB
from switchyard.experiments.linux_servers import MACHINE
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

TITLES = {
    MAKE: f"Who follows whom while {FILES} files are compiled",
    WEB: "Who follows whom while Apache serves requests",
}


def view(results: show.Results) -> show.View:
    edges = {
        load: {
            (str(row.where["from"]), str(row.where["to"])): row["switches"]
            for row in results.rows.select("switches", load=load)
        }
        for load in TITLES
    }
    made, served = (sum(edges[load].values()) for load in TITLES)
    between = sum(
        count
        for pair, count in edges[WEB].items()
        if {name.split()[0] for name in pair} == {"apache2", "fastcgi"}
    )
    subtitle = f"switches from one process to another; Linux {Linux.version} on L4, {MACHINE}"
    figures = {load: show.graph(TITLES[load], subtitle, by) for load, by in edges.items()}
    table = show.table(
        "How often one process followed another",
        "load",
        [(load, (*pair, count)) for load, by in edges.items() for pair, count in by.items()],
        {
            "from": lambda case: case[0],
            "to": lambda case: case[1],
            "switches": lambda case: f"{case[2]:.0f}",
        },
        "processes with their numbers; threads of the kernel's, which run in every space, left out",
        words=("from", "to"),
    )
    return show.View([table], {"": figures[MAKE], "web": figures[WEB]}, locals())
