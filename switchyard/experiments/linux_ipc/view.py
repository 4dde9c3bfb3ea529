# SPDX-License-Identifier: Apache-2.0
"""The paper's table again, and where the time of an operation went."""

from collections.abc import Sequence

from switchyard.data.published import find
from switchyard.data.summary import SPREAD
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.lines import MEGABYTE, Lines
from switchyard.experiments.linux_ipc.measure import LINES
from switchyard.experiments.linux_suite import BOARDS, FASTER, KERNELS, ORIGINAL, Kernel
from switchyard.run.build_linux import Linux
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

PAPER = "Wiggins et al., ACSAC 2003, Table 1"
# Linux 2.4 keeps one page in a pipe (PIPE_SIZE, include/linux/pipe_fs_i.h): it is filled and
# emptied for every page of a megabyte, with a switch each time.
PAGES_THERE = MEGABYTE // 4096


def view(results: Results) -> View:
    """A table a machine and a table a kernel, and figures of the same."""
    ipc = Ipc(results, LINES)
    locks = find(results.statements, "latency", **ORIGINAL.where, question="potato", case="fcntl")
    return View(
        tables=[*(ipc.times(*board) for board in BOARDS), *(ipc.costs(k) for k in KERNELS)],
        figures={
            "": ipc.latencies(BOARDS[0]),
            **{str(board[0]): ipc.latencies(board) for board in BOARDS[1:]},
            **{suite.named("breakdown", kernel): ipc.breakdown(kernel) for kernel in KERNELS},
        },
        words={
            "ipc": ipc,
            "suite": suite,
            "original": ORIGINAL,
            "faster": FASTER,
            "boards": BOARDS,
            "mhz": suite.MHZ[ORIGINAL.board],
            "version": Linux.version,
            "locks": locks,
            "pages_there": PAGES_THERE,
            "megabyte": MEGABYTE,
        },
        notes=ipc.unsteady({f"on {kernel}": kernel for kernel in KERNELS}),
    )


class Ipc(Lines):
    """The lines, and what is shown of them."""

    def gain(self, slow: Kernel, fast: Kernel, name: str) -> float:
        """How many times faster one kernel is than the other."""
        return self._faster(name, *(self.on(kernel, name)["value"] for kernel in (slow, fast)))

    def _faster(self, name: str, slow: float, fast: float) -> float:
        """Of a rate more is better."""
        return fast / slow if self.lines[name].unit == "MB/s" else slow / fast

    def times(self, original: Kernel, *others: Kernel) -> Table:
        """What the fast switch brings of what could be brought."""
        beside = original == ORIGINAL
        return Table(
            title=f"Linux {Linux.version} on {original.board}, flushing at each switch, switching "
            f"fast, and on hardware with ideal tags: {SPREAD}",
            columns=[
                "benchmark",
                "unit",
                *(kernel.scheme for kernel in (original, *others)),
                *(f"flush/{kernel.scheme}" for kernel in others),
                *(["flush/fass there"] if beside else []),
            ],
            rows=[
                [
                    name,
                    line.unit.replace("us", "µs"),
                    *(self.on(k, name).spread("value") for k in (original, *others)),
                    *(f"{self.gain(original, kernel, name):.2f}" for kernel in others),
                    *([self._gain_there(name)] if beside else []),
                ]
                for name, line in self.lines.items()
            ],
            caption="Ratios: by how much less it takes (of MB/s: more)"
            + (f"; there: in {PAPER}" if beside else "")
            + ". ≈: unstable, see the notes",
            words=["unit"],
        )

    def _gain_there(self, name: str) -> str:
        """The same of the paper's kernels."""
        slow, fast = (self.paper(kernel, name) for kernel in (ORIGINAL, FASTER))
        return f"{self._faster(name, slow, fast):.2f}" if slow and fast else ""

    def costs(self, kernel: Kernel) -> Table:
        """What each operation met, counted; and where its time went."""
        cases = [(name, self.on(kernel, name)) for name in self.lines]
        return suite.costs(f"{kernel}: counted for each operation, and its parts in µs", cases)

    def latencies(self, kernels: Sequence[Kernel]) -> Bars:
        """Those of Table 1 on a machine; beside the published ones, if it is the paper's."""
        beside = ORIGINAL in kernels
        bars, told = [], []
        for name in (*self.of("potato"), *self.of("process")):
            slow, fast = (self.paper(kernel, name) for kernel in (ORIGINAL, FASTER))
            if not slow or not fast:
                continue
            papers = {"SA-1100, Linux 2.4": slow, "fast switching": fast} if beside else {}
            bars += [
                Bar(name, f"published, {part}", value, published=True)
                for part, value in papers.items()
            ]
            values = {kernel.about: self.on(kernel, name)["value"] for kernel in kernels}
            bars += [Bar(name, f"measured, {about}", value) for about, value in values.items()]
            text = f"{name} " + ", ".join(f"{value:.0f}" for value in values.values())
            if beside:
                text += f" measured, {slow:g} and {fast:g} published"
            told.append(text)
        return Bars(
            title="lmbench on Linux that flushes at each switch, one that does not, and hardware "
            "tags",
            subtitle=[
                f"simulated machine {kernels[0].board};",
                "hot potato round trips (fcntl to unix) and process creation (fork to shell): means"
                + (";" if beside else ""),
                *(["published: Wiggins et al. 2003, Table 1"] if beside else []),
            ],
            value_title="latency, µs (log scale)",
            description=f"Bars of latencies in microseconds, {kernels[0].board}: "
            f"{'; '.join(told)}.",
            bars=bars,
            stacked=False,
            log=True,
        )

    def breakdown(self, kernel: Kernel) -> Bars:
        """Where the time of the round trips went."""
        cases = [(name, self.on(kernel, name)) for name in self.of("potato")]
        papers = {name: self.paper(ORIGINAL, name) for name in self.of("potato")}
        return suite.breakdown(
            "Where the time of a round trip goes",
            [
                f"{kernel.about}; every cycle of the measured loop, by the function",
                "that took it and by what it waited for; fills are those outside the flush itself",
            ],
            "µs a round trip",
            cases,
            told=cases,
            beside={name: paper for name, paper in papers.items() if paper}
            if kernel == ORIGINAL
            else None,
        )
