// SPDX-License-Identifier: Apache-2.0
//! What the machine file of an ARM says of its processor.

use serde::Deserialize;

use crate::assumed;
use crate::config::{
    range, AddressSpaceTags, CacheConfig, MachineConfig, MemoryConfig, Mistake, ProcessorConfig,
    TlbConfig,
};

/// Most entries of the write buffer.
const MAX_WRITE_BUFFER: u32 = 1024;
/// Largest constant of the pipeline, so that sums of them stay far from overflow.
const MAX_PIPELINE: u32 = 1000;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ArmFile {
    // What each machine file has.
    name: String,
    description: String,
    clock_hz: u64,
    board: String,
    ram_bytes: u32,
    #[serde(default)]
    assumed: assumed::Ranges,
    // What that of an ARM has: as in `ArmConfig`.
    processor: Table,
    icache: CacheConfig,
    dcache: CacheConfig,
    mini_dcache: Option<CacheConfig>,
    itlb: Option<TlbConfig>,
    dtlb: Option<TlbConfig>,
    tlb: Option<TlbConfig>,
    write_buffer: WriteBufferConfig,
    pipeline: PipelineConfig,
    memory: MemoryConfig,
}

/// `[processor]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    core: ArmCore,
    id: u32,
    #[serde(default, alias = "address_space_tags")]
    address_space_tags: AddressSpaceTags,
}

impl From<ArmFile> for MachineConfig {
    fn from(file: ArmFile) -> Self {
        Self {
            name: file.name,
            description: file.description,
            clock_hz: file.clock_hz,
            board: file.board,
            ram_bytes: file.ram_bytes,
            processor: Box::new(ArmConfig {
                core: file.processor.core,
                id: file.processor.id,
                address_space_tags: file.processor.address_space_tags,
                icache: file.icache,
                dcache: file.dcache,
                mini_dcache: file.mini_dcache,
                itlb: file.itlb,
                dtlb: file.dtlb,
                tlb: file.tlb,
                write_buffer: file.write_buffer,
                pipeline: file.pipeline,
                memory: file.memory,
            }),
            assumed: file.assumed,
            text: String::new(),
        }
    }
}

/// An ARM.
#[derive(Debug, Clone)]
pub struct ArmConfig {
    /// Instruction set, system control coprocessor, rules of the memory system.
    pub core: ArmCore,
    /// CP15 register 0.
    pub id: u32,
    /// How caches and TLBs tell address spaces apart.
    pub address_space_tags: AddressSpaceTags,
    /// Instruction cache.
    pub icache: CacheConfig,
    /// Main data cache.
    pub dcache: CacheConfig,
    /// The mini data cache (pages with C=1, B=0), if the processor has one.
    pub mini_dcache: Option<CacheConfig>,
    /// Instruction TLB; none if the processor has one TLB for both.
    pub itlb: Option<TlbConfig>,
    /// Data TLB; none if the processor has one TLB for both.
    pub dtlb: Option<TlbConfig>,
    /// The TLB of a processor that has one for both.
    pub tlb: Option<TlbConfig>,
    /// The write buffer.
    pub write_buffer: WriteBufferConfig,
    /// Cycles of the pipeline.
    pub pipeline: PipelineConfig,
    /// Cycles of memory.
    pub memory: MemoryConfig,
}

/// Bytes of a line in the caches of an ARM: the only size that its model has.
pub const ARM_LINE_BYTES: u32 = 32;

/// A core of ARM that the model knows. What sets it apart is in its table in `arm/isa/cores`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArmCore {
    /// StrongARM SA-1110: ARM architecture version 4, no Thumb.
    Sa1110,
    /// ARM920T: ARM architecture version 4T.
    Arm920,
    /// ARM926EJ-S: ARM architecture version 5TEJ, without Jazelle execution.
    Arm926,
}

/// How stores become bus writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Packets {
    /// An entry takes what one store or store multiple writes of an aligned 16-byte block (SA-1110).
    #[default]
    Blocks,
    /// A store multiple is split into bursts of eight and four words and single ones (ARM926EJ-S).
    Bursts,
}

/// The write buffer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WriteBufferConfig {
    /// Number of entries: bus writes on their way.
    pub entries: u32,
    /// How stores become entries.
    #[serde(default)]
    pub packets: Packets,
    /// Words of data that the entries have room for together; left out: as many as they are.
    pub words: Option<u32>,
    /// Lines that a buffer for evicted ones holds; 0: they go through the entries, by halves.
    #[serde(default)]
    pub write_back_lines: u32,
}

