# SPDX-License-Identifier: Apache-2.0
"""How fast the simulator itself is: simulated cycles and instructions a second of host time.

Each workload runs several times, one after the other, and the median is reported. Cycles in which
the simulated processor waits for an interrupt are skipped by the simulator, and do not count.

The host's time is that of the simulator's run loop, as it measures it: loading and this program do
not count. The workloads that boot Linux are also run by QEMU, with and without a plugin that models
caches, in turns with the simulator, and all three are timed alike there: processor time, user and
system, of the whole process from its start to its end. A guest that waits for an interrupt costs
no processor time on QEMU either.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from switchyard.data.records import Record
from switchyard.errors import InputError, RunError, one_of
from switchyard.run import build, build_linux, machine, qemu
from switchyard.run.build import BOARD, GUESTS, PC
from switchyard.run.machine import Boot
from switchyard.tools import doctor

MAX_CYCLES = 20_000_000_000

# Linux then takes this for the turns of its delay loop in a tick (10 ms), instead of counting how
# many the machine makes. How many that are depends on the simulator: on QEMU most instructions
# of a boot would be this loop's. Not too few: 200 MHz at 2 cycles a turn are a million.
DELAY_LOOPS = 1_000_000

# A share of the processors that others take and that shows in the times.
DISTURBING = 0.1


@dataclass(frozen=True)
class Workload:
    """A guest run that is timed."""

    name: str
    machine: str
    system: str
    scheme: str
    image: str  # the build that makes it
    append: str = ""

    @property
    def linux(self) -> build_linux.Linux | None:
        """The Linux that it boots, if it boots Linux."""
        return next(iter(build_linux.find(self.image)), None)

    @property
    def boot(self) -> Boot:
        """The run."""
        if self.linux:
            return self.linux.boot(MAX_CYCLES, self.append)
        return Boot(self.machine, GUESTS[self.image].image, self.append, MAX_CYCLES)

    def missing(self) -> list[str]:
        """What this computer lacks to build it."""
        needed = doctor.findings("linux") if self.linux else []
        if self.linux in build_linux.I386.values():
            needed += doctor.i386()
        if self.linux in build_linux.RISCV.values():
            needed += doctor.riscv()
        return [
            finding.name
            for finding in needed
            if not finding.good and finding.name not in qemu.MODELS
        ]

    def ensure(self, say: Callable[[build.Guest | build_linux.Linux], None]) -> None:
        """Brings its image up to date; `say` hears of it."""
        if self.linux:
            build_linux.ensure([self.linux], say)
        else:
            build.ensure([GUESTS[self.image]], say)


def _l4(name: str, scheme: str, append: str) -> Workload:
    image = f"{BOARD}-{scheme}-bench-ipc"
    return Workload(name, "sa1110", "switchyard-l4", scheme, image, append)


WORKLOADS = {
    workload.name: workload
    for workload in (
        # one round trip and out: nearly all of it is the kernel, sigma0 and the root task starting
        _l4("boot", "fass", "clients=1-1 rounds=1 warmup=0 seed=1"),
        _l4("l4-ipc-flush", "flush", "clients=16-16 rounds=10000 warmup=100 seed=1"),
        _l4("l4-ipc-fass", "fass", "clients=16-16 rounds=50000 warmup=100 seed=1"),
        Workload("compute", "sa1110", "none", build.BARE, f"{BOARD}-{build.BARE}-bench-compute"),
        # from power-on to the first line of the first process, which then ends the run
        Workload(
            "linux-boot",
            "versatilepb",
            "linux",
            "flush",
            "linux-versatilepb",
            f"lpj={DELAY_LOOPS} end",
        ),
        Workload(
            "compute-i386", "p4-willamette", "none", build.BARE, f"{PC}-{build.BARE}-bench-compute"
        ),
        # from power-on through the self-test to the reset
        Workload(
            "linux-boot-i386",
            "p4-willamette",
            "linux",
            "flush",
            "linux-i386",
            f"lpj={DELAY_LOOPS}",
        ),
        # from power-on, through OpenSBI, to the first line of the first process, and off
        Workload(
            "linux-boot-riscv",
            "virt-u74",
            "linux",
            "flush",
            "linux-riscv",
            f"lpj={DELAY_LOOPS} end",
        ),
    )
}


def find(names: Iterable[str]) -> list[Workload]:
    """The workloads of these names; all without one."""
    for name in names:
        if name not in WORKLOADS:
            raise InputError(f"bench {name}: unknown workload; {one_of(name, WORKLOADS)}")
    return [WORKLOADS[name] for name in dict.fromkeys(names)] or list(WORKLOADS.values())


@dataclass(frozen=True)
class Rival:
    """What another simulator did with the same image: instructions and seconds of each run."""

    metric: str  # what the record of its comparison is called
    about: str
    instructions: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def instructions_per_second(self) -> float:
        """The median."""
        runs = zip(self.instructions, self.seconds, strict=True)
        return statistics.median(count / max(time, 1e-9) for count, time in runs)


@dataclass(frozen=True)
class Speed:
    """What a workload gave: its length, which is always the same, and the host's seconds."""

    workload: Workload
    cycles: int  # without those skipped
    instructions: int
    seconds: tuple[float, ...]
    rivals: tuple[Rival, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)
    processor: tuple[float, ...] = ()  # seconds of processor time of each run's whole process
    others: float = 0.0  # what others took of this computer's processors meanwhile, a share

    @property
    def processor_median(self) -> float:
        """The median of the processor time."""
        return statistics.median(self.processor or self.seconds)

    @property
    def disturbed(self) -> bool:
        """Whether others have taken so much that it shows."""
        return self.others > DISTURBING

    @property
    def median(self) -> float:
        """The median time; a clock that saw nothing pass counts as its resolution."""
        return max(statistics.median(self.seconds), 1e-9)

    @property
    def cycles_per_second(self) -> float:
        """Simulated cycles a second."""
        return self.cycles / self.median

    @property
    def instructions_per_second(self) -> float:
        """Simulated instructions a second."""
        return self.instructions / self.median

    @property
    def spread(self) -> float:
        """The distance of fastest and slowest run as a share of the median."""
        return (max(self.seconds) - min(self.seconds)) / self.median

    def ratio(self, rival: Rival) -> float:
        """How many times as many instructions a second as the rival's these are."""
        return self.instructions_per_second / rival.instructions_per_second


