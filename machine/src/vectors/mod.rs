// SPDX-License-Identifier: Apache-2.0
//! Architectural test vectors: a processor's state and memory come in, some instructions run, the
//! state and memory go out. The protocols are specified in `tests/differential/README.md` and
//! `tests/ia32/README.md`, whose tests compare the answers with those of a processor that is not ours.

pub mod arm;
pub mod ia32;
mod reader;

use std::io::{Read, Write};

use crate::bus::BoardParts;
use crate::config::{MachineConfig, ProcessorConfig};

/// Whether streams run through the caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caches {
    /// MMU and caches stay off.
    Off,
    /// All of memory is mapped where it is, cacheable; caches and write buffer are on. The page
    /// directory takes the last 16 KB of memory. Answers are the same.
    On,
}

/// Answers every case from `input` on `output`, on a machine made from `config` and `parts`.
///
/// # Errors
/// One line that says which case is malformed and what was expected, or that reading or writing
/// failed.
pub fn run(
    config: &MachineConfig,
    parts: BoardParts,
    caches: Caches,
    input: &mut impl Read,
    output: &mut impl Write,
) -> Result<(), String> {
    match (&config.processor, caches) {
        (ProcessorConfig::Arm(_), _) => arm::run(config, parts, caches, input, output),
        (ProcessorConfig::Ia32(_), Caches::Off) => ia32::run(config, parts, input, output),
        (ProcessorConfig::Ia32(_), Caches::On) => Err(format!(
            "vectors: --caches: {} has none; expected no such option",
            config.name
        )),
    }
}
