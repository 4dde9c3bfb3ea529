# SPDX-License-Identifier: Apache-2.0
"""The suite of benchmarks on this very computer, beside the simulated machines' results.

It runs on one processor, changes nothing, and leaves nothing: its scratch files have no
names
as soon as they are open, their folder goes with the command, also after Ctrl-C, and its processes
end with the one that was started here. Clocks, other work and turbo modes of the host are as they
are: what is unstable says so.
"""

import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from switchyard.data import files, records, suite
from switchyard.data.records import Parameter, Record
from switchyard.data.rows import number
from switchyard.data.suite import ALONE, Printed, Timed
from switchyard.errors import InputError, RunError
from switchyard.experiments import linux_suite
from switchyard.experiments.lines import MEGABYTE, Line
from switchyard.experiments.linux_ctx.measure import QUICK_COUNTS
from switchyard.experiments.linux_extreme.measure import QUICK_PAGES, SHARING
from switchyard.experiments.linux_ipc.measure import LINES
from switchyard.run import build
from switchyard.run.build_linux import Linux
from switchyard.run.child_process import leashed
from switchyard.run.experiment import Experiment, Job, Outcome, Settings
from switchyard.run.machine import Stats
from switchyard.show.figure import Bar, Bars, Figure, Mark, Series, Table

NAME = "bench-host"
HOST = "host"
SIZES = (0, 16)  # KB, of `ctx`
PROCESSES = 2  # of `extreme`
TIMEOUT = 600  # seconds; a question takes some, more on a busy computer
NS = 1000  # in a microsecond
# Other work on this computer makes a few samples very long; on the machines there is none.
SUBTITLE = f"Linux of this computer, medians; {Linux.version} on the simulated machines, means"

Parameters = tuple[tuple[str, Parameter], ...]


@dataclass(frozen=True)
class Value:
    """One measured value, whose parameters are those of the simulated machines' record."""

    experiment: str
    metric: str
    parameters: Parameters
    value: float
    unit: str
    timed: Timed


@dataclass(frozen=True)
class Measured:
    """What this computer gave, what the machines did, and what could not be done here."""

    values: tuple[Value, ...]
    others: Mapping[tuple[str, str, str, Parameters], float]  # machine, experiment, metric, ...
    lacks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # experiments without results

    def value(self, machine: str, experiment: str, metric: str, **given: Parameter) -> float | None:
        """A machine's value, if it has one."""
        parameters = tuple(sorted(given.items()))
        if machine != HOST:
            return self.others.get((machine, experiment, metric, parameters))
        for own in self.values:
            if (own.experiment, own.metric, own.parameters) == (experiment, metric, parameters):
                return own.value
        return None


@dataclass
class Asking:
    """The suite's program, its folder for scratch files, and the processor that it runs on."""

    program: Path
    scratch: Path
    cpu: int
    tick: Callable[[str], None]
    lacks: list[str] = field(default_factory=list)

    def ask(self, words: str) -> Printed:
        """A question with its parameters, answered."""
        question = words.split()[0]
        command = [str(self.program), *words.split(), f"dir={self.scratch}"]
        text = _run(command, self.cpu)
        printed = suite.parse(text, f"{question} on this computer")
        self.lacks += [f"{question}: {lack}" for lack in printed.lacks]
        self.tick(question)
        return printed


def processors() -> list[int]:
    """The processors that this command may use."""
    if not sys.platform.startswith("linux"):
        raise InputError(f"bench-host: this is {platform.system()}; expected Linux")
    return sorted(os.sched_getaffinity(0))


def questions(quick: bool) -> list[str]:
    """What the suite is asked."""
    counts = ",".join(str(n) for n in QUICK_COUNTS)
    pages = ",".join(str(n) for n in QUICK_PAGES)
    few = " rounds=20" if quick else ""
    hello = f"hello={_programs()[1]} shell=/bin/sh"
    return [
        *(f"{question}{few}" for question in ("potato", "bandwidth", "call", "memory", "signal")),
        f"process {hello}{few}",
        *(f"ctx processes={counts} size={size}{few}" for size in SIZES),
        *(
            f"extreme processes={PROCESSES} pages={pages} sharing={sharing}{few}"
            for sharing in SHARING
        ),
    ]


def ensure() -> None:
    """Builds the suite for this computer."""
    tools = [f"PYTHON={sys.executable}", f"CC={sys.executable} -m ziglang cc"]
    build.make("suite", ["make", "-C", "bench", *tools, "suite"], _programs())


