// SPDX-License-Identifier: Apache-2.0
//! Ideal address-space tags: entries of TLBs and lines of the trace cache are of one page directory, come
//! back with it, and are never stale, whatever the program does not flush (docs/machine-tags.md).

use std::sync::OnceLock;

use switchyard_machine::arch::Processor;
use switchyard_machine::config::{AddressSpaceTags, MachineConfig};
use switchyard_machine::ia32::config::Ia32Config;
use switchyard_machine::ia32::isa::insn::reg;
use switchyard_machine::ia32::memory::mmu::Access;
use switchyard_machine::state::{Restorer, Saver, State};

use super::paging::{D, G, INVLPG, OTHER, P, PAGE, READ, RW, US, WRITE};
use super::rig::*;
use super::traces::go;

const A: u32 = 0x20;
const CR0_PG: u32 = 1 << 31;
const CR4_PGE: u32 = 1 << 7;
const HIGH: u32 = 0x8000_0000;
/// Each directory has two tables: that of the first 4 MB, which all have, and its own at `HIGH`.
const LOW_TABLE: u32 = DIRECTORY + 0x8000;
const SPACES: u32 = 3;

fn directory(space: u32) -> u32 {
    DIRECTORY + 0x1000 * space
}

fn table(space: u32) -> u32 {
    DIRECTORY + 0x4000 + 0x1000 * space
}

fn tagged() -> &'static MachineConfig {
    static CONFIG: OnceLock<MachineConfig> = OnceLock::new();
    CONFIG.get_or_init(|| {
        let mut config = config().clone();
        let ia32: &mut Ia32Config = config.processor_mut().unwrap();
        ia32.address_space_tags = AddressSpaceTags::Ideal;
        config
    })
}

/// A rig with paging, in the first of the spaces: memory where it is, and at `HIGH` a page for each space.
fn spaces(machine: &MachineConfig) -> Rig {
    let mut rig = Rig::on(machine, |_| ());
    for n in 0..1024 {
        rig.set32(LOW_TABLE + 4 * n, n << 12 | P | RW | US);
    }
    for space in 0..SPACES {
        let page = PAGE + 0x1000 * space;
        rig.set32(directory(space), LOW_TABLE | P | RW | US);
        rig.set32(directory(space) + (HIGH >> 20), table(space) | P | RW | US);
        rig.set32(table(space), page | P | RW | US);
        rig.set32(page, 0x1111 * (space + 1));
    }
    for (n, code) in (0..).zip([READ, WRITE, INVLPG]) {
        rig.write(CODE + 16 * n, code);
    }
    run_in(&mut rig, 0);
    rig.core.r[reg::EBX] = HIGH;
    rig
}

/// What programs do; their code is not written anew, which the machine would hear of.
#[derive(Clone, Copy)]
enum Does {
    Read,
    Write,
    Invlpg,
}

fn does(rig: &mut Rig, what: Does) {
    rig.core.eip = CODE + 16 * what as u32;
    rig.core.step();
}

fn run_in(rig: &mut Rig, space: u32) {
    rig.core.set_controls([CR0_PG, directory(space), CR4_PGE]);
}

fn misses(rig: &Rig) -> [u64; 3] {
    let tally = rig.core.mem.tally();
    [tally.dtlb.misses, tally.itlb.misses, tally.trace.misses]
}

fn read(rig: &mut Rig) -> u32 {
    does(rig, Does::Read);
    rig.core.r[reg::EAX]
}

/// A store by a program, at a linear address that is the physical one.
fn store(rig: &mut Rig, at: u32, value: u32) {
    let before = (rig.core.r[reg::EBX], rig.core.r[reg::EAX]);
    (rig.core.r[reg::EBX], rig.core.r[reg::EAX]) = (at, value);
    does(rig, Does::Write);
    (rig.core.r[reg::EBX], rig.core.r[reg::EAX]) = before;
}

#[test]
fn each_directory_has_its_entries_and_they_come_back() {
    let mut rig = spaces(tagged());
    let mut seen = misses(&rig);
    for round in 0..4 {
        for space in 0..SPACES {
            run_in(&mut rig, space);
            assert_eq!(read(&mut rig), 0x1111 * (space + 1));
        }
        if round > 1 {
            assert_eq!(misses(&rig)[..2], seen[..2], "round {round}");
        }
        seen = misses(&rig);
    }
    let mut plain = spaces(config());
    for space in [0, 1, 0, 1] {
        run_in(&mut plain, space);
        read(&mut plain);
    }
    let before = misses(&plain)[0];
    run_in(&mut plain, 0);
    read(&mut plain);
    assert_eq!(misses(&plain)[0], before + 1);
}

#[test]
fn lines_of_the_trace_cache_are_of_a_directory_too() {
    let mut rig = spaces(tagged());
    for space in 0..SPACES {
        // mov eax, N; hlt
        let code = [0xb8, space as u8 + 1, 0, 0, 0, 0xf4];
        let page = PAGE + 0x1000 * space;
        for (n, byte) in (0..).zip(code) {
            rig.core
                .mem
                .platform
                .bus
                .ram_slice_mut(page + n, 1)
                .unwrap()[0] = byte;
        }
    }
    rig.core.mem.memory_changed();
    let mut seen = misses(&rig);
    for round in 0..4 {
        for space in 0..SPACES {
            run_in(&mut rig, space);
            go(&mut rig, HIGH);
            assert_eq!(rig.core.r[reg::EAX], space + 1);
        }
        if round > 0 {
            assert_eq!(misses(&rig), seen, "round {round}");
        }
        seen = misses(&rig);
    }
}

