# SPDX-License-Identifier: Apache-2.0
"""The paper's table again, and where the time of an operation went."""

from collections.abc import Sequence
from operator import itemgetter

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.lines import MEGABYTE, Lines
from switchyard.experiments.linux_ipc.measure import LINES
from switchyard.experiments.linux_suite import BOARDS, FASTER, KERNELS, ORIGINAL, Kernel
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

PAPER = "Wiggins et al., ACSAC 2003, Table 1"
# Linux 2.4 keeps one page in a pipe (PIPE_SIZE, include/linux/pipe_fs_i.h): it is filled and
# emptied for every page of a megabyte, with a switch each time.
PAGES_THERE = MEGABYTE // 4096
MHZ = suite.MHZ[ORIGINAL.board]


def view(results: show.Results) -> show.View:
    ipc = Lines(results, LINES)
    locks = results.statement("latency", **ORIGINAL.where, question="potato", case="fcntl")
    papers = {name: (ipc.paper(ORIGINAL, name), ipc.paper(FASTER, name)) for name in ipc.lines}

    def faster(name: str, slow: float, fast: float) -> float:
        """How many times: of a rate more is better."""
        return fast / slow if ipc.lines[name].unit == "MB/s" else slow / fast

    def gain(slow: Kernel, fast: Kernel, name: str) -> float:
        """How many times faster one kernel is than the other."""
        return faster(name, ipc.on(slow, name)["value"], ipc.on(fast, name)["value"])

    def times(original: Kernel, *others: Kernel) -> show.Table:
        """What the fast switch brings of what could be brought."""

        def gained(kernel: Kernel) -> show.Column:
            return lambda case: f"{gain(original, kernel, case['name']):.2f}"

        def there(case: dict[str, str]) -> str:
            slow, fast = papers[case["name"]]
            return f"{faster(case['name'], slow, fast):.2f}" if slow and fast else ""

        kernels, beside = (original, *others), original == ORIGINAL
        columns: dict[str, show.Column] = {"unit": itemgetter("unit")}
        columns |= {kernel.scheme: show.under(kernel, show.spread("value")) for kernel in kernels}
        columns |= {f"flush/{kernel.scheme}": gained(kernel) for kernel in others}
        columns |= {"flush/fass there": there} if beside else {}
        return show.table(
            f"Linux {Linux.version} on {original.board}, flushing at each switch, switching fast, "
            f"and on hardware with ideal tags: {show.SPREAD}",
            "benchmark",
            ipc.cases(kernels),
            columns,
            "Ratios: by how much less it takes (of MB/s: more)"
            + (f"; there: in {PAPER}" if beside else "")
            + ". ≈: unstable, see the notes",
            ["unit"],
        )

    def costs(kernel: Kernel) -> show.Table:
        """What each operation met, counted; and where its time went."""
        cases = [(name, ipc.on(kernel, name)) for name in ipc.lines]
        return suite.costs(f"{kernel}: counted for each operation, and its parts in µs", cases)

    def latencies(kernels: Sequence[Kernel]) -> show.Bars:
        """Those of Table 1 on a machine; beside the published ones, if it is the paper's."""
        beside = ORIGINAL in kernels
        there = [f"published, {part}" for part in ("SA-1100, Linux 2.4", "fast switching")]
        values = {}
        for name in (*ipc.of("potato"), *ipc.of("process")):
            slow, fast = papers[name]
            if slow and fast:
                here = {kernel.about: ipc.on(kernel, name)["value"] for kernel in kernels}
                values[name] = dict(zip(there, (slow, fast), strict=True)) if beside else {}
                values[name] |= {f"measured, {about}": value for about, value in here.items()}
        means = "hot potato round trips (fcntl to unix) and process creation (fork to shell): means"
        paper = ";\npublished: Wiggins et al. 2003, Table 1" if beside else ""
        return show.bars(
            "lmbench on Linux that flushes at each switch, one that does not, and hardware tags",
            f"simulated machine {kernels[0].board};\n{means}{paper}",
            "latency, µs",
            values,
            published=there,
            log=True,
        )

    def breakdown(kernel: Kernel) -> show.Bars:
        """Where the time of the round trips went."""
        cases = [(name, ipc.on(kernel, name)) for name in ipc.of("potato")]
        there = {name: paper for name, _ in cases if (paper := papers[name][0])}
        return suite.breakdown(
            "Where the time of a round trip goes",
            f"{kernel.about}; every cycle of the measured loop, by the function\n"
            "that took it and by what it waited for; fills are those outside the flush itself",
            "µs a round trip",
            cases,
            beside=there if kernel == ORIGINAL else None,
        )

    tables = [*(times(*board) for board in BOARDS), *(costs(kernel) for kernel in KERNELS)]
    figures = {
        "": latencies(BOARDS[0]),
        **{str(board[0]): latencies(board) for board in BOARDS[1:]},
        **{suite.named("breakdown", kernel): breakdown(kernel) for kernel in KERNELS},
    }
    return show.View(tables, figures, locals(), ipc.unsteady({f"on {k}": k for k in KERNELS}))
