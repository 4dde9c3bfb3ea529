# SPDX-License-Identifier: Apache-2.0
"""Commands about machines and guests: what there is and what is missing, to build and to run."""

import enum
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from switchyard import completion
from switchyard.commands import DEFAULT_MACHINE, AsCsv, AsJson, consoles, form, short, subcommand
from switchyard.commands.options import MOST_CYCLES, MOST_IN_GUEST, machine_option, number
from switchyard.errors import InputError, Status, meant, one_of

if TYPE_CHECKING:
    from switchyard.run.build_linux import Linux
    from switchyard.run.machine import Boot

SEE_MACHINES = "expected one of those that switchyard machines shows, or a .toml file"


class Purpose(enum.Enum):
    """What a computer is to do here."""

    SETUP = "setup"
    TEST = "test"
    LINUX = "linux"
    LONG = "long"


@subcommand(
    epilog="""
        switchyard doctor
        switchyard doctor linux --json
    """
)
def doctor(
    purpose: Annotated[
        Purpose | None,
        typer.Argument(
            metavar="PURPOSE",
            help="What it is to do: setup (to build and run), test, linux or long; without one, "
            "all but setup is optional.",
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Say what this computer is ready for, what it lacks, and what installs it."""
    from switchyard.show import terminal
    from switchyard.tools import doctor as doctor_table

    out, _ = consoles()
    findings = doctor_table.findings(purpose.value) if purpose else doctor_table.everything()
    terminal.findings(out, findings, form(as_json, as_csv))
    if not as_json and not as_csv:
        terminal.simulator(out)
        for name in [purpose.value] if purpose else doctor_table.PURPOSES:
            out.print(doctor_table.verdict(name), soft_wrap=True)
    if any(finding.missing for finding in findings):
        raise typer.Exit(Status.FAILED)


@subcommand(
    epilog="""
        switchyard machines
        switchyard machines sa1110
        switchyard machines --csv
    """
)
def machines(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|FILE",
            autocompletion=completion.machines,
            help="Show its assumed constants.",
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List the machines, or the assumed constants of one, with their ranges."""
    from switchyard.run import machine
    from switchyard.show import terminal

    out, _ = consoles()
    if name is not None:
        _refuse_slip(name)
    described = machine.machines(name)
    wanted = form(as_json, as_csv)
    if name is None or wanted == "table":
        terminal.machines(out, described, wanted)
    if name is not None:
        terminal.assumed(out, described[0]["assumed"], wanted)


@subcommand(
    # what stands after a program are its own words, also those that begin with a hyphen
    context_settings={"allow_interspersed_args": False},
    epilog="""
        switchyard boot --kernel build/guests/assabet-fass-test.elf
        switchyard boot -m versatilepb -k kernel.elf --stats stats.json --check coherence
        switchyard boot -k kernel.elf --profile
        switchyard boot -k kernel.elf --gdb :1234
        switchyard boot -m versatilepb --linux
        switchyard boot -m versatilepb --linux --run ./program argument
    """,
)
def boot(
    program: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM", help="With --run: the program and its arguments."),
    ] = None,
    kernel: Annotated[
        Path | None, typer.Option("--kernel", "-k", metavar="FILE", help="The image, ELF or raw.")
    ] = None,
    machine_name: Annotated[
        str | None,
        machine_option(),
    ] = None,
    linux: Annotated[
        bool, typer.Option("--linux", help="Linux, built if need be: a shell, or with --run.")
    ] = False,
    l4: Annotated[
        bool, typer.Option("--l4", help="That Linux as a server on the microkernel (Pentium 4).")
    ] = False,
    small: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="With --l4: give these small spaces: server, programs, or names of programs.",
        ),
    ] = "",
    run: Annotated[
        bool,
        typer.Option("--run", help="Run a static program of yours on Linux; its status is ours."),
    ] = False,
    bios: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="RISC-V: the firmware, none, or default (also without this): Debian's OpenSBI.",
        ),
    ] = None,
    properties: Annotated[
        list[str] | None,
        typer.Option(
            "--global",
            metavar="PROPERTY",
            help="As QEMU's: virtio-mmio.force-legacy=false shows the newer interface.",
        ),
    ] = None,
    append: Annotated[str, typer.Option(metavar="WORDS", help="The kernel's command line.")] = "",
    initrd: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="An initial RAM disk; of Multiboot modules: file, words, comma, the next.",
        ),
    ] = None,
    dtb: Annotated[Path | None, typer.Option(metavar="FILE", help="A device tree.")] = None,
    ram: Annotated[
        str | None, typer.Option(metavar="SIZE", help="The size of memory, such as 256M.")
    ] = None,
    load_address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Where a raw image goes.")
    ] = None,
    semihosting: Annotated[
        bool, typer.Option("--semihosting", help="Serve an ARM's semihosting calls.")
    ] = False,
    no_translation: Annotated[
        bool, typer.Option("--no-translation", help="Interpret all; every count is the same.")
    ] = False,
    max_cycles: Annotated[
        int | None, number(1, MOST_CYCLES, "Stop after this many cycles.")
    ] = None,
    stats: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write statistics here.")
    ] = None,
    screen: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Write what the display shows at the end here."),
    ] = None,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write each instruction here.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a timeline for ui.perfetto.dev here.")
    ] = None,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile",
            help="Say what each function took: at the end, or with --stats in the statistics.",
        ),
    ] = False,
    speedscope: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write who called whom, and what it took, for speedscope.app here."
        ),
    ] = None,
    callgrind: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the same for KCachegrind here.")
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write how often each instruction was executed here."),
    ] = None,
    symbols: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Name places in log, trace and profiles by this ELF file."
        ),
    ] = None,
    check: Annotated[
        str | None, typer.Option(metavar="coherence", help="Report what was not flushed.")
    ] = None,
    gdb: Annotated[
        str | None, typer.Option(metavar="[HOST]:PORT", help="Wait for GDB, stopped.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole machine here at the end.")
    ] = (None),
    restore: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go on from what --save wrote.")
    ] = None,
    net: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Connect the network interface: unix:PATH, listen-unix:PATH and so on.",
        ),
    ] = None,
    mac: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The network interface's address.")
    ] = None,
    peer: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Start this image on a second machine, at the cable's other end."
        ),
    ] = None,
    peer_machine: Annotated[
        str | None, typer.Option(metavar="NAME|FILE", help="The second machine, if another kind.")
    ] = None,
    peer_append: Annotated[
        str | None, typer.Option(metavar="WORDS", help="Its kernel's command line.")
    ] = None,
    console: Annotated[
        int | None, number(0, 2**32 - 1, "The serial port that is the console.")
    ] = None,
    drive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="A memory card or disk with what is in this file, written to when the run ends; "
            "also as if=sd,file=FILE,format=raw, and snapshot=on to write nothing.",
        ),
    ] = None,
    typed: Annotated[
        Path | None,
        typer.Option(
            "--input", metavar="FILE", help="Type this file's contents, or play its script."
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what comes from outside, with its time, here."),
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Let the same come as --record wrote here.")
    ] = None,
) -> None:
    """Run a system with its console on this terminal; Ctrl-A x ends it."""
    from switchyard.run import machine

    if program and not run:
        raise InputError(f"{program[0]}: unexpected; expected options alone, or --run before it")
    if run and not program:
        raise InputError("--run: no program; expected its file, then its arguments")
    if linux or run:
        for option, file in (("--kernel", kernel), ("--initrd", initrd), ("--dtb", dtb)):
            if file is not None:
                raise InputError(
                    f"{option}: stands beside --linux, which has its own; expected one"
                )
        if restore is not None:
            raise InputError("--restore: stands beside --linux; a saved machine has all inside")
    elif kernel is None and restore is None and bios is None:
        raise InputError("--kernel: missing; expected an image, or --restore with a saved machine")
    if l4 and not (linux or run):
        raise InputError("--l4: stands beside --linux or --run; expected one of them before it")
    if small and not l4:
        raise InputError("--small: stands beside --l4, which has such spaces; expected both")
    if machine_name is None and restore is None:
        machine_name = DEFAULT_MACHINE
    if machine_name is not None:
        _refuse_slip(machine_name)
    if linux or run:
        found = _server(machine_name or DEFAULT_MACHINE, small, program or []) if l4 else None
        system = _linux(machine_name or DEFAULT_MACHINE, program or [], append, found)
        kernel, dtb, append = system.kernel, system.dtb, system.append
        initrd = None if system.initrd is None else str(system.initrd)
    given = {
        "--machine": machine_name and machine.described_in(machine_name),
        "--kernel": kernel,
        "--bios": bios,
        "--append": append or None,
        "--initrd": initrd,
        "--dtb": dtb,
        "--ram": ram,
        "--load-address": load_address,
        "--max-cycles": max_cycles,
        "--stats": stats,
        "--screen": screen,
        "--log": log,
        "--trace": trace,
        "--speedscope": speedscope,
        "--callgrind": callgrind,
        "--counts": counts,
        "--check": check,
        "--gdb": gdb,
        "--save": save,
        "--restore": restore,
        "--net": net,
        "--mac": mac,
        "--peer": peer,
        "--peer-machine": peer_machine and machine.described_in(peer_machine),
        "--peer-append": peer_append,
        "--console": console,
        "--input": typed,
        "--record": record,
        "--replay": replay,
    }
    arguments = ["boot"]
    for option, value in given.items():
        if value is not None:
            arguments += [option, str(value)]
    for one in properties or []:
        arguments += ["--global", one]
    for one in drive or []:
        arguments += ["--drive", one]
    if profile:
        arguments.append("--profile")
    if semihosting:
        arguments.append("--semihosting")
    if no_translation:
        arguments.append("--no-translation")
    if run:
        arguments.append("--pass-status")
    for named in [*(symbols or []), *_programs(kernel, check)]:
        arguments += ["--symbols", str(named)]
    machine.hand_over(arguments)


