# SPDX-License-Identifier: Apache-2.0
"""Commands about results: experiments, sweeps, reports, and how fast the simulator is."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from switchyard import completion
from switchyard.commands import (
    DEFAULT_MACHINE,
    RESULTS,
    AsCsv,
    AsJson,
    RecordFile,
    consoles,
    form,
    short,
    subcommand,
    tried,
)
from switchyard.commands.options import (
    MOST_CPU,
    MOST_CYCLES,
    MOST_IN_GUEST,
    machine_option,
    number,
)
from switchyard.errors import InputError, RunError, Status, StoppedError

if TYPE_CHECKING:
    from switchyard.data.records import Record


@subcommand(
    epilog="""
        switchyard faults
        switchyard faults --stage self-test --json
        switchyard faults --page
    """
)
def faults(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="A fault; all of them without one.")
    ] = None,
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
    jobs: Annotated[int, number(1, 256, "Compilers at once.")] = (os.cpu_count() or 1),
    page: Annotated[
        bool, typer.Option("--page", help="Try nothing; write the book's table of results anew.")
    ] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Plant faults in Linux' fast switching, one at a time, and see which test finds each."""
    from switchyard.tools.faults import command

    out, err = consoles()
    results = file or command.kept()
    wanted = form(as_json, as_csv)
    if page:
        command.write_page(out, results)
    else:
        wish = command.Wish(names or [], stages or [], fresh)
        command.run(out, err, wish, results, jobs, wanted)


@subcommand(
    name="random-programs",
    epilog="""
        switchyard random-programs sa1110
        switchyard random-programs versatilepb --seeds 1-50,207 --json
        switchyard random-programs sa1110 --seeds 25 --shapes
    """,
)
def random_programs(
    board: Annotated[
        str,
        typer.Argument(metavar="BOARD", help="Whose kernels: sa1110, versatilepb, versatile920."),
    ],
    seeds: Annotated[
        str, typer.Option(metavar="LIST", help="Of the programs, such as 1-50,207.")
    ] = "1-500",
    file: Annotated[
        Path | None,
        typer.Option(
            "--results", metavar="FILE", help="Results, kept; results/random-programs-BOARD.json."
        ),
    ] = None,
    kernel: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A zImage in place of the kernel that switches fast."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run everything again, also what was run before.")
    ] = False,
    shapes: Annotated[
        bool, typer.Option("--shapes", help="Compare nothing; print what the programs do.")
    ] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Run random programs on Linux with and without fast switching, and compare time and data."""
    from switchyard.random_programs import command, trial

    out, err = consoles()
    wish = command.Wish(board, trial.numbers(seeds), kernel, fresh=fresh)
    if shapes:
        command.print_shapes(out, wish)
        return
    found = command.compare(wish, file or command.kept(board), err)
    command.listed(out, board, found, form(as_json, as_csv))


@subcommand(
    epilog="""
        switchyard experiments
        switchyard experiments --json
    """
)
def experiments(as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List what can be reproduced."""
    from switchyard.experiments import EXPERIMENTS
    from switchyard.show import terminal

    out, _ = consoles()
    terminal.experiments(out, EXPERIMENTS.values(), form(as_json, as_csv))


