# SPDX-License-Identifier: Apache-2.0
"""The simulator, seen from outside: the program `switchyard-machine` and what it writes.

Everything else in the package that wants a guest run comes through `run`. The statistics of a run
are deterministic; the host's time is asked for and kept apart, so that it never gets into a
result.
"""

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from switchyard.data import fields, files
from switchyard.data.fields import Fields
from switchyard.errors import InputError, RunError
from switchyard.run import user_paths
from switchyard.run.child_process import leashed

BINARY = "switchyard-machine"
OVERRIDE = "SWITCHYARD_MACHINE"
SCHEMA = 1

# Lines of a guest's last console output that an error shows.
CONSOLE_TAIL = 15


@dataclass(frozen=True)
class Counters:
    """What was counted, in user mode and in privileged modes."""

    user: Mapping[str, int]
    kernel: Mapping[str, int]

    def total(self, *names: str) -> int:
        """The sum of the named counters over both privileges."""
        for name in names:
            if name not in self.user or name not in self.kernel:
                raise InputError(f"counter {name}: not in the statistics; expected a known counter")
        return sum(self.user[name] + self.kernel[name] for name in names)

    @classmethod
    def read(cls, entries: Fields) -> "Counters":
        """From the statistics' object with `user` and `kernel`."""
        return cls(entries.inner("user").wholes(), entries.inner("kernel").wholes())


@dataclass(frozen=True)
class Region:
    """A region of interest that the guest marked: its counters and guest-defined events."""

    id: int
    entries: int
    counters: Counters
    events: Mapping[int, int]

    def event(self, number: int) -> int:
        """How often the guest reported event `number` within the region."""
        return self.events.get(number, 0)

    @classmethod
    def read(cls, value: object, where: str) -> "Region":
        """From one member of the statistics' `regions`."""
        region = Fields(value, where)
        return cls(
            id=region.whole("id"),
            entries=region.whole("entries"),
            counters=Counters.read(region.inner("counters")),
            events=region.inner("events").numbered(),
        )


@dataclass(frozen=True)
class Function:
    """What a function took in a region: cycles, and how many of them waited for what."""

    name: str
    kernel: bool
    cycles: int
    instructions: int
    fetch_fill_cycles: int
    fetch_walk_cycles: int
    data_fill_cycles: int
    data_walk_cycles: int
    write_buffer_cycles: int

    @classmethod
    def read(cls, value: object, where: str) -> "Function":
        """From one member of a profile's `functions`."""
        entries = Fields(value, where)
        counts = [
            field.name for field in dataclasses.fields(cls) if field.name not in ("name", "kernel")
        ]
        return cls(
            name=entries.text("name"),
            kernel=entries.truth("kernel"),
            **{count: entries.whole(count) for count in counts},
        )


def _profile(value: object, where: str) -> tuple[int, tuple[Function, ...]]:
    entries = Fields(value, where)
    return entries.whole("region"), tuple(entries.items("functions", Function.read))


@dataclass(frozen=True)
class Diagnostic:
    """Something the architecture leaves unpredictable that the guest did."""

    kind: str
    pc: int
    count: int

    @classmethod
    def read(cls, value: object, where: str) -> "Diagnostic":
        """From one member of the statistics' `diagnostics`."""
        entries = Fields(value, where)
        return cls(entries.text("kind"), entries.whole("pc"), entries.whole("count"))


@dataclass(frozen=True)
class Finding:
    """What a checker has found, in words too, and how often."""

    cause: str
    pc: int
    count: int
    text: str
    line: str  # of source, of the access: `FILE:41`; "" where that is unknown

    @classmethod
    def read(cls, value: object, where: str) -> "Finding":
        """From one member of the statistics' `findings`."""
        entries = Fields(value, where)
        line = entries.raw("line")
        return cls(
            cause=entries.text("cause"),
            pc=entries.whole("pc"),
            count=entries.whole("count"),
            text=entries.text("text"),
            line=line if isinstance(line, str) else "",
        )


@dataclass(frozen=True)
class End:
    """How a run ended: `exit`, `power-off`, `max-cycles`, `died`, `hung` or `stopped`."""

    kind: str
    status: int
    message: str

    @property
    def good(self) -> bool:
        """Whether the guest ended by itself and was content."""
        return self.kind in ("exit", "power-off") and self.status == 0

    @classmethod
    def read(cls, entries: Fields) -> "End":
        """From the statistics' `end`."""
        message = entries.raw("message")
        return cls(
            kind=entries.text("kind"),
            status=entries.whole("status") if entries.raw("status") is not None else 0,
            message=message if isinstance(message, str) else "",
        )


