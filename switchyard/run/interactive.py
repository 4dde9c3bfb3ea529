# SPDX-License-Identifier: Apache-2.0
"""Machines in Python, for notebooks and tests: `Machine("sa1110").boot("kernel.elf")`.

A system runs in a simulator of its own, which is talked to as GDB does (`--gdb`): so all that is
looked at here is looked at without a trace, and equal programs see equal runs. `docs/python.md` is
the guide; `pytest_plugin` makes a fixture of it.
"""

import os
import re
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from types import TracebackType
from typing import Self

from switchyard.data import fields, files
from switchyard.data.fields import Fields
from switchyard.errors import InputError, RunError, one_of
from switchyard.run import machine
from switchyard.run.child_process import leashed
from switchyard.run.machine import Counters, Region, Stats
from switchyard.run.remote import LostError, Remote
from switchyard.tools.layout.elf import EXECUTABLE, MACHINE_386, MACHINE_ARM, Elf

# Cycles between two looks at the console, at multiples of it: what is found, and where the machine
# stands then, depends on nothing else.
LOOK = 500_000
# Seconds that the simulator may take to load a kernel and listen.
PATIENCE = 600
# Names that all processors understand, beside their own.
ALIASES = {"pc": "eip", "sp": "esp", "r13": "sp", "r14": "lr", "r15": "pc"}
SIZES = {"4K": 1 << 12, "64K": 1 << 16, "1M": 1 << 20, "4M": 1 << 22}


class Pause(Enum):
    """Why a system has stopped."""

    CYCLE = auto()
    BREAKPOINT = auto()
    STORE = auto()  # to what is watched
    BEGINNING = auto()  # of its past
    STUCK = auto()  # it hangs or has died, and can be looked at
    END = auto()


# By GDB's number of the signal in a stop reply: SIGABRT and SIGALRM.
STOPS = {6: Pause.STUCK, 14: Pause.CYCLE}
# By the word in one that says more.
TOLD = {"break:": Pause.BREAKPOINT, "watch:": Pause.STORE, "replaylog:begin": Pause.BEGINNING}


@dataclass(frozen=True)
class TlbEntry:
    """A translation that a TLB holds. `flags` are as `monitor tlb` writes them."""

    tlb: str
    va: int
    pa: int
    size: int
    flags: str


@dataclass(frozen=True)
class CacheLine:
    """A line of a data cache; `va` where the cache goes by virtual addresses."""

    va: int | None
    pa: int
    dirty: bool


@dataclass(frozen=True)
class Caches:
    """What the caches hold: the data cache's lines, and all as `monitor caches` tells it."""

    lines: tuple[CacheLine, ...]
    text: str


class Machine:
    """A described computer: a name (`switchyard machines` lists them) or a machine file.

    Machines of one's own, in a folder that a `switchyard.toml` names, have names too.
    """

    def __init__(self, name: str | os.PathLike[str]) -> None:
        self.name = os.fspath(name)
        if not machine.is_file(self.name):
            known = [str(description["name"]) for description in machine.machines()]
            if self.name not in known:
                raise InputError(f"machine {self.name}: unknown; {one_of(self.name, known)}")
        self._described = machine.described_in(self.name)

    def boot(
        self,
        kernel: str | os.PathLike[str],
        append: str = "",
        *,
        initrd: str | os.PathLike[str] | None = None,
        dtb: str | os.PathLike[str] | None = None,
        check: str | None = None,
        max_cycles: int | None = None,
        restore: str | os.PathLike[str] | None = None,
        replay: str | os.PathLike[str] | None = None,
        symbols: Sequence[str | os.PathLike[str]] = (),
    ) -> "System":
        """A system with that kernel, stopped at its first instruction.

        `check="coherence"` watches it, `max_cycles` ends it at the latest, `restore` has it begin
        as it was saved, `replay` lets come from outside what `boot --record` wrote; `symbols` are
        more ELF files, beside the kernel, whose names can be used.
        """
        boot = machine.Boot(
            machine=self._described,
            kernel=Path(kernel),
            append=append,
            initrd=None if initrd is None else Path(initrd),
            dtb=None if dtb is None else Path(dtb),
            check=check,
            max_cycles=max_cycles,
            restore=None if restore is None else Path(restore),
            replay=None if replay is None else Path(replay),
        )
        return System(boot, [Path(file) for file in symbols])

    def linux(
        self,
        program: str | os.PathLike[str],
        *arguments: str,
        append: str = "",
        symbols: Sequence[str | os.PathLike[str]] = (),
    ) -> "System":
        """Linux with a static program of yours, which runs when it is up (`docs/programs.md`).

        At its end `stats.end.status` is the program's. The kernel's names can be used, and those of
        the files of `symbols`, such as the program.
        """
        from switchyard.run import programs

        file = Path(program)
        boot = programs.boot(self._described, file, str(file), arguments, append)
        kernel = programs.with_program(self._described).symbols
        return System(boot, [*map(Path, symbols), *([kernel] if kernel != boot.kernel else [])])


