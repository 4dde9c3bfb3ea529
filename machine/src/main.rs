// SPDX-License-Identifier: Apache-2.0
//! The command `switchyard-machine`: lists machines, boots a kernel on one, answers test vectors.
//!
//! The guest's console is stdout and the terminal's keys, messages are stderr. Exit status: 0 the
//! guest ended with status 0, or was left with Ctrl-A x; 1 it failed, died, hung or used up its
//! cycles; 2 wrong usage or bad input, one line.

mod output;
mod terminal;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde_json::json;

use switchyard_machine::arch::{Architecture, Processor};
use switchyard_machine::arm::Arm;
use switchyard_machine::assumed;
use switchyard_machine::board::{self, Board};
use switchyard_machine::check::{Checker, Finding};
use switchyard_machine::config::{MachineConfig, ProcessorConfig, BUILT_IN};
use switchyard_machine::dev::network::Mac;
use switchyard_machine::dev::Host;
use switchyard_machine::error::{read_file, Error, MOST_ELF};
use switchyard_machine::event::Cycle;
use switchyard_machine::gdb::Listener;
use switchyard_machine::ia32::Ia32;
use switchyard_machine::loader::{self, Boot};
use switchyard_machine::log::Log;
use switchyard_machine::machine::{Machine, Stop};
use switchyard_machine::net::{self, Address, Cable, Pair};
use switchyard_machine::profile::{export, table, Profile, RegionProfile};
use switchyard_machine::recording::{self, Beginning, How, Recording, A_RECORDING};
use switchyard_machine::report::{self, End};
use switchyard_machine::snapshot::{self, Saved};
use switchyard_machine::state::Damaged;
use switchyard_machine::symbols::Symbols;
use switchyard_machine::trace::Trace;
use switchyard_machine::vectors;
use switchyard_machine::watchers::Watchers;
use switchyard_machine::window::moment::{Moment, Way};
use switchyard_machine::window::{Plan, Window};

use output::{Output, Stream};
use terminal::{Console, Network};

const NAME: &str = "switchyard-machine";
const GUEST_FAILED: u8 = 1;
const BAD_INPUT: u8 = 2;
/// Cycles between two looks at whether a window is over.
const WINDOW_SLICE: Cycle = 100_000;

/// Simulated machines for operating systems on processors with expensive address-space switches.
#[derive(Parser)]
#[command(name = NAME, version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the machine descriptions, or say of one what of it is assumed.
    Machines {
        /// That machine only: a name, or a machine file.
        machine: Option<String>,
        /// As a JSON list of objects.
        #[arg(long)]
        json: bool,
    },
    /// Run a system; its console is this terminal.
    Boot(Box<BootArgs>),
    /// Answer architectural test vectors from stdin on stdout.
    Vectors {
        /// A machine's name, or a machine file that ends in .toml.
        #[arg(long, default_value = "sa1110")]
        machine: String,
        /// Run the streams through MMU, caches and write buffer; the answers are the same.
        #[arg(long)]
        caches: bool,
    },
}

