// SPDX-License-Identifier: Apache-2.0
//! What the machine file of an IA-32 processor says of it.

use serde::Deserialize;

use crate::assumed;

use super::{range, MachineConfig, Mistake, ProcessorConfig, TlbConfig};

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    // What each machine file has.
    name: String,
    description: String,
    clock_hz: u64,
    board: String,
    ram_bytes: u32,
    #[serde(default)]
    assumed: assumed::Ranges,
    // What that of an IA-32 processor has.
    #[serde(rename = "processor")]
    _processor: Table,
    itlb: TlbConfig,
    dtlb: TlbConfig,
}

/// `[processor]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    #[serde(rename = "core")]
    _core: Core,
}

/// A core that the model knows.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Core {
    /// Pentium 4, without its floating-point unit, MMX and SSE.
    Pentium4,
}

impl From<File> for MachineConfig {
    fn from(file: File) -> Self {
        Self {
            name: file.name,
            description: file.description,
            clock_hz: file.clock_hz,
            board: file.board,
            ram_bytes: file.ram_bytes,
            processor: ProcessorConfig::Ia32(Ia32Config {
                itlb: file.itlb,
                dtlb: file.dtlb,
            }),
            assumed: file.assumed,
            text: String::new(),
        }
    }
}

/// An IA-32 processor.
#[derive(Debug, Clone)]
pub struct Ia32Config {
    /// Instruction TLB.
    pub itlb: TlbConfig,
    /// Data TLB.
    pub dtlb: TlbConfig,
}

impl Ia32Config {
    pub(super) fn check(&self) -> Result<(), Mistake> {
        for (table, tlb) in [("itlb", &self.itlb), ("dtlb", &self.dtlb)] {
            tlb.check(table)?;
            // None of an IA-32 processor can be locked.
            range(&format!("{table}.locked"), tlb.locked, 0, 0)?;
        }
        Ok(())
    }
}
