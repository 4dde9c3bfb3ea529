// SPDX-License-Identifier: Apache-2.0
//! Physical memory protection (II, "Physical Memory Protection").

use crate::riscv::isa::privilege::Privilege;

use super::fault::Access;

/// Most entries.
pub const MOST: usize = 16;

const LOCKED: u8 = 0x80;
/// Where the field A is.
const A_SHIFT: u32 = 3;
const OFF: u8 = 0;
const TOR: u8 = 1;
const NA4: u8 = 2;

/// The entries.
#[derive(Debug, Clone)]
pub struct Pmp {
    configurations: [u8; MOST],
    addresses: [u64; MOST],
    entries: usize,
    /// Base-two logarithm of the granularity, less 2: G.
    grain: u32,
    /// The bits of a `pmpaddr`.
    address_bits: u64,
    /// First and last byte of each entry; the first after the last: none.
    ranges: [(u64, u64); MOST],
    /// Whether any entry matches anything.
    active: bool,
}

impl Pmp {
    /// `entries` that are off, of `granularity` bytes, for so many bits of a physical address.
    #[must_use]
    pub fn new(entries: u32, granularity: u32, physical_bits: u32) -> Self {
        Self {
            configurations: [0; MOST],
            addresses: [0; MOST],
            entries: entries as usize,
            grain: granularity.ilog2() - 2,
            address_bits: (1 << (physical_bits - 2)) - 1,
            ranges: [(1, 0); MOST],
            active: false,
        }
    }

    /// How many entries there are.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Register `pmpcfgN` as RV64 has it: entries 4N to 4N + 7, N even.
    #[must_use]
    pub fn configuration(&self, n: usize) -> u64 {
        let bytes: [u8; 8] =
            std::array::from_fn(|byte| self.configurations.get(4 * n + byte).copied().unwrap_or(0));
        u64::from_le_bytes(bytes)
    }

    /// Writes it.
    pub fn set_configuration(&mut self, n: usize, value: u64) {
        for (byte, new) in value.to_le_bytes().into_iter().enumerate() {
            let entry = 4 * n + byte;
            if entry >= self.entries || self.configurations[entry] & LOCKED != 0 {
                continue;
            }
            let old = self.configurations[entry];
            let mut new = new & 0x9f;
            // W without R is reserved: the field keeps what it was.
            if new & 3 == 2 {
                new = new & !7 | old & 7;
            }
            if self.grain > 0 && new >> A_SHIFT & 3 == NA4 {
                new = new & !(3 << A_SHIFT) | old & 3 << A_SHIFT;
            }
            self.configurations[entry] = new;
        }
        self.follow();
    }

    /// Register `pmpaddrN`.
    #[must_use]
    pub fn address(&self, n: usize) -> u64 {
        let value = self.addresses[n];
        match self.configurations[n] >> A_SHIFT & 3 {
            OFF | TOR => value & !((1 << self.grain) - 1),
            _ if self.grain >= 2 => value | ((1 << (self.grain - 1)) - 1),
            _ => value,
        }
    }

    /// Writes it.
    pub fn set_address(&mut self, n: usize, value: u64) {
        let next = self.configurations.get(n + 1).copied().unwrap_or(0);
        let locked_by_next = next & LOCKED != 0 && next >> A_SHIFT & 3 == TOR;
        if n < self.entries && self.configurations[n] & LOCKED == 0 && !locked_by_next {
            self.addresses[n] = value & self.address_bits;
            self.follow();
        }
    }

    /// Works the ranges out anew.
    fn follow(&mut self) {
        let grain_mask = (1 << self.grain) - 1;
        for n in 0..self.entries {
            let address = self.addresses[n];
            self.ranges[n] = match self.configurations[n] >> A_SHIFT & 3 {
                OFF => (1, 0),
                TOR => {
                    let below = n.checked_sub(1).map_or(0, |below| self.addresses[below]);
                    let first = (below & !grain_mask) << 2;
                    let end = (address & !grain_mask) << 2;
                    if end > first {
                        (first, end - 1)
                    } else {
                        (1, 0)
                    }
                }
                NA4 => (address << 2, (address << 2) + 3),
                _ => {
                    let address = if self.grain >= 2 {
                        address | ((1 << (self.grain - 1)) - 1)
                    } else {
                        address
                    };
                    let ones = address.trailing_ones();
                    let first = (address & !((1_u64 << ones) - 1)) << 2;
                    let bytes = 8_u64.checked_shl(ones).unwrap_or(0);
                    (first, first.wrapping_add(bytes).wrapping_sub(1))
                }
            };
        }
        self.active = self.ranges.iter().any(|(first, last)| first <= last);
    }

