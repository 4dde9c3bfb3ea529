// SPDX-License-Identifier: Apache-2.0
//! The debugger's side of a machine (`--gdb`): GDB's remote protocol over TCP.
//!
//! The machine starts stopped at its first instruction. Being watched changes nothing that the
//! guest can see: breakpoints are a list that the run loop compares with, memory and registers are
//! read without a trace, and no cycle passes while the machine is stopped.

mod history;
mod link;
mod monitor;
mod recorded;
mod registers;
mod session;
mod travel;
mod watch;

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{TcpListener, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gdbstub::conn::ConnectionExt;
use gdbstub::stub::{DisconnectReason, GdbStub};

use crate::arch::{Debugged, Processor};
use crate::event::Cycle;
use crate::machine::{Machine, Stop};

use link::Link;
use session::{Loop, Session};

pub use recorded::Recorded;
pub use watch::{Watch, Watched};

/// How long a stopped machine waits before it looks whether the person at its console has left.
const PATIENCE: Duration = Duration::from_millis(20);

/// The other side of the guest's console: called when a slice of the run has ended with `Stop`.
/// Shows what the guest wrote, types what was typed; says with what the run ends, if it does.
pub type Between<'a, P> = dyn FnMut(&mut Machine<P>, Stop) -> Option<Stop> + 'a;

/// A processor that a debugger can be put at: one that is watched for it.
pub trait Debuggable: Debugged + Processor<Observer: Watched> {}

impl<P: Debugged + Processor<Observer: Watched>> Debuggable for P {}

/// Files that a debugger can name.
pub trait Files {
    /// One to write, empty.
    ///
    /// # Errors
    /// It cannot be written.
    fn create(&self, name: &str) -> io::Result<Box<dyn Write>>;
    /// One to read.
    ///
    /// # Errors
    /// It cannot be read.
    fn open(&self, name: &str) -> io::Result<Box<dyn Read>>;
}

/// Those of this computer.
struct Disk;

impl Files for Disk {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write>> {
        Ok(Box::new(File::create(name)?))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(File::open(name)?))
    }
}

/// Where a debugger is waited for.
#[derive(Debug)]
pub struct Listener(TcpListener);

impl Listener {
    /// Listens at `address`: `HOST:PORT`, or `:PORT` for this computer alone. Port 0 takes one
    /// that is free.
    ///
    /// # Errors
    /// One line that says what is wrong with it.
    pub fn new(address: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            format!("--gdb {address}: {what}; expected HOST:PORT or :PORT, such as :1234")
        };
        let full = match address.strip_prefix(':') {
            Some(port) => format!("127.0.0.1:{port}"),
            None => address.to_string(),
        };
        let mut found = full
            .to_socket_addrs()
            .map_err(|error| wrong(&error.to_string()))?;
        let place = found.next().ok_or_else(|| wrong("no such address"))?;
        let listener = TcpListener::bind(place).map_err(|error| wrong(&error.to_string()))?;
        Ok(Self(listener))
    }

    /// Whether only debuggers of this computer can connect.
    fn local(&self) -> bool {
        self.0.local_addr().is_ok_and(|at| at.ip().is_loopback())
    }

    fn accept<'a>(&self, say: &mut dyn FnMut(&str), left: &'a AtomicBool) -> io::Result<Link<'a>> {
        say(&format!(
            "waiting for a debugger at {}",
            self.0.local_addr()?
        ));
        self.0.set_nonblocking(true)?;
        loop {
            match self.0.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false)?; // some systems pass it on
                    return Ok(Link::new(stream, left));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => pause(left)?,
                Err(error) => return Err(error),
            }
        }
    }
}

/// Waits a moment for a debugger, unless nobody is there any more.
fn pause(left: &AtomicBool) -> io::Result<()> {
    if left.load(Ordering::Relaxed) {
        return Err(io::ErrorKind::Interrupted.into());
    }
    std::thread::sleep(PATIENCE);
    Ok(())
}

/// How a debugger has left.
#[derive(Debug)]
pub enum Left {
    /// The run has ended.
    Ended(Stop),
    /// It detached: the machine goes on without it.
    Detached,
    /// It broke off; says why. The machine is stopped.
    Lost(String),
}

