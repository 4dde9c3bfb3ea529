// SPDX-License-Identifier: Apache-2.0
//! The person's side of the guest's console. On a terminal each key goes to the guest as it is
//! pressed, Ctrl-C too; Ctrl-A is for this program (x leaves). The terminal is put back as it was
//! on every way out: the end of the run, a panic, a signal that ends or stops the process.
//!
//! Where stdin is no terminal, or the process runs in the background of one, nothing is read.

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::termios::{self, OptionalActions, OutputModes, Termios};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::arch::Processor;
use crate::error::read_file;
use crate::event::Cycle;
use crate::gdb::{self, Debuggable, Listener};
use crate::machine::{Machine, Stop};
use crate::net::{self, Cable, Pair};
use crate::recording::How;
use crate::report::ConsoleTail;
use crate::script::{Script, MARK};

use super::NAME;

/// Cycles between two looks at the console: some 10 ms of the host's time.
const SLICE: Cycle = 2_000_000;
/// How long a machine that only a key can wake waits for one before the debugger is heard again.
const DEBUGGER_PATIENCE: Duration = Duration::from_millis(20);
/// How long a machine that a frame can wake waits for one before the keys are looked at again.
const NETWORK_PATIENCE: Duration = Duration::from_millis(20);
/// Most bytes of console input from a file.
const MOST_INPUT: u64 = 1 << 24;
/// The key that begins a command to this program.
const CTRL_A: u8 = 0x01;
const KEYS: &str = "Ctrl-A x leaves, Ctrl-A a sends Ctrl-A, Ctrl-A h says this";

/// What the guest's network interface is connected to.
pub enum Network {
    /// Nothing.
    Unplugged,
    /// A socket.
    Cable(Cable),
    /// A second machine.
    Pair(Pair),
}

/// The guest's console: output to stdout, input from a file or a terminal.
pub struct Console {
    /// What a person types, where stdin is a terminal and no input file is given.
    keys: Option<Keys>,
    /// The guest's network.
    network: Network,
    /// What is typed when, where the input file is a script; and that file.
    script: Option<(Script, PathBuf)>,
    /// Where a run that is replayed ended, and how.
    recorded: Option<(Cycle, How)>,
    clock_hz: u64,
    /// Whether anybody still reads stdout.
    open: bool,
    /// Whether the guest has written anything.
    pub used: bool,
    /// The end of what the guest wrote.
    pub tail: ConsoleTail,
}

impl Console {
    /// Types `input` on the console of `machine`, whose clock is `clock_hz`, at once or, if it is a
    /// script, as that says; without it the
    /// terminal's keys will be typed, if there is a terminal. `network` is its network.
    pub fn open<P: Processor>(
        input: Option<&Path>,
        network: Network,
        machine: &mut Machine<P>,
        clock_hz: u64,
    ) -> Result<Self, String> {
        let mut keys = None;
        let mut script = None;
        if let Some(file) = input {
            let bytes =
                read_file(file, "console input", MOST_INPUT).map_err(|error| error.to_string())?;
            if bytes.starts_with(MARK) {
                let parsed = Script::parse(&String::from_utf8_lossy(&bytes));
                let parsed = parsed.map_err(|wrong| format!("{}: {wrong}", file.display()))?;
                if let (Some(line), false) = (parsed.needs_keyboard(), machine.bus().has_keyboard())
                {
                    let what =
                        "the machine has no keyboard; expected one that has, such as p4-willamette";
                    return Err(format!("{}: line {line}: {what}", file.display()));
                }
                script = Some((parsed, file.to_path_buf()));
            } else {
                machine.type_input(&bytes);
            }
        } else if io::stdin().is_terminal() && in_foreground() {
            let terminal = Raw::enter().map_err(|error| {
                format!("stdin: {error}; expected a terminal that takes raw mode, or no terminal")
            })?;
            say(&format!("keys go to the guest; {KEYS}"));
            keys = Some(Keys::read(terminal, Pace::new(clock_hz, machine.cycles())));
        }
        Ok(Self {
            keys,
            network,
            script,
            recorded: None,
            clock_hz,
            open: true,
            used: false,
            tail: ConsoleTail::default(),
        })
    }

