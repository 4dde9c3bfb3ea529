# SPDX-License-Identifier: Apache-2.0
"""The command line `switchyard`: arguments in, tables and files out, one line for what is wrong.

Exit status: 0 done; 1 an experiment, a build or a guest failed; 2 wrong usage or bad input;
129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM.
"""

import enum
import io
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from switchyard import __version__, build, build_linux, files, machine, show
from switchyard import doctor as doctor_table
from switchyard import records as record_files
from switchyard.errors import InputError, RunError, Status, StoppedError, Terminated

app = typer.Typer(
    name="switchyard",
    help="A laboratory for switching address spaces on virtually-tagged caches.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# What `boot` runs on unless told otherwise.
DEFAULT_MACHINE = "sa1110"
# Where results go unless told otherwise; ignored by git.
RESULTS = Path("results")


def _consoles() -> tuple[Console, Console]:
    """Tables go to standard output, progress to standard error."""
    # Not a terminal: wide enough for every table of ours instead of rich's 80 columns.
    width = None if sys.stdout.isatty() else 110
    return Console(width=width, highlight=False), Console(stderr=True, highlight=False)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"switchyard {__version__}")  # noqa: T201
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """A laboratory for switching address spaces on virtually-tagged caches."""
    del version


class Purpose(enum.Enum):
    """What a computer is to do here."""

    SETUP = "setup"
    TEST = "test"
    LINUX = "linux"
    LONG = "long"


@app.command()
def doctor(
    purpose: Annotated[
        Purpose, typer.Argument(help="What it is to do: setup, test, linux or long.")
    ] = Purpose.TEST,
) -> None:
    """What this computer lacks, and the command that installs it."""
    out, _ = _consoles()
    findings = doctor_table.findings(purpose.value)
    show.findings(out, findings)
    show.simulator(out)
    if any(one.missing for one in findings):
        raise typer.Exit(Status.FAILED)


@app.command()
def machines(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME|FILE]", help="Say what of it is assumed.")
    ] = None,
) -> None:
    """The machine descriptions, or of one what its assumed constants may be."""
    out, _ = _consoles()
    found = machine.machines(name)
    show.machines(out, found)
    if name is not None:
        show.assumed(out, found[0]["assumed"])


@app.command()
def boot(
    kernel: Annotated[
        Path | None, typer.Option("--kernel", "-k", help="The image, ELF or raw.")
    ] = None,
    machine_name: Annotated[
        str | None,
        typer.Option("--machine", "-m", metavar="NAME|FILE", help="A machine, or its file."),
    ] = None,
    append: Annotated[str, typer.Option(help="The kernel's command line.")] = "",
    initrd: Annotated[Path | None, typer.Option(help="An initial RAM disk.")] = None,
    dtb: Annotated[Path | None, typer.Option(help="A device tree.")] = None,
    max_cycles: Annotated[int | None, typer.Option(min=1, help="Stop after so many.")] = None,
    stats: Annotated[Path | None, typer.Option(help="Write statistics here.")] = None,
    log: Annotated[Path | None, typer.Option(help="Write each instruction here.")] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Write a timeline for ui.perfetto.dev here.")
    ] = None,
    profile: Annotated[
        bool, typer.Option("--profile", help="Say in the statistics what each function took.")
    ] = False,
    counts: Annotated[
        Path | None, typer.Option(help="Write how often each instruction was executed here.")
    ] = None,
    symbols: Annotated[
        list[Path] | None,
        typer.Option(help="Name places in log, trace and profile by this ELF file."),
    ] = None,
    check: Annotated[
        str | None, typer.Option(metavar="coherence", help="Report what was not flushed.")
    ] = None,
    gdb: Annotated[
        str | None, typer.Option(metavar="[HOST]:PORT", help="Wait for GDB, stopped.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write the whole machine here at the end.")] = (
        None
    ),
    restore: Annotated[Path | None, typer.Option(help="Go on from what --save wrote.")] = None,
    net: Annotated[str | None, typer.Option(help="Connect the network interface.")] = None,
    mac: Annotated[str | None, typer.Option(help="The network interface's address.")] = None,
    console: Annotated[
        int | None, typer.Option(min=0, help="The serial port that is the console.")
    ] = None,
    typed: Annotated[
        Path | None, typer.Option("--input", help="Type this file's contents, or play its script.")
    ] = None,
) -> None:
    """Run a system, its console on this terminal; Ctrl-A x leaves it."""
    if kernel is None and restore is None:
        raise InputError("--kernel: missing; expected an image, or --restore with a saved machine")
    if machine_name is None and restore is None:
        machine_name = DEFAULT_MACHINE
    given = {
        "--machine": machine_name,
        "--kernel": kernel,
        "--append": append or None,
        "--initrd": initrd,
        "--dtb": dtb,
        "--max-cycles": max_cycles,
        "--stats": stats,
        "--log": log,
        "--trace": trace,
        "--counts": counts,
        "--check": check,
        "--gdb": gdb,
        "--save": save,
        "--restore": restore,
        "--net": net,
        "--mac": mac,
        "--console": console,
        "--input": typed,
    }
    arguments = ["boot"]
    for option, value in given.items():
        if value is not None:
            arguments += [option, str(value)]
    if profile:
        arguments.append("--profile")
    for file in symbols or []:
        arguments += ["--symbols", str(file)]
    machine.hand_over(arguments)