/// Runs the machine until cycle `until` under debuggers: when one is lost, another is waited for.
/// `None`: it has detached, the machine is to run on. `say` is for messages; `left` is set when the
/// person at the console has left.
///
/// # Errors
/// No connection can be had.
pub fn serve<P: Debuggable>(
    listener: &Listener,
    machine: &mut Machine<P>,
    until: Cycle,
    between: &mut Between<'_, P>,
    say: &mut dyn FnMut(&str),
    left: &AtomicBool,
) -> Result<Option<Stop>, String> {
    let start = session::Start::of(machine);
    loop {
        let link = match listener.accept(say, left) {
            Ok(link) => link,
            Err(_) if left.load(Ordering::Relaxed) => return Ok(Some(Stop::Left)),
            Err(error) => return Err(format!("--gdb: {error}; expected a debugger to connect")),
        };
        let files = listener.local().then_some(&Disk as &dyn Files);
        match talk_to(link, machine, &start, until, between, files) {
            Left::Lost(_) if left.load(Ordering::Relaxed) => return Ok(Some(Stop::Left)),
            Left::Ended(stop) => return Ok(Some(stop)),
            Left::Detached => return Ok(None),
            Left::Lost(why) => say(&format!("the debugger is lost: {why}")),
        }
    }
}

/// Serves one debugger, wherever it is, to its end. `files`: those that it may save to and restore
/// from.
pub fn converse<P: Debuggable, C: ConnectionExt<Error = io::Error>>(
    link: C,
    machine: &mut Machine<P>,
    until: Cycle,
    between: &mut Between<'_, P>,
    files: Option<&dyn Files>,
) -> Left {
    let start = session::Start::of(machine);
    talk_to(link, machine, &start, until, between, files)
}

