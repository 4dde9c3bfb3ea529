// SPDX-License-Identifier: Apache-2.0
//! The coherence checker of RISC-V processors: the ideal machine has no TLBs and an instruction cache
//! that sees stores. Each access that has succeeded is walked again, by the page tables as they are now, and
//! each instruction is compared with memory. Where the ideal machine would have gone elsewhere, failed, or
//! run something else, the kernel has forgotten SFENCE.VMA or FENCE.I (II, "Supervisor Memory-Management
//! Fence Instruction"; I, "Zifencei").
//!
//! What is no finding, because kernels rely on it and the manual allows it: an entry that allows less than
//! the tables say faults, and the handler fences and returns; an accessed bit that was cleared and
//! is not set again (Linux clears it without a fence: `ptep_clear_flush_young`); a translation that nobody
//! uses before the fence comes. A fault of a translation that is valid by now is one only if the handler
//! returns without a fence for it, or never does; of one that allows more by now, if the instruction then
//! faults at it again, or is not done at all: the handler has gone on after it, in the same space.

use std::collections::BTreeMap;

use crate::bus::Target;
use crate::check::{self, Done, Finding, Findings, Shadow, Writer};
use crate::event::Cycle;
use crate::observe::{Access as Seen, Observer, SystemAccess};
use crate::riscv::isa::csr;
use crate::riscv::isa::insn::Encoding;
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::system::{Operation, Trap};
use crate::riscv::isa::Riscv;
use crate::riscv::memory::fault::Access;
use crate::riscv::memory::memsys::journal::Event;
use crate::riscv::memory::memsys::MemSys;
use crate::riscv::memory::mmu::{self, pte, satp, Rights};
use crate::riscv::memory::pending::Lacks;
use crate::riscv::memory::tlb::{Scope, TlbEntry};

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// A page is another one, or none, by now.
    Stale,
    /// The entry was made for another root with the same identifier.
    Reused,
    /// A global page is another one, or none, by now.
    Global,
    /// A page is written while its dirty bit is clear.
    Dirty,
    /// Protection of physical memory has changed.
    Protection,
    /// An entry that was not valid is remembered.
    Invalid,
    /// SINVAL.VMA was not ordered.
    Unordered(Lacks),
    /// The walker remembers a pointer to another table.
    Pointer,
    /// An instruction is another by now.
    Instruction,
}

impl Cause {
    fn name(self) -> &'static str {
        match self {
            Self::Stale => "stale-translation",
            Self::Reused => "reused-asid",
            Self::Global => "stale-global-page",
            Self::Dirty => "lost-dirty-bit",
            Self::Protection => "stale-protection",
            Self::Invalid => "remembered-invalid",
            Self::Unordered(_) => "unordered-invalidation",
            Self::Pointer => "stale-table",
            Self::Instruction => "stale-instruction",
        }
    }

    /// In words, on a processor with identifiers of address spaces or without.
    fn explanation(self, has_asids: bool) -> &'static str {
        match self {
            Self::Stale => {
                "the TLB's entry is not what the page tables say now; SFENCE.VMA was needed after they \
                 were changed"
            }
            Self::Reused if !has_asids => {
                "the TLB's entry was made for another address space; this processor has no identifiers \
                 of address spaces (ASIDs), so SFENCE.VMA was needed after satp was written"
            }
            Self::Reused => {
                "the TLB's entry was made for another address space with the same identifier (ASID); \
                 SFENCE.VMA was needed when it was given to this one"
            }
            Self::Global => {
                "the TLB's entry is of a global page, which no SFENCE.VMA with an ASID takes away, and is \
                 not what the page tables say now; SFENCE.VMA with rs2 = x0 was needed"
            }
            Self::Dirty => {
                "the page is written while its dirty bit is clear, which the TLB's entry has not seen; \
                 SFENCE.VMA was needed when it was cleared"
            }
            Self::Protection => {
                "physical memory protection has changed, which the TLB's entry has not seen; SFENCE.VMA \
                 with rs1 = x0 and rs2 = x0 was needed"
            }
            Self::Invalid => {
                "a page fault came from a TLB that remembers the page as invalid; it is valid now, and no \
                 SFENCE.VMA came before the program went on"
            }
            Self::Unordered(Lacks::Before) => {
                "SINVAL.VMA has named the TLB's entry, which is not what the page tables say now, but no \
                 SFENCE.W.INVAL was between the change and it"
            }
            Self::Unordered(Lacks::After) => {
                "SINVAL.VMA has named the TLB's entry, which is not what the page tables say now, but \
                 SFENCE.INVAL.IR was needed after it"
            }
            Self::Pointer => {
                "the walk went by a pointer that is another by now; SFENCE.VMA with rs1 = x0 was needed, as \
                 one for an address orders leaves only"
            }
            Self::Instruction => {
                "the instruction cache has an instruction that is not in memory any more; FENCE.I was \
                 needed"
            }
        }
    }
}