#[derive(Args)]
struct BootArgs {
    /// A machine's name, or a machine file that ends in .toml.
    #[arg(long, required_unless_present = "restore")]
    machine: Option<String>,
    /// An ELF32 executable; for ARM boards also a raw image, for a PC a bzImage.
    #[arg(long, required_unless_present = "restore")]
    kernel: Option<PathBuf>,
    /// The kernel's command line.
    #[arg(long, allow_hyphen_values = true)]
    append: Option<String>,
    /// An initial RAM disk.
    #[arg(long)]
    initrd: Option<PathBuf>,
    /// A device tree (DTB), for kernels that want one instead of boot tags.
    #[arg(long)]
    dtb: Option<PathBuf>,
    /// Go on from this file, which --save has written, in place of loading a kernel.
    #[arg(long, conflicts_with_all = ["kernel", "append", "initrd", "dtb"])]
    restore: Option<PathBuf>,
    /// End with the guest's own exit status, 0 to 255, and no word about it.
    #[arg(long)]
    pass_status: bool,
    /// Write the whole machine to this file when the run ends.
    #[arg(long)]
    save: Option<PathBuf>,
    /// End the run after so many cycles.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    max_cycles: Option<Cycle>,
    /// Write statistics (JSON) to this file.
    #[arg(long)]
    stats: Option<PathBuf>,
    /// Write the host's time of the run (JSON) to this file.
    #[arg(long)]
    host_time: Option<PathBuf>,
    /// Write one line an instruction to this file.
    #[arg(long)]
    log: Option<PathBuf>,
    /// Write a timeline, which ui.perfetto.dev opens, to this file.
    #[arg(long)]
    trace: Option<PathBuf>,
    /// Say where the cycles of regions of interest went, by function and cause: in the statistics, or
    /// without --stats in a table at the end, which has the whole run if there is no region.
    #[arg(long)]
    profile: bool,
    /// Write the same by who called whom to this file, for www.speedscope.app.
    #[arg(long)]
    speedscope: Option<PathBuf>,
    /// Write it for KCachegrind and callgrind_annotate.
    #[arg(long)]
    callgrind: Option<PathBuf>,
    /// Write how often each instruction of regions of interest was executed (CSV) to this file.
    #[arg(long)]
    counts: Option<PathBuf>,
    /// Write what each instruction between two moments changes and costs (JSON) to this file, and
    /// end the run there.
    #[arg(long)]
    window: Option<PathBuf>,
    /// Begin the window at the last of these moments: a cycle, region:N, sample:N, event:N, user,
    /// kernel, exception:NAME, an address or a function, and *N behind it for the Nth time.
    #[arg(long, value_name = "MOMENT", requires = "window")]
    from: Vec<String>,
    /// Take the first window within which these moments come.
    #[arg(long, value_name = "MOMENT", requires = "window")]
    having: Vec<String>,
    /// End the window at the last of these moments.
    #[arg(long, value_name = "MOMENT", requires = "window")]
    to: Vec<String>,
    /// End the window after so many steps at the latest.
    #[arg(long, value_name = "N", requires = "window", default_value_t = 20_000)]
    steps: usize,
    /// Name places in --log, --trace, profiles and findings of --check by the functions of this ELF file (may be repeated).
    #[arg(long, value_name = "ELF")]
    symbols: Vec<PathBuf>,
    /// Compare each access with an ideal machine's (`coherence`) and report what was forgotten.
    #[arg(long)]
    check: Option<Check>,
    /// Wait at HOST:PORT, or :PORT of this computer, for GDB; the machine starts stopped.
    #[arg(long, value_name = "ADDR")]
    gdb: Option<String>,
    /// Connect the network interface: unix:PATH, listen-unix:PATH, tcp:HOST:PORT or
    /// listen-tcp:HOST:PORT.
    #[arg(long, value_name = "ADDR")]
    net: Option<String>,
    /// The address of the network interface, such as 02:53:59:42:00:07.
    #[arg(long, value_name = "ADDR")]
    mac: Option<String>,
    /// Start this image on a second machine at the other end of the cable, in step with the first.
    #[arg(long, value_name = "KERNEL", conflicts_with_all = ["net", "gdb", "save", "restore"])]
    peer: Option<PathBuf>,
    /// The second machine: a name, or a machine file; without it, one like the first.
    #[arg(long, value_name = "MACHINE", requires = "peer")]
    peer_machine: Option<String>,
    /// Its kernel's command line.
    #[arg(
        long,
        value_name = "WORDS",
        requires = "peer",
        allow_hyphen_values = true
    )]
    peer_append: Option<String>,
    /// Type the contents of this file on the console; one that begins with `#!expect` is a script.
    #[arg(long)]
    input: Option<PathBuf>,
    /// Write what comes from outside (keys, --input, the network) with its cycles to this file.
    #[arg(long, conflicts_with_all = ["gdb", "peer"])]
    record: Option<PathBuf>,
    /// Take it from that file: the run is the recorded one again.
    #[arg(long, conflicts_with_all = ["record", "input", "net", "mac", "peer", "console"])]
    replay: Option<PathBuf>,
    /// The console is this serial port of the machine; without it, the first.
    #[arg(long, value_name = "NUMBER")]
    console: Option<u32>,
}

/// What can be checked.
#[derive(Clone, Copy, ValueEnum)]
enum Check {
    /// Caches, TLBs and write buffer: `check/`.
    Coherence,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let done = match cli.command {
        Command::Machines { machine, json } => machines(machine.as_deref(), json),
        Command::Boot(args) => boot(&args),
        Command::Vectors { machine, caches } => answer_vectors(&machine, caches),
    };
    match done {
        Ok(status) => status,
        Err(line) => refuse(line),
    }
}

