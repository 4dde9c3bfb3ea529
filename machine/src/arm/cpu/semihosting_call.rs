// SPDX-License-Identifier: Apache-2.0
//! What a semihosting call does: the processor stops, its debugger reads registers and memory and answers.

use crate::arch::Debugged;
use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::dev::{ticks, Width};
use crate::event::Cycle;

use super::semihosting::errno::{EACCES, EBADF, EFAULT, EINVAL};
use super::semihosting::{File, Semihosting, FEATURE_BYTES};

/// Operations by their numbers (chapter 5).
mod op {
    pub const OPEN: u32 = 0x01;
    pub const CLOSE: u32 = 0x02;
    pub const WRITEC: u32 = 0x03;
    pub const WRITE0: u32 = 0x04;
    pub const WRITE: u32 = 0x05;
    pub const READ: u32 = 0x06;
    pub const READC: u32 = 0x07;
    pub const ISERROR: u32 = 0x08;
    pub const ISTTY: u32 = 0x09;
    pub const SEEK: u32 = 0x0a;
    pub const FLEN: u32 = 0x0c;
    pub const REMOVE: u32 = 0x0e;
    pub const RENAME: u32 = 0x0f;
    pub const CLOCK: u32 = 0x10;
    pub const TIME: u32 = 0x11;
    pub const ERRNO: u32 = 0x13;
    pub const GET_CMDLINE: u32 = 0x15;
    pub const HEAPINFO: u32 = 0x16;
    pub const EXIT: u32 = 0x18;
    pub const EXIT_EXTENDED: u32 = 0x20;
    pub const ELAPSED: u32 = 0x30;
    pub const TICKFREQ: u32 = 0x31;
}

/// What a failed operation returns.
const FAILED: u32 = u32::MAX;
/// The reason of an ordinary end (`ADP_Stopped_ApplicationExit`).
const APPLICATION_EXIT: u32 = 0x2_0026;
/// The exit status for any other reason, as QEMU has it.
const OTHER_REASON: u32 = 1;
/// Longest name that is looked at.
const LONGEST_NAME: u32 = 255;
/// Bytes that are moved at once.
const PIECE: u32 = 256;

/// How a call goes on.
enum Outcome {
    /// With this in r0.
    Returns(u32),
    /// It is made again when a key has come.
    WaitsForKey,
    /// The guest has ended.
    Ends,
}

impl<O: Observer> Core<O> {
    /// A software interrupt of semihosting executes. `false`: nobody serves it, and it is one as any other.
    #[cold]
    pub(super) fn semihosting_call(&mut self) -> bool {
        if !self.privileged() {
            return false;
        }
        let Some(mut service) = self.semihosting.take() else {
            let pc = self.pc();
            self.mem.platform.bus.host.semihosting.get_or_insert(pc);
            return false;
        };
        service.waits = false;
        match self.serve(&mut service) {
            Ok(Outcome::Returns(value)) => self.r[0] = value,
            Ok(Outcome::WaitsForKey) => {
                service.waits = true;
                self.waiting = true;
                self.next_pc = Some(self.pc());
                self.mem.platform.horizon = 0;
            }
            Ok(Outcome::Ends) => self.mem.platform.horizon = 0,
            Err(error) => {
                service.error = error;
                self.r[0] = FAILED;
            }
        }
        self.semihosting = Some(service);
        true
    }

    /// Whether the key has come for which a call waits.
    pub(super) fn key_has_come(&self) -> bool {
        let waits = self.semihosting.as_ref().is_some_and(|s| s.waits);
        waits && !self.mem.platform.bus.host.input.is_empty()
    }

