// SPDX-License-Identifier: Apache-2.0
//! The memory system. This module alone orders memory events: look up the TLBs (walk if needed), check
//! permissions and physical memory protection (`translate`), look up the caches, read or write memory (`data`,
//! `fetch`), and what fences do to all of it (`fence`). Each step charges its cycles to the clock of
//! [`MemSys::platform`], or says when the data of a load is there ([`MemSys::ready`]).

mod counting;
mod data;
mod debug;
mod fence;
mod fetch;
mod hint;
pub mod journal;
mod state;
mod translate;
mod translated;

use switchyard_translator::wide::Translator;

use crate::bus::Bus;
use crate::cache::{Cache, Line};
use crate::config::MachineConfig;
use crate::event::Cycle;
use crate::journal::Journal;
use crate::platform::Platform;
use crate::riscv::config::{IsaConfig, PriceConfig, LINE_BYTES};
use crate::riscv::isa::cause::Exception;
use crate::riscv::isa::decoder::{self, Extensions};
use crate::riscv::isa::insn::Op;
use crate::riscv::isa::privilege::Privilege;

use super::fault::{Abort, Fault};
use super::hierarchy::Hierarchy;
use super::mmu::{satp, Rights};
use super::pending::Pending;
use super::pmp::Pmp;
use super::pointers::Pointers;
use super::tlb::Tlb;

use self::counting::Synced;
use self::hint::Hints;
use self::journal::Event;

/// "No line": no fetched line has this address.
pub const NO_LINE: u64 = 1;
/// The bits for `mstatus.SUM` and MXR in the tags of data accesses, above those of the level of privilege.
pub const TAG_SUM: u32 = 1 << 2;
/// The latter.
pub const TAG_MXR: u32 = 1 << 3;
/// Places in a line where an instruction can begin.
pub const LINE_OPS: usize = LINE_BYTES as usize / 2;

/// How many instructions are remembered decoded, a power of two.
const DECODED: usize = 2048;

/// A line of the instruction cache.
#[derive(Debug, Clone)]
pub struct InsnLine {
    /// Its bytes, as they were when it was filled.
    pub bytes: [u8; LINE_BYTES as usize],
}

impl Default for InsnLine {
    fn default() -> Self {
        Self {
            bytes: [0; LINE_BYTES as usize],
        }
    }
}

impl Line for InsnLine {
    const BYTES: u32 = LINE_BYTES;
}

/// What LR has reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reservation {
    /// The physical address.
    pub pa: u32,
    /// Bytes.
    pub bytes: u32,
    /// What was read there: another value shows a write by a device.
    pub value: u64,
}

/// The registers that accesses depend on. They follow the core's.
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    /// `satp`.
    pub satp: u64,
    /// The level of privilege of fetches.
    pub privilege: Privilege,
    /// The rights of loads and stores.
    pub data: Rights,
    /// Whether the processor sets A and D bits.
    pub updates: bool,
}

/// The memory system.
pub struct MemSys {
    /// Clock, bus and counters.
    pub platform: Platform,
    /// What the last [`Abort`] was about.
    pub fault: Fault,
    /// Physical memory protection.
    pub pmp: Pmp,
    /// The data of the last load: when it is there; 0: when that of a hit would be.
    pub ready: Cycle,
    /// What LR has reserved.
    pub reservation: Option<Reservation>,
    /// Virtual address of the line that the core fetched last, while nothing that its fetch looked at has
    /// changed; [`NO_LINE`] otherwise.
    pub line: u64,
    /// Its slot.
    pub line_slot: usize,
    /// The last instruction that went on in the next line: its address and encoding.
    crossing: (u64, u32),
    /// Encodings of instructions and what they mean.
    decoded: Box<[(u32, Op); DECODED]>,
    /// What the lines of the instruction cache mean, where that was asked; by slot.
    pub(in crate::riscv) ops: Vec<Op>,
    /// The extensions that instructions are decoded for.
    pub extensions: Extensions,
    registers: Registers,
    itlb: Tlb,
    dtlb: Tlb,
    /// The second level of both.
    l2_tlb: Tlb,
    /// What SINVAL.VMA has not done yet.
    pending: Pending,
    /// What the walker remembers of upper levels.
    pointers: Pointers,
    icache: Cache<InsnLine>,
    hierarchy: Hierarchy,
    reads: Hints,
    writes: Hints,
    fetches: Hints,
    /// Changes with everything that hints rely on, but for the place of their lines.
    epoch: u32,
    /// What hints of data accesses must agree in now, and of fetches.
    data_tag: u32,
    fetch_tag: u32,
    isa: IsaConfig,
    prices: PriceConfig,
    synced: Synced,
    /// What runs lines as host code, if anything does.
    translator: Option<Box<Translator>>,
    /// What happens other than accesses.
    pub journal: Journal<Event>,
}

