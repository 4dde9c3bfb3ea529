// SPDX-License-Identifier: Apache-2.0
//! The ideal machine that the coherence checker compares an ARM with ([`crate::check`]): its caches are
//! physically tagged, and its TLBs never hold anything that the page tables do not say now.
//!
//! It is a copy of memory in which every store takes effect at once, at the physical address that the
//! page tables *in that copy* give. Stale state that nobody uses is legal on these processors and not
//! reported; nor is a fault that the ideal machine would not have taken, since kernels repair such
//! faults as a matter of course. A store that hits a line of another frame is reported at once, for its
//! data is lost then, whoever reads it.

mod alias;
mod cause;
mod fetches;
mod provenance;
mod space;
mod walk;

use crate::arm::isa::encoding::Encoding;
use crate::arm::isa::register::Register;
use crate::arm::isa::Arm;
use crate::arm::memory::line::line_address;
use crate::arm::memory::memsys::MemSys;
use crate::arm::memory::mmu;
use crate::arm::memory::tlb::TlbEntry;
use crate::check::{
    self, Done, Finding, Findings, Kind, Known, Line, Read, Rights, Trusted, Writer,
};
use crate::observe::{Access, Observer, SystemAccess};

use self::alias::{Aliases, Way};
use self::fetches::{Fetches, Moment};
use self::provenance::Provenance;
use self::space::{Running, Tags};
use self::walk::{Ideal, Walk};

pub use self::cause::Cause;

/// The checker.
pub struct Checker {
    ideal: Ideal,
    provenance: Provenance,
    tags: Tags,
    running: Running,
    aliases: Aliases,
    trusted: Trusted,
    fetches: Fetches,
    /// How often a register of CP15 or a whole TLB may have changed, or a walk was wrong.
    changes: u64,
    /// How often page tables were walked.
    walks: u64,
    /// The instruction that was fetched last, and whether in user mode.
    pc: u64,
    user: bool,
    findings: Findings<Cause>,
}

/// The register of CP15 that maintains the caches and the write buffer.
const CACHES: u8 = 7;

/// That which says what the domains' rights are.
const DOMAINS: u8 = 3;

/// The operations of CP15 that invalidate the whole TLB of data, or both.
const WHOLE_TLBS: [Register; 2] = [Register::new(8, 6, 0), Register::new(8, 7, 0)];

/// A translation that was used: the entry and its place in the TLB.
type Used = Option<(usize, TlbEntry)>;

impl Checker {
    /// A checker of a machine with this memory, which is loaded, and which has not run yet.
    #[must_use]
    pub fn new(memory: &mut MemSys) -> Self {
        memory.journal.keep();
        let mut ideal = Ideal::new(&memory.platform.bus);
        let mut running = Running::default();
        running.hear(memory, &mut ideal);
        Self {
            ideal,
            provenance: Provenance::default(),
            tags: Tags::default(),
            running,
            aliases: Aliases::default(),
            trusted: Trusted::new(),
            fetches: Fetches::default(),
            changes: 0,
            walks: 0,
            pc: 0,
            user: false,
            findings: Findings::new(),
        }
    }