/// Issue cycles and result delays of the pipeline, in processor cycles. Fields that a manual's
/// table gives per instruction group.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PipelineConfig {
    /// Extra cycles of a taken branch (target computed in the issue stage).
    pub branch_taken: u32,
    /// Extra cycles of a write of the PC by a data-processing instruction.
    pub pc_write: u32,
    /// Extra cycles of a write of the PC by a logical operation or with a shifted operand; left
    /// out: as any other.
    pub pc_write_logical: Option<u32>,
    /// Extra cycles of a load of the PC.
    pub pc_load: u32,
    /// Extra cycles of an exception entry.
    pub exception_entry: u32,
    /// Issue cycles of a data-processing instruction that shifts by a register.
    pub shift_by_register_issue: u32,
    /// Issue cycles of a load or store of one register whose register offset is shifted.
    #[serde(default = "one")]
    pub scaled_offset_issue: u32,
    /// Result delay of a word load.
    pub load_delay: u32,
    /// Result delay of a zero-extended load.
    pub load_narrow_delay: u32,
    /// Result delay of a sign-extended load.
    pub load_signed_delay: u32,
    /// Bits of the multiplier retired per cycle (early termination).
    pub multiply_bits_per_cycle: u32,
    /// Issue cycles of a multiply with a 32-bit result.
    pub multiply_issue: u32,
    /// Issue cycles of a multiply with a 64-bit result.
    pub multiply_long_issue: u32,
    /// Further issue cycles of a multiply that sets the flags.
    pub multiply_flags_issue: u32,
    /// Result delay of a multiply of halfwords (architecture version 5TE).
    #[serde(default)]
    pub multiply_half_delay: u32,
    /// Issue cycles of a multiply of halfwords that accumulates 64 bits (version 5TE).
    #[serde(default = "one")]
    pub multiply_half_long_issue: u32,
    /// Result delay of a saturating addition (version 5TE).
    #[serde(default)]
    pub saturate_delay: u32,
    /// Least issue cycles of a load or store multiple.
    pub multiple_min_issue: u32,
    /// Issue cycles of SWP.
    pub swap_issue: u32,
    /// Result delay of SWP.
    pub swap_delay: u32,
    /// Result delay of MRC.
    pub mrc_delay: u32,
    /// Issue cycles of MRS.
    pub mrs_issue: u32,
    /// Issue cycles of an MSR that writes the control field.
    pub msr_control_issue: u32,
}

fn one() -> u32 {
    1
}

impl MachineConfig {
    /// What it says of an ARM, if it is one.
    #[must_use]
    pub fn arm(&self) -> Option<&ArmConfig> {
        self.processor()
    }
}

impl ProcessorConfig for ArmConfig {
    fn check(&self) -> Result<(), Mistake> {
        self.icache.check("icache", ARM_LINE_BYTES)?;
        self.dcache.check("dcache", ARM_LINE_BYTES)?;
        if let Some(mini) = &self.mini_dcache {
            mini.check("mini-dcache", ARM_LINE_BYTES)?;
        }
        self.check_tlbs()?;
        self.write_buffer.check()?;
        self.pipeline.check()?;
        self.memory.check()
    }

    fn insn_cache(&self) -> Option<&CacheConfig> {
        Some(&self.icache)
    }

    fn copied(&self) -> Box<dyn ProcessorConfig> {
        Box::new(self.clone())
    }
}

impl ArmConfig {
    fn check_tlbs(&self) -> Result<(), Mistake> {
        let whole = "either [itlb] and [dtlb] or [tlb]";
        match (&self.itlb, &self.dtlb, &self.tlb) {
            (Some(itlb), Some(dtlb), None) => {
                itlb.check("itlb")?;
                dtlb.check("dtlb")
            }
            (None, None, Some(tlb)) => tlb.check("tlb"),
            (_, _, Some(_)) => Err(Mistake::new("tlb", "there are other TLBs".into(), whole)),
            (None, _, None) => Err(Mistake::new("itlb", "missing".into(), whole)),
            (_, None, None) => Err(Mistake::new("dtlb", "missing".into(), whole)),
        }
    }
}

impl WriteBufferConfig {
    fn check(&self) -> Result<(), Mistake> {
        range("write-buffer.entries", self.entries, 1, MAX_WRITE_BUFFER)?;
        range(
            "write-buffer.write-back-lines",
            self.write_back_lines,
            0,
            MAX_WRITE_BUFFER,
        )?;
        // Room for the longest burst.
        let words = self.words.unwrap_or(MAX_WRITE_BUFFER);
        range("write-buffer.words", words, 8, MAX_WRITE_BUFFER)
    }
}

impl PipelineConfig {
    fn check(&self) -> Result<(), Mistake> {
        for (field, value, least) in [
            ("branch-taken", self.branch_taken, 0),
            ("pc-write", self.pc_write, 0),
            ("pc-write-logical", self.pc_write_logical.unwrap_or(0), 0),
            ("pc-load", self.pc_load, 0),
            ("scaled-offset-issue", self.scaled_offset_issue, 1),
            ("exception-entry", self.exception_entry, 0),
            ("load-delay", self.load_delay, 0),
            ("load-narrow-delay", self.load_narrow_delay, 0),
            ("load-signed-delay", self.load_signed_delay, 0),
            ("shift-by-register-issue", self.shift_by_register_issue, 1),
            ("multiply-issue", self.multiply_issue, 1),
            ("multiply-long-issue", self.multiply_long_issue, 1),
            ("multiply-flags-issue", self.multiply_flags_issue, 0),
            ("multiply-half-delay", self.multiply_half_delay, 0),
            ("multiply-half-long-issue", self.multiply_half_long_issue, 1),
            ("saturate-delay", self.saturate_delay, 0),
            ("multiple-min-issue", self.multiple_min_issue, 1),
            ("swap-issue", self.swap_issue, 1),
            ("swap-delay", self.swap_delay, 0),
            ("mrc-delay", self.mrc_delay, 0),
            ("mrs-issue", self.mrs_issue, 1),
            ("msr-control-issue", self.msr_control_issue, 1),
        ] {
            range(&format!("pipeline.{field}"), value, least, MAX_PIPELINE)?;
        }
        let bits = self.multiply_bits_per_cycle;
        range("pipeline.multiply-bits-per-cycle", bits, 1, 32)
    }
}
