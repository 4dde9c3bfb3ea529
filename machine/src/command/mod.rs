// SPDX-License-Identifier: Apache-2.0
//! The command line of `switchyard-machine`: lists machines, boots a kernel on one, answers test vectors.
//!
//! The guest's console is stdout and the terminal's keys, messages are stderr. Exit status: 0 the
//! guest ended with status 0, or was left with Ctrl-A x; 1 it failed, died, hung or used up its
//! cycles; 2 wrong usage or bad input, one line.

mod args;
mod device;
mod drive;
mod network;
mod observers;
mod origin;
mod output;
mod quantity;
mod replay;
mod screen;
mod terminal;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::Parser;
use serde_json::json;

use crate::arch::{Architecture, Processor};
use crate::assumed;
use crate::check;
use crate::config::MachineConfig;
use crate::dev::{virtio, Host};
use crate::event::Cycle;
use crate::loader;
use crate::machine::Machine;
use crate::registry::{self, Registry, Task};
use crate::report::{self, End};
use crate::snapshot;
use crate::vectors;
use crate::watchers::Watchers;

use self::args::{files, BootArgs, Cli, Command};
use self::network::plug;
use self::observers::{Beside, Found, Observers, Watched};
use self::origin::{described, Origin};
use self::output::Output;
use self::replay::{replayed, Recorder};
use self::screen::Screen;
use self::terminal::Console;

const NAME: &str = "switchyard-machine";
const GUEST_FAILED: u8 = 1;
const BAD_INPUT: u8 = 2;

/// The program: does what the command line says; its exit status.
#[cfg(not(test))] // unit tests would compile every machine for it
#[must_use]
pub fn main() -> ExitCode {
    end_at_a_panic();
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

/// Whichever thread panics, the others do not go on without it.
#[cfg(not(test))]
fn end_at_a_panic() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tell(panic);
        std::process::abort();
    }));
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
    if let Some(line) = refused_value(error) {
        return refuse(line);
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

/// The line on a value that one of our own parsers has refused, which says what was expected.
fn refused_value(error: &clap::Error) -> Option<String> {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let wrong =
        std::error::Error::source(error).filter(|_| error.kind() == ErrorKind::ValueValidation);
    let option = said(ContextKind::InvalidArg)?.split(' ').next()?;
    let value = said(ContextKind::InvalidValue)?;
    Some(format!("{option} {value}: {}", wrong?))
}

fn machines(only: Option<&str>, as_json: bool) -> Result<ExitCode, String> {
    let mut text = String::new();
    let mut list = Vec::new();
    let registry = Registry::every();
    let every: Vec<&str> = registry.machines().map(|(name, _)| name).collect();
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

/// A machine's assumed constants for people, a line each.
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

fn answer_vectors(machine: &str, caches: bool) -> Result<ExitCode, String> {
    let (config, board) = described(machine)?;
    let mut output = BufWriter::new(io::stdout().lock());
    let parts = (board.parts)(config.ram_bytes);
    let caches = if caches {
        vectors::Caches::On
    } else {
        vectors::Caches::Off
    };
    Registry::every().answer_vectors(
        &config,
        parts,
        caches,
        &mut io::stdin().lock(),
        &mut output,
    )?;
    Ok(ExitCode::SUCCESS)
}

fn boot(args: &BootArgs) -> Result<ExitCode, String> {
    let (mut names, written) = files(args);
    // Several modules, if the kernel takes them.
    let initrd = args.initrd.as_deref();
    let modules = initrd.map_or_else(Vec::new, loader::pieces);
    names.extend(modules.iter().map(|m| ("--initrd", m.file.as_path())));
    output::all_different(&names, written)?;
    let origin = Origin::of(args)?;
    let config = origin.config.clone();
    registry::dispatch(&config, Booting { args, origin })
}

/// A machine that is to boot, of an architecture that its machine file decides.
struct Booting<'a> {
    args: &'a BootArgs,
    origin: Origin<'a>,
}

impl Task for Booting<'_> {
    type Output = Result<ExitCode, String>;

    fn on<A: Architecture>(self) -> Self::Output {
        boot_on::<A>(self.args, self.origin)
    }
}