    /// What was found, by cause and instruction.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter()
    }

    /// Changes whenever something does that decides where accesses go, and whether they may:
    /// registers, page tables, whose turn it is; and a TLB, but by a walk that was right. Two entries
    /// for one address, then, lead to the same place, and one that is replaced is known by its tag.
    fn generation(&self) -> u64 {
        self.changes + self.ideal.shadow.changes() + self.running.changes
    }

    /// What decides whether a fetch that was right is right again.
    #[inline]
    fn moment(&self, memory: &MemSys) -> Moment {
        Moment {
            generation: self.generation() + self.ideal.shadow.code_changes(),
            domains: memory.translation_registers().1,
        }
    }

    /// Who makes an access of the running instruction. Those of a kernel with a program's rights
    /// are LDRT's and STRT's.
    fn rights(&self, access: &Access) -> Rights {
        match (self.user, access.privileged) {
            (true, _) => Rights::User,
            (false, true) => Rights::Kernel,
            (false, false) => Rights::KernelAsUser,
        }
    }

    /// The physical address of an access that goes where the ideal machine goes, as was found before.
    #[inline]
    fn trusted(&self, memory: &MemSys, access: &Access, mva: u32, kind: Kind) -> Option<u32> {
        // Each is to be seen, though it goes where that goes which was moved there.
        if !access.privileged && Way::of(memory, access.va as u32) == Some(Way::Direct) {
            return None;
        }
        let (generation, domains) = (self.generation(), memory.translation_registers().1);
        let rights = self.rights(access);
        let known = self
            .trusted
            .find(generation, domains, mva.into(), kind, rights)?;
        let tag = self.tags.find(memory, kind == Kind::Fetch, known.place);
        (tag.map(|tag| tag.walk) == known.walk).then_some(known.pa)
    }

    /// Compares the translation that was used with the ideal one. Gives where the ideal machine
    /// goes, if it does not fault.
    fn check_translation(
        &mut self,
        memory: &MemSys,
        access: &Access,
        mva: u32,
        used: &Used,
        kind: Kind,
    ) -> Option<u32> {
        let Some((place, entry)) = used else {
            return Some(mva); // the MMU is off
        };
        let pa = entry.translate(mva);
        let wish = mmu::Access {
            write: kind == Kind::Store,
            privileged: access.privileged,
        };
        let (ttb, dacr) = memory.translation_registers();
        let permissions = memory.permission_table();
        let walk = self.ideal.walk(memory, mva);
        let ideal = walk
            .entry
            .filter(|ideal| mmu::check(ideal, mva, wish, dacr, permissions).is_ok());
        let ideal_pa = ideal.map(|ideal| ideal.translate(mva));
        // A kernel that reads its own memory by LDRT, as Linux did after set_fs(KERNEL_DS), is
        // let through by a manager domain; what a program could not reach is no program's.
        let rights = self.rights(access);
        let programs = match rights {
            Rights::User => true,
            Rights::Kernel => false,
            Rights::KernelAsUser => {
                open_to_clients(memory, ideal.as_ref().unwrap_or(entry), mva, kind)
            }
        };
        if ideal_pa == Some(pa) {
            let used = (*place, entry);
            let found = (programs && self.check_protection(memory, access, mva, used, &walk, kind))
                || (!access.privileged && self.check_alias(memory, access, mva, used, kind));
            if !found {
                let generation = self.generation();
                let tag = self.tags.find(memory, kind == Kind::Fetch, *place);
                let known = Known {
                    place: *place,
                    walk: tag.map(|tag| tag.walk),
                    pa,
                };
                self.trusted
                    .add(generation, dacr, mva.into(), kind, rights, known);
            }
            return ideal_pa;
        }
        let tag = self.tags.find(memory, kind == Kind::Fetch, *place);
        let agrees = |checker: &Self| {
            let running = &checker.running;
            running.agrees(memory, &checker.ideal, mva, entry)
        };
        let cause = match tag {
            None => self.why_stale(memory, &walk),
            Some(tag) if programs && tag.ttb != ttb => Cause::ForeignTranslation,
            Some(tag)
                if programs && tag.space != self.running.space && agrees(self) == Some(false) =>
            {
                Cause::ForeignTranslation
            }
            Some(tag) => tag.early.unwrap_or(Cause::StaleTranslation),
        };
        let changed = |read: &Read| memory.platform.bus.read_memory_word(read.at) != read.word;
        let descriptor = walk.reads().find(changed).or(walk.reads().last());
        let writer = descriptor.and_then(|read| self.ideal.shadow.writer(read.at));
        let finding = self.translation_finding(memory, cause, access, mva, (*place, entry), kind);
        let finding = Finding {
            ideal_pa,
            writer,
            ..finding
        };
        self.findings.report(cause, finding);
        ideal_pa
    }

    /// A program's access that the page tables in force allow, its own or a kernel's in its name: do
    /// they because they should? Gives whether there was something to report.
    fn check_protection(
        &mut self,
        memory: &MemSys,
        access: &Access,
        mva: u32,
        used: (usize, &TlbEntry),
        walk: &Walk,
        kind: Kind,
    ) -> bool {
        let (ttb, dacr) = memory.translation_registers();
        let Some(entry) = walk.entry else {
            return false;
        };
        let tag = self.tags.find(memory, kind == Kind::Fetch, used.0);
        let manager = 3 << (2 * entry.domain);
        let cause = if dacr & manager == manager && !open_to_clients(memory, &entry, mva, kind) {
            Cause::DomainOpen
        } else if !memory.tags_are_ideal() && tag.is_some_and(|tag| tag.ttb != ttb) {
            Cause::ForeignTranslation
        } else if !self.running.owns(memory, &self.ideal, mva, walk) {
            Cause::ForeignDomain
        } else {
            return false;
        };
        let finding = self.translation_finding(memory, cause, access, mva, used, kind);
        self.findings.report(cause, finding);
        true
    }

    /// A user access that the page tables in force allow: was its place reached by another address,
    /// too? Gives whether it is not to be trusted, whatever there was to report.
    fn check_alias(
        &mut self,
        memory: &MemSys,
        access: &Access,
        mva: u32,
        used: (usize, &TlbEntry),
        kind: Kind,
    ) -> bool {
        let direct = match Way::of(memory, access.va as u32) {
            None => return false,
            Some(Way::Moved) => None,
            // The kernel may use any address; it knows what is there.
            Some(Way::Direct) if !self.user => return true,
            // A wild pointer: the kernel never gave the program anything there.
            Some(Way::Direct) if !self.running.has(memory, &self.ideal, access.va as u32) => {
                return true
            }
            Some(Way::Direct) => {
                let cause = Cause::SlotAlias;
                Some(self.translation_finding(memory, cause, access, mva, used, kind))
            }
        };
        let is_direct = direct.is_some();
        let pa = used.1.translate(mva);
        if let Some(finding) = self.aliases.reached(memory, mva, pa, direct) {
            self.findings.report(Cause::SlotAlias, finding);
        }
        is_direct
    }

    /// A finding about the translation of an access that goes where the ideal machine goes.
    fn translation_finding(
        &self,
        memory: &MemSys,
        cause: Cause,
        access: &Access,
        mva: u32,
        (place, entry): (usize, &TlbEntry),
        kind: Kind,
    ) -> Finding {
        let tag = self.tags.find(memory, kind == Kind::Fetch, place);
        let pa = entry.translate(mva);
        let running = self.running.space;
        let (ttb, _) = memory.translation_registers();
        let spaces = if running != 0 {
            Some((running, tag.map_or(running, |tag| tag.space)))
        } else {
            tag.filter(|tag| tag.ttb != ttb).map(|tag| (ttb, tag.ttb))
        };
        Finding {
            cause: cause.name(),
            explanation: cause.explanation(),
            access: *access,
            mva: mva.into(),
            pa,
            ideal_pa: Some(pa),
            domain: Some(entry.domain),
            values: (0, 0),
            writer: None,
            line: None,
            translated: tag.map(|tag| Done {
                what: "translated",
                pc: tag.pc,
                cycle: tag.cycle,
            }),
            spaces,
            changed: None,
            count: 1,
        }
    }

    /// Whether it is known already where an access goes, and it has read what is there.
    #[inline(always)]
    fn reads_newest(
        &self,
        memory: &MemSys,
        access: &Access,
        mva: u32,
        kind: Kind,
        value: u32,
    ) -> bool {
        self.trusted(memory, access, mva, kind).is_some_and(|pa| {
            let word = self.ideal.shadow.word(pa);
            word.is_none_or(|word| part(word, pa, access.bytes) == value)
        })
    }

    /// Other instructions run than those of the line that was entered last.
    #[inline(never)]
    fn enter_line(&mut self, memory: &MemSys, va: u32, user: bool, thumb: bool, slot: usize) {
        let moment = self.moment(memory);
        let words = memory.insn_words(slot);
        self.fetches.enter(va, user, thumb, moment, words);
    }

    /// The instruction was not known to be right.
    #[inline(never)]
    fn fetched_anew(&mut self, memory: &MemSys, access: &Access, code: Encoding, moment: Moment) {
        let (va, insn) = (access.va as u32, code.word);
        let mva = memory.relocate(va);
        if let Some(pa) = self.trusted(memory, access, mva, Kind::Fetch) {
            let word = self.ideal.shadow.word(pa);
            if word.is_none_or(|word| part(word, pa, access.bytes) == insn) {
                if let Some(word) = word {
                    self.ideal.shadow.read_code(pa);
                    self.fetches.add(va, self.user, code, moment, word);
                }
                return;
            }
        }
        let mut used = None;
        if memory.translates() {
            // Without an entry the instruction came from a line that is fetched no more: the TLB
            // was invalidated since, which the next fetch will notice.
            let Some((place, entry)) = memory.insn_translation(mva) else {
                return;
            };
            used = Some((place, *entry));
        }
        let pa = used.map_or(mva, |(_, entry)| entry.translate(mva));
        if self.check_translation(memory, access, mva, &used, Kind::Fetch) != Some(pa) {
            return;
        }
        let Some(word) = self.ideal.shadow.word(pa) else {
            return;
        };
        let newest = part(word, pa, access.bytes);
        if newest != insn {
            let cacheable = used.is_none_or(|(_, entry)| entry.attributes.cacheable());
            let why = self.why_old_insn(memory, mva, pa, cacheable);
            let finding = Finding {
                values: (insn, newest),
                writer: self.ideal.shadow.writer(pa),
                ..data_finding(why, access, mva, pa, &used)
            };
            self.findings.report(why.0, finding);
        }
    }

    /// It was not known where the load goes, or it has read something else than is there.
    #[inline(never)]
    fn loaded_anew(&mut self, memory: &MemSys, access: &Access, mva: u32, value: u32) {
        let Some(used) = data_translation(memory, mva) else {
            return;
        };
        let pa = used.map_or(mva, |(_, entry)| entry.translate(mva));
        if self.check_translation(memory, access, mva, &used, Kind::Load) != Some(pa) {
            return;
        }
        let Some(word) = self.ideal.shadow.word(pa) else {
            return;
        };
        let newest = part(word, pa, access.bytes);
        if newest != value {
            let entry = used.as_ref().map(|(_, entry)| entry);
            let why = self.why_old_data(memory, mva, pa, entry);
            let finding = Finding {
                values: (value, newest),
                writer: self.ideal.shadow.writer(pa),
                ..data_finding(why, access, mva, pa, &used)
            };
            self.findings.report(why.0, finding);
        }
    }

    /// The real machine has stored: so does the ideal one, where that goes.
    fn compare_store(&mut self, memory: &MemSys, access: &Access, value: u32) {
        let mva = memory.relocate(access.va as u32);
        let Some(used) = data_translation(memory, mva) else {
            self.stored_unseen(memory, access, mva, value);
            return;
        };
        let pa = used.map_or(mva, |(_, entry)| entry.translate(mva));
        let ideal_pa = self
            .trusted(memory, access, mva, Kind::Store)
            .or_else(|| self.check_translation(memory, access, mva, &used, Kind::Store));
        let hit = used.as_ref().and_then(|(_, entry)| {
            let line = memory.data_line(mva, entry);
            line.filter(|_| !memory.stores_through(entry))
        });
        let writer = Writer {
            pc: access.pc,
            mva: mva.into(),
            domain: used.map(|(_, entry)| entry.domain),
            cached: hit.is_some(),
            cycle: access.cycle,
        };
        if ideal_pa != Some(pa) {
            self.provenance.astray(pa, ideal_pa, &writer);
        }
        let Some(ideal_pa) = ideal_pa else {
            return;
        };
        if !self
            .ideal
            .shadow
            .store(ideal_pa, access.bytes, value, &writer)
        {
            // A device: the probe, perhaps.
            self.running.hear(memory, &mut self.ideal);
            return;
        }
        self.running.stored(memory, &mut self.ideal, ideal_pa);
        if ideal_pa != pa {
            return;
        }
        match hit.filter(|line| line.pa != line_address(pa)) {
            Some(line) => {
                let line = self.provenance.misplaced(&self.ideal, pa, &line, &writer);
                let why = (Cause::HomonymStore, Some(line));
                let finding = data_finding(why, access, mva, pa, &used);
                self.findings.report(why.0, finding);
            }
            None if access.bytes == 4 => self.provenance.mend(pa),
            None => {}
        }
    }

    /// A store whose translation is gone: a later word of the same instruction has replaced it, or,
    /// with ideal tags, the store itself has changed what it came from. The ideal machine stores all
    /// the same.
    fn stored_unseen(&mut self, memory: &MemSys, access: &Access, mva: u32, value: u32) {
        let Some(entry) = self.ideal.walk(memory, mva).entry else {
            return;
        };
        let pa = entry.translate(mva);
        let writer = Writer {
            pc: access.pc,
            mva: mva.into(),
            domain: Some(entry.domain),
            cached: false,
            cycle: access.cycle,
        };
        if self.ideal.shadow.store(pa, access.bytes, value, &writer) {
            self.running.stored(memory, &mut self.ideal, pa);
        }
    }
}