impl MemSys {
    /// The memory system of `config` in front of `bus`, as reset leaves it.
    #[must_use]
    pub fn new(config: &MachineConfig, bus: Bus) -> Self {
        let riscv = config.riscv().expect("the machine file of a RISC-V");
        let isa = &riscv.isa;
        let extensions = Extensions {
            zba: isa.zba,
            zbb: isa.zbb,
            svinval: isa.svinval,
        };
        let [icache, dcache] =
            [&riscv.icache, &riscv.dcache].map(crate::config::CacheConfig::slots);
        let mut new = Self {
            platform: Platform::new(bus),
            fault: Fault {
                exception: Exception::Illegal,
                value: 0,
            },
            pmp: Pmp::new(isa.pmp_entries, isa.pmp_granularity, isa.physical_bits),
            ready: 0,
            reservation: None,
            line: NO_LINE,
            line_slot: 0,
            crossing: (NO_LINE, 0),
            decoded: Box::new([(0, decoder::decode(0, extensions)); DECODED]),
            ops: vec![Op::UNDECODED; icache * LINE_OPS],
            extensions,
            registers: Registers {
                satp: 0,
                privilege: Privilege::Machine,
                data: Rights {
                    privilege: Privilege::Machine,
                    sum: false,
                    mxr: false,
                },
                updates: false,
            },
            itlb: Tlb::new(&riscv.itlb),
            dtlb: Tlb::new(&riscv.dtlb),
            l2_tlb: Tlb::new(&riscv.l2_tlb),
            pending: Pending::default(),
            pointers: Pointers::new(isa.remembers_pointers),
            icache: Cache::new(&riscv.icache),
            hierarchy: Hierarchy::new(riscv),
            reads: Hints::new(dcache),
            writes: Hints::new(dcache),
            fetches: Hints::new(icache),
            epoch: 0,
            data_tag: 0,
            fetch_tag: 0,
            isa: isa.clone(),
            prices: riscv.price.clone(),
            synced: Synced::default(),
            translator: None,
            journal: Journal::default(),
        };
        new.follow_tags();
        new
    }

    /// The registers that accesses depend on.
    #[inline]
    #[must_use]
    pub fn registers(&self) -> &Registers {
        &self.registers
    }

    /// They have changed.
    pub fn set_registers(&mut self, registers: Registers) {
        let before = self.registers;
        if before.satp != registers.satp || before.updates != registers.updates {
            self.forget_hints();
        }
        let translates = self.translates_data();
        self.registers = registers;
        if self.translates_data() != translates || before.privilege != registers.privilege {
            // What was counted by difference was counted for what it was.
            let now = self.registers;
            self.registers = before;
            self.sync_counters();
            self.registers = now;
        }
        if before.privilege != registers.privilege {
            self.forget_line();
        }
        self.follow_tags();
    }

    fn follow_tags(&mut self) {
        let Registers {
            privilege, data, ..
        } = self.registers;
        let epoch = self.epoch << 5;
        self.fetch_tag = epoch | privilege as u32;
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let rights = flag(data.sum, TAG_SUM) | flag(data.mxr, TAG_MXR);
        self.data_tag = epoch | data.privilege as u32 | rights;
    }

    /// Translated code has changed the rights of data accesses. What it has counted is told apart already.
    pub fn set_rights(&mut self, data: Rights) {
        self.registers.data = data;
        self.follow_tags();
    }

    /// Something has changed that hints rely on.
    pub(in crate::riscv) fn forget_hints(&mut self) {
        self.epoch = (self.epoch + 1) % (1 << 27);
        if self.epoch == 0 {
            for hints in [&mut self.reads, &mut self.writes, &mut self.fetches] {
                hints.clear();
            }
        }
        self.follow_tags();
        self.forget_line();
    }

    /// The core must look up the line that it runs anew, before its next instruction.
    #[inline]
    pub(in crate::riscv) fn forget_line(&mut self) {
        self.line = NO_LINE;
    }

    fn uses_sv39(&self) -> bool {
        self.registers.satp >> satp::MODE_SHIFT == satp::SV39
    }

    /// Whether loads and stores are translated now.
    #[inline]
    #[must_use]
    pub fn translates_data(&self) -> bool {
        self.registers.data.privilege != Privilege::Machine && self.uses_sv39()
    }

    /// Whether fetches are.
    #[inline]
    #[must_use]
    pub fn translates_fetches(&self) -> bool {
        self.registers.privilege != Privilege::Machine && self.uses_sv39()
    }

    /// The current address-space identifier.
    #[inline]
    #[must_use]
    pub fn asid(&self) -> u16 {
        (self.registers.satp >> satp::ASID_SHIFT) as u16
    }

    /// The price list.
    #[inline]
    #[must_use]
    pub fn prices(&self) -> &PriceConfig {
        &self.prices
    }

    /// What the core has of the architecture.
    #[must_use]
    pub fn isa(&self) -> &IsaConfig {
        &self.isa
    }

    /// How many bytes the caches hold: what a saved machine may be large by.
    #[must_use]
    pub fn cache_bytes(&self) -> u64 {
        self.hierarchy.bytes() + u64::from(LINE_BYTES) * self.icache.slots() as u64
    }

    /// When all stores have their lines.
    #[must_use]
    pub fn drained(&self) -> Cycle {
        self.hierarchy.drained()
    }

    #[cold]
    fn fail(&mut self, exception: Exception, va: u64) -> Abort {
        let fault = &mut self.platform.counters.now.fault;
        *match exception {
            Exception::FetchPage | Exception::LoadPage | Exception::StorePage => {
                &mut fault.translation
            }
            Exception::LoadMisaligned | Exception::StoreMisaligned => &mut fault.alignment,
            _ => &mut fault.external,
        } += 1;
        self.fault = Fault {
            exception,
            value: va,
        };
        Abort
    }
}