@dataclass(frozen=True)
class Stats:
    """The statistics of one run."""

    machine: str
    clock_hz: int
    end: End
    cycles: int
    instructions: int
    counters: Counters
    events: Mapping[int, int]
    regions: tuple[Region, ...]
    samples: Mapping[int, list[int]]
    diagnostics: tuple[Diagnostic, ...]
    profile: Mapping[int, tuple[Function, ...]] = field(default_factory=dict)  # by region
    findings: tuple[Finding, ...] = ()  # of a checker, if one watched

    def region(self, number: int) -> Region:
        """The region of interest that the guest numbered so."""
        for region in self.regions:
            if region.id == number:
                return region
        raise RunError(f"the guest never entered region {number}")

    def microseconds(self, cycles: float) -> float:
        """Cycles of this machine as time."""
        return cycles * 1e6 / self.clock_hz

    @classmethod
    def parse(cls, text: str | bytes, where: str) -> "Stats":
        """Reads what `--stats` wrote; `where` names the file in errors."""
        entries = Fields(fields.parse(text, where), where)
        if entries.whole("schema") != SCHEMA:
            raise entries.wrong("schema", f"{SCHEMA}, the version that this Switchyard reads")
        if entries.whole("clock_hz") == 0:
            raise entries.wrong("clock_hz", "a clock rate above 0")
        return cls(
            machine=entries.text("machine"),
            clock_hz=entries.whole("clock_hz"),
            end=End.read(entries.inner("end")),
            cycles=entries.whole("cycles"),
            instructions=entries.whole("instructions"),
            counters=Counters.read(entries.inner("counters")),
            events=entries.inner("events").numbered(),
            regions=tuple(entries.items("regions", Region.read)),
            samples=entries.inner("samples").numbered_lists(),
            diagnostics=tuple(entries.items("diagnostics", Diagnostic.read)),
            profile=dict(entries.items("profile", _profile) if "profile" in entries else []),
            findings=tuple(
                entries.items("findings", Finding.read) if "findings" in entries else []
            ),
        )


@dataclass(frozen=True)
class Boot:
    """A run to be made. `machine` is a name that the simulator knows, or a machine file."""

    machine: str
    kernel: Path
    append: str = ""
    max_cycles: int | None = None
    initrd: Path | None = None
    check: str | None = None
    dtb: Path | None = None
    restore: Path | None = None  # what --save wrote: it has all but the machine inside already
    peer: Path | None = None  # the kernel of a second machine, at the other end of the cable
    peer_append: str = ""
    symbols: Path | None = None  # an ELF file: regions of interest are profiled by its functions
    replay: Path | None = None  # what --record wrote: all that comes from outside
    bios: str = ""  # of a RISC-V: a file, `none` or `default`

    def files(self) -> dict[str, Path]:
        """The files that decide what it does, by the names of the fields that they are in."""
        names = ("restore",) if self.restore is not None else ("kernel", "initrd", "dtb")
        paths = {name: getattr(self, name) for name in (*names, "peer", "symbols", "replay")}
        return {name: path for name, path in paths.items() if path is not None}

    def arguments(self) -> list[str]:
        """The simulator's arguments for it."""
        arguments = ["boot", "--machine", self.machine]
        for name, path in self.files().items():
            arguments += [f"--{name}", str(path)]
        if self.append and self.restore is None:
            arguments += ["--append", self.append]
        if self.bios and self.restore is None:
            arguments += ["--bios", self.bios]
        if self.peer_append:
            arguments += ["--peer-append", self.peer_append]
        if self.symbols is not None:
            arguments.append("--profile")
        if self.check is not None:
            arguments += ["--check", self.check]
        if self.max_cycles is not None:
            arguments += ["--max-cycles", str(self.max_cycles)]
        return arguments


@dataclass(frozen=True)
class Run:
    """A run that was made: its statistics as written and as read, its console, the host's time."""

    stats: Stats
    text: bytes
    console: str
    host_seconds: float


def binary() -> Path:
    """The simulator: the one named by the environment, else beside this Python, else on PATH."""
    override = os.environ.get(OVERRIDE)
    if override:
        if not os.access(override, os.X_OK) or os.path.isdir(override):
            raise InputError(f"{OVERRIDE}={override}: expected the path of an executable program")
        return Path(override)
    beside = Path(sys.executable).parent / BINARY
    if os.access(beside, os.X_OK):
        return beside
    on_path = shutil.which(BINARY)
    if on_path:
        return Path(on_path)
    raise InputError(f"{BINARY}: not found; install it with: make setup")