@subcommand(
    epilog="""
        switchyard run l4-ipc --quick
        switchyard run l4-ipc l4-primitives --out here --json here/all.json
        switchyard run l4-ipc --band
        switchyard run l4-ipc --brief
    """
)
def run(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME", help="An experiment.", autocompletion=completion.experiments
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    out_dir: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where results go.", file_okay=False)
    ] = RESULTS,
    json_file: RecordFile = None,
    jobs: Annotated[
        int,
        number(1, 256, "How many runs at once; results do not depend on it."),
    ] = os.cpu_count() or 1,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run everything again, also what was run before.")
    ] = False,
    brief: Annotated[
        bool,
        typer.Option("--brief", help="A first look: each case once, a few sentences, the figure."),
    ] = False,
    with_band: Annotated[
        bool, typer.Option("--band", help="Show what it rests on: assumed constants' ranges.")
    ] = False,
) -> None:
    """Run experiments, show tables, write records and figures."""
    from switchyard import experiments as registry
    from switchyard.data import records as record_files
    from switchyard.run import runner
    from switchyard.run.experiment import Settings
    from switchyard.show import terminal
    from switchyard.show.progress import Progress

    chosen = [registry.find(name) for name in dict.fromkeys(names)]
    out, err = consoles(json_file)
    collected: list[Record] = []
    tried(json_file)
    for experiment in chosen:
        out.print(f"[bold]{experiment.name}[/bold]: {experiment.question}", soft_wrap=True)
        with Progress(err, experiment.name, brief) as progress:
            options = {"--quick": quick, "--brief": brief, "--band": with_band}
            command = ["run", experiment.name, *(name for name, on in options.items() if on)]
            written = runner.run(
                experiment,
                Settings(quick=quick or brief, once=brief),
                out_dir,
                jobs,
                progress,
                fresh,
                command,
                with_band,
            )
        if brief:
            terminal.brief(out, written.outcome)
        else:
            terminal.outcome(out, written.outcome)
        paths = (*written.figures, written.records, written.raw)
        for path in written.figures[:1] if brief else paths:
            out.print(f"written: {short(path)}", soft_wrap=True)
        collected += written.outcome.records
    if json_file is not None:
        record_files.save(collected, json_file)
        out.print(f"written: {short(json_file)}", soft_wrap=True)


@subcommand(
    epilog="""
        switchyard report
        switchyard report results more/bench.json --out page.html
    """
)
def report(
    places: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DIR|FILE",
            help="Records, and profiles that boot --speedscope wrote; those of `run` by default.",
        ),
    ] = None,
    out_file: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where the page goes.", dir_okay=False)
    ] = RESULTS / "report.html",
) -> None:
    """Write one self-contained HTML page of all records and profiles at hand."""
    from switchyard.experiments import EXPERIMENTS
    from switchyard.show import report as pages

    out, _ = consoles(out_file)
    sections = pages.collect(places or [RESULTS])
    profiles = pages.profiles(places or [RESULTS])
    there = {record.experiment for section in sections for record in section.records}
    missing = [name for name in EXPERIMENTS if name not in there]
    pages.write(pages.render(sections, missing, profiles, out_file.parent), out_file)
    count = sum(len(section.records) for section in sections)
    more = f", {len(profiles)} profiles" if profiles else ""
    out.print(f"{len(sections)} record files, {count} records{more}", soft_wrap=True)
    out.print(f"written: {short(out_file)}", soft_wrap=True)


@subcommand(
    epilog="""
        switchyard docs --check
        switchyard docs results
        switchyard docs results --only l4-ipc
        switchyard docs --chapters build/chapters
    """
)
def docs(
    results: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="Results of full runs, to be kept from now on."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; fail where the page is not up to date.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="This experiment alone. May be repeated.",
            autocompletion=completion.experiments,
        ),
    ] = None,
    chapters: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write the experiments' chapters there, whole.", file_okay=False
        ),
    ] = None,
) -> None:
    """Write the book's page of results and its figures again, from the results that are kept."""
    from switchyard.data import files
    from switchyard.errors import one_of
    from switchyard.show import book

    out, _ = consoles()
    if results is not None and check:
        raise InputError("docs: a folder and --check; expected one of them")
    if chapters is not None:
        for name in book.write_chapters(chapters):
            out.print(f"written: {short(chapters / name)}", soft_wrap=True)
        return
    page = book.page()
    text = page.read_text(encoding="utf-8")
    names = book.shown(text, page.name)
    for name in only or []:
        if name not in names:
            raise InputError(f"--only {name}: is not on the page; {one_of(name, names)}")
    names = set(only or names)
    if results is not None:
        taken = book.take(results, names)
        for name in taken:
            out.print(f"kept: {name}")
        for name in set(only or []) - set(taken):
            raise InputError(f"{results}: no {name}.json; expected: switchyard run {name}")
    wanted = {page: book.renew(text, page.name, names), **book.draw(names)}
    stale = [
        path
        for path, content in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]
    for path in stale:
        if not check:
            files.write(path, wanted[path])
        out.print(f"{'stale' if check else 'written'}: {short(path)}", soft_wrap=True)
    if check and stale:
        raise RunError("docs: not what the kept results give; run: switchyard docs")