def measure(workload: Workload, repeats: int, tick: Callable[[], None]) -> Speed:
    """Runs a workload `repeats` times; `tick` is called after each."""
    seconds, processor = [], []
    lengths = set()
    host = Host()
    rivals = _Rivals(workload.linux, workload.append) if workload.linux else None
    for _ in range(repeats):
        before = qemu.children_seconds()
        done = machine.run(workload.boot, processes=machine.Processes(timed=True))
        processor.append(qemu.children_seconds() - before)
        seconds.append(processor[-1] if rivals else done.host_seconds)
        working = done.stats.cycles - done.stats.counters.total("idle_cycles")
        lengths.add((working, done.stats.instructions))
        if rivals:
            rivals.run()
        tick()
    # Same image, same machine, same input: anything else is a fault of the simulator.
    assert len(lengths) == 1, f"{workload.name}: runs differ in length: {sorted(lengths)}"
    cycles, instructions = lengths.pop()
    finished, notes = (rivals.finished(), rivals.notes) if rivals else ((), ())
    return Speed(
        workload,
        cycles,
        instructions,
        tuple(seconds),
        finished,
        tuple(notes),
        tuple(processor),
        host.others(),
    )


class Host:
    """How busy this computer is with what is not ours, from now on."""

    def __init__(self) -> None:
        self._busy = _busy_seconds()
        self._own = _own_seconds()
        self._since = time.monotonic()

    def others(self) -> float:
        """The share of its processors that others took; 0 where nothing says so."""
        passed = (time.monotonic() - self._since) * (os.cpu_count() or 1)
        taken = _busy_seconds() - self._busy - (_own_seconds() - self._own)
        return min(max(taken / passed, 0.0), 1.0) if passed > 0 else 0.0


