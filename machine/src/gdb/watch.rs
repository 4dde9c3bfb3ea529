// SPDX-License-Identifier: Apache-2.0
//! Watchpoints: an observer that looks at every load and store while a debugger is attached.

use gdbstub::target::ext::breakpoints::WatchKind;

use crate::observe::{Access, Observed, Observer};

/// Virtual addresses that are watched, in whatever space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watchpoint {
    /// The first address.
    pub address: u32,
    /// Bytes.
    pub len: u32,
    /// Which accesses.
    pub kind: WatchKind,
}

/// An access that a watchpoint was set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The instruction that made it.
    pub pc: u32,
    /// The first watched address that it touched.
    pub address: u32,
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
}

impl Watch {
    fn see(&mut self, access: &Access, write: bool) {
        if self.hit.is_some() {
            return;
        }
        let first = access.va & !(access.bytes - 1);
        for point in &self.points {
            let wanted = match point.kind {
                WatchKind::Read => !write,
                WatchKind::Write => write,
                WatchKind::ReadWrite => true,
            };
            let into_point = first.wrapping_sub(point.address);
            let into_access = point.address.wrapping_sub(first);
            let overlap = into_point < point.len || into_access < access.bytes;
            if wanted && overlap {
                self.hit = Some(Hit {
                    pc: access.pc,
                    address: if into_point < point.len {
                        first
                    } else {
                        point.address
                    },
                    kind: point.kind,
                });
                return;
            }
        }
    }
}

impl<A: Observed> Observer<A> for Watch {
    const ON: bool = true;

    fn loaded(&mut self, _memory: &A::Memory, access: &Access, _value: u32) {
        self.see(access, false);
    }

    fn stored(&mut self, _memory: &A::Memory, access: &Access, _value: u32) {
        self.see(access, true);
    }
}

/// An observer with watchpoints, which a debugger sets: they alone, or they beside others.
pub trait Watched {
    /// The watchpoints.
    fn watch(&mut self) -> &mut Watch;
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

    fn seen(point: (u32, u32, WatchKind), va: u32, width: Width, write: bool) -> Option<u32> {
        let (address, len, kind) = point;
        let mut watch = Watch {
            points: vec![Watchpoint { address, len, kind }],
            hit: None,
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
