// SPDX-License-Identifier: Apache-2.0
//! The coherence checker of IA-32 processors: the ideal machine has no TLBs. Each access that has
//! succeeded is walked again, by the page tables as they are now. Where it would have gone elsewhere, or
//! failed, the kernel has forgotten INVLPG or a load of CR3, or has made a page global that is not the
//! same in every address space. Caches have physical tags and are coherent: nothing there can be
//! forgotten.
//!
//! An entry that allows less than the tables is no finding: the access faults, and the handler returns
//! (SDM vol. 3, 3.11).
//!
//! A global entry may be used under any directory (SDM vol. 3, 3.11), also under one that has nothing at its
//! address. Kernels that copy entries of a directory into others when they are needed rely on that: the
//! ideal machine would fault, the handler copy the entry, and the access go where it has gone. So that is
//! no finding where the handler would surely do so; see [`Checker::copy_is_missing`].
//!
//! Where segments move programs ([`Spaces::segment`]), several spaces are in one directory, with global
//! pages, of which entries may be copied into others' directories when they are needed. Then the tables
//! that count are those of the space that runs, whether or not the directory in force has them, and an
//! access outside of its linear addresses is a finding.

mod trusted;

use std::collections::BTreeSet;

use crate::check::{self, Finding, Findings, Kind};
use crate::dev::Spaces;
use crate::ia32::cpu::MemSys;
use crate::ia32::isa::encoding::Encoding;
use crate::ia32::isa::Ia32;
use crate::ia32::memory::mmu;
use crate::ia32::memory::tlb::TlbEntry;
use crate::observe::{Access, Observer};

use self::trusted::{Seen, Trusted};

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// A global page is another one, or none, by now.
    Global,
    /// So is any other.
    Stale,
    /// A user page lost its dirty bit.
    Dirty,
    /// A program reaches what is not its space's.
    Foreign,
}

impl Cause {
    fn name(self) -> &'static str {
        match self {
            Self::Global => "stale-global-page",
            Self::Stale => "stale-translation",
            Self::Dirty => "lost-dirty-bit",
            Self::Foreign => "foreign-segment",
        }
    }

    fn explanation(self) -> &'static str {
        match self {
            Self::Global => {
                "the TLB's entry is of a global page, which no load of CR3 takes away, and is not what \
                 the page tables say now; INVLPG or a change of CR4.PGE was needed"
            }
            Self::Stale => {
                "the TLB's entry is not what the page tables say now; INVLPG or a load of CR3 was needed"
            }
            Self::Dirty => {
                "the user page is written while its dirty bit is clear, which the TLB's entry has not \
                 seen; INVLPG or a load of CR3 was needed when it was cleared"
            }
            Self::Foreign => {
                "the linear address is not one of the running space's; a segment register was left from \
                 another space, or reaches too far"
            }
        }
    }
}

/// Where the programs of the space that runs are.
struct Segment {
    base: u32,
    size: u32,
    /// The space's own directory, a physical address.
    directory: u32,
}

impl Segment {
    /// As the guest says, if it does and a space runs.
    fn running(memory: &MemSys) -> Option<Self> {
        let Spaces {
            word,
            thread,
            directory,
            segment,
            ..
        } = memory.platform.bus.host.spaces;
        let follow = |at: u32| memory.word_now(at).filter(|to| *to != 0);
        let running = follow(word)?;
        let space = follow(running.wrapping_add(thread))?;
        let base = space.wrapping_add(segment);
        let directory = follow(space.wrapping_add(directory))?;
        Some(Self {
            base: memory.word_now(base)?,
            size: memory.word_now(base.wrapping_add(4))?,
            directory: memory.walk_now(directory)?.translate(directory),
        })
    }
}

/// Compares a machine with one that has no TLBs.
#[derive(Debug)]
pub struct Checker {
    findings: Findings<Cause>,
    /// The directories that have been in force, and the one that is.
    directories: BTreeSet<u32>,
    directory: Option<u32>,
    trusted: Trusted,
}

impl check::Checker<Ia32> for Checker {
    fn new(_memory: &mut MemSys) -> Self {
        Self {
            findings: Findings::new(),
            directories: BTreeSet::new(),
            directory: None,
            trusted: Trusted::new(),
        }
    }

    fn findings(&self) -> Vec<Finding> {
        self.findings.iter().cloned().collect()
    }

    fn finding_count(&self) -> usize {
        self.findings.count()
    }
}

impl Checker {
    #[inline(always)]
    fn check(&mut self, memory: &MemSys, access: &Access, kind: Kind, value: u32) {
        if !memory.pages() {
            return;
        }
        let directory = memory.directory();
        if self.directory.replace(directory) != Some(directory) {
            self.directories.insert(directory);
        }
        let tlb = if kind == Kind::Fetch {
            memory.itlb()
        } else {
            memory.dtlb()
        };
        let linear = access.va as u32;
        // One that was replaced since then was replaced by what was walked a moment ago.
        let Some((_, used)) = tlb.peek(linear) else {
            return;
        };
        let rights = mmu::Access {
            write: kind == Kind::Store,
            user: !access.privileged,
            fetch: kind == Kind::Fetch,
        };
        let spaces = &memory.platform.bus.host.spaces;
        let (segment, seen) = if spaces.segment != 0 && linear < spaces.shared {
            (Segment::running(memory), None)
        } else {
            (None, Seen::now(memory, linear, used))
        };
        if let Some(seen) = &seen {
            if self.trusted.knows(linear, kind, rights.user, seen) {
                return;
            }
        }
        self.check_anew(memory, access, (rights, kind, value), used, (segment, seen));
    }

