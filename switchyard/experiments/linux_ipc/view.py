# SPDX-License-Identifier: Apache-2.0
"""The paper's table again, and where the time of an operation went."""

from collections.abc import Sequence

from switchyard.build_linux import Linux
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.lines import MEGABYTE, Case
from switchyard.experiments.linux_ipc.measure import LINES
from switchyard.experiments.linux_suite import BOARDS, KERNELS, ORIGINAL, Kernel, Operation
from switchyard.figure import Bar, Bars, Table
from switchyard.published import Statement
from switchyard.rows import unsteady
from switchyard.summary import SPREAD
from switchyard.views import Results, View

PAPER = "Wiggins et al., ACSAC 2003, Table 1"
BY_NAME = {line.name: line for line in LINES}
# Linux 2.4 keeps one page in a pipe (PIPE_SIZE, include/linux/pipe_fs_i.h): it is filled and
# emptied for every page of a megabyte, with a switch each time.
PAGES_THERE = MEGABYTE // 4096


def view(results: Results) -> View:
    """A table a machine and a table a kernel, and figures of the same."""
    ipc = Ipc(results)
    return View(
        tables=[*(ipc.times(*board) for board in BOARDS), *(ipc.costs(k) for k in KERNELS)],
        figures={
            "": ipc.latencies(BOARDS[0]),
            **{str(board[0]): ipc.latencies(board) for board in BOARDS[1:]},
            **{suite.named("breakdown", kernel): ipc.breakdown(kernel) for kernel in KERNELS},
        },
        words={
            "on": lambda kernel, name: ipc.on(kernel, BY_NAME[name]),
            "paper": lambda name, scheme="flush": ipc.paper(BY_NAME[name], scheme),
            "gain": lambda slow, fast, name: ipc.gain(slow, fast, BY_NAME[name]),
            "original": ORIGINAL,
            "boards": BOARDS,
            "mhz": suite.MHZ[ORIGINAL.board],
            "version": Linux.version,
            "flush": suite.FLUSH,
            "ifill": suite.IFILL,
            "dfill": suite.DFILL,
            "pages_there": PAGES_THERE,
            "megabyte": MEGABYTE,
        },
        notes=unsteady(
            (
                (f"{line.name} on {kernel}", ipc.on(kernel, line))
                for kernel in KERNELS
                for line in LINES
            ),
            "value",
        ),
    )


def _faster(slow: float, fast: float, line: Case) -> float:
    """How many times faster: of a rate more is better."""
    return fast / slow if line.unit == "MB/s" else slow / fast


class Ipc:
    """The cases, by kernel and line."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self._published = {
            (s.where["scheme"], s.where["question"], s.where["case"]): s for s in results.statements
        }

    def on(self, kernel: Kernel, line: Case) -> Operation:
        """A line on a kernel."""
        row = self.results.rows.find(**kernel.where, question=line.question, case=line.case)
        return Operation.of(row, line.metric)

    def paper(self, line: Case, scheme: str) -> Statement | None:
        """What the paper has for a line: its original kernel, or its fast one."""
        return self._published.get((scheme, line.question, line.case))

    def gain(self, slow: Kernel, fast: Kernel, line: Case) -> float:
        """How many times faster one kernel is than the other."""
        return _faster(self.on(slow, line)["value"], self.on(fast, line)["value"], line)

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
                    line.name,
                    line.unit.replace("us", "µs"),
                    *(self.on(k, line).spread("value") for k in (original, *others)),
                    *(f"{self.gain(original, kernel, line):.2f}" for kernel in others),
                    *([self._gain_there(line)] if beside else []),
                ]
                for line in LINES
            ],
            caption="Ratios: by how much less it takes (of MB/s: more)"
            + (f"; there: in {PAPER}" if beside else "")
            + ". ≈: unstable, see the notes",
            words=["unit"],
        )

    def _gain_there(self, line: Case) -> str:
        """The same of the paper's kernels."""
        slow, fast = self.paper(line, "flush"), self.paper(line, "fass")
        return f"{_faster(slow.value, fast.value, line):.2f}" if slow and fast else ""

    def costs(self, kernel: Kernel) -> Table:
        """What each operation met, counted; and where its time went."""
        cases = [(line.name, self.on(kernel, line)) for line in LINES]
        return suite.costs(f"{kernel}: counted for each operation, and its parts in µs", cases)

    def latencies(self, kernels: Sequence[Kernel]) -> Bars:
        """Those of Table 1 on a machine; beside the published ones, if it is the paper's."""
        beside = ORIGINAL in kernels
        bars, told = [], []
        for line in LINES:
            slow, fast = self.paper(line, "flush"), self.paper(line, "fass")
            if not slow or not fast or line.unit != "us":
                continue
            papers = {"SA-1100, Linux 2.4": slow.value, "fast switching": fast.value}
            bars += [
                Bar(line.case, f"published, {part}", value, published=True)
                for part, value in papers.items()
                if beside
            ]
            values = [self.on(kernel, line)["value"] for kernel in kernels]
            bars += [
                Bar(line.case, f"measured, {kernel.about}", value)
                for kernel, value in zip(kernels, values, strict=True)
            ]
            text = f"{line.case} " + ", ".join(f"{value:.0f}" for value in values)
            if beside:
                text += f" measured, {slow.value:g} and {fast.value:g} published"
            told.append(text)
        return Bars(
            title="lmbench on Linux that flushes at each switch, one that does not, and hardware "
            "tags",
            subtitle=[
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
        lines = [line for line in LINES if line.question == "potato"]
        cases = [(line.case, self.on(kernel, line)) for line in lines]
        papers = {line.case: self.paper(line, "flush") for line in lines}
        return suite.breakdown(
            "Where the time of a round trip goes",
            [
                f"{kernel.about}; every cycle of the measured loop, by the function",
                "that took it and by what it waited for; fills are those outside the flush itself",
            ],
            "µs a round trip",
            cases,
            told=cases,
            beside={case: paper.value for case, paper in papers.items() if paper}
            if kernel == ORIGINAL
            else None,
        )
