// SPDX-License-Identifier: Apache-2.0
//! Watchpoints: an observer that looks at every load and store while a debugger is attached.

use gdbstub::target::ext::breakpoints::WatchKind;

use crate::check::Finding;
use crate::observe::{Access, Memory, Observed, Observer};

/// Virtual addresses that are watched, in whatever space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watchpoint {
    /// The first address.
    pub address: u64,
    /// Bytes.
    pub len: u64,
    /// Which accesses.
    pub kind: WatchKind,
}

impl Watchpoint {
    /// The first watched address that an access touches, if it is one of those that are watched for.
    fn meets(&self, access: &Access, write: bool) -> Option<u64> {
        let wanted = match self.kind {
            WatchKind::Read => !write,
            WatchKind::Write => write,
            WatchKind::ReadWrite => true,
        };
        let first = access.va & !(u64::from(access.bytes) - 1);
        let into_point = first.wrapping_sub(self.address);
        let into_access = self.address.wrapping_sub(first);
        let begins_within = into_point < self.len;
        let overlap = begins_within || into_access < u64::from(access.bytes);
        (wanted && overlap).then_some(if begins_within { first } else { self.address })
    }
}

/// An access that a watchpoint was set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The instruction that made it.
    pub pc: u64,
    /// The first watched address that it touched.
    pub address: u64,
    /// Which kind the watchpoint is of.
    pub kind: WatchKind,
}

/// The watchpoints, and the first hit since it was last taken.
#[derive(Debug, Default)]
pub struct Watch {
    /// What is watched.
    pub points: Vec<Watchpoint>,
    /// What was hit.
    pub hit: Option<Hit>,
    /// What is noted in place of hits while the machine runs over its past.
    pub look: Option<Look>,
}

/// The last place at which a debugger would have stopped the machine.
#[derive(Debug, Default)]
pub struct Look {
    /// Where it stops, beside watchpoints.
    pub breakpoints: Vec<u64>,
    /// How many instructions had begun there; how many were done, of some processors.
    pub last: Option<u64>,
}

impl Watch {
    #[inline]
    fn note<M: Memory>(&mut self, memory: &M, access: &Access, write: bool) {
        if !self.points.is_empty() {
            self.note_at_points(memory, access, write);
        }
    }

    #[inline(never)]
    fn note_at_points<M: Memory>(&mut self, memory: &M, access: &Access, write: bool) {
        if let Some(look) = &mut self.look {
            if self
                .points
                .iter()
                .any(|point| point.meets(access, write).is_some())
            {
                look.last = Some(memory.platform().counters.fetches);
            }
        } else {
            self.see(access, write);
        }
    }

    fn see(&mut self, access: &Access, write: bool) {
        if self.hit.is_some() {
            return;
        }
        let first_met = |point: &Watchpoint| Some((point.kind, point.meets(access, write)?));
        self.hit = self
            .points
            .iter()
            .find_map(first_met)
            .map(|(kind, address)| Hit {
                pc: access.pc,
                address,
                kind,
            });
    }
}
impl<A: Observed> Observer<A> for Watch {
    const ON: bool = true;

    #[inline]
    fn expects(&mut self, _memory: &A::Memory, _access: &Access, _slot: usize) -> bool {
        self.look.is_none()
    }

    fn fetched(&mut self, memory: &A::Memory, access: &Access, _code: A::Code) {
        if let Some(look) = &mut self.look {
            if look.breakpoints.contains(&access.pc) {
                look.last = Some(memory.platform().counters.fetches);
            }
        }
    }

    fn loaded(&mut self, memory: &A::Memory, access: &Access, _value: u32) {
        self.note(memory, access, false);
    }

    fn stored(&mut self, memory: &A::Memory, access: &Access, _value: u32) {
        self.note(memory, access, true);
    }
}

/// An observer with watchpoints, which a debugger sets: they alone, or they beside others.
pub trait Watched {
    /// The watchpoints.
    fn watch(&mut self) -> &mut Watch;

    /// Tells the others nothing, as the machine runs over what they have been told of; or goes on with
    /// them.
    fn mute_others(&mut self, _mute: bool) {}

    /// What the checker has found, if there is one.
    fn findings(&self) -> Option<Vec<Finding>> {
        None
    }

    /// How many findings these are.
    fn finding_count(&self) -> Option<usize> {
        None
    }
}

impl Watched for Watch {
    fn watch(&mut self) -> &mut Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::Width;

    fn seen(point: (u64, u64, WatchKind), va: u64, width: Width, write: bool) -> Option<u64> {
        let (address, len, kind) = point;
        let mut watch = Watch {
            points: vec![Watchpoint { address, len, kind }],
            ..Watch::default()
        };
        let access = Access {
            cycle: 1,
            pc: 0x8000,
            va,
            bytes: width.bytes(),
            privileged: true,
        };
        watch.see(&access, write);
        watch.hit.map(|hit| hit.address)
    }

    #[test]
    fn an_access_that_overlaps_is_seen() {
        use WatchKind::{Read, ReadWrite, Write};
        assert_eq!(
            seen((0x1002, 1, Write), 0x1000, Width::Word, true),
            Some(0x1002)
        );
        assert_eq!(
            seen((0x1000, 8, Write), 0x1006, Width::Half, true),
            Some(0x1006)
        );
        assert_eq!(seen((0x1000, 8, Write), 0x1008, Width::Byte, true), None);
        assert_eq!(seen((0x1000, 4, Write), 0x0ffc, Width::Word, true), None);
        assert_eq!(seen((0x1000, 4, Write), 0x1000, Width::Word, false), None);
        assert_eq!(seen((0x1000, 4, Read), 0x1000, Width::Word, true), None);
        assert_eq!(
            seen((0x1000, 4, ReadWrite), 0x1003, Width::Byte, false),
            Some(0x1003)
        );
        // a watched range that ends at the top of the address space, and one of no bytes
        assert_eq!(
            seen((0xffff_fffc, 4, Write), 0xffff_ffff, Width::Byte, true),
            Some(0xffff_ffff)
        );
        assert_eq!(seen((0x1000, 0, Write), 0x2000, Width::Word, true), None);
    }
}