/// How a translation has come about.
#[derive(Debug, Clone, Copy)]
struct Origin {
    /// `satp` then.
    satp: u64,
    pc: u64,
    cycle: Cycle,
    /// Whether the walk went by a pointer that was remembered.
    remembered: bool,
}

/// A fault that the page tables did not ask for, until the fence for it comes.
#[derive(Debug, Clone)]
struct Spurious {
    va: u64,
    asid: u16,
    /// [`Cause::Invalid`], or [`Cause::Stale`] where the entry allows too little.
    cause: Cause,
    /// Traps within its handler that have not returned: interrupts, calls of the firmware.
    nested: u32,
    /// Whether its handler has returned.
    returned: bool,
    /// Whether something has run since, and the root then.
    resumed: bool,
    root: u64,
    finding: Finding,
}

impl Spurious {
    /// Whether it is a finding if its handler never returns.
    fn is_open(&self) -> bool {
        self.cause == Cause::Invalid
    }
}

/// What was found right, by page and kind of access; good as long as nothing changes.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    key: u64,
    generation: u64,
}

/// Places of [`Known`].
const KNOWN: usize = 1024;

/// Compares a machine with one that has no TLBs.
pub struct Checker {
    findings: Findings<Cause>,
    shadow: Shadow,
    origins: BTreeMap<(u64, u16), Origin>,
    events: Vec<Event>,
    known: Vec<Known>,
    /// Changes with what decides where accesses go, but for tables.
    epoch: u64,
    spurious: Option<Spurious>,
    /// Who wrote `satp` last, and who physical memory protection.
    satp: Option<Done>,
    protection: Option<Done>,
}

impl check::Checker<Riscv> for Checker {
    fn new(memory: &mut MemSys) -> Self {
        memory.journal.keep();
        Self {
            findings: Findings::new(),
            shadow: Shadow::new(&memory.platform.bus),
            origins: BTreeMap::new(),
            events: Vec::new(),
            known: vec![Known::default(); KNOWN],
            epoch: 1,
            spurious: None,
            satp: None,
            protection: None,
        }
    }

    fn findings(&self) -> Vec<Finding> {
        let mut found: Vec<Finding> = self.findings.iter().cloned().collect();
        // A handler that never returned.
        found.extend(
            self.spurious
                .as_ref()
                .filter(|spurious| spurious.is_open())
                .map(|spurious| spurious.finding.clone()),
        );
        found
    }

    fn finding_count(&self) -> usize {
        let open = self.spurious.as_ref().is_some_and(Spurious::is_open);
        self.findings.count() + usize::from(open)
    }
}

impl Observer<Riscv> for Checker {
    const ON: bool = true;

    fn fetched(&mut self, memory: &MemSys, access: &Seen, code: Encoding) {
        self.take_events(memory, access.pc);
        self.look_for_skipped(memory, access);
        let Some(pa) = self.check(memory, access, Access::Fetch) else {
            return;
        };
        self.check_instruction(memory, access, pa, code);
    }

    fn loaded(&mut self, memory: &MemSys, access: &Seen, _: u32) {
        self.take_events(memory, access.pc);
        let _ = self.check(memory, access, Access::Load);
    }