def measure(quick: bool, cpu: int | None, out: Path, tick: Callable[[str], None]) -> Measured:
    """Asks everything. `out` is where the machines' results may be."""
    allowed = processors()
    if cpu is not None and cpu not in allowed:
        shown = ", ".join(str(processor) for processor in allowed)
        raise InputError(f"--cpu {cpu}: expected a processor that may be used here: {shown}")
    with files.scratch() as folder:
        # the first processor gets most interrupts
        chosen = allowed[-1] if cpu is None else cpu
        asking = Asking(_programs()[0], folder, chosen, tick)
        values: list[Value] = []
        for words in questions(quick):
            values += _values(words, asking.ask(words))
    others, missing = _others(out)
    return Measured(tuple(values), others, tuple(dict.fromkeys(asking.lacks)), missing)


def _programs() -> list[Path]:
    folder = build.root() / "build" / "bench" / "suite"
    return [folder / "suite", folder / "hello"]


@contextmanager
def _pinned(cpu: int) -> Iterator[None]:
    """Processes that this thread starts run on that processor; the thread itself meanwhile too."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _run(command: list[str], cpu: int) -> str:
    """Runs the suite: it and its children are a group, which does not outlive this."""
    with _pinned(cpu):
        process = subprocess.Popen(
            leashed(command, signal.SIGKILL),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            process_group=0,
        )
    try:
        text, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise RunError(f"{command[1]}: no answer after {TIMEOUT} s on this computer") from None
    finally:
        _end(process)
    if process.returncode != 0:
        tail = "\n".join(f"  | {line}" for line in text.splitlines()[-5:])
        how = f"status {process.returncode}"
        raise RunError(f"{command[1]}: failed on this computer ({how})\n{tail}")
    return text


def _end(process: "subprocess.Popen[str]") -> None:
    """Whatever is left of the group: children of the suite, if it was interrupted."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _values(words: str, printed: Printed) -> list[Value]:
    """The values of a question, named as the experiments on the machines name theirs."""
    question, *rest = words.split()
    given = dict(word.split("=") for word in rest)
    if question == "ctx":
        return _rings(printed, int(given["size"]))
    if question == "extreme":
        values = []
        for place, case in enumerate(printed.cases):
            parameters: dict[str, Parameter] = {
                "pages": QUICK_PAGES[place],
                "processes": PROCESSES,
                "sharing": given["sharing"],
            }
            us = case.timed.summary.median / NS / case.per
            values.append(_value("linux-extreme", "turn", parameters, us, case.timed))
        return values
    return [_line(question, case) for case in printed.cases]


def _value(
    experiment: str,
    metric: str,
    parameters: Mapping[str, Parameter],
    value: float,
    timed: Timed,
    unit: str = "us",
) -> Value:
    return Value(experiment, metric, tuple(sorted(parameters.items())), value, unit, timed)


def _line(question: str, case: suite.Case) -> Value:
    us = case.timed.summary.median / NS
    parameters = {"question": question, "case": case.name}
    if question == "bandwidth":
        speed = MEGABYTE / us
        return _value("linux-ipc", "bandwidth", parameters, speed, case.timed, "MB/s")
    return _value("linux-ipc", "latency", parameters, us, case.timed)


def _rings(printed: Printed, size: int) -> list[Value]:
    by_stream = {case.stream: case for case in printed.cases}
    values = []
    for n in QUICK_COUNTS:
        ring, alone = by_stream[n].timed, by_stream[ALONE + n].timed
        us = (ring.summary.median - alone.summary.median) / NS / n
        parameters = {"processes": n, "size_kb": size}
        values.append(_value("linux-ctx", "switch", parameters, us, ring))
    return values


def _others(
    out: Path,
) -> tuple[dict[tuple[str, str, str, Parameters], float], tuple[str, ...]]:
    """The machines' values, of the record files at hand; and which of these are not."""
    others = {}
    missing = []
    for name in ("linux-ipc", "linux-ctx", "linux-extreme"):
        path = out / f"{name}.json"
        if not path.exists():
            missing.append(name)
            continue
        for record in records.load(path):
            if record.scheme != linux_suite.SCHEME:
                continue
            parameters = tuple(sorted(record.parameters.items()))
            others[(record.machine, record.experiment, record.metric, parameters)] = record.value
    return others, tuple(missing)


class BenchHost(Experiment[Measured]):
    """What this computer's results are filed under, beside those of the experiments."""

    name = NAME
    question = "What do the same things cost on this computer?"
    source = "nothing; the simulated machines' results stand beside it"

    def jobs(self, settings: Settings) -> list[Job]:
        """Nothing is simulated."""
        del settings
        return []

    def measure(self, job: Job, stats: Stats) -> Measured:
        """Nor measured there."""
        raise RunError(f"{job.name}: {stats.machine}: bench-host has no jobs")

    def records(self, samples: Mapping[str, Measured]) -> list[Record]:
        """Every value of the host."""
        return [_record(value) for value in samples[HOST].values]

    def outcome(self, measured: Measured) -> Outcome:
        """What there is to be shown, simulated machines' results beside it."""
        return Outcome(
            records=self.records({HOST: measured}),
            tables=[_table(measured)],
            figure=_latencies(measured),
            notes=_notes(measured),
            more={"ctx": _switches(measured), "extreme": _turns(measured)},
        )


