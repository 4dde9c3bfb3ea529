// SPDX-License-Identifier: Apache-2.0
//! A debugger that sends anything.

use std::io;

use gdbstub::conn::{Connection, ConnectionExt};
use switchyard_machine::gdb;
use switchyard_machine::machine::Stop;

use super::{machine, small, Input};

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

/// Serves a debugger. Input: a machine's number, whether the rest is lines that are sent as
/// packets (with their checksums) or what is sent, the rest.
pub fn debugger(data: &[u8]) {
    let mut input = Input(data);
    let (config, board) = small(input.number(1));
    let framed = input.number(1) & 1 == 0;
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
    let mut machine = machine(config, board, ((), gdb::Watch::default()));
    let (base, _) = machine.bus().ram_window();
    machine.core().r[15] = base;
    let script = Script {
        heard: 0,
        bytes: bytes.into(),
        quiet: false,
    };
    let mut between = |_: &mut gdb::Debugged<()>, stop| match stop {
        Stop::Budget => None,
        other => Some(other),
    };
    gdb::converse(script, &mut machine, CYCLES, &mut between, false);
}