class Registers(MutableMapping[str, int]):
    """The registers of a stopped system by name. `pc` and `sp` are there on every processor."""

    def __init__(self, system: "System") -> None:
        self._system = system

    def _name(self, name: str) -> str:
        known = self._system.remote.registers()
        own = name if name in known else ALIASES.get(name, name)
        if own not in known:
            raise InputError(f"register {name}: unknown; {one_of(name, known)}")
        return own

    def __getitem__(self, name: str) -> int:
        return self._system.remote.register(self._name(name))

    def __setitem__(self, name: str, value: int) -> None:
        if not self._system.remote.set_register(self._name(name), value):
            raise InputError(f"register {name}: {value:#x}; expected a value that it can take")

    def __delitem__(self, name: str) -> None:
        raise InputError(f"register {name}: cannot be removed; expected a value")

    def __iter__(self) -> Iterator[str]:
        return iter(self._system.remote.registers())

    def __contains__(self, name: object) -> bool:
        known = self._system.remote.registers()
        return name in known or (isinstance(name, str) and ALIASES.get(name) in known)

    def __len__(self) -> int:
        return len(self._system.remote.registers())


class System:
    """A kernel on a machine.

    It stands still but in `run`, `run_until`, `step` and `wait`, and in `reverse_step` and
    `reverse_continue`, which go back.
    Once it has ended, `stats` holds its statistics; `close`, or leaving its `with`, ends it.
    """

    def __init__(self, boot: machine.Boot, symbols: Sequence[Path] = ()) -> None:
        self.stats: Stats | None = None
        self._boot = boot
        self._symbol_files = list(symbols)
        self._symbols: Mapping[str, int] | None = None
        self._heard = 0  # bytes of the console up to what was waited for last
        self._pause: Pause | None = None  # why it stands still, if that is known
        self._console = b""  # all of it, once the guest has ended
        self._resources = ExitStack()
        self._remote: Remote | None = None
        weakref.finalize(self, self._resources.close)
        try:
            self._folder = self._resources.enter_context(files.scratch())
            self._process = self._start()
            self._remote = Remote(self._port())
            self._resources.callback(self._remote.close)
        except BaseException:
            self._resources.close()
            raise

    def _start(self) -> subprocess.Popen[bytes]:
        command = [str(machine.binary()), *self._boot.arguments(), "--gdb", ":0"]
        for file in self._symbol_files:
            command += ["--symbols", str(file)]
        command += ["--stats", str(self._folder / "stats.json")]
        # A file, and no pipe: what the guest wrote is there when it has stopped, and it never waits
        # for a reader.
        with (self._folder / "console").open("wb") as console:
            process = subprocess.Popen(
                leashed(command, signal.SIGKILL),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.PIPE,
                process_group=0,  # Ctrl-C is for us, who stop the guest
            )
        self._resources.callback(_end, process)
        return process

    def _port(self) -> int:
        """Where the simulator waits for us, which it says; if it does not, its line is raised."""
        assert self._process.stderr is not None
        said = b""
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stderr, selectors.EVENT_READ)
            while selector.select(deadline - time.monotonic()):
                more = os.read(self._process.stderr.fileno(), 4096)
                said += more
                if match := re.search(rb"waiting for a debugger at [\d.]+:(\d+)\n", said):
                    return int(match[1])
                if not more:
                    break
        raise machine.refused(self._boot, said.decode(errors="replace").strip())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._remote is None:
            return f"<System {self}, ended>"
        return f"<System {self}, at {self.registers['pc']:#010x}, cycle {self.cycles}>"

    def __str__(self) -> str:
        return f"{self._boot.kernel.name} on {self._boot.machine}"

    def close(self) -> None:
        """Ends the guest, if it still runs; statistics and console stay."""
        if self._remote is not None:
            with suppress(LostError):
                self._remote.send("k")
            self._finish()

    # ---- running

    def step(self, instructions: int = 1) -> None:
        """Runs so many instructions."""
        for _ in range(instructions):
            if self._pause is Pause.STUCK or self._resume("vCont;s") is Pause.END:
                return

    def run(self, cycles: int | None = None) -> None:
        """Goes on for so many cycles, or until the guest ends or hangs, if that comes first."""
        self._run(None if cycles is None else self.cycles + cycles)

    def run_until(
        self,
        *,
        symbol: str | None = None,
        address: int | None = None,
        cycle: int | None = None,
        console: str | None = None,
        within: int | None = None,
    ) -> str:
        """Goes on to a condition; gives what the guest wrote to its console meanwhile.

        One of: the next time that an instruction at `symbol` or `address` is to be executed; a
        `cycle`, counted from power-on; a text on the `console`, after the one that was waited for
        last. `RunError` if the guest comes to its end before, or `within` so many cycles does not
        get there.
        """
        given = [goal for goal in (symbol, address, cycle, console) if goal is not None]
        if len(given) != 1:
            raise InputError("run_until: expected one of symbol, address, cycle and console")
        before = len(self._written())
        limit = None if within is None else self.cycles + within
        if cycle is not None:
            self._to_cycle(cycle, limit)
        elif console is not None:
            self._to_text(console, limit)
        elif symbol is not None:
            self._to_address(self.symbol(symbol), f"symbol {symbol}", limit)
        elif address is not None:
            self._to_address(address, f"address {address:#x}", limit)
        return self._written(before).decode(errors="replace")

    def wait(self) -> Stats:
        """Goes on to the end of the guest, whatever it is (`.end` says); gives its statistics."""
        while self.stats is None:
            self._pause = None  # one that hangs ends when it is to go on
            self._run(None)
        return self.stats

    # ---- going back

    def reverse_step(self, instructions: int = 1) -> None:
        """Goes back by so many instructions, or to where it was booted or restored."""
        for _ in range(instructions):
            if self._resume("bs") is Pause.BEGINNING:
                return

    def reverse_continue(
        self,
        *,
        symbol: str | None = None,
        address: int | None = None,
        written: int | None = None,
        length: int = 4,
    ) -> None:
        """Goes back to the last time that something happened; without that, to the beginning.

        One of: the instruction at `symbol` or `address` was to be executed; one stored to any of
        the `length` bytes from virtual address `written` on: it stands before that store.
        `RunError` if that has not been since the beginning: where it was booted or restored.
        """
        given = [goal for goal in (symbol, address, written) if goal is not None]
        if len(given) > 1:
            raise InputError("reverse_continue: expected one of symbol, address and written")
        if symbol is not None:
            self._back_to(f"Z1,{self.symbol(symbol):x},1", f"symbol {symbol}")
        elif address is not None:
            self._back_to(f"Z1,{address:x},1", f"address {address:#x}")
        elif written is not None:
            self._back_to(f"Z2,{written:x},{length:x}", f"a store to {written:#x}")
            if "cpsr" in self.remote.registers():
                # The simulator is past the store: of an ARM, debuggers make that step themselves.
                self.reverse_step()
        else:
            self._resume("bc")

    def _back_to(self, watch: str, what: str) -> None:
        """Back to what a breakpoint or a watchpoint stops at."""
        self.remote.ask(watch)
        try:
            pause = self._resume("bc")
        finally:
            self.remote.ask(watch.replace("Z", "z", 1))
        if pause is Pause.BEGINNING:
            raise RunError(f"{self}: {what}: not in its past, which begins at cycle {self.cycles}")

    def _to_cycle(self, cycle: int, limit: int | None) -> None:
        if cycle < self.cycles:
            raise InputError(f"cycle {cycle}: is past; expected one after {self.cycles}")
        target = cycle if limit is None else min(cycle, limit)
        if target > self.cycles and self._run(target) is not Pause.CYCLE:
            raise self._missed(f"cycle {cycle}")
        if target < cycle:
            raise self._missed(f"cycle {cycle}")

    def _to_text(self, text: str, limit: int | None) -> None:
        wanted = text.encode()
        what = f"the text {text!r}"
        while (at := self._written(self._heard).find(wanted)) < 0:
            now = self.cycles
            if limit is not None and now >= limit:
                raise self._missed(what)
            look = (now // LOOK + 1) * LOOK
            if self._run(look if limit is None else min(look, limit)) is not Pause.CYCLE:
                if (at := self._written(self._heard).find(wanted)) >= 0:
                    break
                raise self._missed(what)
        self._heard += at + len(wanted)

    def _to_address(self, address: int, what: str, limit: int | None) -> None:
        if self.registers["pc"] == address:
            self.step()
            if self._remote is None:
                raise self._missed(what)
            if self.registers["pc"] == address:  # it branches to itself
                return
        self.remote.ask(f"Z1,{address:x},1")
        try:
            if self._run(limit) is not Pause.BREAKPOINT:
                raise self._missed(what)
        finally:
            if self._remote is not None:
                self._remote.ask(f"z1,{address:x},1")

    def _run(self, until: int | None) -> Pause:
        """Runs to that cycle at most."""
        remote = self.remote
        if self._pause is Pause.STUCK:
            return Pause.STUCK
        if until is not None:
            if until <= self.cycles:
                return Pause.CYCLE
            remote.monitor(f"until {until}")
        pause = None
        try:
            while pause is None:
                pause = self._resume("vCont;c")
        finally:
            if until is not None and pause not in (Pause.CYCLE, Pause.END):
                remote.monitor("until never")
        return pause

    def _resume(self, how: str) -> Pause | None:
        """Why the machine has stopped; `None` for what does not concern us: a checker's finding."""
        self._pause = None
        try:
            reply = self.remote.go(how)
        except LostError:
            reply = "X"
        if reply[:1] in ("W", "X"):
            self._pause = Pause.END
            self._finish()
        elif met := [pause for name, pause in TOLD.items() if name in reply]:
            self._pause = met[0]
        else:
            self._pause = STOPS.get(int(reply[1:3], 16))
        return self._pause

    def _finish(self) -> None:
        """Takes in what the simulator leaves at its end."""
        if self._remote is None:
            return
        self._console = self._written()
        self._remote = None
        assert self._process.stderr is not None
        said = self._process.stderr.read().decode(errors="replace").strip()
        status = self._process.wait()
        statistics = self._folder / "stats.json"
        if statistics.exists():
            self.stats = Stats.parse(statistics.read_bytes(), f"statistics of {self}")
        self._resources.close()
        if self.stats is None:
            raise RunError(machine.failure(self._boot, status, self.console, said))

    def _missed(self, what: str) -> RunError:
        """The error for a condition that was not met."""
        if self.stats is not None:
            why = f"{self.stats.end.message}, before {what}"
        elif self._pause is Pause.STUCK:
            why = f"hangs or has died at {self.registers['pc']:#010x}, before {what}"
        else:
            why = f"has not come to {what} by cycle {self.cycles}"
        return RunError("\n".join([f"{self}: {why}", *machine.last_lines(self.console)]))

    # ---- looking and changing

    @property
    def remote(self) -> Remote:
        """The connection to the simulator: packets and `monitor` commands of GDB's."""
        if self._remote is None:
            how = self.stats.end.message if self.stats is not None else "it was ended"
            raise RunError(f"{self}: is no more: {how}; expected a guest that has not ended")
        return self._remote

    @property
    def registers(self) -> Registers:
        """The registers by name."""
        return Registers(self)

    def __getitem__(self, name: str) -> int:
        return self.registers[name]

    def __setitem__(self, name: str, value: int) -> None:
        self.registers[name] = value

    def symbol(self, name: str) -> int:
        """The address of a function or an object of the kernel, or of the files of `symbols`."""
        if self._symbols is None:
            self._symbols = _symbols([self._boot.kernel, *self._symbol_files])
        if name not in self._symbols:
            near = one_of(name, self._symbols).partition("? ")[0]
            meant = f"; {near}?" if near.startswith("did you mean") else ""
            listed = ", ".join(str(file) for file in [self._boot.kernel, *self._symbol_files])
            raise InputError(f"symbol {name}: is not in {listed}{meant}")
        return self._symbols[name]

    def read(self, address: int, length: int) -> bytes:
        """Memory from a virtual address of the current space on, as a load would find it."""
        content = self.remote.read(address, length)
        if len(content) < length:
            missing = address + len(content)
            raise InputError(f"address {missing:#x}: expected one at which memory is mapped")
        return content

    def write(self, address: int, data: bytes) -> None:
        """Changes memory, and every copy of it in the caches."""
        if not self.remote.write(address, data):
            raise InputError(f"address {address:#x}: expected one at which memory is mapped")

    def translate(self, va: int) -> int | None:
        """The physical address by the page tables; `None` where nothing is mapped."""
        match = re.search(r"^pa ([0-9a-f]{8})", self.remote.monitor(f"translate {va:x}"), re.M)
        return int(match[1], 16) if match else None

    def tlb(self) -> tuple[TlbEntry, ...]:
        """What the TLBs hold."""
        entries = []
        name = ""
        for line in self.remote.monitor("tlb").splitlines():
            if match := re.match(r"(\w+) TLB:", line):
                name = match[1]
            elif match := re.match(r" +(\w{8}) -> (\w{8}) +(\w+) (.*)$", line):
                va, pa = int(match[1], 16), int(match[2], 16)
                entries.append(TlbEntry(name, va, pa, SIZES[match[3]], match[4]))
        return tuple(entries)

    def caches(self) -> Caches:
        """What the caches hold."""
        text = self.remote.monitor("caches")
        both = re.findall(r"(\w{8}) -> (\w{8})([* ])", text)
        lines = [CacheLine(int(va, 16), int(pa, 16), mark == "*") for va, pa, mark in both]
        for row in re.findall(r"^(?:  [0-9a-f]{8})+$", text, re.M):
            lines += [CacheLine(None, int(pa, 16), False) for pa in row.split()]
        return Caches(tuple(lines), text)

    def _counts(self) -> Fields:
        where = f"counters of {self}"
        return Fields(fields.parse(self.remote.monitor("counters"), where), where)

    @property
    def cycles(self) -> int:
        """Cycles since power-on."""
        return self.stats.cycles if self.stats is not None else self._ran()[0]

    @property
    def instructions(self) -> int:
        """Instructions since power-on."""
        return self.stats.instructions if self.stats is not None else self._ran()[1]

    def _ran(self) -> tuple[int, int]:
        """Cycles and instructions, without all other counters."""
        cycles, instructions = re.findall(r"\d+", self.remote.monitor("cycles"))
        return int(cycles), int(instructions)

    def counters(self) -> Counters:
        """All counters up to now, by the names that they have in statistics."""
        if self.stats is not None:
            return self.stats.counters
        return Counters.read(self._counts().inner("counters"))

    def regions(self) -> tuple[Region, ...]:
        """The regions of interest that the guest has marked up to now."""
        if self.stats is not None:
            return self.stats.regions
        return tuple(self._counts().items("regions", Region.read))

    # ---- the console

    @property
    def console(self) -> str:
        """What the guest has written to its console."""
        return self._written().decode(errors="replace")

    def _written(self, since: int = 0) -> bytes:
        """The console's bytes from there on."""
        if self._remote is None:
            return self._console[since:]
        with (self._folder / "console").open("rb") as file:
            file.seek(since)
            return file.read()

    def type(self, text: str) -> None:
        """Types on the console, now. A newline or a carriage return is Enter, as guests like."""
        keys = "".join(
            chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\x{byte:02x}"
            for byte in text.encode()
        )
        self.remote.monitor(f'type "{keys}"')
        self._pause = None

    # ---- saving

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the whole machine to a file, as `switchyard boot --save` does."""
        # by a name of ours: the simulator takes no spaces
        place = self._folder / "saved"
        said = self.remote.monitor(f"save {place}")
        if not said.startswith("saved"):
            raise RunError(f"{self}: {said.strip()}")
        files.write(Path(file), place.read_bytes())
        place.unlink()

    def restore(self, file: str | os.PathLike[str]) -> None:
        """Goes back, or on, to what was saved; the console's text of before stays."""
        place = self._folder / "restored"
        try:
            place.write_bytes(Path(file).read_bytes())
        except OSError as error:
            raise InputError(f"{file}: {error.strerror}; expected a saved machine") from None
        said = self.remote.monitor(f"restore {place}")
        place.unlink()
        if not said.startswith("restored"):
            raise InputError(said.strip().replace(str(place), str(file)))
        self._heard = len(self._written())
        self._pause = None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a simulator, if it still runs."""
    process.kill()
    process.wait()
    if process.stderr is not None:
        process.stderr.close()


def _symbols(images: Sequence[Path]) -> Mapping[str, int]:
    """Addresses by name; the first file's where several have one. A raw image has none."""
    addresses: dict[str, int] = {}
    for image in images:
        with suppress(InputError):
            elf = Elf(image, EXECUTABLE, (MACHINE_ARM, MACHINE_386))
            for symbol in elf.symbols:
                if symbol.name and not symbol.name.startswith("$") and symbol.section:
                    addresses.setdefault(symbol.name, symbol.value)
    return addresses
