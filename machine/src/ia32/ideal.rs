// SPDX-License-Identifier: Apache-2.0
//! The coherence checker of IA-32 processors: the ideal machine has no TLBs. Each access that has
//! succeeded is walked again, by the page tables as they are now. Where it would have gone elsewhere, or
//! failed, the kernel has forgotten INVLPG or a load of CR3, or has made a page global that is not the
//! same in every address space. Caches have physical tags and are coherent: nothing there can be
//! forgotten.
//!
//! An entry that allows less than the tables is no finding: the access faults, and the handler returns
//! (SDM vol. 3, 3.11).

use crate::check::{self, Finding, Findings, Kind};
use crate::observe::{Access, Observer};

use super::memsys::MemSys;
use super::mmu;
use super::observe::{Encoding, Ia32};
use super::tlb::TlbEntry;

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// A global page is another one, or none, by now.
    Global,
    /// So is any other.
    Stale,
    /// A user page lost its dirty bit.
    Dirty,
}

impl Cause {
    fn name(self) -> &'static str {
        match self {
            Self::Global => "stale-global-page",
            Self::Stale => "stale-translation",
            Self::Dirty => "lost-dirty-bit",
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
        }
    }
}

/// Compares a machine with one that has no TLBs.
#[derive(Debug)]
pub struct Checker {
    findings: Findings<Cause>,
}

impl check::Checker<Ia32> for Checker {
    fn new(_memory: &mut MemSys) -> Self {
        Self {
            findings: Findings::new(),
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
    fn check(&mut self, memory: &MemSys, access: &Access, kind: Kind, value: u32) {
        if !memory.pages() {
            return;
        }
        let tlb = if kind == Kind::Fetch {
            memory.itlb()
        } else {
            memory.dtlb()
        };
        // One that was replaced since then was replaced by what was walked a moment ago.
        let Some((_, used)) = tlb.peek(access.va) else {
            return;
        };
        let rights = mmu::Access {
            write: kind == Kind::Store,
            user: !access.privileged,
            fetch: kind == Kind::Fetch,
        };
        let walked = memory.walk_now(access.va);
        let right = walked.filter(|page| mmu::allows(page, rights, memory.write_protects()));
        let Some(cause) = cause(used, right.as_ref(), access.va, rights) else {
            return;
        };
        let finding = Finding {
            cause: cause.name(),
            explanation: cause.explanation(),
            access: *access,
            mva: access.va,
            pa: used.translate(access.va),
            ideal_pa: right.map(|page| page.translate(access.va)),
            domain: None,
            values: (value, value),
            writer: None,
            line: None,
            translated: None,
            spaces: None,
            count: 1,
        };
        self.findings.report(cause, finding);
    }
}

/// What is wrong with an access to `linear` by the entry `used`, where by the tables it goes by `right`,
/// or fails.
fn cause(
    used: &TlbEntry,
    right: Option<&TlbEntry>,
    linear: u32,
    access: mmu::Access,
) -> Option<Cause> {
    let Some(right) = right.filter(|page| page.translate(linear) == used.translate(linear)) else {
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
    (access.write && right.user && !right.dirty).then_some(Cause::Dirty)
}

impl Observer<Ia32> for Checker {
    const ON: bool = true;

    fn fetched(&mut self, memory: &MemSys, access: &Access, code: Encoding) {
        self.check(memory, access, Kind::Fetch, 0);
        let last = code.bytes().len().saturating_sub(1) as u32;
        let end = access.va.wrapping_add(last);
        if (end ^ access.va) & !0xfff != 0 {
            let access = Access { va: end, ..*access };
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
