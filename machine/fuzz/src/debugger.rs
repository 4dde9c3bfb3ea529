// SPDX-License-Identifier: Apache-2.0
//! A debugger that sends anything.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Write};
use std::rc::Rc;

use gdbstub::conn::{Connection, ConnectionExt};
use switchyard_machine::arch::Debugged;
use switchyard_machine::board::Board;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::gdb::{self, Files};
use switchyard_machine::machine::{Machine, Stop};

use super::{for_processor, machine, small, Input};

/// Cycles that the machine may run under the debugger.
const CYCLES: u64 = 20_000;

/// Bytes that the debugger takes before it hangs up: it may have asked for all of memory.
const HEARD_MOST: usize = 1 << 20;

/// What the debugger sends; it does not listen and hangs up at the end.
struct Script {
    heard: usize,
    bytes: std::collections::VecDeque<u8>,
    /// Whether the next look finds nothing, so that the machine runs on.
    quiet: bool,
}

impl Connection for Script {
    type Error = io::Error;

    fn write(&mut self, _: u8) -> io::Result<()> {
        self.heard += 1;
        if self.heard > HEARD_MOST {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ConnectionExt for Script {
    fn read(&mut self) -> io::Result<u8> {
        self.quiet = true;
        let gone = || io::Error::from(io::ErrorKind::UnexpectedEof);
        self.bytes.pop_front().ok_or_else(gone)
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        if std::mem::take(&mut self.quiet) {
            return Ok(None);
        }
        match self.bytes.front() {
            Some(byte) => Ok(Some(*byte)),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// A file's contents; shared with whoever writes it.
type Contents = Rc<RefCell<Vec<u8>>>;

/// The files that the debugger names with `monitor save` and `monitor restore`: none of them is
/// one of this computer's. One is there from the start.
struct InMemory {
    files: RefCell<BTreeMap<String, Contents>>,
    /// How many may still be opened or written: each restoring takes a machine's time.
    left: Cell<u32>,
}

impl InMemory {
    fn with(name: &str, contents: &[u8]) -> Self {
        let file = Rc::new(RefCell::new(contents.to_vec()));
        Self {
            files: RefCell::new(BTreeMap::from([(name.to_string(), file)])),
            left: Cell::new(8),
        }
    }

    fn take_turn(&self) -> io::Result<()> {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.ok_or(io::ErrorKind::PermissionDenied)?);
        Ok(())
    }
}

impl Files for InMemory {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write>> {
        self.take_turn()?;
        let file = Contents::default();
        let mut files = self.files.borrow_mut();
        files.insert(name.to_string(), file.clone());
        Ok(Box::new(Written(file)))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Read>> {
        self.take_turn()?;
        let files = self.files.borrow();
        let file = files.get(name).ok_or(io::ErrorKind::NotFound)?;
        let contents = file.borrow().clone();
        Ok(Box::new(Cursor::new(contents)))
    }
}

/// The end of a file that is being written.
struct Written(Contents);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Serves a debugger. Input: a machine's number; two bits: whether the rest is what is sent, and
/// not lines that are sent as packets (with their checksums), and whether a file `f` stands before
/// it, after its length; the rest.
pub fn debugger(data: &[u8]) {
    let mut input = Input(data);
    let (config, board) = small(input.number(1));
    let how = input.number(1);
    let framed = how & 1 == 0;
    let given = if how & 2 != 0 { input.piece() } else { &[] };
    let files = InMemory::with("f", given);
    let mut bytes = Vec::new();
    if framed {
        for line in input.0.split(|&byte| byte == b'\n') {
            let sum = line.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
            bytes.extend(b"$");
            bytes.extend(line);
            bytes.extend(format!("#{sum:02x}").bytes());
        }
    } else {
        bytes.extend(input.0);
    }
    for_processor!(config, gdb::Watch, serve(config, board, bytes, &files));
}

fn serve<P: Debugged<Observer = gdb::Watch>>(
    config: &MachineConfig,
    board: &Board,
    bytes: Vec<u8>,
    files: &InMemory,
) {
    let mut machine = machine::<P>(config, board, gdb::Watch::default());
    let (base, _) = machine.bus().ram_window();
    machine.core().start(base.into(), &[]);
    let script = Script {
        heard: 0,
        bytes: bytes.into(),
        quiet: false,
    };
    let mut between = |_: &mut Machine<P>, stop| match stop {
        Stop::Budget => None,
        other => Some(other),
    };
    gdb::converse(script, &mut machine, CYCLES, &mut between, Some(files));
}
