// SPDX-License-Identifier: Apache-2.0
//! A TCP connection to a debugger. Whole packets are sent at once, and a stopped machine waits
//! while a running one only looks.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use gdbstub::conn::{Connection, ConnectionExt};

/// The connection.
#[derive(Debug)]
pub struct Link {
    stream: TcpStream,
    out: Vec<u8>,
    /// Whether the stream was last told to wait.
    waits: bool,
}

impl Link {
    /// Of a stream as it was accepted.
    pub fn new(stream: TcpStream) -> Self {
        Self {
            stream,
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

impl Connection for Link {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.out.push(byte);
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
        self.stream.set_nodelay(true)
    }
}

impl ConnectionExt for Link {
    fn read(&mut self) -> io::Result<u8> {
        self.flush()?; // acknowledgements are not flushed by themselves
        self.wait(true)?;
        let mut byte = [0];
        self.stream.read_exact(&mut byte)?;
        Ok(byte[0])
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