@app.command()
def demo(
    machine_name: Annotated[
        str, typer.Option("--machine", "-m", metavar="NAME", help="sa1110 or versatilepb.")
    ] = DEFAULT_MACHINE,
    processes: Annotated[int, typer.Option(min=2, max=30, help="In the ring.")] = 4,
    kb: Annotated[int, typer.Option(min=0, max=64, help="KB that each touches.")] = 0,
    steps: Annotated[
        int | None, typer.Option(min=1, help="End after so many tenths of a simulated second.")
    ] = None,
) -> None:
    """Linux with slow and with fast switches, side by side, while it runs."""
    from rich.live import Live

    from switchyard import demo as demonstration
    from switchyard import demo_show

    out, err = _consoles()
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


@app.command("build")
def build_guests(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...")] = None,
    show_list: Annotated[bool, typer.Option("--list", help="Only say what there is.")] = False,
) -> None:
    """Build guest images; without a name, all but Linux, which must be asked for: `linux`."""
    out, _ = _consoles()
    if show_list:
        show.guests(out, [*build.GUESTS.values(), *build_linux.every()])
        return
    systems = [system for name in names or [] for system in build_linux.find(name)]
    others = [name for name in names or build.GUESTS if not build_linux.find(name)]
    linux = [build_linux.ALL, *(system.name for system in build_linux.every())]
    guests = [build.find(name, linux) for name in others]
    for guest in guests:
        (image,) = build.ensure([guest])
        out.print(f"{guest.name}: {_short(image)}", soft_wrap=True)
    for system in systems:
        for file in build_linux.ensure([system]):
            out.print(f"{system.name}: {_short(file)}", soft_wrap=True)


@app.command()
def layout(
    file: Annotated[
        Path, typer.Argument(metavar="OBJECT", help="All of a program, relocatable (ld -r).")
    ],
    linked: Annotated[Path, typer.Option(help="The program that was linked from it, and counted.")],
    counts: Annotated[list[Path], typer.Option(help="What boot --counts wrote of a workload.")],
    out: Annotated[Path, typer.Option(help="Write the object with its hot code packed here.")],
    machine_name: Annotated[
        str, typer.Option("--machine", "-m", metavar="NAME|FILE", help="Whose cache it is for.")
    ] = DEFAULT_MACHINE,
    rarer: Annotated[
        int, typer.Option(min=1, help="Cold is what runs so many times rarer than is usual.")
    ] = 10,
) -> None:
    """Pack a program's hot code into few lines of the instruction cache, for the linker."""
    # A command of its own, which takes a while to load.
    from switchyard.layout import command

    console, _ = _consoles()
    command.run(console, file, linked, counts, out, machine_name, rarer)


