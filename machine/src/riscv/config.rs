// SPDX-License-Identifier: Apache-2.0
//! What the machine file of a RISC-V processor says of it.

use serde::Deserialize;

use crate::assumed;
use crate::config::{range, CacheConfig, MachineConfig, Mistake, ProcessorConfig, TlbConfig};

/// Bytes of a line of a RISC-V processor's caches.
pub const LINE_BYTES: u32 = 64;
/// Most cycles of anything that has a price.
const MOST_CYCLES: u32 = 1_000_000;
/// Most entries of a TLB.
const MOST_TLB_ENTRIES: u32 = 4096;
/// Most PMP entries that are modelled (privileged specification 3.7: 0, 16 or 64; 1.10: 0 to 16).
const MOST_PMP: u32 = 16;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RiscvFile {
    // What each machine file has.
    name: String,
    description: String,
    clock_hz: u64,
    board: String,
    ram_bytes: u32,
    #[serde(default)]
    assumed: assumed::Ranges,
    // What that of a RISC-V processor has.
    #[serde(rename = "processor")]
    _processor: Table,
    identity: IdentityConfig,
    isa: IsaConfig,
    itlb: TlbConfig,
    dtlb: TlbConfig,
    l2_tlb: TlbConfig,
    icache: CacheConfig,
    dcache: CacheConfig,
    l2: CacheConfig,
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
}

/// A core that the model knows.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Core {
    /// SiFive's U74.
    U74,
}

impl From<RiscvFile> for MachineConfig {
    fn from(file: RiscvFile) -> Self {
        Self {
            name: file.name,
            description: file.description,
            clock_hz: file.clock_hz,
            board: file.board,
            ram_bytes: file.ram_bytes,
            processor: Box::new(RiscvConfig {
                identity: file.identity,
                isa: file.isa,
                itlb: file.itlb,
                dtlb: file.dtlb,
                l2_tlb: file.l2_tlb,
                icache: file.icache,
                dcache: file.dcache,
                l2: file.l2,
                branch: file.branch,
                latency: file.latency,
                price: file.price,
            }),
            assumed: file.assumed,
            text: String::new(),
        }
    }
}

/// What it says that it is, in machine mode's identity registers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct IdentityConfig {
    /// `mvendorid`.
    pub vendor: u64,
    /// `marchid`: 63 bits; `arch-custom` is the highest one.
    pub arch: u64,
    /// Whether `marchid` has its highest bit: an architecture that is no open-source project's.
    #[serde(default)]
    pub arch_custom: bool,
    /// `mimpid`.
    pub implementation: u64,
}

/// The version of the privileged specification, which says which registers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum PrivilegedVersion {
    /// No `menvcfg`, no `senvcfg`.
    #[serde(rename = "1.11")]
    V1_11,
    /// With both.
    #[serde(rename = "1.12")]
    V1_12,
}

/// What happens with loads and stores whose address is no multiple of their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Misaligned {
    /// They trap.
    Trap,
    /// The processor does them.
    Done,
}

/// `[isa]`: what of the architecture the core has beyond RV64GC with M, S and U mode and Sv39.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct IsaConfig {
    /// Version of the privileged specification.
    pub privileged: PrivilegedVersion,
    /// Address-generation instructions.
    pub zba: bool,
    /// Basic bit manipulation.
    pub zbb: bool,
    /// `stimecmp`.
    pub sstc: bool,
    /// SINVAL.VMA and the two fences with it.
    pub svinval: bool,
    /// The processor sets the accessed and dirty bits, where `menvcfg.ADUE` says so.
    pub svadu: bool,
    /// `time` can be read; otherwise the read traps.
    pub time: bool,
    /// Bits of `satp.ASID`.
    pub asid_bits: u32,
    /// Bits of a physical address that page tables may name.
    pub physical_bits: u32,
    /// Misaligned loads and stores.
    pub misaligned: Misaligned,
    /// Programmable counters: `mhpmcounter3` and on.
    pub hpm_counters: u32,
    /// PMP entries.
    pub pmp_entries: u32,
    /// Their granularity in bytes.
    pub pmp_granularity: u32,
    /// Whether a walk that ends in an invalid entry is remembered like others.
    pub remembers_invalid: bool,
    /// How many pointers to tables the walker remembers; none if nothing is said.
    #[serde(default)]
    pub remembers_pointers: u32,
}