def _server(machine_name: str, small: str, run: list[str]) -> "Linux":
    """Linux as a server on the microkernel, with what is to be small."""
    from switchyard.run import build_linux, programs

    named = tuple(small.split(",")) if small else ()
    wrong = [name for name in named if not build_linux.SMALL_NAME.fullmatch(name)]
    if wrong or len(named) > build_linux.SMALL_NAMES:
        raise InputError(
            f"--small: {small}: expected server, programs, or names of programs with commas between"
            f" them, {build_linux.SMALL_NAMES} at most of 15 characters"
        )
    if run and Path(run[0]).name in named:  # Linux has it under another name
        named = (*named, Path(programs.PROGRAM).name)
    server = build_linux.with_small(named)
    if machine_name not in build_linux.SERVER_MACHINES:
        known = one_of(machine_name, build_linux.SERVER_MACHINES)
        raise InputError(f"--l4: no Linux on L4 for machine {machine_name}; {known}")
    return replace(server, disk="run" if run else "")


def _programs(kernel: Path | None, check: str | None) -> "list[Path]":
    """Whose functions a finding names unasked: those of the programs in an image of ours."""
    if check is None or kernel is None or kernel.suffix != ".elf":
        return []
    from switchyard.run import build

    return build.programs(kernel)


def _linux(
    machine_name: str, program: list[str], append: str, server: "Linux | None" = None
) -> "Boot":
    """Linux for a machine, with a shell or that program, brought up to date."""
    from switchyard.run import build_linux, programs

    _, err = consoles()

    def say(system: "Linux") -> None:
        err.print(f"boot: building {system.name}, which takes minutes where its kernel is new")

    if program:
        name, *arguments = program
        return programs.boot(machine_name, Path(name), name, arguments, append, say, server)
    system = server or programs.target(machine_name).linux
    if not all(file.exists() for file in system.files):
        say(system)
    build_linux.ensure([system])
    return replace(system.boot(word=f"{append} shell".strip()), machine=machine_name)


