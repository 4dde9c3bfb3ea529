// SPDX-License-Identifier: Apache-2.0
//! What the machine file of an IA-32 processor says of it.

use serde::Deserialize;

use crate::assumed;
use crate::config::{
    range, AddressSpaceTags, CacheConfig, MachineConfig, Mistake, ProcessorConfig, TlbConfig,
};

/// Bytes of a line of an IA-32 processor's caches.
pub const IA32_LINE_BYTES: u32 = 64;
/// Most cycles of anything that has a price.
const MOST_CYCLES: u32 = 1_000_000;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ia32File {
    // What each machine file has.
    name: String,
    description: String,
    clock_hz: u64,
    board: String,
    ram_bytes: u32,
    #[serde(default)]
    assumed: assumed::Ranges,
    // What that of an IA-32 processor has.
    processor: Table,
    itlb: TlbConfig,
    dtlb: TlbConfig,
    dcache: CacheConfig,
    l2: CacheConfig,
    memory: BusConfig,
    walk: WalkConfig,
    branch: BranchConfig,
    latency: LatencyConfig,
    price: PriceConfig,
}

/// `[processor]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    #[serde(rename = "core")]
    _core: Core,
    model: Model,
    #[serde(default, alias = "address_space_tags")]
    address_space_tags: AddressSpaceTags,
}

/// A core that the model knows.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Core {
    /// Pentium 4, without MMX and SSE.
    Pentium4,
}

/// Which Pentium 4 it says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Of 2000: 180 nm.
    Willamette,
    /// Of 2002: 130 nm.
    Northwood,
}

/// Memory beyond the caches, in processor cycles.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BusConfig {
    /// From a miss of the second level to the data.
    pub latency: u32,
    /// How long the bus is busy with a line.
    pub line: u32,
}

/// Page walks whose two reads hit the second level, in cycles.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WalkConfig {
    /// For data.
    pub data: u32,
    /// For code.
    pub code: u32,
}

/// The branch predictor.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BranchConfig {
    /// Branches that are known, and two-bit counters; a power of two.
    pub entries: u32,
    /// Outcomes of branches that choose a counter.
    pub history_bits: u32,
    /// Return addresses.
    pub returns: u32,
    /// Cycles from a mispredicted branch's execution to the next instruction.
    pub mispredicted: u32,
}

/// Cycles from an instruction's operands to its result. Simple operations take half a one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LatencyConfig {
    /// A load that hits the first level.
    pub l1: u32,
    /// A read that hits the second level, from the request.
    pub l2: u32,
    /// A store's line, in the second level.
    pub store: u32,
    /// Shifts and rotations.
    pub shift: u32,
    /// Integer multiplication.
    pub multiply: u32,
    /// Integer division.
    pub divide: u32,
    /// ADC, SBB, SETcc, CMOVcc, BSWAP, CMPXCHG: simple ones of several µops.
    pub complex: u32,
    /// Floating-point addition.
    pub fp_add: u32,
    /// Floating-point multiplication.
    pub fp_multiply: u32,
    /// Floating-point division and square roots.
    pub fp_divide: u32,
    /// Transcendental functions and remainders.
    pub fp_function: u32,
}

/// Cycles of what the microcode does.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PriceConfig {
    /// A load of CR3.
    pub cr3: u32,
    /// A load of a segment register.
    pub segment: u32,
    /// SYSENTER.
    pub sysenter: u32,
    /// SYSEXIT.
    pub sysexit: u32,
    /// Delivering an exception or interrupt.
    pub interrupt: u32,
    /// IRET.
    pub iret: u32,
    /// Any other serialising instruction.
    pub serialise: u32,
    /// CPUID.
    pub cpuid: u32,
    /// RDTSC.
    pub rdtsc: u32,
    /// The beginning of a repeated string instruction.
    pub repeat: u32,
    /// An access to a port.
    pub port: u32,
    /// Any other instruction that the microcode has.
    pub microcode: u32,
}