@app.command()
def faults(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--results", metavar="FILE", help="Results, kept; linux/faults/found.json."),
    ] = None,
    stages: Annotated[
        list[str] | None,
        typer.Option("--stage", metavar="NAME", help="Only that boot, such as self-test."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Try all anew, also what was tried before.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Compilers at once.")] = (
        os.cpu_count() or 1
    ),
    page: Annotated[
        bool, typer.Option("--page", help="Try nothing; write the book's table of results anew.")
    ] = False,
) -> None:
    """Plant faults in Linux' fast switching, one at a time, and see which test finds each."""
    from switchyard.faults import command

    out, err = _consoles()
    results = file or command.kept()
    if page:
        command.write_page(out, results)
    else:
        wish = command.Wish(names or [], stages or [], fresh)
        command.run(out, err, wish, results, jobs)


@app.command()
def experiments() -> None:
    """What can be reproduced."""
    from switchyard.experiments import EXPERIMENTS

    out, _ = _consoles()
    show.experiments(out, EXPERIMENTS.values())


@app.command()
def run(
    names: Annotated[list[str], typer.Argument(metavar="NAME...")],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    out_dir: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where results go.", file_okay=False)
    ] = RESULTS,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all records here too.")
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=1, max=256, help="Runs at once; the results do not depend on it.")
    ] = os.cpu_count() or 1,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run all anew, also what was run before.")
    ] = False,
    with_band: Annotated[
        bool, typer.Option("--band", help="Show what it rests on: assumed constants' ranges.")
    ] = False,
) -> None:
    """Run experiments, show tables, write records and figures."""
    # here and not above: altair takes a second to import, and most commands do without it
    from switchyard import experiments as registry
    from switchyard import runner
    from switchyard.experiments.experiment import Settings

    chosen = [registry.find(name) for name in dict.fromkeys(names)]
    out, err = _consoles()
    collected: list[record_files.Record] = []
    _try(json_file)
    for experiment in chosen:
        out.print(f"[bold]{experiment.name}[/bold]: {experiment.question}", soft_wrap=True)
        with show.Progress(err, experiment.name) as progress:
            options = {"--quick": quick, "--band": with_band}
            command = ["run", experiment.name, *(name for name, on in options.items() if on)]
            written = runner.run(
                experiment,
                Settings(quick=quick),
                out_dir,
                jobs,
                progress,
                fresh,
                command,
                with_band,
            )
        show.outcome(out, written.outcome)
        for path in (*written.figures, written.records, written.raw):
            out.print(f"written: {_short(path)}", soft_wrap=True)
        collected += written.outcome.records
    if json_file is not None:
        record_files.save(collected, json_file)
        out.print(f"written: {_short(json_file)}", soft_wrap=True)


@app.command()
def report(
    places: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[DIR|FILE]...", help="Records; those of `run` by default."),
    ] = None,
    out_file: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where the page goes.", dir_okay=False)
    ] = RESULTS / "report.html",
) -> None:
    """Write one HTML page, complete in itself, over all records at hand."""
    from switchyard import report as pages
    from switchyard.experiments import EXPERIMENTS

    out, _ = _consoles()
    sections = pages.collect(places or [RESULTS])
    there = {record.experiment for section in sections for record in section.records}
    missing = [name for name in EXPERIMENTS if name not in there]
    pages.write(pages.render(sections, missing), out_file)
    count = sum(len(section.records) for section in sections)
    out.print(f"{len(sections)} record files, {count} records", soft_wrap=True)
    out.print(f"written: {_short(out_file)}", soft_wrap=True)