    /// The rights (R 1, W 2, X 4) to the `bytes` at `pa` of `privilege`; `None`: they differ among these
    /// bytes, which no access to them all survives.
    #[must_use]
    pub fn rights(&self, pa: u64, bytes: u64, privilege: Privilege) -> Option<u8> {
        let last = pa + (bytes - 1);
        if self.active {
            let each = self.ranges.iter().zip(&self.configurations);
            for (&(from, to), &configuration) in each.take(self.entries) {
                if from > to || last < from || pa > to {
                    continue;
                }
                if pa < from || last > to {
                    return None;
                }
                let binds = privilege != Privilege::Machine || configuration & LOCKED != 0;
                return Some(if binds { configuration & 7 } else { 7 });
            }
        }
        Some(if privilege == Privilege::Machine || self.entries == 0 {
            7
        } else {
            0
        })
    }

    /// Whether `privilege` may access the `bytes` at `pa`.
    #[inline]
    #[must_use]
    pub fn allows(&self, pa: u64, bytes: u64, access: Access, privilege: Privilege) -> bool {
        if !self.active && privilege == Privilege::Machine {
            return true;
        }
        let rights = self.rights(pa, bytes, privilege);
        rights.is_some_and(|rights| rights & access.right() != 0)
    }
}

crate::saved!(Pmp { configurations, addresses }
    given { entries, grain, address_bits, ranges, active });

impl Pmp {
    /// After a restore: what follows from the registers.
    pub fn follow_restored(&mut self) {
        self.follow();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAPOT: u8 = 3;

    fn configured(grain: u32, entries: &[(u8, u64)]) -> Pmp {
        let mut pmp = Pmp::new(8, grain, 34);
        for (n, (_, address)) in entries.iter().enumerate() {
            pmp.set_address(n, *address);
        }
        let bytes: [u8; 8] = std::array::from_fn(|n| entries.get(n).map_or(0, |e| e.0));
        pmp.set_configuration(0, u64::from_le_bytes(bytes));
        pmp
    }

    #[test]
    fn the_first_match_decides_and_must_match_whole() {
        let napot = |rights: u8| rights | NAPOT << A_SHIFT;
        // 64 KB at 0x80000000 without rights, then everything with all.
        let pmp = configured(4, &[(napot(0), 0x2000_1fff), (napot(7), u64::MAX)]);
        let user = Privilege::Supervisor;
        assert_eq!(pmp.rights(0x8000_0000, 8, user), Some(0));
        assert_eq!(pmp.rights(0x8001_0000, 8, user), Some(7));
        assert_eq!(pmp.rights(0x8000_fffc, 8, user), None);
        assert_eq!(pmp.rights(0x8000_0000, 8, Privilege::Machine), Some(7));
    }

    #[test]
    fn top_of_range_begins_where_the_one_before_ends() {
        let tor = 1 << A_SHIFT;
        let pmp = configured(4, &[(1 | tor, 0x100), (3 | tor, 0x200), (tor, 0x180)]);
        let rights = |pa| pmp.rights(pa, 4, Privilege::User);
        assert_eq!(rights(0x3fc), Some(1));
        assert_eq!(rights(0x400), Some(3));
        assert_eq!(rights(0x800), Some(0), "no entry matches");
    }

    #[test]
    fn what_is_locked_stays_and_binds_machine_mode() {
        let mut pmp = configured(4, &[(0x80 | 1 | 1 << A_SHIFT, 0x100)]);
        pmp.set_address(0, 0);
        pmp.set_configuration(0, 0);
        assert_eq!(pmp.address(0), 0x100);
        assert_eq!(pmp.rights(0, 4, Privilege::Machine), Some(1));
    }

    #[test]
    fn a_grain_hides_low_bits_and_four_bytes() {
        let mut pmp = configured(4096, &[(7 | NA4 << A_SHIFT, 0x2000_0123)]);
        assert_eq!(pmp.configuration(0) & 0x18, 0, "not selectable");
        assert_eq!(pmp.address(0), 0x2000_0000);
        pmp.set_configuration(0, u64::from(7 | NAPOT << A_SHIFT));
        assert_eq!(pmp.address(0), 0x2000_01ff);
    }
}