impl From<Ia32File> for MachineConfig {
    fn from(file: Ia32File) -> Self {
        Self {
            name: file.name,
            description: file.description,
            clock_hz: file.clock_hz,
            board: file.board,
            ram_bytes: file.ram_bytes,
            processor: Box::new(Ia32Config {
                model: file.processor.model,
                address_space_tags: file.processor.address_space_tags,
                itlb: file.itlb,
                dtlb: file.dtlb,
                dcache: file.dcache,
                l2: file.l2,
                memory: file.memory,
                walk: file.walk,
                branch: file.branch,
                latency: file.latency,
                price: file.price,
            }),
            assumed: file.assumed,
            text: String::new(),
        }
    }
}

/// An IA-32 processor.
#[derive(Debug, Clone)]
pub struct Ia32Config {
    /// Which one CPUID says it is.
    pub model: Model,
    /// How TLBs and trace cache tell address spaces apart.
    pub address_space_tags: AddressSpaceTags,
    /// Instruction TLB.
    pub itlb: TlbConfig,
    /// Data TLB.
    pub dtlb: TlbConfig,
    /// First-level data cache.
    pub dcache: CacheConfig,
    /// Second-level cache.
    pub l2: CacheConfig,
    /// Memory.
    pub memory: BusConfig,
    /// Page walks.
    pub walk: WalkConfig,
    /// The branch predictor.
    pub branch: BranchConfig,
    /// Latencies.
    pub latency: LatencyConfig,
    /// Prices.
    pub price: PriceConfig,
}

impl MachineConfig {
    /// What it says of an IA-32 processor, if it is one.
    #[must_use]
    pub fn ia32(&self) -> Option<&Ia32Config> {
        self.processor()
    }
}

impl ProcessorConfig for Ia32Config {
    fn check(&self) -> Result<(), Mistake> {
        for (table, tlb) in [("itlb", &self.itlb), ("dtlb", &self.dtlb)] {
            tlb.check(table)?;
            // None of an IA-32 processor can be locked.
            range(&format!("{table}.locked"), tlb.locked, 0, 0)?;
        }
        for (table, cache) in [("dcache", &self.dcache), ("l2", &self.l2)] {
            cache.check(table, IA32_LINE_BYTES)?;
        }
        let two_lines = 2 * IA32_LINE_BYTES * self.l2.ways;
        range("l2.size-bytes", self.l2.size_bytes, two_lines, u32::MAX)?;
        let branch = &self.branch;
        range("branch.entries", branch.entries, 1, 1 << 16)?;
        if !branch.entries.is_power_of_two() {
            return Err(Mistake::new(
                "branch.entries",
                branch.entries.to_string(),
                "a power of two",
            ));
        }
        range("branch.history-bits", branch.history_bits, 0, 16)?;
        range("branch.returns", branch.returns, 1, 256)?;
        for (name, cycles) in self.cycles() {
            range(name, cycles, 0, MOST_CYCLES)?;
        }
        Ok(())
    }

    fn copied(&self) -> Box<dyn ProcessorConfig> {
        Box::new(self.clone())
    }
}

impl Ia32Config {
    /// Every number of cycles, with its name.
    fn cycles(&self) -> Vec<(&'static str, u32)> {
        let Self {
            memory,
            walk,
            branch,
            latency,
            price,
            ..
        } = self;
        vec![
            ("memory.latency", memory.latency),
            ("memory.line", memory.line),
            ("walk.data", walk.data),
            ("walk.code", walk.code),
            ("branch.mispredicted", branch.mispredicted),
            ("latency.l1", latency.l1),
            ("latency.l2", latency.l2),
            ("latency.store", latency.store),
            ("latency.shift", latency.shift),
            ("latency.multiply", latency.multiply),
            ("latency.divide", latency.divide),
            ("latency.complex", latency.complex),
            ("latency.fp-add", latency.fp_add),
            ("latency.fp-multiply", latency.fp_multiply),
            ("latency.fp-divide", latency.fp_divide),
            ("latency.fp-function", latency.fp_function),
            ("price.cr3", price.cr3),
            ("price.segment", price.segment),
            ("price.sysenter", price.sysenter),
            ("price.sysexit", price.sysexit),
            ("price.interrupt", price.interrupt),
            ("price.iret", price.iret),
            ("price.serialise", price.serialise),
            ("price.cpuid", price.cpuid),
            ("price.rdtsc", price.rdtsc),
            ("price.repeat", price.repeat),
            ("price.port", price.port),
            ("price.microcode", price.microcode),
        ]
    }
}