    fn stored(&mut self, memory: &MemSys, access: &Seen, value: u32) {
        self.take_events(memory, access.pc);
        let Some(pa) = self.check(memory, access, Access::Store) else {
            return;
        };
        let writer = Writer {
            pc: access.pc,
            mva: access.va,
            domain: None,
            cached: false,
            cycle: access.cycle,
        };
        self.shadow.store(pa, access.bytes, value, &writer);
    }

    fn poked(&mut self, pa: u32, bytes: &[u8]) {
        self.shadow.poke(pa, bytes);
        self.epoch += 1;
    }

    fn entered(&mut self, memory: &MemSys, trap: &Trap) {
        self.take_events(memory, trap.pc);
        self.epoch += 1;
        if let Some(spurious) = &mut self.spurious {
            if spurious.returned {
                spurious.resumed = true;
            } else {
                spurious.nested += 1;
            }
        }
        self.note_spurious(memory, trap);
    }

    fn operated(&mut self, memory: &MemSys, access: &SystemAccess<Riscv>) {
        self.epoch += 1;
        let done = |what| {
            Some(Done {
                what,
                pc: access.pc,
                cycle: memory.platform.cycle,
            })
        };
        match access.what {
            Operation::Csr(csr::SATP, _) => self.satp = done("satp written"),
            Operation::Csr(number, _) if csr::is_protection(number) => {
                self.protection = done("protection written");
            }
            Operation::TranslationFence(va, asid) => {
                let scope = Scope { va, asid };
                let fenced = |spurious: &Spurious| {
                    scope.takes(&TlbEntry {
                        va: spurious.va & !0xfff,
                        asid: spurious.asid,
                        ..TlbEntry::EMPTY
                    })
                };
                if self.spurious.as_ref().is_some_and(fenced) {
                    self.spurious = None;
                }
            }
            Operation::Return(_) => {
                let Some(spurious) = &mut self.spurious else {
                    return;
                };
                if spurious.nested > 0 {
                    spurious.nested -= 1;
                } else if spurious.cause == Cause::Invalid {
                    let finding = spurious.finding.clone();
                    self.spurious = None;
                    self.findings.report(Cause::Invalid, finding);
                } else {
                    spurious.returned = true;
                }
            }
            _ => {}
        }
    }

    fn restored(&mut self, memory: &MemSys) {
        self.shadow = Shadow::new(&memory.platform.bus);
        self.origins.clear();
        self.spurious = None;
        (self.satp, self.protection) = (None, None);
        self.epoch += 1;
    }
}

impl Checker {
    /// Notes how translations have come about.
    fn take_events(&mut self, memory: &MemSys, pc: u64) {
        if !memory.journal.has_events() {
            return;
        }
        let mut events = std::mem::take(&mut self.events);
        memory.journal.take(&mut events);
        self.epoch += 1;
        for event in events.drain(..) {
            if let Event::Walked { entry, remembered } = event {
                let origin = Origin {
                    satp: memory.registers().satp,
                    pc,
                    cycle: memory.platform.cycle,
                    remembered,
                };
                self.origins.insert((entry.va, entry.asid), origin);
            }
        }
        self.events = events;
    }

    /// Where an access that has succeeded went. Reports it if the ideal machine would have gone elsewhere.
    fn check(&mut self, memory: &MemSys, access: &Seen, kind: Access) -> Option<u32> {
        let fetch = kind == Access::Fetch;
        let translates = if fetch {
            memory.translates_fetches()
        } else {
            memory.translates_data()
        };
        if !translates {
            return u32::try_from(access.va).ok();
        }
        let entry = memory.held(access.va, fetch)?;
        let pa = u32::try_from(entry.translate(access.va)).ok()?;
        let generation = self.epoch + self.shadow.changes() + memory.platform.bus.dma.writes;
        let key = access.va >> 12 << 3 | u64::from(kind.right());
        let place = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize % KNOWN;
        let known = Known { key, generation };
        let is_known = |k: &Known| k.key == known.key && k.generation == known.generation;
        if is_known(&self.known[place]) {
            return Some(pa);
        }
        match self.difference(memory, access, kind, &entry) {
            // of a page in which protection differs each access is asked
            None if memory.protection_now(&entry).is_none() => {}
            None => self.known[place] = known,
            Some((cause, ideal)) => {
                let finding = self.finding(memory, access, cause, &entry, pa, ideal);
                self.findings.report(cause, finding);
            }
        }
        Some(pa)
    }