#[test]
fn a_descriptor_that_is_changed_takes_its_entry_away() {
    let mut rig = spaces(tagged());
    assert_eq!(read(&mut rig), 0x1111);
    rig.set32(OTHER, 0x2222);
    store(&mut rig, table(0), OTHER | P | RW | US);
    let before = misses(&rig)[0];
    assert_eq!(read(&mut rig), 0x2222);
    assert_eq!(misses(&rig)[0], before + 1);
    // of the directory
    let (pde_at, pde) = (directory(0) + (HIGH >> 20), table(2) | P | RW | US);
    store(&mut rig, pde_at, pde);
    assert_eq!(read(&mut rig), 0x3333);
    // while another directory is in force
    run_in(&mut rig, 1);
    store(&mut rig, pde_at, table(0) | P | RW | US);
    run_in(&mut rig, 0);
    assert_eq!(read(&mut rig), 0x2222);
    // to the value that it had: nothing
    let value = rig.get32(table(0));
    store(&mut rig, table(0), value);
    let before = misses(&rig)[0];
    does(&mut rig, Does::Invlpg);
    assert_eq!(read(&mut rig), 0x2222);
    assert_eq!(misses(&rig)[0], before);
}

#[test]
fn the_dirty_bit_is_set_again_after_it_was_cleared() {
    let mut rig = spaces(tagged());
    does(&mut rig, Does::Write);
    assert_eq!(rig.get32(table(0)) & (A | D), A | D);
    store(&mut rig, table(0), PAGE | P | RW | US);
    read(&mut rig);
    assert_eq!(rig.get32(table(0)) & (A | D), A);
    does(&mut rig, Does::Write);
    assert_eq!(rig.get32(table(0)) & (A | D), A | D);
}

/// A sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as u32 % most
    }
}

#[test]
fn at_random_every_access_goes_where_the_tables_say() {
    const PAGES: u32 = 24;
    let mut rig = spaces(tagged());
    let mut numbers = Numbers(1);
    let mut faults = 0;
    for step in 0..100_000 {
        let space = numbers.below(SPACES);
        let page = numbers.below(PAGES);
        match numbers.below(16) {
            0 | 1 => run_in(&mut rig, space),
            2 | 3 => {
                let frame = PAGE + 0x1000 * numbers.below(16);
                let bits =
                    [P | RW | US, P | US, P | RW, P | RW | US | G, 0][numbers.below(5) as usize];
                store(&mut rig, table(space) + 4 * page, frame | bits);
            }
            4 => {
                let bits = [P | RW | US, P | US, 0][numbers.below(3) as usize];
                let other = numbers.below(SPACES);
                store(
                    &mut rig,
                    directory(space) + (HIGH >> 20),
                    table(other) | bits,
                );
            }
            5 if step % 20 == 0 => {
                let mut saver = Saver::default();
                rig.core.mem.save(&mut saver);
                let bytes = saver.into_bytes();
                let mut again = spaces(tagged());
                again.core.mem.restore(&mut Restorer::new(&bytes)).unwrap();
                let (base, size) = rig.core.mem.platform.bus.ram_window();
                let memory = rig.core.mem.platform.bus.ram_slice(base, size as usize);
                let there = again
                    .core
                    .mem
                    .platform
                    .bus
                    .ram_slice_mut(base, size as usize);
                there.unwrap().copy_from_slice(memory.unwrap());
                rig = again;
            }
            kind => {
                let access = Access {
                    write: kind == 6 || kind == 7,
                    user: kind % 2 == 0,
                    fetch: kind > 12,
                };
                let linear = HIGH + 0x1000 * page + 4 * numbers.below(1024);
                let said = rig.core.mem.walk_now(linear);
                let allowed = said.filter(|page| {
                    let user = !access.user || page.user;
                    user && (!access.write || page.writable || !access.user)
                });
                let got = rig.core.mem.translate(linear, access).ok();
                assert_eq!(
                    got,
                    allowed.map(|page| page.translate(linear)),
                    "step {step}"
                );
                faults += u32::from(got.is_none());
                if got.is_some() {
                    let pde = rig.get32(rig.core.mem.directory() + (HIGH >> 20));
                    let pte = rig.get32((pde & !0xfff) + 4 * page);
                    assert!(
                        pde & pte & A != 0 && (!access.write || pte & D != 0),
                        "step {step}"
                    );
                }
            }
        }
    }
    assert!((1000..50_000).contains(&faults), "{faults}");
}

/// As the probe asks for it, with ideal tags and without: code that all have misses once, what each
/// directory has of its own in each of them.
#[test]
fn emptied_caches_hold_nothing_of_any_directory() {
    for machine in [tagged(), config()] {
        let mut rig = spaces(machine);
        for space in 0..SPACES {
            run_in(&mut rig, space);
            read(&mut rig);
        }
        store(&mut rig, PAGE + 8, 77);
        rig.core.empty_caches();
        assert_eq!(rig.get32(PAGE + 8), 77);
        for space in (0..SPACES).rev() {
            let (seen, lines) = (misses(&rig), rig.core.mem.tally().dcache.read_misses);
            assert_eq!(read(&mut rig), 0x1111 * (space + 1));
            let now = misses(&rig);
            assert!(now[0] > seen[0]);
            assert!(space < SPACES - 1 || (now[1] > seen[1] && now[2] > seen[2]));
            assert!(rig.core.mem.tally().dcache.read_misses > lines);
            if space > 0 {
                run_in(&mut rig, space - 1);
            }
        }
    }
}