/// `[branch]`: branch prediction.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BranchConfig {
    /// Branches whose targets are known at fetch.
    pub targets: u32,
    /// Two-bit counters that predict directions; a power of two.
    pub counters: u32,
    /// Outcomes of branches that choose a counter.
    pub history_bits: u32,
    /// Targets of indirect jumps that are known.
    pub indirect: u32,
    /// Return addresses.
    pub returns: u32,
    /// Cycles lost by a taken branch or jump whose target is found at decode.
    pub decoded_target: u32,
    /// Cycles lost by a mispredicted branch that the early ALU resolves.
    pub mispredicted: u32,
    /// Further cycles if the late ALU does.
    pub late: u32,
}

/// `[latency]`: cycles from issue to the first that a dependent instruction may issue in.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LatencyConfig {
    /// A load that hits, to an address; the late ALU has it earlier (`late-alu`).
    pub load: u32,
    /// A load that hits, or a result of the late ALU, to an operation in the late ALU.
    pub late_alu: u32,
    /// Integer multiplication.
    pub multiply: u32,
    /// Integer division: at least, and at most for 64 bits of quotient; in between a cycle a bit.
    pub divide_least: u32,
    /// The most.
    pub divide_most: u32,
    /// Load to a floating-point register.
    pub fp_load: u32,
    /// Addition, multiplication and both at once, single precision.
    pub fp_single: u32,
    /// The same, double precision.
    pub fp_double: u32,
    /// Sign injection, minimum, maximum.
    pub fp_simple: u32,
    /// Comparison, classification and conversion to an integer.
    pub fp_to_integer: u32,
    /// Conversion from a 32-bit integer, to and from the other precision.
    pub fp_convert: u32,
    /// Conversion from a 64-bit integer to single precision.
    pub fp_from_long_single: u32,
    /// The same to double precision, and moves of 64 bits from an integer register.
    pub fp_from_long_double: u32,
    /// Moves to an integer register.
    pub fp_move_to_integer: u32,
    /// Division: at least.
    pub fp_divide_least: u32,
    /// Most, single precision.
    pub fp_divide_single: u32,
    /// Most, double precision.
    pub fp_divide_double: u32,
    /// Most of a square root, single precision.
    pub fp_root_single: u32,
    /// Most, double precision.
    pub fp_root_double: u32,
}

/// `[price]`: cycles that memory and the system take.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PriceConfig {
    /// A load that misses the first level and hits the second, to its use.
    pub l2: u32,
    /// One that misses both.
    pub memory: u32,
    /// How long memory is busy with a line.
    pub memory_line: u32,
    /// A read or write of a device.
    pub device: u32,
    /// Stores that may wait for their line before the processor does.
    pub store_buffer: u32,
    /// A miss in a first-level TLB that the second level answers.
    pub second_tlb: u32,
    /// A walk, beside its reads.
    pub walk: u32,
    /// Read of a page-table entry that hits the first-level cache.
    pub walk_read: u32,
    /// Taking a trap, and returning from one.
    pub trap: u32,
    /// Reading or writing a control and status register.
    pub csr: u32,
    /// FENCE.
    pub fence: u32,
    /// FENCE.I, beside the lines that are fetched again.
    pub fence_i: u32,
    /// SFENCE.VMA and its kin.
    pub sfence_vma: u32,
    /// AMO, LR and SC, beyond a load.
    pub atomic: u32,
    /// A misaligned access that the processor does, beyond an aligned one.
    pub misaligned: u32,
}

/// A RISC-V processor.
#[derive(Debug, Clone)]
pub struct RiscvConfig {
    /// Who it says that it is.
    pub identity: IdentityConfig,
    /// What it has of the architecture.
    pub isa: IsaConfig,
    /// Instruction TLB.
    pub itlb: TlbConfig,
    /// Data TLB.
    pub dtlb: TlbConfig,
    /// Second-level TLB, of both: 4 KB pages only.
    pub l2_tlb: TlbConfig,
    /// First-level instruction cache.
    pub icache: CacheConfig,
    /// First-level data cache.
    pub dcache: CacheConfig,
    /// Second-level cache.
    pub l2: CacheConfig,
    /// Branch prediction.
    pub branch: BranchConfig,
    /// Latencies.
    pub latency: LatencyConfig,
    /// Prices.
    pub price: PriceConfig,
}

impl MachineConfig {
    /// What it says of a RISC-V processor, if it is one.
    #[must_use]
    pub fn riscv(&self) -> Option<&RiscvConfig> {
        self.processor()
    }
}