    /// Does what is asked for; `Err` has the number of an error.
    fn serve(&mut self, service: &mut Semihosting) -> Result<Outcome, u32> {
        let block = self.r[1];
        let value = match self.r[0] {
            op::OPEN => {
                let [name, mode, length] = self.fields(block)?;
                let name = self.bytes(name, length.min(LONGEST_NAME))?;
                let opened = service.open(&name, mode);
                if opened == Err(EACCES) {
                    let name = String::from_utf8_lossy(&name).into_owned();
                    let refused = &mut self.mem.platform.bus.host.refused_file;
                    refused.get_or_insert(name);
                }
                opened?
            }
            op::CLOSE => {
                let [handle] = self.fields(block)?;
                *service.file(handle)? = None;
                0
            }
            op::WRITEC => {
                let character = self.bytes(block, 1)?;
                self.say(&character);
                0
            }
            op::WRITE0 => {
                let mut at = block;
                loop {
                    let character = self.bytes(at, 1)?;
                    if character == b"\0" {
                        break;
                    }
                    self.say(&character);
                    at = at.wrapping_add(1);
                }
                0
            }
            op::WRITE => {
                let [handle, at, length] = self.fields(block)?;
                match service.file(handle)? {
                    Some(File::Output) => self.write_out(at, length)?,
                    _ => return Err(EBADF),
                }
                0
            }
            op::READ => {
                let [handle, at, length] = self.fields(block)?;
                match service.file(handle)? {
                    Some(File::Features(from)) => {
                        let rest = &FEATURE_BYTES[*from as usize..];
                        let count = rest.len().min(length as usize);
                        self.put(at, &rest[..count])?;
                        *from += count as u32;
                        length - count as u32
                    }
                    Some(File::Input) if length > 0 => {
                        let Some(typed) = self.typed(service, length) else {
                            return Ok(Outcome::WaitsForKey);
                        };
                        self.put(at, &typed)?;
                        length - typed.len() as u32
                    }
                    Some(File::Input) => 0,
                    _ => return Err(EBADF),
                }
            }
            op::READC => match self.typed(service, 1) {
                Some(typed) => u32::from(typed[0]),
                None => return Ok(Outcome::WaitsForKey),
            },
            op::ISERROR => {
                let [status] = self.fields(block)?;
                u32::from((status as i32) < 0)
            }
            op::ISTTY => {
                let [handle] = self.fields(block)?;
                u32::from(!matches!(service.file(handle)?, Some(File::Features(_))))
            }
            op::SEEK => {
                let [handle, to] = self.fields(block)?;
                match service.file(handle)? {
                    Some(File::Features(at)) if to as usize <= FEATURE_BYTES.len() => *at = to,
                    _ => return Err(EINVAL),
                }
                0
            }
            // A console has no end.
            op::FLEN => {
                let [handle] = self.fields(block)?;
                match service.file(handle)? {
                    Some(File::Features(_)) => FEATURE_BYTES.len() as u32,
                    _ => 0,
                }
            }
            op::REMOVE | op::RENAME => return Err(EACCES),
            op::CLOCK => self.time(100) as u32,
            // Since the machine was started, as its clocks begin in 1970.
            op::TIME => self.time(1) as u32,
            op::ERRNO => service.error,
            op::GET_CMDLINE => {
                let [at, size] = self.fields(block)?;
                let length = service.line.len() as u32;
                if length >= size {
                    return Err(EINVAL);
                }
                let line = [&service.line[..], b"\0"].concat();
                self.put(at, &line)?;
                self.put(block.wrapping_add(4), &length.to_le_bytes())?;
                0
            }
            op::HEAPINFO => {
                let [at] = self.fields(block)?;
                let (begin, end) = service.free;
                // The heap grows up, the stack down: base and limit of the one, then of the other.
                let words = [begin, end, end, begin].map(u32::to_le_bytes);
                self.put(at, words.as_flattened())?;
                0
            }
            op::EXIT => return Ok(self.end(block, 0)),
            op::EXIT_EXTENDED => {
                let [reason, status] = self.fields(block)?;
                return Ok(self.end(reason, status));
            }
            op::ELAPSED => {
                let cycle = self.mem.platform.cycle;
                self.put(block, &cycle.to_le_bytes())?;
                0
            }
            op::TICKFREQ => u32::try_from(self.mem.platform.bus.clock_hz()).unwrap_or(FAILED),
            // Among them names of temporary files, and commands for the host.
            _ => return Err(EINVAL),
        };
        Ok(Outcome::Returns(value))
    }

    fn end(&mut self, reason: u32, status: u32) -> Outcome {
        let ordinary = reason == APPLICATION_EXIT;
        let status = if ordinary { status } else { OTHER_REASON };
        self.mem.platform.bus.host.exit = Some(status);
        Outcome::Ends
    }

    /// The time since reset, in ticks of `hz`.
    fn time(&self, hz: u64) -> u64 {
        let Self { mem, .. } = self;
        let now: Cycle = mem.platform.cycle;
        ticks(now, hz, mem.platform.bus.clock_hz())
    }

    fn say(&mut self, bytes: &[u8]) {
        self.mem.platform.bus.host.output.extend(bytes);
    }

    fn write_out(&mut self, at: u32, length: u32) -> Result<(), u32> {
        let mut done = 0;
        while done < length {
            let bytes = self.bytes(at.wrapping_add(done), PIECE.min(length - done))?;
            self.say(&bytes);
            done += bytes.len() as u32;
        }
        Ok(())
    }

    /// What was typed, at most so many bytes; the serial ports get none of what is typed from now on.
    fn typed(&mut self, service: &mut Semihosting, most: u32) -> Option<Vec<u8>> {
        service.reads = true;
        let host = &mut self.mem.platform.bus.host;
        host.input_is_semihosted = true;
        let count = host.input.len().min(most as usize);
        let typed: Vec<u8> = host.input.drain(..count).collect();
        (count > 0).then_some(typed)
    }

    /// The words of a block of parameters.
    fn fields<const N: usize>(&self, block: u32) -> Result<[u32; N], u32> {
        let bytes = self.bytes(block, Width::Word.bytes() * N as u32)?;
        let mut words = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        Ok(std::array::from_fn(|_| words.next().unwrap_or(0)))
    }

    fn bytes(&self, at: u32, count: u32) -> Result<Vec<u8>, u32> {
        let mut bytes = vec![0; count as usize];
        let done = self.peek(at.into(), &mut bytes);
        if done == bytes.len() {
            Ok(bytes)
        } else {
            Err(EFAULT)
        }
    }

    fn put(&mut self, at: u32, bytes: &[u8]) -> Result<(), u32> {
        self.poke(at.into(), bytes).then_some(()).ok_or(EFAULT)
    }
}