/// Whether a program may make such an access through `entry`, were it a client of its domain.
fn open_to_clients(memory: &MemSys, entry: &TlbEntry, mva: u32, kind: Kind) -> bool {
    let wish = mmu::Access {
        write: kind == Kind::Store,
        privileged: false,
    };
    let client = 1 << (2 * entry.domain);
    mmu::check(entry, mva, wish, client, memory.permission_table()).is_ok()
}

/// A finding about the data at `pa`, where both machines go.
fn data_finding(
    (cause, line): (Cause, Option<Line>),
    access: &Access,
    mva: u32,
    pa: u32,
    used: &Used,
) -> Finding {
    Finding {
        cause: cause.name(),
        explanation: cause.explanation(),
        access: *access,
        mva: mva.into(),
        pa,
        ideal_pa: Some(pa),
        domain: used.map(|(_, entry)| entry.domain),
        values: (0, 0),
        writer: None,
        line,
        translated: None,
        spaces: None,
        changed: None,
        count: 1,
    }
}

/// The part of a word that an access of so many bytes reads, right-aligned.
fn part(word: u32, address: u32, bytes: u32) -> u32 {
    match bytes {
        1 => (word >> (8 * (address & 3))) & 0xff,
        2 => (word >> (8 * (address & 2))) & 0xffff,
        _ => word,
    }
}