    /// Of a machine that replays what came from outside, up to cycle `end`: nothing else comes.
    pub fn replay(end: Cycle, how: How, clock_hz: u64) -> Self {
        Self {
            keys: None,
            network: Network::Unplugged,
            script: None,
            recorded: Some((end, how)),
            clock_hz,
            open: true,
            used: false,
            tail: ConsoleTail::default(),
        }
    }

    /// How a run has ended, as a recording says it.
    pub fn how(&self, stop: &Stop) -> How {
        match stop {
            Stop::Left => How::Left,
            Stop::Budget => How::Budget,
            Stop::Hung(why) => How::Hung(why.clone()),
            Stop::Unexpected(why) => How::Unexpected(why.clone()),
            _ if !self.open => How::Budget,
            _ => How::Itself,
        }
    }

    /// Until which cycle a run to `until` goes: one that is replayed not beyond what is known of it.
    fn until(&self, until: Cycle) -> Cycle {
        match &self.recorded {
            None | Some((_, How::Itself)) => until,
            Some((end, _)) => until.min(*end),
        }
    }

    /// Set once the person wants to leave; a debugger's side looks at it while it waits.
    pub fn left(&self) -> Arc<AtomicBool> {
        let never = || Arc::new(AtomicBool::new(false));
        self.keys
            .as_ref()
            .map_or_else(never, |keys| keys.left.clone())
    }

    /// Runs the machine in slices and passes characters both ways between them.
    pub fn run<P: Processor>(
        &mut self,
        machine: &mut Machine<P>,
        until: Cycle,
    ) -> Result<Stop, String> {
        let slice = match self.network {
            Network::Unplugged => SLICE,
            Network::Cable(_) => net::SLICE,
            Network::Pair(_) => net::STEP,
        };
        let until = self.until(until);
        loop {
            let end = (machine.cycles() / slice)
                .saturating_add(1)
                .saturating_mul(slice);
            let stop = machine.run(end.min(until));
            if let Some(end) = self.between(machine, stop, until, Duration::MAX) {
                return Ok(end);
            }
        }
    }

    /// Runs it under a debugger, until it detaches.
    pub fn run_debugged<P: Debuggable>(
        &mut self,
        listener: &Listener,
        machine: &mut Machine<P>,
        until: Cycle,
    ) -> Result<Stop, String> {
        let left = self.left();
        let until = self.until(until);
        let mut between =
            |machine: &mut _, stop| self.between(machine, stop, until, DEBUGGER_PATIENCE);
        match gdb::serve(listener, machine, until, &mut between, &mut say, &left)? {
            Some(stop) => Ok(stop),
            None => self.run(machine, until),
        }
    }