    /// The same, where it is not known to be right; what of it was `seen`, if that decides.
    #[inline(never)]
    fn check_anew(
        &mut self,
        memory: &MemSys,
        access: &Access,
        (rights, kind, value): (mmu::Access, Kind, u32),
        used: &TlbEntry,
        (segment, seen): (Option<Segment>, Option<Seen>),
    ) {
        let linear = access.va as u32;
        let allowed = |page: &TlbEntry| mmu::allows(page, rights, memory.write_protects());
        let (right, cause) = match segment {
            Some(own) if linear.wrapping_sub(own.base) < own.size => {
                let va = linear - own.base;
                let right = memory.walk_from(own.directory, va).filter(allowed);
                (right, cause(used, right.as_ref(), linear, va, rights))
            }
            Some(_) if rights.user => (None, Some(Cause::Foreign)),
            _ => {
                let right = memory.walk_now(linear).filter(allowed);
                let cause = cause(used, right.as_ref(), linear, linear, rights);
                if let (None, Some(seen)) = (cause, seen) {
                    self.trusted.add(linear, kind, rights.user, seen);
                }
                let found = |_: &Cause| !self.copy_is_missing(memory, used, access, allowed);
                (right, cause.filter(found))
            }
        };
        let Some(cause) = cause else {
            return;
        };
        let finding = Finding {
            cause: cause.name(),
            explanation: cause.explanation(),
            access: *access,
            mva: access.va,
            pa: used.translate(linear),
            ideal_pa: right.map(|page| page.translate(linear)),
            domain: None,
            values: (value, value),
            writer: None,
            line: None,
            translated: None,
            spaces: None,
            changed: None,
            count: 1,
        };
        self.findings.report(cause, finding);
    }
}

impl Checker {
    /// Whether an access by the entry `used` would only have come later on the ideal machine, after a fault
    /// that copies the entry of the directory. The directory in force has none for that address, while
    /// others still have what was used; and the fault would not have been refused:
    ///
    /// * a program's was not, if its code segment ends and the address is in it: it was given it by who
    ///   wrote the descriptor. For one whose segment is all of memory, or lies elsewhere, only the TLB has
    ///   let it through;
    /// * the supervisor's own pages are those of every space;
    /// * a page of the program that ran last, the supervisor accesses on its behalf: the handler would copy
    ///   the entry as for the program itself;
    /// * another program's page, the supervisor may have taken for one of the space that runs. It counts as
    ///   shared where two directories have it.
    fn copy_is_missing(
        &self,
        memory: &MemSys,
        used: &TlbEntry,
        access: &Access,
        allowed: impl Fn(&TlbEntry) -> bool,
    ) -> bool {
        let linear = access.va as u32;
        let given = memory.program_was_given(linear);
        let handled = given || access.privileged;
        if !used.global || !handled || memory.has_directory_entry(linear) {
            return false;
        }
        let same = |page: &TlbEntry| {
            page.global && page.translate(linear) == used.translate(linear) && allowed(page)
        };
        let has = |directory: &&u32| {
            memory
                .walk_from(**directory, linear)
                .is_some_and(|p| same(&p))
        };
        let least = if used.user && !given { 2 } else { 1 };
        self.directories.iter().filter(has).take(least).count() == least
    }
}

/// What is wrong with an access to `linear` by the entry `used`, where by the tables, in which it is at
/// `va`, it goes by `right`, or fails.
fn cause(
    used: &TlbEntry,
    right: Option<&TlbEntry>,
    linear: u32,
    va: u32,
    access: mmu::Access,
) -> Option<Cause> {
    let Some(right) = right.filter(|page| page.translate(va) == used.translate(linear)) else {
        return Some(if used.global {
            Cause::Global
        } else {
            Cause::Stale
        });
    };
    // A user page that looks clean may be dropped, and with it what is written now. Of their own pages
    // kernels do not ask that, but for those that page themselves out, whose fault is not seen here:
    // Linux maps its memory anew without the bits and goes on under what the TLB has
    // (kernel_physical_mapping_init of i386).
    // The bit of a large page is in the copy of its entry.
    let asked = linear == va || right.mask & 0x1000 != 0;
    (asked && access.write && right.user && !right.dirty).then_some(Cause::Dirty)
}

impl Observer<Ia32> for Checker {
    const ON: bool = true;

    fn fetched(&mut self, memory: &MemSys, access: &Access, code: Encoding) {
        self.check(memory, access, Kind::Fetch, 0);
        let last = code.bytes().len().saturating_sub(1) as u32;
        let linear = access.va as u32;
        let end = linear.wrapping_add(last);
        if (end ^ linear) & !0xfff != 0 {
            let va = end.into();
            let access = Access { va, ..*access };
            self.check(memory, &access, Kind::Fetch, 0);
        }
    }

    fn loaded(&mut self, memory: &MemSys, access: &Access, value: u32) {
        self.check(memory, access, Kind::Load, value);
    }

    fn stored(&mut self, memory: &MemSys, access: &Access, value: u32) {
        self.check(memory, access, Kind::Store, value);
    }
}
