// SPDX-License-Identifier: Apache-2.0
//! Translations that were found right. Checking one walks the ideal machine's page tables and asks
//! whose they are, for each instruction; nothing but time would be lost without this.

use super::{Kind, Rights};

/// Where an access goes that was found right, by its page of 1 KB (the smallest there is), what it
/// is and with whose rights.
pub struct Trusted(Vec<Entry>);

/// An access that was found right.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// Where the entry is in the TLB.
    pub place: usize,
    /// The walk that put it there, if anybody saw it.
    pub walk: Option<u64>,
    /// Its physical address.
    pub pa: u32,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    /// Of the access; 0: there is none.
    key: u64,
    /// What the checker counts whenever something changes that decides where accesses go.
    generation: u64,
    /// The rights of domains then.
    domains: u32,
    /// Of the page's first byte.
    known: Known,
}

/// The place in its page.
const OFFSET: u32 = (1 << 10) - 1;

impl Default for Trusted {
    fn default() -> Self {
        Self::new()
    }
}

impl Trusted {
    const SLOTS: usize = 1024;

    /// Nothing is known.
    #[must_use]
    pub fn new() -> Self {
        Self(vec![Entry::default(); Self::SLOTS])
    }

    fn key(mva: u64, kind: Kind, rights: Rights) -> u64 {
        let kind = match kind {
            Kind::Fetch => 1,
            Kind::Load => 2,
            Kind::Store => 3,
        };
        let rights = match rights {
            Rights::User => 0,
            Rights::Kernel => 1,
            Rights::KernelAsUser => 2,
        };
        (mva >> 10) << 4 | rights << 2 | kind
    }

    /// By Fibonacci hashing: code and data often lie alike in their regions, and a kernel often goes from
    /// one value of the domains' rights to another and back.
    fn slot(key: u64, domains: u32) -> usize {
        let key = key ^ u64::from(domains) << 26;
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - Self::SLOTS.ilog2())) as usize
    }

    /// What is known of an access, if it was found right: where it goes, through which entry.
    #[inline]
    #[must_use]
    pub fn find(
        &self,
        generation: u64,
        domains: u32,
        mva: u64,
        kind: Kind,
        rights: Rights,
    ) -> Option<Known> {
        let key = Self::key(mva, kind, rights);
        let entry = &self.0[Self::slot(key, domains)];
        let same = (entry.key, entry.generation, entry.domains) == (key, generation, domains);
        same.then_some(Known {
            pa: entry.known.pa | mva as u32 & OFFSET,
            ..entry.known
        })
    }

    /// The access goes where it should.
    pub fn add(
        &mut self,
        generation: u64,
        domains: u32,
        mva: u64,
        kind: Kind,
        rights: Rights,
        known: Known,
    ) {
        let key = Self::key(mva, kind, rights);
        self.0[Self::slot(key, domains)] = Entry {
            key,
            generation,
            domains,
            known: Known {
                pa: known.pa & !OFFSET,
                ..known
            },
        };
    }
}