    /// Shows and types what came up in a slice that ended with `stop`, and says whether the run
    /// ends with that. A machine that only a key can wake is given `patience` for one.
    fn between<P: Processor>(
        &mut self,
        machine: &mut Machine<P>,
        stop: Stop,
        until: Cycle,
        patience: Duration,
    ) -> Option<Stop> {
        let output = std::mem::take(&mut machine.bus().host.output);
        self.show(&output);
        pass_marks(machine);
        if !self.open {
            return Some(Stop::Stopped("nobody reads its console any more"));
        }
        if let Some((end, how)) = &self.recorded {
            machine.bus().host.net.outgoing.clear(); // who it was for is not there
            let now = machine.cycles();
            return match stop {
                Stop::Budget if now < until => None,
                stop => end_of_replay(*end, how, stop, now),
            };
        }
        let core = machine.core();
        let asleep = core.waits_for_interrupt() && core.can_wake();
        match self.play(machine, &output, &stop, asleep) {
            Err(why) => return Some(Stop::Unexpected(why)),
            Ok(true) if matches!(stop, Stop::Hung(_)) => return None,
            Ok(_) => {}
        }
        let mut patience = patience;
        let mut stop = stop;
        match (&stop, &mut self.network) {
            (Stop::Hung(_) | Stop::Budget, Network::Pair(pair)) => {
                let waits = asleep && stop != Stop::Budget;
                if (waits || stop == Stop::Budget) && pair.step(machine, waits) {
                    stop = Stop::Budget;
                }
            }
            (Stop::Hung(_), Network::Cable(cable)) if asleep => {
                let patience_here = if self.keys.is_some() {
                    NETWORK_PATIENCE.min(patience)
                } else {
                    patience
                };
                if cable.wait(machine, patience_here) {
                    patience = Duration::ZERO;
                    self.keys.as_ref()?; // nothing else to look at
                }
            }
            (_, Network::Cable(cable)) => cable.carry(machine),
            _ => {}
        }
        match (&stop, &mut self.keys) {
            (Stop::Budget, None) if machine.cycles() < until => None,
            (Stop::Budget, Some(keys)) if machine.cycles() < until => {
                let ahead = keys.pace.ahead(machine.cycles(), asleep, Instant::now());
                keys.type_on(machine, ahead);
                keys.left().then_some(Stop::Left)
            }
            (Stop::Hung(_), Some(keys)) if asleep => {
                let open = keys.type_on(machine, patience);
                match (keys.left(), open) {
                    (true, _) => Some(Stop::Left),
                    (false, true) => None,
                    (false, false) => Some(stop),
                }
            }
            _ => Some(stop),
        }
    }

    /// Types what the script has for the guest now that it has written `output`; `true` if there was
    /// something.
    fn play<P: Processor>(
        &mut self,
        machine: &mut Machine<P>,
        output: &[u8],
        stop: &Stop,
        asleep: bool,
    ) -> Result<bool, String> {
        let Some((script, file)) = &mut self.script else {
            return Ok(false);
        };
        let stuck = asleep && matches!(stop, Stop::Hung(_));
        let played = script.go_on(output, machine.cycles(), self.clock_hz, stuck);
        let played = played.and_then(|given| match stop {
            Stop::Exit(0) | Stop::PowerOff(_) => script.end().map(|()| given),
            _ => Ok(given),
        });
        let given = played.map_err(|why| format!("{}: {why}", file.display()))?;
        if !given.typed.is_empty() {
            machine.type_input(&given.typed);
        }
        for (key, pressed) in &given.keys {
            machine.press_key(*key, *pressed);
        }
        Ok(!given.is_empty())
    }

    fn show(&mut self, output: &[u8]) {
        if output.is_empty() {
            return;
        }
        self.used = true;
        self.tail.extend(output);
        let mut stdout = io::stdout().lock();
        self.open = stdout
            .write_all(output)
            .and_then(|()| stdout.flush())
            .is_ok();
    }

    /// Lets what the guest sent last get out, and gives the terminal back, on a line of its own.
    pub fn close(&mut self) {
        self.network = Network::Unplugged;
        if self.keys.take().is_some() && !self.tail.ends_line() {
            let _ = writeln!(io::stderr());
        }
    }
}

/// With what a run that is replayed up to cycle `end` ends, when it has come to `stop` at cycle `now`, if
/// it does.
fn end_of_replay(end: Cycle, how: &How, stop: Stop, now: Cycle) -> Option<Stop> {
    match (stop, how) {
        (Stop::Hung(_), _) if now < end => None, // what it waits for is still to come
        (Stop::Budget | Stop::Hung(_), how) if now >= end => Some(match how {
            How::Left => Stop::Left,
            How::Hung(why) => Stop::Hung(why.clone()),
            How::Unexpected(why) => Stop::Unexpected(why.clone()),
            How::Budget | How::Itself => Stop::Budget,
        }),
        (stop, _) => Some(stop),
    }
}