@subcommand(
    epilog="""
        switchyard demo
        switchyard demo --machine versatilepb --processes 8 --kb 4
    """
)
def demo(
    machine_name: Annotated[
        str, typer.Option("--machine", "-m", metavar="NAME", help="sa1110 or versatilepb.")
    ] = DEFAULT_MACHINE,
    processes: Annotated[int, number(2, 30, "In the ring.")] = 4,
    kb: Annotated[int, number(0, 64, "KB that each touches.")] = 0,
    steps: Annotated[
        int | None,
        number(1, MOST_IN_GUEST, "End after so many tenths of a simulated second."),
    ] = None,
) -> None:
    """Linux with slow and with fast switches, side by side, while it runs."""
    from rich.live import Live

    from switchyard.run import build_linux
    from switchyard.tools import demo as demonstration
    from switchyard.tools import demo_show

    out, err = consoles()
    kernels = demonstration.kernels(machine_name)
    build_linux.ensure(kernels, lambda linux: err.print(f"demo: building {linux.name}"))
    words = f"processes={processes} kb={kb} steps={steps or 0}"
    with demonstration.running(kernels, words) as shown, demonstration.typing(shown):
        if out.is_terminal:
            with Live(console=out, auto_refresh=False) as live:
                for both in demonstration.steps(shown):
                    live.update(demo_show.screen(both), refresh=True)
        else:
            for both in demonstration.steps(shown):
                out.print(demo_show.line(both), soft_wrap=True)