impl check::Checker<Arm> for Checker {
    fn new(memory: &mut MemSys) -> Self {
        Self::new(memory)
    }

    fn findings(&self) -> Vec<Finding> {
        self.findings().cloned().collect()
    }

    fn finding_count(&self) -> usize {
        self.findings.count()
    }
}

impl Observer<Arm> for Checker {
    const ON: bool = true;

    #[inline]
    fn expects(&mut self, memory: &MemSys, access: &Access, slot: usize) -> bool {
        if memory.journal.has_events() {
            return false;
        }
        let (va, user, thumb) = (access.va as u32, !access.privileged, access.bytes == 2);
        if !self.fetches.in_line(va, user, thumb) {
            self.enter_line(memory, va, user, thumb, slot);
        }
        let expected = self.fetches.expects(va);
        if expected {
            (self.pc, self.user) = (access.pc, user);
            debug_assert!({
                let word = part(memory.encoding(slot, va), va, access.bytes);
                let code = Encoding { word, thumb };
                self.fetches.knows(va, user, code, self.moment(memory))
            });
        }
        expected
    }

    #[inline]
    fn fetched(&mut self, memory: &MemSys, access: &Access, code: Encoding) {
        self.hear(memory, access.pc, true);
        (self.pc, self.user) = (access.pc, !access.privileged);
        let moment = self.moment(memory);
        if !self
            .fetches
            .knows(access.va as u32, self.user, code, moment)
        {
            self.fetched_anew(memory, access, code, moment);
        }
    }

