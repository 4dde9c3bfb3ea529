// SPDX-License-Identifier: Apache-2.0
//! What its machine files say.

use serde::Deserialize;
use switchyard_machine::assumed;
use switchyard_machine::config::{range, MachineConfig, Mistake, ProcessorConfig};

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SumsFile {
    name: String,
    description: String,
    clock_hz: u64,
    board: String,
    ram_bytes: u32,
    #[serde(default)]
    assumed: assumed::Ranges,
    processor: Table,
}

/// `[processor]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    #[serde(rename = "core")]
    _core: String,
    operation: u32,
}

/// The processor.
#[derive(Debug, Clone)]
pub struct SumsConfig {
    /// Cycles of an operation.
    pub operation: u32,
}

impl From<SumsFile> for MachineConfig {
    fn from(file: SumsFile) -> Self {
        Self {
            name: file.name,
            description: file.description,
            clock_hz: file.clock_hz,
            board: file.board,
            ram_bytes: file.ram_bytes,
            processor: Box::new(SumsConfig {
                operation: file.processor.operation,
            }),
            assumed: file.assumed,
            text: String::new(),
        }
    }
}

impl ProcessorConfig for SumsConfig {
    fn check(&self) -> Result<(), Mistake> {
        range("processor.operation", self.operation, 1, 100)
    }

    fn copied(&self) -> Box<dyn ProcessorConfig> {
        Box::new(self.clone())
    }
}