@subcommand(
    "build",
    epilog="""
        switchyard build --list
        switchyard build assabet-fass-test
        switchyard build linux-sa1110
    """,
)
def build_guests(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="An image, or `linux`: all of Linux.",
            autocompletion=completion.images,
        ),
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="Only say what there is.")] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Build guest images; without a name, all but Linux, which must be asked for: `linux`."""
    from switchyard.run import build, build_linux
    from switchyard.show import terminal

    out, _ = consoles()
    wanted = form(as_json, as_csv)
    if show_list:
        terminal.guests(out, [*build.GUESTS.values(), *build_linux.every()], wanted)
        return
    if wanted != "table":
        raise InputError(f"build --{wanted}: builds; expected --list with it")
    systems = [system for name in names or [] for system in build_linux.find(name)]
    others = [name for name in names or build.GUESTS if not build_linux.find(name)]
    linux = [build_linux.ALL, *(system.name for system in build_linux.every())]
    guests = [build.find(name, linux) for name in others]
    for guest in guests:
        (image,) = build.ensure([guest])
        out.print(f"{guest.name}: {short(image)}", soft_wrap=True)
    for system in systems:
        for file in build_linux.ensure([system]):
            out.print(f"{system.name}: {short(file)}", soft_wrap=True)


@subcommand(
    epilog="""
        switchyard layout program.o --linked program --counts counts.csv --out packed.o
    """
)
def layout(
    file: Annotated[
        Path, typer.Argument(metavar="OBJECT", help="All of a program, relocatable (ld -r).")
    ],
    linked: Annotated[
        Path, typer.Option(metavar="FILE", help="The program that was linked from it, and counted.")
    ],
    counts: Annotated[
        list[Path], typer.Option(metavar="FILE", help="What boot --counts wrote of a workload.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Write the object with its hot code packed here.")
    ],
    machine_name: Annotated[
        str,
        machine_option("Whose cache it is for."),
    ] = DEFAULT_MACHINE,
    rarer: Annotated[
        int,
        number(1, 2**32 - 1, "Cold is what runs so many times rarer than is usual."),
    ] = 10,
) -> None:
    """Pack a program's hot code into few lines of the instruction cache, for the linker."""
    from switchyard.tools.layout import command

    console, _ = consoles()
    command.run(console, file, linked, counts, out, machine_name, rarer)


class Kind(enum.Enum):
    """What one may have of one's own."""

    GUEST = "guest"
    SCHEME = "scheme"
    MACHINE = "machine"
    EXPERIMENT = "experiment"
    EXERCISE = "exercise"


@subcommand(
    epilog="""
        switchyard new guest hello
        switchyard new guest hart --machine virt-u74
        switchyard new scheme my-flush
        switchyard new machine twice-the-cache
        switchyard new experiment null-call
        switchyard new exercise missing-flush
    """
)
def new(
    kind: Annotated[
        Kind,
        typer.Argument(metavar="KIND", help="A guest, scheme, machine, experiment or exercise."),
    ],
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Its name; of an exercise, which one.")
    ],
    machine_name: Annotated[
        str,
        typer.Option(
            "--machine",
            "-m",
            metavar="NAME|FILE",
            autocompletion=completion.machines,
            help="A guest's: a StrongARM, or a RISC-V such as virt-u74.",
        ),
    ] = "",
) -> None:
    """Begin one of your own: it works, has a test, and is in your folder (--path) or this one.

    An exercise goes into this folder, with its task; switchyard grade says how far it is done.
    """
    from switchyard.tools import new as beginnings

    out, _ = consoles()
    if machine_name:
        _refuse_slip(machine_name)
    if kind is Kind.EXERCISE:
        from switchyard.tools import exercises

        for path in exercises.begin(name, Path.cwd()):
            out.print(f"written: {short(path)}", soft_wrap=True)
        out.print(f"next: read {name}/README.md, then: switchyard grade {name}", soft_wrap=True)
        return
    written = beginnings.make(kind.value, name, beginnings.place(), machine_name)
    for path in written.files:
        out.print(f"written: {short(path)}", soft_wrap=True)
    for line in written.next:
        out.print(f"next: {line}", soft_wrap=True)


def _refuse_slip(name: str) -> None:
    """Says which machine was meant; a name that is like none is the simulator's to refuse."""
    from switchyard.run import machine, variants

    known = variants.names()
    hint = "" if machine.is_file(name) or name in known else meant(name, known)
    if hint:
        raise InputError(f"--machine {name}: no such machine; {hint}{SEE_MACHINES}")


@subcommand(
    epilog="""
        switchyard grade missing-flush
        switchyard grade handed-in/smith/missing-flush --json
    """
)
def grade(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="An exercise, begun by switchyard new.")
    ],
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Grade the solution of an exercise by running it; exit status 0 if all is right."""
    from switchyard.show import terminal
    from switchyard.tools import exercises

    out, _ = consoles()
    points = exercises.grade(folder)
    terminal.points(out, points, form(as_json, as_csv))
    if not exercises.passed(points):
        raise typer.Exit(Status.FAILED)
