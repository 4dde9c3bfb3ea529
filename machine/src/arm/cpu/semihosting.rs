// SPDX-License-Identifier: Apache-2.0
//! Semihosting (Semihosting for AArch32 and AArch64, 2023Q3): calls by which a program asks a debugger for a
//! console, the time and its end. They are software interrupts with a number of their own, made in a
//! privileged mode, as in QEMU; of user mode these are the kernel's.
//!
//! A call takes the time of its instruction and leaves no trace in caches and TLBs, as if a debugger had
//! stopped the processor for it (`semihosting_call.rs`). Files of the host are not opened: a run depends on nothing but its input.

use serde::{Deserialize, Serialize};

use crate::arch::Semihosted;

use self::errno::{EACCES, EBADF, EINVAL, EMFILE};

/// The number of the software interrupt in ARM and in Thumb state.
pub const CALL_ARM: u32 = 0x12_3456;
/// See [`CALL_ARM`].
pub const CALL_THUMB: u32 = 0xab;

/// The console by its name, and the file that says which extensions there are: its mark, and a byte with
/// those of an exit status (bit 0) and of separate stdout and stderr (bit 1).
const CONSOLE: &[u8] = b":tt";
const FEATURES: &[u8] = b":semihosting-features";
pub(super) const FEATURE_BYTES: [u8; 5] = [b'S', b'H', b'F', b'B', 0b11];

/// Numbers of errors, those of POSIX' systems.
pub(super) mod errno {
    pub const EACCES: u32 = 13;
    pub const EBADF: u32 = 9;
    pub const EFAULT: u32 = 14;
    pub const EINVAL: u32 = 22;
    pub const EMFILE: u32 = 24;
}

/// Most files that are open at once.
const MOST_FILES: usize = 20;

/// A file that the guest has opened. Its handle is its place, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum File {
    /// What is typed on the console.
    Input,
    /// The console's output; stderr is no other.
    Output,
    /// The extensions, and where in them reading goes on.
    Features(u32),
}

/// The debugger's side: what it knows between two calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Semihosting {
    /// The program's name and its words.
    pub(super) line: Vec<u8>,
    /// Begin and end of the memory that nothing was loaded into.
    pub(super) free: (u32, u32),
    files: Vec<Option<File>>,
    /// Of the operation that failed last.
    pub(super) error: u32,
    /// Something was read: keys go here.
    pub(super) reads: bool,
    /// A call waits for a key.
    pub(super) waits: bool,
}

impl Semihosting {
    pub(super) fn new(served: Semihosted) -> Self {
        let Semihosted { line, free } = served;
        Self {
            line,
            free,
            files: Vec::new(),
            error: 0,
            reads: false,
            waits: false,
        }
    }

    /// Whether what is typed is for these calls.
    pub(super) fn takes_keys(&self) -> bool {
        self.reads
    }

    /// Whether it can be the state of one, wherever it comes from.
    pub(super) fn is_plausible(&self) -> bool {
        let within = |file: &Option<File>| match file {
            Some(File::Features(at)) => *at as usize <= FEATURE_BYTES.len(),
            _ => true,
        };
        self.files.len() <= MOST_FILES && self.files.iter().all(within)
    }

    pub(super) fn file(&mut self, handle: u32) -> Result<&mut Option<File>, u32> {
        let place = (handle as usize).checked_sub(1);
        let file = place.and_then(|place| self.files.get_mut(place));
        file.filter(|file| file.is_some()).ok_or(EBADF)
    }

    pub(super) fn open(&mut self, name: &[u8], mode: u32) -> Result<u32, u32> {
        let file = match (name, mode) {
            (_, 12..) => return Err(EINVAL),
            (CONSOLE, 0..=3) => File::Input,
            (CONSOLE, _) => File::Output,
            (FEATURES, 0 | 1) => File::Features(0),
            _ => return Err(EACCES),
        };
        let place = match self.files.iter().position(Option::is_none) {
            Some(free) => free,
            None if self.files.len() < MOST_FILES => {
                self.files.push(None);
                self.files.len() - 1
            }
            None => return Err(EMFILE),
        };
        self.files[place] = Some(file);
        Ok(place as u32 + 1)
    }
}