@app.command()
def docs(
    results: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="Results of full runs, to be kept from now on."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; fail where the page is not up to date.")
    ] = False,
) -> None:
    """Write the results chapters of the book anew, from the results that are kept beside it."""
    from switchyard import book

    out, _ = _consoles()
    if results is not None and check:
        raise InputError("docs: a folder and --check; expected one of them")
    page = book.page()
    text = page.read_text(encoding="utf-8")
    names = book.shown(text, page.name)
    if results is not None:
        for name in book.take(results, names):
            out.print(f"kept: {name}")
    wanted = {page: book.renew(text, page.name), **book.draw(names, text)}
    stale = [
        path
        for path, content in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]
    for path in stale:
        if not check:
            files.write(path, wanted[path])
        out.print(f"{'stale' if check else 'written'}: {_short(path)}", soft_wrap=True)
    if check and stale:
        raise RunError("docs: not what the kept results give; run: switchyard docs")


@app.command()
def sweep(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The experiment.")],
    grid: Annotated[
        list[str],
        typer.Option(
            "--grid",
            metavar="KEY=VALUE,...",
            help="An axis: a machine's key or an experiment's parameter. May be repeated.",
        ),
    ],
    machine_name: Annotated[
        str | None,
        typer.Option("--machine", "-m", metavar="NAME|FILE", help="Not the experiment's own."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    rounds: Annotated[int | None, typer.Option(min=1, help="So many repetitions a point.")] = None,
    out_dir: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where the table goes.", file_okay=False)
    ] = RESULTS,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AXIS=VALUE/VALUE", help="Draw how these compare over the first two other axes."
        ),
    ] = None,
    metric: Annotated[str, typer.Option(help="What --compare compares.")] = "us",
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Runs at once, here.")] = (
        os.cpu_count() or 1
    ),
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A dask scheduler; its workers run.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run all anew, also what was run before.")
    ] = False,
) -> None:
    """Run an experiment over a grid of machines and parameters; writes one Parquet file."""
    from switchyard import experiments as registry
    from switchyard import heatmap, plot
    from switchyard import sweep as sweeps
    from switchyard.experiments.experiment import Settings
    from switchyard.jobs import Here, Workers

    experiment = registry.find(name)
    axes = [sweeps.Axis.parse(axis) for axis in grid]
    compared = [heatmap.Compared.parse(one) for one in compare or []]
    workers: Workers
    if scheduler is None:
        workers = Here(jobs)
    else:
        from switchyard.cluster import Cluster

        workers = Cluster(scheduler)
    out, err = _consoles()
    with show.Progress(err, experiment.name) as progress:
        table = sweeps.run(
            experiment,
            Settings(quick, rounds),
            axes,
            out_dir,
            workers,
            progress,
            machine_name,
            fresh,
        )
    written = [table.path] if table.rows else []
    for one in compared if table.rows else []:
        drawn = heatmap.draw(table.frame, table.axes, one, metric)
        written += plot.save_spec(drawn, out_dir / f"{experiment.name}.sweep-{one.name}")
    out.print(f"{table.rows} points", soft_wrap=True)
    for path in written:
        out.print(f"written: {_short(path)}", soft_wrap=True)
    if table.failed:
        point, error = table.failed[0]
        where = ", ".join(f"{key} {value}" for key, value in point.columns.items())
        raise RunError(
            f"{len(table.failed)} of {table.rows + len(table.failed)} points failed, "
            f"the same command tries them again; the first ({where}): {error}"
        )


@app.command()
def bench(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write records here.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="Runs of each workload.")] = 5,
) -> None:
    """How fast the simulator itself is; without a name, with every workload."""
    from switchyard import bench as benchmark

    out, err = _consoles()
    chosen = benchmark.find(names or [])
    _try(json_file)
    lacking = {workload.name: workload.missing() for workload in chosen}
    chosen = [workload for workload in chosen if not lacking[workload.name]]
    with show.Progress(err, "bench") as progress:
        for workload in chosen:
            workload.ensure(progress.building)
        progress.started(repeats * len(chosen))
        speeds = [benchmark.measure(workload, repeats, progress.tick) for workload in chosen]
    show.speeds(out, speeds)
    for name, lacks in lacking.items():
        if lacks:
            out.print(f"{name}: left out, no {', '.join(lacks)}; see: switchyard doctor linux")
    if json_file is not None:
        record_files.save(benchmark.records(speeds), json_file)
        out.print(f"written: {_short(json_file)}", soft_wrap=True)


