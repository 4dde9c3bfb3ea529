// SPDX-License-Identifier: Apache-2.0
//! `[processor]` of a machine file: which core, and what is this one's own. The core says of what
//! architecture it is, and with that what else the table may say.

use serde::Deserialize;

/// The processor, by its architecture.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Table")]
pub enum ProcessorConfig {
    /// An ARM.
    Arm(ArmConfig),
}

/// What `[processor]` says of an ARM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmConfig {
    /// Instruction set, system control coprocessor, rules of the memory system.
    pub core: ArmCore,
    /// CP15 register 0.
    pub id: u32,
    /// How caches and TLBs tell address spaces apart.
    pub address_space_tags: AddressSpaceTags,
}

/// Bytes of a line in the caches of an ARM: the only size that its model has.
pub const ARM_LINE_BYTES: u32 = 32;

/// A core of ARM that the model knows. What sets it apart is in its table in `arm/cores`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArmCore {
    /// StrongARM SA-1110: ARM architecture version 4, no Thumb.
    Sa1110,
    /// ARM920T: ARM architecture version 4T.
    Arm920,
    /// ARM926EJ-S: ARM architecture version 5TEJ, without Jazelle execution.
    Arm926,
}

/// How caches and TLBs tell address spaces apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum AddressSpaceTags {
    /// They do not: software cleans, invalidates and flushes.
    #[default]
    None,
    /// Always, and nothing is ever stale: maintenance does nothing (`arm/memsys/tags.rs`).
    Ideal,
}

/// The table as it is written. Serde's own tagged enums name neither line nor field of a mistake.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    core: Core,
    id: u32,
    #[serde(default, alias = "address_space_tags")]
    address_space_tags: AddressSpaceTags,
}

/// Every core by its name: the tag.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Core {
    Sa1110,
    Arm920,
    Arm926,
}

impl From<Table> for ProcessorConfig {
    fn from(table: Table) -> Self {
        let arm = |core| {
            Self::Arm(ArmConfig {
                core,
                id: table.id,
                address_space_tags: table.address_space_tags,
            })
        };
        match table.core {
            Core::Sa1110 => arm(ArmCore::Sa1110),
            Core::Arm920 => arm(ArmCore::Arm920),
            Core::Arm926 => arm(ArmCore::Arm926),
        }
    }
}