@subcommand(
    epilog="""
        switchyard sweep l4-ipc --quick --grid scheme=flush,fass --grid clients=1..14
        switchyard sweep l4-ipc --grid scheme=flush,fass --grid itlb.entries+dtlb.entries=8,16,32 \\
            --grid dcache.size-bytes=4096,8192 --compare scheme=flush/fass
    """
)
def sweep(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The experiment.", autocompletion=completion.experiments
        ),
    ],
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="KEY=VALUE,...",
            help="An axis: a machine's key or an experiment's parameter. May be repeated.",
        ),
    ] = None,
    machine_name: Annotated[
        str | None,
        machine_option("In place of the experiment's own."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    rounds: Annotated[int | None, number(1, MOST_IN_GUEST, "Repetitions of each point.")] = None,
    out_dir: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where the table goes.", file_okay=False)
    ] = RESULTS,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AXIS=VALUE/VALUE", help="Draw how these compare over the first two other axes."
        ),
    ] = None,
    metric: Annotated[str, typer.Option(metavar="NAME", help="What --compare compares.")] = "us",
    jobs: Annotated[int, number(1, 256, "How many runs at once, on this computer.")] = (
        os.cpu_count() or 1
    ),
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A dask scheduler; its workers run.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run everything again, also what was run before.")
    ] = False,
) -> None:
    """Run an experiment over a grid of machines and parameters; writes one Parquet file."""
    from switchyard import experiments as registry
    from switchyard import extras
    from switchyard.data import files
    from switchyard.run.experiment import Settings
    from switchyard.run.jobs import Here, Workers
    from switchyard.show import plot
    from switchyard.show.progress import Progress

    with extras.needed("switchyard sweep", "sweep"):
        from switchyard.show import heatmap
        from switchyard.tools import sweep as sweeps

    experiment = registry.find(name)
    if not grid:
        raise InputError(sweeps.no_grid(experiment, Settings(quick, rounds)))
    axes = [sweeps.Axis.parse(axis) for axis in grid]
    compared = [heatmap.Compared.parse(comparison) for comparison in compare or []]
    workers: Workers
    if scheduler is None:
        workers = Here(jobs)
    else:
        with extras.needed("--scheduler", "sweep"):
            from switchyard.run.cluster import Cluster

        workers = Cluster(scheduler)
    out, err = consoles()
    with Progress(err, experiment.name) as progress:
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
    for comparison in compared if table.rows else []:
        drawn = heatmap.draw(table.frame, table.axes, comparison, metric, experiment.called)
        stem = out_dir / f"{experiment.name}.sweep-{comparison.name}"
        with files.together() as whole:
            for kind, picture in plot.pictures(drawn).items():
                written.append(stem.with_name(f"{stem.name}.{kind}"))
                whole.write(written[-1], picture)
    out.print(f"{table.rows} points", soft_wrap=True)
    for path in written:
        out.print(f"written: {short(path)}", soft_wrap=True)
    if table.failed:
        point, error = table.failed[0]
        where = ", ".join(f"{key} {value}" for key, value in point.columns.items())
        raise RunError(
            f"{len(table.failed)} of {table.rows + len(table.failed)} points failed, "
            f"the same command tries them again; the first ({where}): {error}"
        )