def _own_seconds() -> float:
    """Processor time of this process and of those that it has waited for."""
    return time.process_time() + qemu.children_seconds()


def _busy_seconds() -> float:
    """Processor time that this computer has spent, on whomever (proc(5), /proc/stat)."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(word) for word in file.readline().split()[1:]]
    except (OSError, ValueError):
        return 0.0
    user, nice, system, _idle, _waiting, irq, softirq, steal = ticks[:8]
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


class _Rivals:
    """QEMU's runs of a Linux: alone, and with the plugins. What does not work becomes a note."""

    def __init__(self, linux: build_linux.Linux, word: str) -> None:
        # One thread, as there is one guest processor.
        self._command = [*linux.qemu_command(word), "-accel", "tcg,thread=single"]
        self._end = linux.last_line
        self._alone: list[float] = []
        self._instructions = 0
        self._lookups: list[qemu.Timed] = []
        self._shortcuts: list[qemu.Timed] = []
        self.notes: list[str] = []
        self._works = bool(qemu.version(linux.emulator))
        self._plugin_works = self._works
        if not self._works:
            self.notes.append(f"{linux.emulator}: not found; nothing to compare with")

    def run(self) -> None:
        """One more run of each."""
        if self._plugin_works:
            try:
                if not self._instructions:
                    # Not timed: how many instructions QEMU runs when nothing slows it down.
                    counted = qemu.run_with_plugin(self._command, self._end, lookups=False)
                    self._instructions = counted.instructions or 0
                self._lookups.append(qemu.run_with_plugin(self._command, self._end))
                self._shortcuts.append(
                    qemu.run_with_plugin(self._command, self._end, shortcuts=True)
                )
            except RunError as error:
                self._plugin_works = False
                self.notes.append(f"no QEMU with plugin to compare with: {error}")
        if self._works:
            try:
                self._alone.append(qemu.run(self._command, self._end).seconds)
            except RunError as error:
                self._works = False
                self.notes.append(f"no QEMU to compare with: {error}")

    def finished(self) -> tuple[Rival, ...]:
        """Those that came to their ends; without the plugin nobody counts QEMU's instructions."""
        rivals = []
        if self._works and self._instructions:
            times = tuple(self._alone)
            counts = (self._instructions,) * len(times)
            rivals.append(Rival("ratio_to_qemu", "QEMU", counts, times))
        if self._plugin_works:
            metric, about = "ratio_to_qemu_cache_plugin", "QEMU with a plugin for caches"
            for suffix, more, runs in (
                ("", "", self._lookups),
                ("_shortcuts", ", taking shortcuts", self._shortcuts),
            ):
                counts = tuple(run.instructions or 0 for run in runs)
                times = tuple(run.seconds for run in runs)
                rivals.append(Rival(metric + suffix, about + more, counts, times))
        return tuple(rivals)


def records(speeds: list[Speed]) -> list[Record]:
    """Both rates of each workload, and how they compare."""
    listed = []
    for speed in speeds:
        rates = [
            ("cycles_per_second", round(speed.cycles_per_second), "1/s"),
            ("instructions_per_second", round(speed.instructions_per_second), "1/s"),
            *((rival.metric, round(speed.ratio(rival), 3), "1") for rival in speed.rivals),
        ]
        for metric, value, unit in rates:
            listed.append(
                Record(
                    experiment="bench",
                    machine=speed.workload.machine,
                    system=speed.workload.system,
                    scheme=speed.workload.scheme,
                    metric=metric,
                    parameters={"workload": speed.workload.name},
                    value=value,
                    unit=unit,
                )
            )
    return listed