    #[inline]
    fn loaded(&mut self, memory: &MemSys, access: &Access, value: u32) {
        self.hear(memory, access.pc, false);
        let mva = memory.relocate(access.va as u32);
        if !self.reads_newest(memory, access, mva, Kind::Load, value) {
            self.loaded_anew(memory, access, mva, value);
        }
    }

    #[inline]
    fn stored(&mut self, memory: &MemSys, access: &Access, value: u32) {
        self.hear(memory, access.pc, false);
        self.compare_store(memory, access, value);
        self.fetches.come_to(self.moment(memory));
    }

    fn operated(&mut self, memory: &MemSys, access: &SystemAccess<Arm>) {
        // Those of the caches change nothing but data. What is trusted knows under which rights of
        // domains; aliases of a slot are looked for under one value of these at a time.
        let apart =
            access.what.crn == CACHES || access.what.crn == DOMAINS && memory.pid_slot() == 0;
        self.changes += u64::from(!apart);
        self.fetches.leave();
        if WHOLE_TLBS.contains(&access.what) {
            self.aliases.forget();
        }
        self.hear(memory, access.pc, false);
    }

    fn poked(&mut self, pa: u32, bytes: &[u8]) {
        self.ideal.shadow.poke(pa, bytes);
        self.fetches.leave();
    }

    fn restored(&mut self, memory: &MemSys) {
        memory.journal.take(&mut Vec::new());
        self.ideal = Ideal::new(&memory.platform.bus);
        (self.provenance, self.tags) = (Provenance::default(), Tags::default());
        self.aliases = Aliases::default();
        for (pa, byte) in memory.unwritten() {
            self.ideal.shadow.poke(pa, &[byte]);
        }
        self.running = Running::default();
        self.running.hear(memory, &mut self.ideal);
        (self.trusted, self.fetches) = (Trusted::new(), Fetches::default());
    }
}

/// The entry through which data at `mva` were accessed, none without MMU. `None`: it has already
/// been replaced, by a later word of the same instruction.
fn data_translation(memory: &MemSys, mva: u32) -> Option<Used> {
    if !memory.translates() {
        return Some(None);
    }
    let (place, entry) = memory.data_translation(mva)?;
    Some(Some((place, *entry)))
}