    /// What the ideal machine would do otherwise: why, and where it would go.
    fn difference(
        &self,
        memory: &MemSys,
        access: &Seen,
        kind: Access,
        entry: &TlbEntry,
    ) -> Option<(Cause, Option<u32>)> {
        let va = access.va;
        let registers = memory.registers();
        let walked = memory.walk_now(registers.satp, va);
        for &at in &walked.read {
            self.shadow.read(at as u32);
            self.shadow.read(at as u32 + 4);
        }
        let ideal = walked.translate(va).and_then(|pa| u32::try_from(pa).ok());
        let rights = Rights {
            privilege: if kind == Access::Fetch {
                registers.privilege
            } else {
                registers.data.privilege
            },
            ..registers.data
        };
        let now = walked.leaf.map_or(0, |(pte, _)| pte);
        let goes_there = ideal.map(u64::from) == Some(entry.translate(va));
        let allowed = now & pte::V != 0 && mmu::allows(now, kind, rights);
        if !goes_there || !allowed {
            let origin = self.origins.get(&(entry.va, entry.asid));
            let root = |value: u64| value & satp::PPN;
            let other = origin.is_some_and(|o| root(o.satp) != root(registers.satp));
            // the leaf is elsewhere, though its space is the same
            let by_pointer =
                origin.is_some_and(|o| o.remembered) && walked.at != u64::from(entry.at) && !other;
            let cause = if let Some(lacks) = memory.lacks(entry) {
                Cause::Unordered(lacks)
            } else if by_pointer {
                Cause::Pointer
            } else if entry.is_global() {
                Cause::Global
            } else if other {
                Cause::Reused
            } else {
                Cause::Stale
            };
            return Some((cause, ideal.filter(|_| allowed)));
        }
        if kind == Access::Store && now & pte::D == 0 && !registers.updates {
            return Some((Cause::Dirty, None));
        }
        let permits = || match memory.protection_now(entry) {
            Some(rights_of_page) => rights_of_page & kind.right() != 0,
            None => {
                let (pa, bytes) = (entry.translate(va), u64::from(access.bytes));
                memory.pmp.allows(pa, bytes, kind, rights.privilege)
            }
        };
        (entry.protection.is_some() && !permits()).then_some((Cause::Protection, None))
    }

    fn finding(
        &self,
        memory: &MemSys,
        access: &Seen,
        cause: Cause,
        entry: &TlbEntry,
        pa: u32,
        ideal: Option<u32>,
    ) -> Finding {
        let root = |value: u64| ((value & satp::PPN) << 12) as u32;
        let origin = self.origins.get(&(entry.va, entry.asid));
        let running = memory.registers().satp;
        let walked = memory.walk_now(running, access.va);
        let (writer, changed) = match cause {
            Cause::Protection => (None, self.protection),
            Cause::Reused => (u32::try_from(walked.at).ok(), self.satp),
            _ => (u32::try_from(walked.at).ok(), None),
        };
        Finding {
            cause: cause.name(),
            explanation: cause.explanation(memory.has_asids()),
            access: *access,
            mva: access.va,
            pa,
            ideal_pa: ideal,
            domain: None,
            values: (0, 0),
            writer: writer.and_then(|at| self.shadow.writer(at)),
            line: None,
            translated: origin.map(|origin| Done {
                what: "translated",
                pc: origin.pc,
                cycle: origin.cycle,
            }),
            spaces: origin.map(|origin| (root(running), root(origin.satp))),
            changed,
            count: 1,
        }
    }