def _record(value: Value) -> Record:
    return Record(
        experiment=NAME,
        machine=HOST,
        system="linux",
        scheme="none",
        metric=value.metric,
        parameters=dict(value.parameters),
        value=round(value.value, 6),
        unit=value.unit,
    )


MACHINES = (HOST, *linux_suite.MACHINES)
ABOUT = {HOST: "this computer", **linux_suite.ABOUT}


def _of(measured: Measured, machine: str, line: Line) -> float | None:
    return measured.value(machine, "linux-ipc", line.metric, question=line.question, case=line.case)


def _table(measured: Measured) -> Table:
    rows = []
    doubtful = {
        (value.metric, value.parameters) for value in measured.values if not value.timed.stable
    }
    for line in LINES:
        key = (line.metric, tuple(sorted({"question": line.question, "case": line.case}.items())))
        cells = [_of(measured, machine, line) for machine in MACHINES]
        shown = ["" if cell is None else number(cell) for cell in cells]
        shown[0] = f"≈ {shown[0]}" if key in doubtful else shown[0]
        rows.append([line.name, line.unit.replace("us", "µs"), *shown])
    return Table(
        title="The suite on this computer, and on simulated machines",
        columns=["benchmark", "unit", *MACHINES],
        rows=rows,
        caption="host: medians; ≈: unstable, its mean known to no better than 5 % by this run",
        words=["unit"],
    )


def _latencies(measured: Measured) -> Bars:
    bars = []
    for line in LINES:
        for machine in MACHINES:
            value = _of(measured, machine, line)
            if value is not None and line.unit == "us":
                bars.append(Bar(line.name, ABOUT[machine], value))
    return Bars(
        title="The suite on this computer",
        subtitle=[SUBTITLE],
        value_title="µs (log scale)",
        bars=bars,
        stacked=False,
        log=True,
    )


def _lines(
    title: str, subtitle: str, x_title: str, y_title: str, series: list[Series], xs: tuple[int, ...]
) -> Figure:
    """Lines that are factors apart."""
    ys = [mark.y for curve in series for mark in curve.marks]
    ticks = [base * 10.0**n for n in range(-3, 6) for base in (1, 2, 5)]
    low = max((t for t in ticks if t <= min(ys) * 0.9), default=ticks[0])
    high = min((t for t in ticks if t >= max(ys) * 1.2), default=ticks[-1])
    return Figure(
        title=title,
        subtitle=[subtitle, SUBTITLE],
        x_title=x_title,
        y_title=y_title,
        series=series,
        log_y=True,
        y_range=(low, high),
        y_ticks=[t for t in ticks if low <= t <= high],
        x_ticks=xs,
    )


def _switches(measured: Measured) -> Figure:
    series = []
    for machine in MACHINES:
        for size in SIZES:
            marks = []
            for n in QUICK_COUNTS:
                us = measured.value(machine, "linux-ctx", "switch", processes=n, size_kb=size)
                # less than nothing where the ring was faster than one process: noise
                if us is not None and us > 0:
                    marks.append(Mark(n, us))
            if marks:
                label = f"{ABOUT[machine]}, {size} KB"
                series.append(Series(label, label, marks))
    return _lines(
        "A switch between processes",
        "a ring of processes, each touching its own memory; what that takes alone is off",
        "processes",
        "a switch, µs (log scale)",
        series,
        QUICK_COUNTS,
    )


def _turns(measured: Measured) -> Figure:
    series = []
    for machine in MACHINES:
        for sharing in SHARING:
            marks = []
            for pages in QUICK_PAGES:
                us = measured.value(
                    machine,
                    "linux-extreme",
                    "turn",
                    pages=pages,
                    processes=PROCESSES,
                    sharing=sharing,
                )
                if us is not None:
                    marks.append(Mark(pages, us))
            if marks:
                label = f"{ABOUT[machine]}, {sharing}"
                series.append(Series(label, label, marks))
    return _lines(
        "Pages that two processes could share",
        "each reads a byte of every page and yields",
        "pages",
        "a process's turn, µs (log scale)",
        series,
        QUICK_PAGES,
    )


def _notes(measured: Measured) -> list[str]:
    notes = []
    unsteady = [value for value in measured.values if not value.timed.stable]
    if unsteady:
        notes.append(
            f"{len(unsteady)} of {len(measured.values)} means are unstable (known to no better "
            "than 5 %): other work on this computer, or its changing clock."
        )
    notes += [f"Not as asked: {lack}." for lack in measured.lacks]
    if measured.missing:
        notes.append(
            "Without results of the simulated machines to set beside it; they come from: "
            f"switchyard run {' '.join(measured.missing)}"
        )
    return notes