impl ProcessorConfig for RiscvConfig {
    fn check(&self) -> Result<(), Mistake> {
        let tlbs = [
            ("itlb", &self.itlb),
            ("dtlb", &self.dtlb),
            ("l2-tlb", &self.l2_tlb),
        ];
        for (table, tlb) in tlbs {
            tlb.check_with(table, MOST_TLB_ENTRIES)?;
            range(&format!("{table}.locked"), tlb.locked, 0, 0)?;
        }
        let caches = [
            ("icache", &self.icache),
            ("dcache", &self.dcache),
            ("l2", &self.l2),
        ];
        for (table, cache) in caches {
            cache.check(table, LINE_BYTES)?;
        }
        let (isa, branch) = (&self.isa, &self.branch);
        range("isa.asid-bits", isa.asid_bits, 0, 16)?;
        range("isa.physical-bits", isa.physical_bits, 32, 56)?;
        range("isa.hpm-counters", isa.hpm_counters, 0, 29)?;
        range("isa.pmp-entries", isa.pmp_entries, 0, MOST_PMP)?;
        range("isa.pmp-granularity", isa.pmp_granularity, 4, 4096)?;
        range("branch.targets", branch.targets, 1, 1 << 12)?;
        range("branch.counters", branch.counters, 1, 1 << 20)?;
        range("branch.history-bits", branch.history_bits, 0, 20)?;
        range("branch.indirect", branch.indirect, 1, 1 << 12)?;
        range("branch.returns", branch.returns, 1, 256)?;
        range("price.store-buffer", self.price.store_buffer, 1, 64)?;
        let powers = [
            ("isa.pmp-granularity", isa.pmp_granularity),
            ("branch.targets", branch.targets),
            ("branch.counters", branch.counters),
            ("branch.indirect", branch.indirect),
        ];
        for (name, value) in powers {
            if !value.is_power_of_two() {
                return Err(Mistake::new(name, value.to_string(), "a power of two"));
            }
        }
        for (name, cycles) in self.cycles() {
            range(name, cycles, 0, MOST_CYCLES)?;
        }
        let latency = &self.latency;
        let spans = [
            (
                "latency.divide-most",
                latency.divide_least,
                latency.divide_most,
            ),
            (
                "latency.fp-divide-single",
                latency.fp_divide_least,
                latency.fp_divide_single,
            ),
            (
                "latency.fp-divide-double",
                latency.fp_divide_least,
                latency.fp_divide_double,
            ),
            (
                "latency.fp-root-single",
                latency.fp_divide_least,
                latency.fp_root_single,
            ),
            (
                "latency.fp-root-double",
                latency.fp_divide_least,
                latency.fp_root_double,
            ),
        ];
        for (name, least, most) in spans {
            range(name, most, least, MOST_CYCLES)?;
        }
        Ok(())
    }

    fn copied(&self) -> Box<dyn ProcessorConfig> {
        Box::new(self.clone())
    }
}

impl RiscvConfig {
    /// Every number of cycles, with its name.
    fn cycles(&self) -> Vec<(&'static str, u32)> {
        let Self {
            branch,
            latency,
            price,
            ..
        } = self;
        vec![
            ("branch.decoded-target", branch.decoded_target),
            ("branch.mispredicted", branch.mispredicted),
            ("branch.late", branch.late),
            ("latency.load", latency.load),
            ("latency.late-alu", latency.late_alu),
            ("latency.multiply", latency.multiply),
            ("latency.divide-least", latency.divide_least),
            ("latency.divide-most", latency.divide_most),
            ("latency.fp-load", latency.fp_load),
            ("latency.fp-single", latency.fp_single),
            ("latency.fp-double", latency.fp_double),
            ("latency.fp-simple", latency.fp_simple),
            ("latency.fp-to-integer", latency.fp_to_integer),
            ("latency.fp-convert", latency.fp_convert),
            ("latency.fp-from-long-single", latency.fp_from_long_single),
            ("latency.fp-from-long-double", latency.fp_from_long_double),
            ("latency.fp-move-to-integer", latency.fp_move_to_integer),
            ("latency.fp-divide-least", latency.fp_divide_least),
            ("price.l2", price.l2),
            ("price.memory", price.memory),
            ("price.memory-line", price.memory_line),
            ("price.device", price.device),
            ("price.second-tlb", price.second_tlb),
            ("price.walk", price.walk),
            ("price.walk-read", price.walk_read),
            ("price.trap", price.trap),
            ("price.csr", price.csr),
            ("price.fence", price.fence),
            ("price.fence-i", price.fence_i),
            ("price.sfence-vma", price.sfence_vma),
            ("price.atomic", price.atomic),
            ("price.misaligned", price.misaligned),
        ]
    }
}