/// Gives what the guest has marked to the observer, if one has asked for it.
fn pass_marks<P: Processor>(machine: &mut Machine<P>) {
    if let Some(marks) = &mut machine.bus().host.marks {
        let taken = std::mem::take(marks);
        machine.core().show_marks(&taken);
    }
}

pub fn say(message: &str) {
    let _ = writeln!(io::stderr(), "{NAME}: {message}");
}

/// Columns of the terminal that messages go to; of a usual one, where they go elsewhere.
pub fn width() -> usize {
    const USUAL: usize = 80;
    let size = termios::tcgetwinsize(io::stderr());
    size.map_or(USUAL, |size| match size.ws_col {
        0 => USUAL,
        columns => columns.into(),
    })
}

/// Whether the terminal's keys are for this process. One that has no say in it (the terminal is
/// not its session's) reads them.
fn in_foreground() -> bool {
    let group = rustix::process::getpgrp();
    termios::tcgetpgrp(io::stdin()).map_or(true, |foreground| foreground == group)
}

/// The terminal's keys, as a thread of its own reads them.
struct Keys {
    typed: Receiver<Vec<u8>>,
    left: Arc<AtomicBool>,
    pace: Pace,
    _terminal: Raw,
}

impl Keys {
    fn read(terminal: Raw, pace: Pace) -> Self {
        let (sender, typed) = mpsc::channel();
        let left = Arc::new(AtomicBool::new(false));
        let leave = left.clone();
        std::thread::spawn(move || read_keys(&sender, &leave));
        Self {
            typed,
            left,
            pace,
            _terminal: terminal,
        }
    }

    fn left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// Types what has come, or comes within `patience`. `false`: nothing will come any more.
    fn type_on<P: Processor>(&self, machine: &mut Machine<P>, patience: Duration) -> bool {
        let first = self.typed.recv_timeout(patience);
        let more = self.typed.try_iter();
        let open = first != Err(RecvTimeoutError::Disconnected);
        first
            .into_iter()
            .chain(more)
            .for_each(|bytes| machine.type_input(&bytes));
        open
    }
}

/// Reads the terminal until it closes or the person leaves.
fn read_keys(sender: &Sender<Vec<u8>>, left: &AtomicBool) {
    let mut buffer = [0; 256];
    let mut escape = Escape::default();
    while let Ok(count @ 1..) = io::stdin().read(&mut buffer) {
        let (bytes, wish) = escape.filter(&buffer[..count]);
        if !bytes.is_empty() && sender.send(bytes).is_err() {
            break;
        }
        match wish {
            Some(Wish::Leave) => {
                left.store(true, Ordering::Relaxed);
                break; // which drops the sender, and so wakes whoever waits for keys
            }
            Some(Wish::Help) => say(KEYS),
            None => {}
        }
    }
}

/// What a person wants of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Leave,
    Help,
}

/// Takes the commands to this program out of what is typed.
#[derive(Debug, Default)]
struct Escape {
    /// Ctrl-A was the last key.
    begun: bool,
}

impl Escape {
    /// What is for the guest, and the wish that came last. Keys after one to leave are dropped.
    fn filter(&mut self, typed: &[u8]) -> (Vec<u8>, Option<Wish>) {
        let mut rest = Vec::new();
        let mut wish = None;
        for &byte in typed {
            if !std::mem::take(&mut self.begun) {
                self.begun = byte == CTRL_A;
                if !self.begun {
                    rest.push(byte);
                }
                continue;
            }
            match byte {
                b'x' | b'X' => return (rest, Some(Wish::Leave)),
                CTRL_A | b'a' => rest.push(CTRL_A),
                _ => wish = Some(Wish::Help),
            }
        }
        (rest, wish)
    }
}