/// Boots a machine of architecture `A`, under the observers that the options name.
fn boot_on<A: Architecture>(args: &BootArgs, origin: Origin) -> Result<ExitCode, String> {
    match Observers::<A>::open(args, &origin.config)? {
        Some(observers) => run::<A::Core<Watched<A>>>(args, origin, Watchers::none(), observers),
        None => run::<A::Core<()>>(args, origin, (), ()),
    }
}

/// Boots and runs, with `beside` beside the machine.
fn run<P: Processor>(
    args: &BootArgs,
    origin: Origin,
    observer: P::Observer,
    mut beside: impl Beside<P>,
) -> Result<ExitCode, String> {
    let (config, mut machine) = origin.machine::<P>(args, observer)?;
    if let Some(number) = args.console {
        machine.bus().host.console = serial_port(&machine.bus().serial_ports(), number, &config)?;
    }
    let recorded = args
        .replay
        .as_deref()
        .map(|file| replayed(args, file, &config, &mut machine));
    let recorded = recorded.transpose()?;
    if !args.no_translation {
        machine.core().translate();
    }
    beside.install(&mut machine);
    let recorder = Recorder::open(args, &config, &machine)?;
    if recorder.is_some() {
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
    let screen = args
        .screen
        .as_deref()
        .map(|file| Screen::new(file, &mut machine))
        .transpose()?;

    let began = Instant::now();
    let until = args.max_cycles.unwrap_or(Cycle::MAX);
    let stop = beside.drive(&mut console, &mut machine, until)?;
    let seconds = began.elapsed().as_secs_f64();
    console.close();
    drive::write_back(args, &mut machine)?;

    let cycles = machine.cycles();
    if let Some(recorder) = recorder {
        recorder.finish(&mut machine, console.how(&stop))?;
    }
    let end = End::new(stop, cycles);
    let found = beside.finish(machine.core().observer(), cycles)?;
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
    if let Some(screen) = screen {
        screen.write(&mut machine)?;
    }
    Ok(told(args, &mut machine, &console, &end, found))
}

/// Says on stderr how the run ended, and what was found; the exit status.
fn told<P: Processor>(
    args: &BootArgs,
    machine: &mut Machine<P>,
    console: &Console,
    end: &End,
    found: Found,
) -> ExitCode {
    let findings = found.findings.unwrap_or_default();
    let mut message = found.table;
    message += &check::report(NAME, &findings, &found.symbols);
    if !console.used {
        message += &unheard(&machine.bus().host);
    }
    if let Some(file) = &machine.bus().host.refused_file {
        message += &format!(
            "{NAME}: the guest wanted to open {file:?} by semihosting, which opens no files of the host\n"
        );
    }
    let paused = matches!(end.kind, "left" | "killed" | "watched")
        || end.kind == "max-cycles" && args.save.is_some();
    if end.good() || paused {
        if paused {
            message += &format!("{NAME}: {}", end.message);
            if let Some(file) = &args.save {
                message += &format!("; saved in {}", file.display());
            }
            message.push('\n');
        }
        let _ = io::stderr().write_all(message.as_bytes());
        return if findings.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(GUEST_FAILED)
        };
    }
    if let (true, "exit", Some(status)) = (args.pass_status, end.kind, end.status) {
        let _ = io::stderr().write_all(message.as_bytes());
        return ExitCode::from(status as u8);
    }
    message += &format!("{NAME}: {}\n", end.message);
    if end.kind != "exit" {
        message += &report::state(machine, &console.tail);
    }
    let _ = io::stderr().write_all(message.as_bytes());
    ExitCode::from(GUEST_FAILED)
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
        let uarts = ports.iter().filter_map(|port| port.strip_prefix("uart"));
        let numbers: Vec<&str> = uarts.collect();
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
    if *port == virtio::CONSOLE {
        return format!(
            "{NAME}: nothing was written to {}, the console, but to the VIRTIO console: --device virtconsole \
             shows it\n",
            host.console
        );
    }
    let (console, other) = (number_of(host.console), number_of(port));
    format!(
        "{NAME}: nothing was written to serial port {console}, the console, but to {other}: \
         --console {other} shows it\n"
    )
}
