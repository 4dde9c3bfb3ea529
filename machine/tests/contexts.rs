// SPDX-License-Identifier: Apache-2.0
//! A TLB and a cache of a core with address-space identifiers: what is of another space is there, and
//! is not found; what is global is found in each.

use serde::{Deserialize, Serialize};
use switchyard_machine::cache::{Cache, Key, Line};
use switchyard_machine::config::{CacheConfig, Refill, Replacement, TlbConfig};
use switchyard_machine::state::{Restorer, Saver};
use switchyard_machine::tlb::{Entry, Tlb};

/// An address-space identifier.
type Asid = u8;

const PAGE: u32 = 0x1000;

/// A page of a space, or a global one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    va: u32,
    pa: u32,
    space: Option<Asid>,
    valid: bool,
}

impl Entry for Page {
    type Context = Asid;
    type Address = u32;

    const EMPTY: Self = Self {
        va: 0,
        pa: 0,
        space: None,
        valid: false,
    };

    fn is_valid(&self) -> bool {
        self.valid
    }

    fn matches(&self, va: u32, context: Asid) -> bool {
        self.valid && va & !(PAGE - 1) == self.va && self.space.is_none_or(|own| own == context)
    }

    fn plausible(&self) -> bool {
        true
    }
}

fn page(va: u32, pa: u32, space: Option<Asid>) -> Page {
    Page {
        va,
        pa,
        space,
        valid: true,
    }
}

#[test]
fn a_tlb_finds_pages_of_its_context_and_global_ones() {
    let mut tlb: Tlb<Page> = Tlb::new(&TlbConfig {
        entries: 8,
        ways: None,
        locked: 0,
    });
    for (space, pa) in [(1, 0x10_0000), (2, 0x20_0000)] {
        tlb.set_context(space);
        tlb.insert(0x4000, page(0x4000, pa, Some(space)));
    }
    tlb.insert(0x8000, page(0x8000, 0x30_0000, None));
    let mut found = |space, va| {
        tlb.set_context(space);
        let peeked = tlb.peek(va).map(|(_, page)| page.pa);
        assert_eq!(tlb.lookup(va).map(|page| page.pa), peeked);
        peeked
    };
    // One after the other, so that what was remembered for an address is another space's.
    for (space, pa) in [(1, 0x10_0000), (2, 0x20_0000), (1, 0x10_0000)] {
        assert_eq!(found(space, 0x4abc), Some(pa));
        assert_eq!(found(space, 0x8abc), Some(0x30_0000));
    }
    assert_eq!(found(3, 0x4abc), None);
    // One space's page is invalidated, the other's stays.
    tlb.set_context(1);
    tlb.invalidate(0x4000);
    assert_eq!(tlb.peek(0x4000), None);
    tlb.set_context(2);
    assert_eq!(tlb.peek(0x4000).map(|(_, page)| page.pa), Some(0x20_0000));
}

/// A line's address and space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Tagged(Option<(u32, Asid)>);

impl Key for Tagged {
    type Context = Asid;
    const NONE: Self = Self(None);

    fn new(address: u32, context: Asid) -> Self {
        Self(Some((address, context)))
    }

    fn address(self) -> Option<u32> {
        self.0.map(|(address, _)| address)
    }
}

#[derive(Debug, Clone, Default)]
struct Number(u32);

impl Line for Number {
    const BYTES: u32 = 32;
}

#[test]
fn a_cache_keeps_lines_of_several_spaces_apart() {
    let mut cache: Cache<Number, Tagged> = Cache::new(&CacheConfig {
        size_bytes: 1024,
        ways: 4,
        line_bytes: 32,
        replacement: Replacement::RoundRobin,
        refill: Refill::InOrder,
    });
    let address = 0x1040;
    for space in [1, 2] {
        cache.set_context(space);
        assert_eq!(cache.lookup(address), None);
        let slot = cache.choose_victim(address);
        cache.fill(slot, address).0 = 100 * u32::from(space);
    }
    let found = |cache: &mut Cache<Number, Tagged>, space| {
        cache.set_context(space);
        let slot = cache.peek(address + 31);
        assert_eq!(cache.lookup(address + 31), slot);
        slot.map(|slot| cache.line(slot).0)
    };
    for (space, number) in [(1, Some(100)), (2, Some(200)), (3, None), (1, Some(100))] {
        assert_eq!(found(&mut cache, space), number);
    }
    let lines: Vec<_> = cache.valid_lines().map(|(at, line)| (at, line.0)).collect();
    assert_eq!(lines, [(address, 100), (address, 200)]);
    let mut saver = Saver::default();
    cache.save(&mut saver, |line, to| to.put(&line.0));
    let saved = saver.into_bytes();
    cache.invalidate_all();
    assert_eq!(found(&mut cache, 1), None);
    let restored = cache.restore(&mut Restorer::new(&saved), |from| from.take().map(Number));
    assert!(restored.is_ok());
    assert_eq!(found(&mut cache, 2), Some(200));
}