fn refuse(line: String) -> ExitCode {
    let _ = writeln!(io::stderr(), "{NAME}: {line}");
    ExitCode::from(BAD_INPUT)
}

/// Help and version as clap prints them; anything else in one line.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        let shown = output::print(error.to_string().as_bytes());
        return shown.map_or_else(refuse, |()| ExitCode::SUCCESS);
    }
    let text = error.to_string();
    let message: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect();
    let message = message.join(" ");
    let message = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "no command",
        _ => message.strip_prefix("error: ").unwrap_or(&message),
    };
    let _ = writeln!(io::stderr(), "{NAME}: {message}; expected what --help says");
    ExitCode::from(BAD_INPUT)
}

fn machines(only: Option<&str>, as_json: bool) -> Result<ExitCode, String> {
    let mut text = String::new();
    let mut list = Vec::new();
    let every: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    for spec in only.map_or(every, |one| vec![one]) {
        let (config, _) = described(spec)?;
        let name = &config.name;
        text += &format!("{name:<16} {}\n", config.description);
        if only.is_some() {
            text += &ranges(&config);
        }
        let icache = config.processor.insn_cache().map(|icache| {
            json!({
                "size_bytes": icache.size_bytes,
                "ways": icache.ways,
                "line_bytes": icache.line_bytes,
            })
        });
        list.push(json!({
            "name": name,
            "description": config.description,
            "clock_hz": config.clock_hz,
            "board": config.board,
            "ram_bytes": config.ram_bytes,
            "icache": icache,
            "assumed": assumed_of(&config),
        }));
    }
    if as_json {
        text = format!("{}\n", json!(list));
    }
    output::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The same for people, a line each.
fn ranges(config: &MachineConfig) -> String {
    let described: toml::Table = config.text.parse().expect("it has been parsed before");
    let mut text = String::new();
    for (name, range) in &config.assumed {
        let value = assumed::value(&described, name).expect("it was checked to be there");
        let (low, high, why) = (range.low, range.high, &range.why);
        text += &format!("  assumed: {name} = {value}, from {low} to {high}: {why}\n");
    }
    text
}

/// A machine's assumed constants with their values and ranges.
fn assumed_of(config: &MachineConfig) -> serde_json::Value {
    let described: toml::Table = config.text.parse().expect("it has been parsed before");
    let ranges = config.assumed.iter().map(|(name, range)| {
        let value = assumed::value(&described, name);
        let line = json!({"value": value, "low": range.low, "high": range.high, "why": range.why});
        (name.clone(), line)
    });
    serde_json::Value::Object(ranges.collect())
}

/// The machine that `name` means, and its board.
fn described(name: &str) -> Result<(MachineConfig, &'static Board), String> {
    let config = MachineConfig::find(name).map_err(|error| error.to_string())?;
    let board = board::of(&config, Path::new(name)).map_err(|error| error.to_string())?;
    Ok((config, board))
}

fn answer_vectors(machine: &str, caches: bool) -> Result<ExitCode, String> {
    let (config, board) = described(machine)?;
    let mut output = BufWriter::new(io::stdout().lock());
    let parts = (board.parts)(config.ram_bytes);
    let caches = if caches {
        vectors::Caches::On
    } else {
        vectors::Caches::Off
    };
    vectors::run(&config, parts, caches, &mut io::stdin().lock(), &mut output)?;
    Ok(ExitCode::SUCCESS)
}

/// What the options put beside a machine.
type Watched<A> = Watchers<BufWriter<File>, A>;

/// What observers have found for the statistics, if they were there.
#[derive(Default)]
struct Found {
    findings: Option<Vec<Finding>>,
    /// The names of their places.
    symbols: Symbols,
    profile: Option<Vec<RegionProfile>>,
    /// The profile as a table, if it is to be shown.
    table: String,
}

/// The files that the options name, the written ones first, and how many these are.
fn files(args: &BootArgs) -> (Vec<(&'static str, &Path)>, usize) {
    let stats = args.stats.as_deref().filter(|f| *f != Path::new("-"));
    let written = [
        ("--stats", stats),
        ("--host-time", args.host_time.as_deref()),
        ("--log", args.log.as_deref()),
        ("--trace", args.trace.as_deref()),
        ("--speedscope", args.speedscope.as_deref()),
        ("--callgrind", args.callgrind.as_deref()),
        ("--counts", args.counts.as_deref()),
        ("--window", args.window.as_deref()),
        ("--save", args.save.as_deref()),
        ("--record", args.record.as_deref()),
    ];
    let machine = args.machine.as_deref().filter(|m| m.ends_with(".toml"));
    let read = [
        ("--kernel", args.kernel.as_deref()),
        ("--initrd", args.initrd.as_deref()),
        ("--dtb", args.dtb.as_deref()),
        ("--restore", args.restore.as_deref()),
        ("--input", args.input.as_deref()),
        ("--replay", args.replay.as_deref()),
        ("--peer", args.peer.as_deref()),
        ("--machine", machine.map(Path::new)),
    ];
    let mut files: Vec<(&'static str, &Path)> = Vec::new();
    files.extend(
        written
            .into_iter()
            .filter_map(|(option, file)| Some((option, file?))),
    );
    let count = files.len();
    files.extend(
        read.into_iter()
            .filter_map(|(option, file)| Some((option, file?))),
    );
    files.extend(
        args.symbols
            .iter()
            .map(|file| ("--symbols", file.as_path())),
    );
    (files, count)
}

fn boot(args: &BootArgs) -> Result<ExitCode, String> {
    let (names, written) = files(args);
    output::all_different(&names, written)?;
    let origin = Origin::of(args)?;
    match origin.config.processor {
        ProcessorConfig::Arm(_) => boot_on::<Arm>(args, origin),
        ProcessorConfig::Ia32(_) => boot_on::<Ia32>(args, origin),
    }
}

/// Boots a machine of architecture `A`, under the observers that the options name.
fn boot_on<A: Architecture>(args: &BootArgs, origin: Origin) -> Result<ExitCode, String> {
    let listener = args.gdb.as_deref().map(Listener::new).transpose()?;
    let files = args.log.is_some() || args.trace.is_some();
    let by_calls = args.profile && args.stats.is_none()
        || args.speedscope.is_some()
        || args.callgrind.is_some();
    let profiled = args.profile || args.counts.is_some() || by_calls;
    let windowed = args.window.is_some();
    if !files && !profiled && !windowed && args.check.is_none() && listener.is_none() {
        let finish = |(): &mut (), _| Ok(Found::default());
        return run::<A::Core<()>>(args, origin, (), |_, _| Ok(()), Console::run, finish);
    }
    let (given, all) = symbols(args)?;
    let mut streams = (None, None);
    let opened = args.log.as_deref().map(Stream::new).transpose()?;
    let log = opened.map(|(stream, out)| {
        streams.0 = Some(stream);
        out
    });
    let opened = args.trace.as_deref().map(Stream::new).transpose()?;
    let trace = opened.map(|(stream, out)| {
        streams.1 = Some(stream);
        out
    });
    let counts = args.counts.as_deref().map(Output::new).transpose()?;
    let window_file = args.window.as_deref().map(Output::new).transpose()?;
    let plan = windowed.then(|| plan(args, &all)).transpose()?;
    let speedscope = args.speedscope.as_deref().map(Output::new).transpose()?;
    let callgrind = args.callgrind.as_deref().map(Output::new).transpose()?;
    let name = origin.config.name.clone();
    run::<A::Core<Watched<A>>>(
        args,
        origin,
        Watchers::none(),
        |config: &MachineConfig, machine: &mut Machine<A::Core<Watched<A>>>| {
            let watchers = machine.core().observer();
            watchers.log = log.map(|out| Log::new(out, given));
            if let Some(out) = trace {
                let trace = Trace::new(out, &config.name, config.clock_hz, all.clone());
                watchers.trace = Some(trace);
                machine.bus().host.marks = Some(Vec::new());
            }
            // Once memory is loaded: the checker's copy of it begins there.
            let core = machine.core();
            let memory = A::memory::<Watched<A>>(core);
            let checker = args.check.map(|Check::Coherence| A::Checker::new(memory));
            let watchers = core.observer();
            watchers.checker = checker;
            watchers.profile = profiled.then(|| Profile::new(all.clone(), by_calls));
            watchers.window = plan.map(|plan| Window::new(&config.name, config.clock_hz, plan));
            if args.restore.is_some() {
                core.show_restored();
            }
            Ok(())
        },
        |console, machine, until| match &listener {
            Some(listener) => console.run_debugged(listener, machine, until),
            None if windowed => run_window::<A>(console, machine, until),
            None => console.run(machine, until),
        },
        |watchers, cycle| {
            let Watchers {
                log,
                trace,
                checker,
                profile,
                window,
                ..
            } = watchers;
            if let (Some(log), Some(stream)) = (log, &streams.0) {
                stream.finish(log.finish())?;
            }
            if let (Some(trace), Some(stream)) = (trace, &streams.1) {
                stream.finish(trace.finish(cycle))?;
            }
            if let (Some(profile), Some(counts)) = (&*profile, counts) {
                counts.write(|out| profile.write_counts(out))?;
            }
            if let (Some(window), Some(file)) = (&*window, window_file) {
                match window.missed() {
                    Some(why) => return Err(format!("--window: {why}")),
                    None => file.write(|out| window.write(out))?,
                }
            }
            let calls = profile.as_ref().and_then(Profile::calls);
            if let (Some(calls), Some(file)) = (calls, speedscope) {
                file.write(|out| export::speedscope(calls, &name, out))?;
            }
            if let (Some(calls), Some(file)) = (calls, callgrind) {
                file.write(|out| export::callgrind(calls, &name, out))?;
            }
            let table = calls.filter(|_| args.profile && args.stats.is_none());
            let named = profile.as_ref().filter(|_| args.profile);
            Ok(Found {
                findings: checker.as_ref().map(Checker::findings),
                symbols: all.clone(),
                profile: named.map(Profile::regions),
                table: table
                    .map_or_else(String::new, |calls| table::table(calls, terminal::width())),
            })
        },
    )
}

/// Where the window is to begin and end.
fn plan(args: &BootArgs, symbols: &Symbols) -> Result<Plan, String> {
    let way = |option: &str, moments: &[String]| {
        let parsed = moments.iter().map(|text| Moment::parse(text, symbols));
        let moments: Result<Vec<Moment>, String> = parsed.collect();
        moments
            .map(Way::new)
            .map_err(|error| format!("{option} {error}"))
    };
    Ok(Plan {
        from: way("--from", &args.from)?,
        having: way("--having", &args.having)?,
        to: way("--to", &args.to)?,
        most: args.steps,
    })
}

/// Runs until the window is over.
fn run_window<A: Architecture>(
    console: &mut Console,
    machine: &mut Machine<A::Core<Watched<A>>>,
    until: Cycle,
) -> Result<Stop, String> {
    loop {
        let slice = machine.cycles().saturating_add(WINDOW_SLICE).min(until);
        let stop = console.run(machine, slice)?;
        let window = machine.core().observer().window.as_ref();
        if window.is_some_and(Window::is_over) {
            return Ok(Stop::Watched);
        }
        if stop != Stop::Budget || slice == until {
            return Ok(stop);
        }
    }
}

/// The functions of the files that `--symbols` names; these and the kernel's, if it has any.
fn symbols(args: &BootArgs) -> Result<(Symbols, Symbols), String> {
    let mut symbols = Symbols::new();
    for file in &args.symbols {
        symbols.add(file).map_err(|error| error.to_string())?;
    }
    let given = symbols.clone();
    if let Some(kernel) = &args.kernel {
        symbols.add_if_any(kernel);
    }
    Ok((given, symbols))
}

/// Boots and runs; `begin` is called when memory is loaded, `go` to run up to a cycle, `finish`
/// after the run, which gives what observers have found.
fn run<P: Processor>(
    args: &BootArgs,
    origin: Origin,
    observer: P::Observer,
    begin: impl FnOnce(&MachineConfig, &mut Machine<P>) -> Result<(), String>,
    go: impl FnOnce(&mut Console, &mut Machine<P>, Cycle) -> Result<Stop, String>,
    finish: impl FnOnce(&mut P::Observer, Cycle) -> Result<Found, String>,
) -> Result<ExitCode, String> {
    let (config, mut machine) = origin.machine(args, observer)?;
    if let Some(number) = args.console {
        machine.bus().host.console = serial_port(&machine.bus().serial_ports(), number, &config)?;
    }
    let recorded = args
        .replay
        .as_deref()
        .map(|file| replayed(args, file, &config, &mut machine));
    let recorded = recorded.transpose()?;
    begin(&config, &mut machine)?;
    let record = args.record.as_deref().map(Output::new).transpose()?;
    let beginning = record.as_ref().map(|_| beginning(args, &config, &machine));
    let beginning = beginning.transpose()?;
    if beginning.is_some() {
        machine.record();
    }
    let mut console = match recorded {
        Some((end, how)) => Console::replay(end, how, config.clock_hz),
        None => {
            let network = plug(args, &mut machine, &config)?;
            Console::open(
                args.input.as_deref(),
                network,
                &mut machine,
                config.clock_hz,
            )?
        }
    };
    // Before the run, so that a long one does not end in a file that cannot be written.
    let stats = args.stats.as_deref().map(Output::or_stdout).transpose()?;
    let host_time = args.host_time.as_deref().map(Output::new).transpose()?;
    let save = args.save.as_deref().map(Output::new).transpose()?;

    let began = Instant::now();
    let until = args.max_cycles.unwrap_or(Cycle::MAX);
    let stop = go(&mut console, &mut machine, until)?;
    let seconds = began.elapsed().as_secs_f64();
    console.close();

    let cycles = machine.cycles();
    if let (Some(record), Some(beginning)) = (record, beginning) {
        let recording = Recording {
            beginning,
            mac: machine.bus().host.net.mac,
            console: machine.bus().host.console.to_string(),
            inputs: machine.take_recorded(),
            end: cycles,
            how: console.how(&stop),
        };
        record.write(|out| out.write_all(recording.text().as_bytes()))?;
    }
    let end = End::new(stop, cycles);
    let found = finish(machine.core().observer(), cycles)?;
    // Before the statistics, which close the regions of interest.
    if let Some(output) = save {
        output.write(|out| snapshot::save(&mut machine, out))?;
    }
    if let Some(output) = stats {
        let statistics = report::statistics(
            &config,
            &mut machine,
            &end,
            found.findings.as_deref().map(|f| (f, &found.symbols)),
            found.profile.as_deref(),
        );
        output.write(|out| out.write_all(statistics.as_bytes()))?;
    }
    if let Some(output) = host_time {
        output.write(|out| writeln!(out, "{}", json!({ "seconds": seconds })))?;
    }
    let findings = found.findings.unwrap_or_default();
    let mut message = found.table;
    message += &report::findings(NAME, &findings, &found.symbols);
    if !console.used {
        message += &unheard(&machine.bus().host);
    }
    let paused =
        matches!(end.kind, "left" | "watched") || end.kind == "max-cycles" && args.save.is_some();
    if end.good() || paused {
        if paused {
            message += &format!("{NAME}: {}", end.message);
            if let Some(file) = &args.save {
                message += &format!("; saved in {}", file.display());
            }
            message.push('\n');
        }
        let _ = io::stderr().write_all(message.as_bytes());
        return Ok(if findings.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(GUEST_FAILED)
        });
    }
    if let (true, "exit", Some(status)) = (args.pass_status, end.kind, end.status) {
        let _ = io::stderr().write_all(message.as_bytes());
        return Ok(ExitCode::from(status as u8));
    }
    message += &format!("{NAME}: {}\n", end.message);
    if end.kind != "exit" {
        message += &report::state(&mut machine, &console.tail);
    }
    let _ = io::stderr().write_all(message.as_bytes());
    Ok(ExitCode::from(GUEST_FAILED))
}

/// What this run begins with, as recordings know it.
fn beginning<P: Processor>(
    args: &BootArgs,
    config: &MachineConfig,
    machine: &Machine<P>,
) -> Result<Beginning, String> {
    let files = [&args.kernel, &args.initrd, &args.dtb, &args.restore];
    let mut parts = vec![args.append.clone().unwrap_or_default().into_bytes()];
    for file in files {
        let read = |file: &PathBuf| read_file(file, "what was loaded", MOST_ELF);
        let bytes = file.as_ref().map(read).transpose();
        parts.push(
            bytes
                .map_err(|error| error.to_string())?
                .unwrap_or_default(),
        );
    }
    Ok(Beginning {
        machine: config.name.clone(),
        described: recording::hash([config.text.as_bytes()]),
        cycle: machine.cycles(),
        loaded: recording::hash(parts.iter().map(Vec::as_slice)),
    })
}

/// Has the machine replay what `file` says; when and how that ends.
fn replayed<P: Processor>(
    args: &BootArgs,
    file: &Path,
    config: &MachineConfig,
    machine: &mut Machine<P>,
) -> Result<(Cycle, How), String> {
    let unfit = |what: String| {
        Error::Image {
            file: file.to_path_buf(),
            what,
            expected: A_RECORDING.to_string(),
        }
        .to_string()
    };
    let bytes = read_file(file, A_RECORDING, recording::MOST).map_err(|error| error.to_string())?;
    let recording = Recording::parse(&bytes).map_err(unfit)?;
    let beginning = beginning(args, config, machine)?;
    recording.fits(&beginning).map_err(unfit)?;
    let host = machine.bus();
    let ports = host.serial_ports();
    let port = ports.iter().find(|port| **port == recording.console);
    let port = port.ok_or_else(|| unfit(format!("has the console {}", recording.console)))?;
    host.host.console = port;
    host.host.net.mac = recording.mac;
    machine.replay(recording.inputs);
    if beginning.cycle != recording.beginning.cycle {
        machine.skip_replayed();
    }
    Ok((recording.end, recording.how))
}

/// Serial port `number` of those there are: `uart3`.
fn serial_port(
    ports: &[&'static str],
    number: u32,
    config: &MachineConfig,
) -> Result<&'static str, String> {
    let wanted = format!("uart{number}");
    let found = ports.iter().find(|port| **port == wanted);
    found.copied().ok_or_else(|| {
        let numbers: Vec<&str> = ports.iter().map(|port| number_of(port)).collect();
        let name = &config.name;
        let expected = numbers.join(", ");
        format!("--console {number}: {name} has no such serial port; expected one of {expected}")
    })
}

fn number_of(port: &str) -> &str {
    port.trim_start_matches("uart")
}

/// What to say of a console that nothing was written to: perhaps it is another port.
fn unheard(host: &Host) -> String {
    let Some(port) = host.unheard.first() else {
        return String::new();
    };
    let (console, other) = (number_of(host.console), number_of(port));
    format!(
        "{NAME}: nothing was written to serial port {console}, the console, but to {other}: \
         --console {other} shows it\n"
    )
}

/// Gives the network interface its address, and connects it if that is asked for.
fn plug<P: Processor>(
    args: &BootArgs,
    machine: &mut Machine<P>,
    config: &MachineConfig,
) -> Result<Network, String> {
    let net: Option<Address> = parsed("--net", args.net.as_deref())?;
    let listens = net.as_ref().is_some_and(Address::listens);
    let own = if listens {
        Mac::LISTENER
    } else {
        Mac::default()
    };
    let mac = parsed("--mac", args.mac.as_deref())?;
    let peer = args.peer.as_ref().map(|file| file.display().to_string());
    let options = [
        ("--net", &args.net),
        ("--mac", &args.mac),
        ("--peer", &peer),
    ];
    for (argument, text) in options {
        if let Some(text) = text {
            must_have_network(&format!("{argument} {text}"), machine, config)?;
        }
    }
    machine.bus().host.net.mac = mac.unwrap_or(own);
    if let Some(image) = &args.peer {
        let named = args.peer_machine.as_deref().or(args.machine.as_deref());
        let (peer, board) = described(named.unwrap_or_default())?;
        return match peer.processor {
            ProcessorConfig::Arm(_) => pair::<_, Arm>(args, image, machine, config, &peer, board),
            ProcessorConfig::Ia32(_) => pair::<_, Ia32>(args, image, machine, config, &peer, board),
        };
    }
    let Some(address) = net else {
        return Ok(Network::Unplugged);
    };
    let wire = net::open(&address, terminal::say)?;
    let cable = Cable::plug(wire, machine, config.clock_hz, terminal::say);
    Ok(Network::Cable(cable))
}

/// Refuses `option` for a machine that has no network interface.
fn must_have_network<P: Processor>(
    option: &str,
    machine: &mut Machine<P>,
    config: &MachineConfig,
) -> Result<(), String> {
    if machine.bus().has_network() {
        return Ok(());
    }
    let what = format!("machine {} has no network interface", config.name);
    let expected = "a machine with the board versatile or isa-pc";
    Err(format!("{option}: {what}; expected {expected}"))
}

/// Makes the machine that `peer` describes, loads `image` and connects `machine` to it.
fn pair<P: Processor, A: Architecture>(
    args: &BootArgs,
    image: &Path,
    machine: &mut Machine<P>,
    config: &MachineConfig,
    peer: &MachineConfig,
    board: &'static Board,
) -> Result<Network, String>
where
    A::Core<()>: 'static,
{
    let mut second = Machine::<A::Core<()>>::new(peer, (board.parts)(peer.ram_bytes), ());
    must_have_network(&format!("--peer-machine {}", peer.name), &mut second, peer)?;
    second.bus().host.net.mac = Mac::LISTENER;
    let system = Boot {
        kernel: image,
        append: args.peer_append.as_deref(),
        initrd: None,
        dtb: None,
    };
    let start = loader::load(&system, board, second.bus()).map_err(|error| error.to_string())?;
    second.core().start(start.pc, &start.registers);
    let clocks = (config.clock_hz, peer.clock_hz);
    let pair = Pair::plug(machine, second, clocks, terminal::say);
    Ok(Network::Pair(pair))
}

fn parsed<T: std::str::FromStr<Err = String>>(
    argument: &str,
    text: Option<&str>,
) -> Result<Option<T>, String> {
    let parse = |text: &str| text.parse();
    let wrong = |text: &str, error| format!("{argument} {text}: {error}");
    text.map(|text| parse(text).map_err(|error| wrong(text, error)))
        .transpose()
}

/// Which machine is to run, and what it begins with: a kernel, or the file that it was saved in.
struct Origin<'a> {
    config: MachineConfig,
    board: &'static Board,
    saved: Option<(&'a Path, Saved<BufReader<File>>)>,
}

impl<'a> Origin<'a> {
    /// What the options say. A saved machine brings its machine file with it.
    fn of(args: &'a BootArgs) -> Result<Self, String> {
        let Some(file) = args.restore.as_deref() else {
            // clap has seen to it that there is a machine.
            let (config, board) = described(args.machine.as_deref().unwrap_or_default())?;
            return Ok(Self {
                config,
                board,
                saved: None,
            });
        };
        let opened = File::open(file).map_err(|source| {
            let file = file.to_path_buf();
            Error::Unreadable {
                file,
                source,
                expected: "a machine that --save has written",
            }
            .to_string()
        })?;
        let saved = Saved::open(BufReader::new(opened)).map_err(|damaged| unfit(file, damaged))?;
        let config =
            MachineConfig::parse(file, saved.described()).map_err(|error| error.to_string())?;
        if let Some(name) = &args.machine {
            if described(name)?.0.text != config.text {
                let what = format!("is of another machine than {name}: its {}", config.name);
                return Err(unfit(file, Damaged(what)));
            }
        }
        let board = board::of(&config, file).map_err(|error| error.to_string())?;
        Ok(Self {
            config,
            board,
            saved: Some((file, saved)),
        })
    }

    /// The machine, with its kernel loaded or as it was saved.
    fn machine<P: Processor>(
        self,
        args: &BootArgs,
        observer: P::Observer,
    ) -> Result<(MachineConfig, Machine<P>), String> {
        let Self {
            config,
            board,
            saved,
        } = self;
        let mut machine = Machine::<P>::new(&config, (board.parts)(config.ram_bytes), observer);
        if let Some((file, saved)) = saved {
            let restored = saved.restore(&mut machine);
            restored.map_err(|damaged| unfit(file, damaged))?;
            return Ok((config, machine));
        }
        let system = Boot {
            // clap has seen to it that it is there.
            kernel: args.kernel.as_deref().unwrap_or(Path::new("")),
            append: args.append.as_deref(),
            initrd: args.initrd.as_deref(),
            dtb: args.dtb.as_deref(),
        };
        let start = loader::load(&system, board, machine.bus());
        let start = start.map_err(|error| error.to_string())?;
        machine.core().start(start.pc, &start.registers);
        Ok((config, machine))
    }
}

/// What is said of a file that no machine can go on from.
fn unfit(file: &Path, Damaged(what): Damaged) -> String {
    Error::Image {
        file: file.to_path_buf(),
        what,
        expected: "a machine that --save has written".to_string(),
    }
    .to_string()
}