/// Keeps a guest that only waits from running ahead of the clock on the wall, so that at a prompt
/// a second is one and the host can rest. When the guest is busy it runs as fast as it can. What
/// is simulated does not depend on this, only when keys arrive.
struct Pace {
    clock_hz: u64,
    /// When both clocks were last taken to agree.
    agreed: (Instant, Cycle),
}

impl Pace {
    fn new(clock_hz: u64, cycle: Cycle) -> Self {
        let agreed = (Instant::now(), cycle);
        Self { clock_hz, agreed }
    }

    /// How far the guest at `cycle` is ahead of `now`; nothing unless it is asleep.
    fn ahead(&mut self, cycle: Cycle, asleep: bool, now: Instant) -> Duration {
        let cycles = cycle.saturating_sub(self.agreed.1);
        let simulated = Duration::from_secs_f64(cycles as f64 / self.clock_hz as f64);
        let ahead = simulated.saturating_sub(now.saturating_duration_since(self.agreed.0));
        if !asleep || ahead.is_zero() {
            self.agreed = (now, cycle);
            return Duration::ZERO;
        }
        ahead
    }
}

/// The settings of the terminal at stdin before it went to raw mode, while it is in it.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

fn before() -> MutexGuard<'static, Option<Termios>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A terminal in raw mode, until this goes.
struct Raw;

impl Raw {
    /// Puts the terminal at stdin into raw mode. Newlines of messages still return the carriage.
    fn enter() -> io::Result<Self> {
        let normal = termios::tcgetattr(io::stdin())?;
        *before() = Some(normal.clone());
        make_raw(normal)?;
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            earlier(panic);
        }));
        let mut signals = Signals::new([SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT])?;
        std::thread::spawn(move || signals.forever().for_each(obey));
        Ok(Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        restore();
        *before() = None;
    }
}

fn make_raw(mut settings: Termios) -> io::Result<()> {
    settings.make_raw();
    settings.output_modes |= OutputModes::OPOST;
    termios::tcsetattr(io::stdin(), OptionalActions::Now, &settings)?;
    Ok(())
}

fn restore() {
    if let Some(normal) = &*before() {
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, normal);
    }
}

/// Does what a signal does to any program, with the terminal as it was.
fn obey(signal: i32) {
    if signal == SIGCONT {
        if let (Some(normal), true) = (before().clone(), in_foreground()) {
            let _ = make_raw(normal);
        }
        return;
    }
    restore();
    let _ = emulate_default_handler(signal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_do_not_reach_the_guest() {
        let mut escape = Escape::default();
        assert_eq!(escape.filter(b"ls\r\x03"), (b"ls\r\x03".to_vec(), None));
        assert_eq!(
            escape.filter(b"a\x01\x01b\x01ac"),
            (b"a\x01b\x01c".to_vec(), None)
        );
        assert_eq!(escape.filter(b"\x01h"), (vec![], Some(Wish::Help)));
        // the two keys in two reads, and what comes after them
        assert_eq!(escape.filter(b"d\x01"), (b"d".to_vec(), None));
        assert_eq!(escape.filter(b"xe"), (vec![], Some(Wish::Leave)));
    }

    #[test]
    fn only_a_sleeping_guest_waits_for_the_clock() {
        let mut pace = Pace::new(1000, 0);
        let start = pace.agreed.0;
        let at = |millis| start + Duration::from_millis(millis);
        assert_eq!(pace.ahead(500, true, at(100)), Duration::from_millis(400));
        assert_eq!(pace.ahead(600, true, at(500)), Duration::from_millis(100));
        assert_eq!(pace.ahead(900, false, at(500)), Duration::ZERO);
        assert_eq!(pace.ahead(1000, true, at(500)), Duration::from_millis(100));
        // a slow host is not made up for
        assert_eq!(pace.ahead(1100, true, at(5000)), Duration::ZERO);
        assert_eq!(pace.ahead(1200, true, at(5000)), Duration::from_millis(100));
    }
}
