// SPDX-License-Identifier: Apache-2.0
//! A TCP connection to a debugger. Whole packets are sent at once, and a stopped machine waits
//! while a running one only looks.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};

use gdbstub::conn::{Connection, ConnectionExt};

use super::PATIENCE;

/// Bytes of a packet that are kept back: a debugger may ask for gigabytes of memory in one.
const OUT_MOST: usize = 1 << 16;

/// The connection.
#[derive(Debug)]
pub struct Link<'a> {
    stream: TcpStream,
    /// Set when the person at the console has left: nobody waits for the debugger any more.
    left: &'a AtomicBool,
    out: Vec<u8>,
    /// Whether the stream was last told to wait.
    waits: bool,
}

impl<'a> Link<'a> {
    /// Of a stream as it was accepted.
    pub fn new(stream: TcpStream, left: &'a AtomicBool) -> Self {
        Self {
            stream,
            left,
            out: Vec::new(),
            waits: true,
        }
    }

    fn wait(&mut self, waits: bool) -> io::Result<()> {
        if self.waits != waits {
            self.stream.set_nonblocking(!waits)?;
            self.waits = waits;
        }
        Ok(())
    }
}

/// Nothing came in time; the host's systems differ in what they call it.
fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

impl Connection for Link<'_> {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.out.push(byte);
        if self.out.len() >= OUT_MOST {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        self.wait(true)?;
        Write::write_all(&mut self.stream, &self.out)?;
        self.out.clear();
        Ok(())
    }

    fn on_session_start(&mut self) -> io::Result<()> {
        self.stream.set_read_timeout(Some(PATIENCE))?;
        self.stream.set_nodelay(true)
    }
}

impl ConnectionExt for Link<'_> {
    fn read(&mut self) -> io::Result<u8> {
        self.flush()?; // acknowledgements are not flushed by themselves
        self.wait(true)?;
        let mut byte = [0];
        loop {
            if self.left.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match Read::read(&mut self.stream, &mut byte) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => return Ok(byte[0]),
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        self.flush()?;
        self.wait(false)?;
        let mut byte = [0];
        match self.stream.peek(&mut byte) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(Some(byte[0])),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}