@subcommand(
    epilog="""
        switchyard bench
        switchyard bench compute --repeats 9 --json bench.json
    """
)
def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="A workload; all of them without one.",
            autocompletion=completion.workloads,
        ),
    ] = None,
    json_file: RecordFile = None,
    repeats: Annotated[int, number(1, 1000, "Runs of each workload.")] = 5,
) -> None:
    """Measure how fast the simulator itself is; without a name, with every workload."""
    from switchyard.data import records as record_files
    from switchyard.show import terminal
    from switchyard.show.progress import Progress
    from switchyard.tools import bench as benchmark

    out, err = consoles(json_file)
    chosen = benchmark.find(names or [])
    tried(json_file)
    lacking = {workload.name: workload.missing() for workload in chosen}
    chosen = [workload for workload in chosen if not lacking[workload.name]]
    with Progress(err, "bench") as progress:
        for workload in chosen:
            workload.ensure(progress.building)
        progress.started(repeats * len(chosen))
        speeds = []
        for workload in chosen:
            progress.at(workload.name)
            speeds.append(benchmark.measure(workload, repeats, progress.tick))
    terminal.speeds(out, speeds)
    for name, lacks in lacking.items():
        if lacks:
            out.print(f"{name}: left out, no {', '.join(lacks)}; see: switchyard doctor linux")
    if json_file is not None:
        record_files.save(benchmark.records(speeds), json_file)
        out.print(f"written: {short(json_file)}", soft_wrap=True)


@subcommand(
    "bench-host",
    epilog="""
        switchyard bench-host --quick
    """,
)
def bench_host(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    out_dir: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where results go.", file_okay=False)
    ] = RESULTS,
    cpu: Annotated[
        int | None, number(0, MOST_CPU, "The processor to run on; else the last.")
    ] = None,
    json_file: RecordFile = None,
) -> None:
    """The benchmarks on this very computer, beside the results of simulated machines at hand."""
    from datetime import UTC, datetime

    from switchyard.data import meta
    from switchyard.data import records as record_files
    from switchyard.run import runner
    from switchyard.show import terminal
    from switchyard.show.progress import Progress
    from switchyard.tools import bench_host as host

    out, err = consoles(json_file)
    host.processors()
    tried(json_file)
    begun = datetime.now(UTC)
    command = ["bench-host", *(["--quick"] if quick else [])]
    try:
        with Progress(err, host.NAME) as progress:
            host.ensure()
            progress.started(len(host.questions(quick)))
            samples = host.measure(quick, cpu, out_dir, progress.tick)
    except KeyboardInterrupt as cause:
        raise StoppedError("interrupted", cause) from None
    experiment = host.BenchHost()
    outcome = experiment.outcome(samples)
    about = meta.collect(begun, command, quick, [])
    written, figures = runner.write(experiment, outcome, about, out_dir)
    if json_file is not None:
        record_files.save(outcome.records, json_file)
    terminal.outcome(out, outcome)
    for path in [*figures, written, *([json_file] if json_file else [])]:
        out.print(f"written: {short(path)}", soft_wrap=True)