@app.command("bench-host")
def bench_host(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    out_dir: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where results go.", file_okay=False)
    ] = RESULTS,
    cpu: Annotated[
        int | None, typer.Option(metavar="N", help="The processor to run on; else the last.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the records here too.")
    ] = None,
) -> None:
    """The benchmarks on this very computer, beside the results of simulated machines at hand."""
    from datetime import UTC, datetime

    from switchyard import bench_host as host
    from switchyard import meta, runner

    out, err = _consoles()
    host.processors()
    _try(json_file)
    begun = datetime.now(UTC)
    command = ["bench-host", *(["--quick"] if quick else [])]
    try:
        with show.Progress(err, host.NAME) as progress:
            host.ensure()
            progress.started(len(host.questions(quick)))
            found = host.measure(quick, cpu, out_dir, progress.tick)
    except KeyboardInterrupt as cause:
        raise StoppedError("interrupted", cause) from None
    experiment = host.BenchHost()
    outcome = experiment.outcome(found)
    about = meta.collect(begun, command, quick, [])
    written, figures = runner.write(experiment, outcome, about, out_dir)
    if json_file is not None:
        record_files.save(outcome.records, json_file)
    show.outcome(out, outcome)
    for path in [*figures, written, *([json_file] if json_file else [])]:
        out.print(f"written: {_short(path)}", soft_wrap=True)


def _try(json_file: Path | None) -> None:
    """A bad place for a record file that is written at the end shows now."""
    if json_file is not None:
        files.writable(json_file)


def _short(path: Path) -> str:
    """A path as seen from here, where that is shorter, as a console prints it."""
    with suppress(ValueError, OSError):  # elsewhere; or we are in a folder that was removed
        path = path.resolve().relative_to(Path.cwd())
    return escape(str(path))


def _terminated(number: int, _frame: object) -> None:
    raise Terminated(number)


def _complain(message: str) -> None:
    with suppress(OSError):  # nobody to complain to
        print(f"switchyard: {message}", file=sys.stderr, flush=True)  # noqa: T201


def execute(arguments: list[str] | None = None) -> int:
    """Runs one command and says its exit status. What is raised past this is a fault of ours."""
    try:
        # Not standalone: typer would print a frame of many lines for an unknown option.
        status = app(args=arguments, prog_name="switchyard", standalone_mode=False)
        sys.stdout.flush()  # here, where it can be told that it failed
    except InputError as error:
        _complain(" ".join(str(error).split()))
        return Status.BAD_INPUT
    except RunError as error:
        _complain(str(error))
        return Status.FAILED
    except StoppedError as error:
        _complain(str(error))
        return error.status
    except typer.Abort as error:
        _complain("interrupted")
        return StoppedError("interrupted", error.__cause__).status
    except typer.TyperException as error:
        message = error.format_message().strip()
        if "\n" in message:  # the help, shown because nothing was asked for
            print(message, file=sys.stderr)  # noqa: T201
        else:
            context = getattr(error, "ctx", None)
            path = context.command_path if context is not None else "switchyard"
            _complain(f"{message.rstrip('.')}; expected as in: {path} --help")
        return Status.BAD_INPUT
    except BrokenPipeError:  # whoever read our output has gone; nothing is left to say
        return Status.FAILED
    except OSError as error:
        # a full disk, a file that somebody took away, an output that takes no more
        _complain(f"{error.filename or 'output'}: {error.strerror or error}")
        return Status.FAILED
    except MemoryError:
        _complain("out of memory")
        return Status.FAILED
    return status if isinstance(status, int) else Status.DONE


def main() -> None:
    """The entry point of the command `switchyard`."""
    _open_streams()
    signal.signal(signal.SIGTERM, _terminated)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # not under nohup
        signal.signal(signal.SIGHUP, _terminated)
    status = execute()
    try:
        sys.stdout.flush()
    except OSError:
        # said already; what is left in the buffer must not be tried once more at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def _open_streams() -> None:
    """Standard streams that were closed lead nowhere; file names of any bytes can be shown."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
