# SPDX-License-Identifier: Apache-2.0
"""What small spaces gain of each application: the paper's Table 5 beside ours, from kept results.

An application's gain is how much longer it takes with its programs in large spaces, as in the paper
for system calls. An experiment has one or more cases; a row has the least and the most of them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from switchyard.data.rows import Rows
from switchyard.experiments.linux_servers import ALL, BOUND, LARGE, NATIVE, NATIVE_BOUND, SERVER
from switchyard.experiments.linux_servers import SMALL as PROGRAMS
from switchyard.show.figure import Table

# What is compared: more cycles, then fewer.
SMALL_SERVER, LARGE_SERVER, TAGS, NATIVE_TAGS = (
    (SERVER, ALL), (LARGE, PROGRAMS), (LARGE, BOUND), (NATIVE, NATIVE_BOUND)
)  # fmt: skip
COLUMNS = {
    "small server": SMALL_SERVER,
    "large server": LARGE_SERVER,
    "large server, tags": TAGS,
    "native, tags": NATIVE_TAGS,
}
CAPTION = (
    "More time, in percent, with programs in large spaces than in small ones, of a small and of a "
    "large server; or without hardware tags than with them: the most that any way of switching "
    "could gain. Of system calls, in the first: with the server in a large space than in a small "
    "one. Published: Uhlig et al. (2002), Table 5, of a small server."
)
Kept = Callable[[str], Rows]


@dataclass(frozen=True)
class Application:
    """A line: as the paper calls it, what it gains there, and our experiment, if there is one."""

    name: str
    published: str
    experiment: str = ""
    cases: tuple[str, ...] = ()  # the parameters that tell its cases; none: see `SWITCHING`
    where: tuple[tuple[str, int], ...] = ()  # which of them count
    of_server: bool = False  # what a small server gains is that of its own space


APPLICATIONS = (
    Application("L4Linux' system calls", "40-70", "linux-l4-calls", ("case",), of_server=True),
    Application("client-server pipe", "19-74", "linux-l4-pipe", ("kind", "size")),
    Application("cat | wc", "7.6", "linux-l4-wc", ("chunk",), (("chunk", 4096),)),
    Application("X11 and x11perf", "0-13", "linux-l4-x11", ("case",)),
    Application("Apache and FastCGI", "0", "linux-l4-web", ("server",)),
    Application("thttpd and FastCGI", "5-6", "linux-l4-web", ("pages",)),
    Application("MySQL", "0-3", "linux-l4-database", ("case",)),
    Application("Doom", "6", "linux-l4-doom", ("case",)),
    Application("gcc and make", "0", "linux-l4-make", ("case",)),
    Application("SawMill", "18", "l4-servers"),
)


def gains(rows: Rows, one: Application, pair: tuple[str, str]) -> list[float]:
    """Of each case, in the rows' order, that was measured on both."""
    if not one.cases:
        flush, small = (
            rows.find("cycles_beside_ports", machine="p4-willamette", scheme=scheme, load=0)
            for scheme in ("flush", "small-spaces")
        )
        least = flush["cycles_beside_ports"] / small["cycles_beside_ports"] - 1
        return [least] if pair == LARGE_SERVER else []
    if one.of_server and pair == SMALL_SERVER:
        pair = (LARGE, SERVER)
    more, fewer = (
        {
            tuple(row.where[name] for name in one.cases): row["cycles"]
            for row in rows.select("cycles", on=on, **dict(one.where))
            if all(name in row.where for name in one.cases)
        }
        for on in pair
    )
    return [cycles / fewer[case] - 1 for case, cycles in more.items() if case in fewer]


def percent(values: Iterable[float]) -> str:
    """The least and the most, in whole percent; nothing, where nothing was measured."""
    ends = sorted(f"{100 * value:z.0f}" for value in values)
    numbers = sorted(map(int, ends))
    return "" if not numbers else " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))


def table(kept: Kept) -> Table:
    """The paper's Table 5 beside what is kept."""
    lines = []
    for one in APPLICATIONS:
        rows = kept(one.experiment) if one.experiment else Rows([])
        found = [percent(gains(rows, one, pair)) if rows else "" for pair in COLUMNS.values()]
        link = f"[{one.experiment}]({one.experiment}.md)" if one.experiment else "not measured"
        lines.append([one.name, one.published, *found, link])
    columns = ["application", "published", *COLUMNS, "experiment"]
    return Table(
        "What small spaces gain, in percent", columns, lines, CAPTION, words=("experiment",)
    )


def note(kept: Kept) -> str:
    """What the measured differences say of native Linux."""
    found: Mapping[str, list[float]] = {
        one.name: gains(kept(one.experiment), one, NATIVE_TAGS)
        for one in APPLICATIONS
        if one.experiment and one.cases
    }
    told = "; ".join(f"{name} {percent(values)} %" for name, values in found.items() if values)
    return (
        "Native Linux, which loads CR3 at switches of processes alone, would gain at most what it "
        f"does with hardware tags: {told}."
    )
