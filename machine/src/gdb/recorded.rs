// SPDX-License-Identifier: Apache-2.0
//! A debugger that says what was recorded, whatever the answers are: for tests and fuzzing.

use std::collections::VecDeque;
use std::io;

use gdbstub::conn::{Connection, ConnectionExt};

/// Sends what is given and then hangs up. It gives the machine one slice before it goes on.
#[derive(Debug)]
pub struct Recorded {
    bytes: VecDeque<u8>,
    /// What it was told.
    pub answer: Vec<u8>,
    patient: bool,
}

impl Recorded {
    /// One that sends these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes: bytes.into(),
            answer: Vec::new(),
            patient: true,
        }
    }
}

impl Connection for &mut Recorded {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.answer.push(byte);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ConnectionExt for &mut Recorded {
    fn read(&mut self) -> io::Result<u8> {
        let gone = || io::Error::from(io::ErrorKind::UnexpectedEof);
        self.patient = true;
        self.bytes.pop_front().ok_or_else(gone)
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        match self.bytes.front() {
            _ if std::mem::take(&mut self.patient) => Ok(None),
            Some(byte) => Ok(Some(*byte)),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