@subcommand(
    epilog="""
        switchyard compare results/before results
        switchyard compare before.json after.json --within 1
        switchyard compare old.elf new.elf --machine sa1110 --append "rounds=100"
        switchyard compare sa1110.toml sa1110-sdram.toml --kernel kernel.elf
        switchyard compare HEAD~1 HEAD --build make --kernel build/kernel.elf --allow-faster
    """
)
def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="BEFORE",
            help="Records, statistics, a machine file, an image, or a commit with --build.",
        ),
    ],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Another one.")],
    machine_name: Annotated[str, machine_option("On which images run.")] = DEFAULT_MACHINE,
    kernel: Annotated[
        Path | None,
        typer.Option("--kernel", "-k", metavar="FILE", help="What runs, where that is not named."),
    ] = None,
    append: Annotated[str, typer.Option(metavar="WORDS", help="The kernel's command line.")] = "",
    max_cycles: Annotated[
        int | None, number(1, MOST_CYCLES, "Stop after this many cycles.")
    ] = None,
    bios: Annotated[
        str, typer.Option(metavar="FILE", help="Of a RISC-V: its firmware, none, or default.")
    ] = "",
    build: Annotated[
        str, typer.Option(metavar="COMMAND", help="Make each commit's image in its checkout.")
    ] = "",
    within: Annotated[
        float, typer.Option(metavar="PERCENT", help="Ignore changes up to this.")
    ] = 0.0,
    allow_faster: Annotated[
        bool, typer.Option("--allow-faster", help="Do not fail for what takes less time.")
    ] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Compare two results: what changed, by how much, and which counters explain it.

    Exit status 1 where something did, beyond noise; cycles of a run have none.
    """
    from switchyard.show import terminal
    from switchyard.tools import compare as comparing

    out, _ = consoles()
    if not 0 <= within < float("inf"):
        raise InputError(f"--within {within:g}: expected a percentage from 0 on")
    how = comparing.How(machine_name, kernel, append, max_cycles, build, bios)
    found = comparing.compare(before, after, how)
    changed = [change for change in found.changes if change.beyond(within / 100)]
    terminal.changes(out, found, changed, form(as_json, as_csv))
    if any(change.difference > 0 or not allow_faster for change in changed):
        raise typer.Exit(Status.FAILED)


@subcommand(
    epilog="""
        switchyard figure l4-ipc.pdf
        switchyard figure l4-ipc.pdf --columns one --no-title --results here
    """
)
def figure(
    out: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Written: NAME.pdf or .svg, of an experiment NAME."),
    ],
    name: Annotated[
        str,
        typer.Option("--of", metavar="NAME", help="The experiment, if the file's name is not its."),
    ] = "",
    columns: Annotated[
        str, typer.Option(metavar="one|two", help="How wide: columns of a paper's page.")
    ] = "two",
    no_title: Annotated[
        bool, typer.Option("--no-title", help="Leave the title to a caption.")
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--results",
            metavar="DIR",
            help=f"Records; {RESULTS} if not given and there, else those of the book.",
        ),
    ] = None,
) -> None:
    """Draw an experiment's figure for a paper."""
    from switchyard import experiments as registry
    from switchyard.data import files
    from switchyard.data import results as kept
    from switchyard.errors import one_of
    from switchyard.show import book, paper, views

    if out.suffix not in (".pdf", ".svg"):
        raise InputError(f"{out}: expected a file that ends in .pdf or .svg")
    wanted = name or out.stem
    whose = [key for key in registry.EXPERIMENTS if f"{wanted}-".startswith(f"{key}-")]
    if not whose:
        raise InputError(f"{wanted}: unknown figure; {one_of(wanted, registry.EXPERIMENTS)}")
    experiment = registry.EXPERIMENTS[max(whose, key=len)]
    files.writable(out)
    records = (folder or RESULTS) / f"{experiment.name}{kept.RECORDS}"
    if folder is None and not records.exists():
        records = book.kept() / f"{experiment.name}{kept.CASES}"
    if not records.exists():
        raise InputError(f"{records}: not found; expected: switchyard run {experiment.name}")
    figures = views.outcome(experiment, kept.read(records).records).figures(experiment.name)
    if wanted not in figures:
        raise InputError(f"{wanted}: unknown figure; {one_of(wanted, figures)}")
    if out.suffix == ".pdf":
        files.write(out, paper.pdf(figures[wanted], columns, not no_title))
    else:
        files.write(out, paper.svg(figures[wanted], columns, not no_title))
    console, _ = consoles()
    console.print(f"written: {short(out)}, from {short(records)}", soft_wrap=True)