def described_in(name: str) -> str:
    """The file of a machine of the user's own; the name itself of one that the simulator knows."""
    return str(user_paths.machines().get(name, name))


def is_file(name: str) -> bool:
    """Whether `--machine name` is a machine file of the user's, as the simulator decides it."""
    return name.endswith(".toml")


class Processes:
    """The simulators that run for somebody, who may want to end them all at once.

    They end with this process, too, unless they are timed: the leash takes 20 ms to put on.
    """

    def __init__(self, timed: bool = False) -> None:
        self._timed = timed
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._ended = False

    def run(self, command: list[str]) -> subprocess.CompletedProcess[bytes]:
        """As `subprocess.run`, its output captured. Raises `RunError` once `end` was called."""
        with self._lock:
            if self._ended:
                raise RunError("ended before it was begun")
            process = subprocess.Popen(
                command if self._timed else leashed(command, signal.SIGKILL),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            self._running.add(process)
        try:
            out, err = process.communicate()
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            with self._lock:
                self._running.discard(process)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def end(self) -> None:
        """Kills those that run, and lets no other begin."""
        with self._lock:
            self._ended = True
            for process in self._running:
                process.kill()


def run(
    boot: Boot,
    must_succeed: bool = True,
    processes: Processes | None = None,
    program: Path | None = None,
) -> Run:
    """Runs a guest to its end without a terminal, by `program` if it is not the usual simulator.

    Raises `RunError` with its last console lines when the guest fails (unless the caller wants to
    look at a failure itself), and `InputError` with the simulator's own line when it refuses its
    input.
    """
    with files.scratch() as folder:
        stats_file = folder / "stats.json"
        time_file = folder / "time.json"
        command = [str(program or binary()), *boot.arguments()]
        command += ["--stats", str(stats_file), "--host-time", str(time_file)]
        done = (processes or Processes()).run(command)
        console = done.stdout.decode(errors="replace")
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode == 2:
            raise refused(boot, said)
        if (done.returncode != 0 and must_succeed) or not stats_file.exists():
            raise RunError(failure(boot, done.returncode, console, said))
        text = stats_file.read_bytes()
        time = Fields(fields.parse(time_file.read_bytes(), "host time"), "host time")
        return Run(
            stats=Stats.parse(text, f"statistics of {boot.kernel.name}"),
            text=text,
            console=console,
            host_seconds=time.number("seconds"),
        )


def refused(boot: Boot, said: str) -> InputError:
    """The error for input that the simulator does not take: what it said last."""
    last = said.splitlines()[-1] if said else f"{boot.kernel}: refused"
    return InputError(last.removeprefix(f"{BINARY}: "))


def failure(boot: Boot, status: int, console: str, said: str) -> str:
    """What the user is told of a guest that failed."""
    how = f"status {status}" if status >= 0 else f"signal {-status}"
    lines = [f"{boot.kernel.name} on {boot.machine}: the guest failed ({how})"]
    if boot.append:
        lines.append(f"  command line: {boot.append}")
    if said:
        lines += [f"  {line}" for line in said.splitlines()]
    return "\n".join([*lines, *last_lines(console)])


def last_lines(console: str) -> list[str]:
    """The end of a guest's console, as an error shows it."""
    tail = console.splitlines()[-CONSOLE_TAIL:]
    return ["  last lines of its console:", *(f"  | {line}" for line in tail)] if tail else []


def hand_over(arguments: list[str]) -> None:
    """Becomes the simulator: terminal, signals and exit status are its own. Does not return."""
    program = str(binary())
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(program, [program, *arguments])  # noqa: S606


def machines(only: str | None = None) -> list[Mapping[str, Any]]:
    """The machine descriptions that the simulator carries, and the user's, or `only` that one."""
    name = [described_in(only)] if only is not None else []
    done = subprocess.run(
        [str(binary()), "machines", "--json", *name],
        capture_output=True,
        check=False,
        text=True,
    )
    if done.returncode == 2 and only is not None:
        raise InputError(done.stderr.strip().removeprefix(f"{BINARY}: "))
    if done.returncode != 0:
        raise RunError(f"{BINARY} machines --json: {done.stderr.strip()}")
    described = fields.parse(done.stdout, f"{BINARY} machines --json")
    if not isinstance(described, list) or not all(
        isinstance(description, dict) for description in described
    ):
        raise RunError(f"{BINARY} machines --json: expected a list of objects")
    if only is None:
        user_paths.refuse(
            "machine",
            [str(description.get("name", "")) for description in described],
            user_paths.machines(),
        )
        described += [
            description
            for file in user_paths.machines().values()
            for description in machines(str(file))
        ]
    return described