/// [`converse`] on a machine that has begun at `start`.
fn talk_to<P: Debuggable, C: ConnectionExt<Error = io::Error>>(
    link: C,
    machine: &mut Machine<P>,
    start: &session::Start,
    until: Cycle,
    between: &mut Between<'_, P>,
    files: Option<&dyn Files>,
) -> Left {
    let mut session = Session::new(machine, start, until, between, files);
    let result = GdbStub::new(link).run_blocking::<Loop<P, C>>(&mut session);
    let end = session.close();
    match (result, end) {
        (Ok(DisconnectReason::Kill), _) => Left::Ended(Stop::Killed),
        (_, Some(stop)) => Left::Ended(stop),
        (Ok(_), None) => Left::Detached,
        (Err(error), None) => Left::Lost(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arm::Machine;
    use crate::config::MachineConfig;
    use crate::registry;

    /// Without the protocol's run-length coding: `0*"` is `0` and as many more as the last
    /// character is above 29.
    fn expand(answer: &[u8]) -> String {
        let mut text = String::new();
        let mut bytes = answer.iter();
        while let Some(&byte) = bytes.next() {
            match (byte, text.chars().last(), bytes.as_slice().first()) {
                (b'*', Some(last), Some(&count)) => {
                    bytes.next();
                    text.extend((29..count).map(|_| last));
                }
                _ => text.push(char::from(byte)),
            }
        }
        text
    }

    fn packet(text: &str) -> Vec<u8> {
        let sum = text.bytes().fold(0u8, u8::wrapping_add);
        format!("+${text}#{sum:02x}").into_bytes()
    }

    /// A machine with `mov r0, #7; str r0, [r1]; b .` at the start of SDRAM, and what it says to
    /// `bytes`.
    fn talk(bytes: Vec<u8>) -> String {
        let config = MachineConfig::find("sa1110").unwrap();
        let parts = (registry::board(&config.board).unwrap().parts)(1 << 20);
        let mut machine = Machine::new(&config, parts, Watch::default());
        for (n, word) in [0xe3a0_0007u32, 0xe581_0000, 0xeaff_fffe]
            .iter()
            .enumerate()
        {
            let place = machine.bus().ram_slice_mut(0xc000_0000 + 4 * n as u32, 4);
            place.unwrap().copy_from_slice(&word.to_le_bytes());
        }
        machine.core().r[15] = 0xc000_0000;
        machine.core().r[1] = 0xc000_0100;
        let mut script = Recorded::new(bytes);
        let mut between = |_: &mut Machine<Watch>, stop| match stop {
            Stop::Budget => None,
            other => Some(other),
        };
        converse(&mut script, &mut machine, 100_000, &mut between, None);
        expand(&script.answer)
    }

    #[test]
    fn a_conversation() {
        // with what is expected of each answer
        let steps = [
            ("?", "T05"),
            ("p0", "00000000"),
            ("vCont;s", "S05"), // `mov`
            ("p0", "07000000"),
            ("Z2,c0000102,1", "OK"),
            ("vCont;c", "watch:c0000102;"), // `str`, which looks not yet done ...
            ("pf", "040000c0"),
            ("vCont;s", "S05"), // ... until the debugger has stepped over it
            ("pf", "080000c0"),
            ("p32", "$E"),      // no such register
            ("vCont;c", "T06"), // it hangs,
            ("pf", "080000c0"), // can be looked at
            ("vCont;c", "W01"), // and is at its end
        ];
        in_order(&steps);
    }

    /// Says them, and finds the answers one after another.
    fn in_order(steps: &[(&str, &str)]) {
        let said = talk(steps.iter().flat_map(|(text, _)| packet(text)).collect());
        let mut rest = said.as_str();
        for (asked, answer) in steps {
            let at = rest.find(*answer);
            let at = at.unwrap_or_else(|| panic!("{asked}: no {answer} in {rest}, of {said}"));
            rest = &rest[at + answer.len()..];
        }
    }

    #[test]
    fn a_conversation_about_the_past() {
        let steps = [
            ("vCont;s", "S05"), // `mov`
            ("vCont;s", "S05"), // `str`
            ("vCont;s", "S05"), // the branch
            ("pf", "080000c0"),
            ("bs", "S05"),
            ("bs", "S05"),
            ("pf", "040000c0"), // before the store
            ("p0", "07000000"),
            ("bs", "S05"),
            ("p0", "00000000"),
            ("bs", "replaylog:begin;"),
            ("vCont;c", "T06"), // it hangs
            ("Z2,c0000102,1", "OK"),
            ("bc", "watch:c0000102;"),
            ("pf", "080000c0"), // after the store, which the debugger undoes itself
            ("bs", "S05"),
            ("pf", "040000c0"),
            ("P0=09000000", "OK"), // from here on it is another run
            ("vCont;s", "watch:c0000102;"),
            ("mc0000100,4", "09000000"),
            ("bc", "watch:c0000102;"),
            ("bs", "S05"),
            ("bc", "replaylog:begin;"),
            ("p0", "00000000"),
        ];
        in_order(&steps);
    }

    #[test]
    fn a_verdict_is_about_a_state() {
        in_order(&[
            ("vCont;c", "T06"),    // it hangs, but not
            ("Pf=000000c0", "OK"), // from its first instruction on,
            ("vCont;s", "S05"),    // ("mov")
            ("pf", "040000c0"),
            ("vCont;c", "T06"),
            ("Mc0000008,4:feffffea", "OK"), // nor for ever after any change,
            ("vCont;c", "T06"),             // if it does after it, too
            ("Mc0000008,4:0700a0e3", "OK"),
            ("vCont;s", "S05"),
            ("pf", "0c0000c0"),
        ]);
    }

    #[test]
    fn a_reset_and_an_end() {
        in_order(&[
            ("vCont;s", "S05"),
            ("P1=78563412", "OK"),
            ("qRcmd,7265736574", "#"), // reset
            ("p0", "00000000"),
            ("p1", "000100c0"),
            ("pf", "000000c0"),
            ("vCont;s", "S05"),
            ("p0", "07000000"),
        ]);
    }

    /// Format and divisor of a UART of the SA-1110.
    #[test]
    fn devices_are_read_when_that_is_asked_for() {
        in_order(&[
            ("M90040004,4:00000000", "$E"),
            ("m80010000,4", "$E"),
            ("qRcmd,6465766963652d7265616473206f6e", "OK"), // device-reads on
            ("m80010000,4", "$08000000#"),
            ("m80010000,c", "$080000000000000001000000#"),
            ("m80010008,1", "$01#"),
            ("m80010008,2", "$0100#"),
            ("mb8000000,4", "$E"), // nothing is there
            ("qRcmd,6465766963652d7265616473206f6666", "OK"), // off
            ("m80010000,4", "$E"),
        ]);
    }

    #[test]
    fn memory_is_seen_and_changed_but_not_devices() {
        let said = talk(
            [
                "mc0000000,4",
                "Mc0000000,2:abcd",
                "mc0000000,4",
                "m90000000,4",
                "M90000000,1:00",
            ]
            .iter()
            .flat_map(|text| packet(text))
            .collect(),
        );
        assert!(said.contains("$0700a0e3#"), "{said}");
        assert!(said.contains("$abcda0e3#"), "{said}");
        assert_eq!(said.matches("$E").count(), 2, "{said}");
    }

    #[test]
    fn addresses_are_checked() {
        for wrong in ["", "1234", ":", ":x", ":70000", "127.0.0.1"] {
            let line = Listener::new(wrong).unwrap_err();
            assert!(line.contains("expected HOST:PORT"), "{line}");
            assert!(!line.contains('\n'), "{line}");
        }
        assert!(Listener::new(":0").is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn nonsense_does_not_panic(bytes: Vec<u8>, texts in prop::collection::vec(
            "(Z[0-4],|z[0-4],|m|M|X|p|P|g|G|H|vCont;|bc|bs|q|qXfer:features:read:|qRcmd,|c|s|k|D|\\?)\
             [0-9a-f,:;=]{0,20}", 0..8)) {
            let mut all: Vec<u8> = texts.iter().flat_map(|text| packet(text)).collect();
            all.extend(bytes);
            talk(all);
        }
    }
}