    /// Reports an instruction that is not what memory has.
    fn check_instruction(&mut self, memory: &MemSys, access: &Seen, pa: u32, code: Encoding) {
        let bus = &memory.platform.bus;
        let bytes = access.bytes;
        // The rest of one that crosses a page is elsewhere.
        let here = bytes.min(4096 - pa % 4096);
        if bus.target(pa) != Target::Ram {
            return;
        }
        let Some(memory_has) = bus.ram_slice(pa, here as usize) else {
            return;
        };
        if code.0.to_le_bytes()[..here as usize] == *memory_has {
            return;
        }
        let mut newest = [0; 4];
        newest[..here as usize].copy_from_slice(memory_has);
        let mask = if here == 2 { 0xffff } else { u32::MAX };
        let finding = Finding {
            cause: Cause::Instruction.name(),
            explanation: Cause::Instruction.explanation(memory.has_asids()),
            access: *access,
            mva: access.va,
            pa,
            ideal_pa: Some(pa),
            domain: None,
            values: (code.0 & mask, u32::from_le_bytes(newest)),
            writer: self.shadow.writer(pa),
            line: None,
            translated: None,
            spaces: None,
            changed: None,
            count: 1,
        };
        self.findings.report(Cause::Instruction, finding);
    }

    /// The first instruction after the handler of a fault that the tables did not ask for: where that is the
    /// next one in the same space, the handler has passed over the access.
    fn look_for_skipped(&mut self, memory: &MemSys, access: &Seen) {
        let Some(spurious) = &mut self.spurious else {
            return;
        };
        if !spurious.returned || std::mem::replace(&mut spurious.resumed, true) {
            return;
        }
        let behind = access.pc.wrapping_sub(spurious.finding.access.pc);
        let same = memory.registers().satp & satp::PPN == spurious.root
            && access.privileged == spurious.finding.access.privileged;
        if same && (behind == 2 || behind == 4) {
            let (cause, finding) = (spurious.cause, spurious.finding.clone());
            self.spurious = None;
            self.findings.report(cause, finding);
        }
    }

    /// Notes a page fault of an address that is valid, and allows the access, by now.
    fn note_spurious(&mut self, memory: &MemSys, trap: &Trap) {
        let kind = match trap.cause {
            12 => Access::Fetch,
            13 => Access::Load,
            15 => Access::Store,
            _ => return,
        };
        let satp = memory.registers().satp;
        let asid = (satp >> satp::ASID_SHIFT) as u16;
        let walked = memory.walk_now(satp, trap.value);
        let held = memory.held(trap.value, kind == Access::Fetch);
        let (Some(held), Some((now, _))) = (held, walked.leaf) else {
            return;
        };
        let rights = Rights {
            privilege: trap.from,
            ..memory.registers().data
        };
        let needed = mmu::needed(kind);
        if !mmu::allows(now, kind, rights) || now & needed != needed {
            return;
        }
        let access = Seen {
            cycle: memory.platform.cycle,
            pc: trap.pc,
            va: trap.value,
            bytes: 1,
            privileged: trap.from != Privilege::User,
        };
        let (cause, pa) = if held.pte & pte::V == 0 {
            (Cause::Invalid, 0)
        } else {
            let pa = u32::try_from(held.translate(trap.value));
            (Cause::Stale, pa.unwrap_or_default())
        };
        let ideal = walked.translate(trap.value);
        let ideal = ideal.and_then(|pa| u32::try_from(pa).ok());
        let finding = self.finding(memory, &access, cause, &held, pa, ideal);
        let again = |before: &Spurious| {
            before.returned
                && (before.va, before.asid) == (trap.value, asid)
                && before.finding.access.pc == trap.pc
        };
        if self.spurious.as_ref().is_some_and(again) {
            self.findings.report(cause, finding.clone());
        }
        self.spurious = Some(Spurious {
            va: trap.value,
            asid,
            cause,
            nested: 0,
            returned: false,
            resumed: false,
            root: satp & satp::PPN,
            finding,
        });
    }
}
