// SPDX-License-Identifier: Apache-2.0
//! Ideal address-space tags (`address-space-tags = "ideal"`): caches as if physically tagged, TLB
//! entries of a page directory that are never stale, maintenance that takes a cycle and does nothing.
//! Each of these tests does without maintenance what the plain machine needs it for; most of them
//! are run on that too, where the old contents must show, so that they cannot pass by themselves.
//! Random accesses against plain memory are in `tags_random.rs`.

pub mod rig;

use rig::{
    Rig, BOTH, DIRECTORY_A, DIRECTORY_B, FRAME_1, FRAME_2, MAINTENANCE, TABLE, TRUTH, WINDOW,
};
use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::dev::probe::PROBE_BASE;
use switchyard_machine::dev::Width;

const PLACE: u32 = 0x1000_0000;
const OTHER: u32 = 0x2000_0000;

/// Section and small page for all, with C and B; and without.
const SECTION_CB: u32 = 0xc1e;
const SECTION_C: u32 = 0xc1a;
const SECTION: u32 = 0xc12;
const PAGE_CB: u32 = 0xffe;

fn plain(name: &str) -> &str {
    name.trim_end_matches("-tags")
}

#[test]
fn a_switch_without_a_flush_sees_its_own_data_and_keeps_both() {
    for name in BOTH {
        let mut rig = Rig::new(name);
        let (one, two) = (rig.ram + FRAME_1, rig.ram + FRAME_2);
        rig.map(DIRECTORY_A, PLACE, one | SECTION_CB);
        rig.map(DIRECTORY_B, PLACE, two | SECTION_CB);
        rig.switch(DIRECTORY_A);
        rig.set_memory(FRAME_1, 1);
        rig.set_memory(FRAME_2, 2);
        // The window is the same section in both directories, as a kernel's are.
        let first = rig.during(|rig| assert_eq!(rig.load(PLACE), 1));
        assert_eq!(
            (first.dtlb.misses, first.dcache.read_misses),
            (1, 1),
            "{name}"
        );
        rig.load(WINDOW + 0x3040);
        rig.switch(DIRECTORY_B);
        let other = rig.during(|rig| assert_eq!(rig.load(PLACE), 2));
        assert_eq!(
            (other.dtlb.misses, other.dcache.read_misses),
            (1, 1),
            "{name}"
        );
        rig.store(PLACE, 22);
        for _ in 0..3 {
            for (directory, value) in [(DIRECTORY_A, 1), (DIRECTORY_B, 22)] {
                rig.switch(directory);
                let again = rig.during(|rig| {
                    assert_eq!(rig.load(PLACE), value, "{name}");
                    rig.load(WINDOW + 0x3040);
                });
                assert_eq!(
                    (again.dtlb.misses, again.dcache.read_misses),
                    (0, 0),
                    "{name}"
                );
            }
        }

        let mut rig = Rig::new(plain(name));
        rig.map(DIRECTORY_A, PLACE, one | SECTION_CB);
        rig.map(DIRECTORY_B, PLACE, two | SECTION_CB);
        rig.switch(DIRECTORY_A);
        rig.set_memory(FRAME_1, 1);
        rig.set_memory(FRAME_2, 2);
        rig.load(PLACE);
        rig.switch(DIRECTORY_B);
        assert_eq!(
            rig.load(PLACE),
            1,
            "{}: the old line and entry",
            plain(name)
        );
    }
}

#[test]
fn instructions_are_those_of_the_directory_in_force() {
    for name in BOTH {
        let mut rig = Rig::new(name);
        let (one, two) = (rig.ram + FRAME_1, rig.ram + FRAME_2);
        rig.map(DIRECTORY_A, PLACE, one | SECTION_CB);
        rig.map(DIRECTORY_B, PLACE, two | SECTION_CB);
        rig.set_memory(FRAME_1, 0xe3a0_0001);
        rig.set_memory(FRAME_2, 0xe3a0_0002);
        for round in 0..3 {
            for (directory, code) in [(DIRECTORY_A, 0xe3a0_0001), (DIRECTORY_B, 0xe3a0_0002)] {
                rig.switch(directory);
                let tally = rig.during(|rig| assert_eq!(rig.fetch(PLACE), Some(code), "{name}"));
                assert_eq!(tally.icache.misses, u64::from(round == 0), "{name}");
            }
        }
    }
}

/// The probe empties what the guest's own operations leave as it is, and on plain machines too.
#[test]
fn the_probe_empties_caches_and_tlbs() {
    const PROBE: u32 = 0x3000_0000;
    const EMPTY: u32 = 0x48; // include/probe.h
    for name in BOTH.into_iter().flat_map(|name| [name, plain(name)]) {
        let mut rig = Rig::new(name);
        let (one, two) = (rig.ram + FRAME_1, rig.ram + FRAME_2);
        for (directory, frame) in [(DIRECTORY_A, one), (DIRECTORY_B, two)] {
            rig.map(directory, PLACE, frame | SECTION_CB);
            rig.map(directory, PROBE, PROBE_BASE | SECTION);
        }
        // Of two directories the plain machine would take the one's lines for the other's.
        let directories = if name == plain(name) {
            &[DIRECTORY_A][..]
        } else {
            &[DIRECTORY_B, DIRECTORY_A][..]
        };
        let everything = |rig: &mut Rig| {
            for directory in directories {
                rig.switch(*directory);
                rig.load(PLACE + 64);
                rig.fetch(PLACE);
            }
        };
        everything(&mut rig);
        rig.load(PLACE);
        rig.store(PLACE, 1);
        assert_ne!(rig.contents(), []);

        rig.store(PROBE + EMPTY, 0);
        let until = rig.machine.cycles();
        rig.machine.run(until);
        assert_eq!(rig.contents(), [], "{name}");
        let memory = rig.machine.bus().ram_slice_mut(one, 4).expect("memory");
        assert_eq!(memory, [1, 0, 0, 0], "{name}: what was dirty");
        let after = rig.during(everything);
        let each = directories.len() as u64;
        // Data and code of a directory are in one page, in one TLB or two.
        let walked = after.dtlb.misses + after.itlb.misses;
        assert_eq!(
            walked,
            if rig.one_tlb() { each } else { 2 * each },
            "{name}"
        );
        let lines = (after.dcache.read_misses, after.icache.misses);
        assert_eq!(lines, (each, each), "{name}");
    }
}

/// Frames are the same whatever address and page attributes lead to them.
#[test]
fn synonyms_are_one_line() {
    for name in BOTH {
        let mut rig = Rig::new(name);
        let frame = rig.ram + FRAME_1;
        rig.map(DIRECTORY_A, PLACE, frame | SECTION_CB);
        rig.map(DIRECTORY_A, OTHER, frame | SECTION_CB);
        rig.switch(DIRECTORY_A);
        rig.load(PLACE);
        let tally = rig.during(|rig| {
            for n in 0..4 {
                rig.store(PLACE + 4, n);
                assert_eq!(rig.load(OTHER + 4), n, "{name}");
                rig.store(OTHER + 4, n + 100);
                assert_eq!(rig.load(PLACE + 4), n + 100, "{name}");
            }
        });
        assert_eq!(tally.dcache.read_misses, 0, "{name}");
        assert_eq!(tally.dcache.write_misses, 0, "{name}");
    }
    let mut rig = Rig::new("sa1110");
    let frame = rig.ram + FRAME_1;
    rig.map(DIRECTORY_A, PLACE, frame | SECTION_CB);
    rig.map(DIRECTORY_A, OTHER, frame | SECTION_CB);
    rig.switch(DIRECTORY_A);
    rig.load(PLACE);
    rig.load(OTHER);
    rig.store(PLACE, 1);
    assert_eq!(rig.load(OTHER), 0, "the plain machine has two lines");
}

#[test]
fn a_frame_has_one_value_whatever_the_attributes() {
    let kinds = [SECTION, SECTION | 4, SECTION_C, SECTION_CB];
    for name in BOTH {
        for (first, second) in kinds.iter().flat_map(|a| kinds.map(|b| (*a, b))) {
            let mut rig = Rig::new(name);
            let frame = rig.ram + FRAME_1;
            rig.map(DIRECTORY_A, PLACE, frame | first);
            rig.map(DIRECTORY_A, OTHER, frame | second);
            rig.switch(DIRECTORY_A);
            let mut value = 1;
            for _ in 0..3 {
                for (from, to) in [(PLACE, OTHER), (OTHER, PLACE)] {
                    rig.load(from);
                    rig.load(to);
                    rig.store(from, value);
                    assert_eq!(rig.load(to), value, "{name}: {first:#x} to {second:#x}");
                    rig.store_words(from, &[value, 7, 8, 9, 10]);
                    assert_eq!(rig.load_words(to, 5), [value, 7, 8, 9, 10], "{name}");
                    assert_eq!(rig.fetch(to + 4), Some(7), "{name}");
                    value += 1;
                }
            }
        }
    }
}

/// A descriptor that is written takes effect at once: through the data cache, with no clean, no
/// drain and no flush; and entries that it does not change stay.
#[test]
fn a_page_table_change_takes_effect() {
    for name in BOTH {
        let mut rig = Rig::new(name);
        let (one, two) = (rig.ram + FRAME_1, rig.ram + FRAME_2);
        let (slot, neighbour) = (WINDOW + TABLE, WINDOW + TABLE + 4);
        rig.map(DIRECTORY_A, PLACE, (rig.ram + TABLE) | 0x11);
        rig.switch(DIRECTORY_A);
        rig.set_memory(FRAME_1, 1);
        rig.set_memory(FRAME_1 + 0x1000, 3);
        rig.set_memory(FRAME_2, 2);
        rig.set_memory(FRAME_2 + 0x1000, 4);
        rig.load(slot); // the descriptors' line is in the data cache
        rig.store(slot, one | PAGE_CB);
        rig.store(neighbour, (one + 0x1000) | PAGE_CB);
        assert_eq!(
            (rig.load(PLACE), rig.load(PLACE + 0x1000)),
            (1, 3),
            "{name}"
        );
        assert_eq!(rig.fetch(PLACE), Some(1), "{name}");

        // The same again: nothing changes. A neighbour's change is its own.
        let same = rig.during(|rig| {
            rig.store(slot, one | PAGE_CB);
            rig.store(neighbour, 0);
            assert_eq!(rig.load(PLACE), 1, "{name}");
        });
        assert_eq!(same.dtlb.misses, 0, "{name}");
        assert_eq!(rig.try_load(PLACE + 0x1000), None, "{name}");

        let changed = rig.during(|rig| {
            rig.store(slot, two | PAGE_CB);
            assert_eq!(rig.load(PLACE), 2, "{name}");
            assert_eq!(rig.fetch(PLACE), Some(2), "{name}");
        });
        assert_eq!(
            changed.dtlb.misses + changed.itlb.misses,
            if rig.one_tlb() { 1 } else { 2 }
        );
        rig.store_words(slot, &[0, one | PAGE_CB]);
        assert_eq!(rig.try_load(PLACE), None, "{name}: unmapped");
        assert_eq!(rig.fetch(PLACE), None, "{name}: unmapped");
        assert_eq!(rig.load(PLACE + 0x1000), 1, "{name}");
        // Read-only for all but managers: a store faults though a store has just gone through.
        rig.store(PLACE + 0x1000, 5);
        rig.store(neighbour, one | 0x00e);
        assert_eq!(rig.try_store(PLACE + 0x1000, 6), None, "{name}: no rights");
        // The first level, past the caches.
        rig.store(TRUTH + DIRECTORY_A + ((PLACE >> 20) << 2), two | SECTION_CB);
        assert_eq!(rig.load(PLACE + 0x1000), 4, "{name}");
    }
}

/// A first-level entry, written as a program writes it, and of the directory that is not in
/// force: its entries come back only if they are still right.
#[test]
fn a_directory_that_is_not_in_force_may_change() {
    for name in BOTH {
        let mut rig = Rig::new(name);
        let (one, two) = (rig.ram + FRAME_1, rig.ram + FRAME_2);
        rig.map(DIRECTORY_A, PLACE, one | SECTION_CB);
        rig.map(DIRECTORY_B, PLACE, one | SECTION_CB);
        rig.map(DIRECTORY_B, OTHER, (rig.ram + TABLE) | 0x11);
        rig.set_memory(TABLE, one | PAGE_CB);
        rig.set_memory(FRAME_1, 1);
        rig.set_memory(FRAME_2, 2);
        rig.switch(DIRECTORY_B);
        assert_eq!((rig.load(PLACE), rig.load(OTHER)), (1, 1));
        rig.switch(DIRECTORY_A);
        rig.store(
            WINDOW + DIRECTORY_B + ((PLACE >> 20) << 2),
            two | SECTION_CB,
        );
        rig.store(WINDOW + TABLE, two | PAGE_CB);
        assert_eq!(rig.load(PLACE), 1, "{name}");
        rig.switch(DIRECTORY_B);
        assert_eq!((rig.load(PLACE), rig.load(OTHER)), (2, 2), "{name}");
    }
}

/// A large page is described sixteen times, and all of them count.
#[test]
fn every_descriptor_of_a_large_page_counts() {
    for name in BOTH {
        let mut rig = Rig::new(name);
        let (one, two) = (rig.ram + FRAME_1, rig.ram + FRAME_2);
        rig.map(DIRECTORY_A, PLACE, (rig.ram + TABLE) | 0x11);
        rig.switch(DIRECTORY_A);
        for n in 0..16 {
            rig.store(WINDOW + TABLE + 4 * n, one | 0xffd);
        }
        rig.load(PLACE);
        rig.set_memory(FRAME_2 + 0xf000, 2);
        rig.store(WINDOW + TABLE + 4 * 15, two | 0xffd);
        assert_eq!(rig.load(PLACE + 0xf000), 2, "{name}");
    }
}

/// Code that was written is what is executed next, in the line that runs, too.
#[test]
fn code_is_seen_as_soon_as_it_is_written() {
    for name in BOTH {
        let run = |name: &str| {
            let mut rig = Rig::new(name);
            rig.map(DIRECTORY_A, PLACE, (rig.ram + FRAME_1) | SECTION_CB);
            rig.map(DIRECTORY_A, OTHER, (rig.ram + FRAME_1) | SECTION_CB);
            rig.switch(DIRECTORY_A);
            // r1: where the code is, to write; r2: mov r0, #2; r3: how often.
            let code = [
                0xe3a0_0001, // mov r0, #1
                0xe080_4004, // add r4, r0, r4
                0xe581_2000, // str r2, [r1]
                0xe253_3001, // subs r3, r3, #1
                0x1aff_fffa, // bne to the start
                0xeaff_fffe, // b .
            ];
            rig.store_words(OTHER, &code);
            rig.load(OTHER);
            rig.run_from(PLACE, &[0, OTHER, 0xe3a0_0002, 3, 0], 9 * 5)
        };
        assert_eq!(run(name)[4], 1 + 2 + 2, "{name}");
        assert_ne!(
            run(plain(name))[4],
            1 + 2 + 2,
            "the plain machine has it in memory later"
        );
    }
}

#[test]
fn maintenance_takes_a_cycle_and_does_nothing() {
    let arm926: &[(u8, u8, u8)] = &[
        (7, 5, 1),
        (7, 5, 2),
        (7, 6, 2),
        (7, 10, 2),
        (7, 14, 1),
        (7, 14, 2),
        (8, 5, 1),
        (8, 7, 1),
    ];
    for name in BOTH {
        let more = if name.starts_with("sa") { &[] } else { arm926 };
        for &(crn, crm, op) in MAINTENANCE.iter().chain(more) {
            let mcr = 0xee00_0f10 | u32::from(crn) << 16 | u32::from(crm) | u32::from(op) << 5;
            let time = |name: &str, insn: u32| {
                let mut rig = Rig::new(name);
                rig.map(DIRECTORY_A, PLACE, (rig.ram + FRAME_1) | SECTION_CB);
                rig.map(DIRECTORY_A, OTHER, (rig.ram + FRAME_2) | SECTION_CB);
                rig.switch(DIRECTORY_A);
                for n in 0..6 {
                    rig.set_memory(FRAME_1 + 4 * n, 0xe1a0_0000 | (4 + n) << 12);
                }
                rig.set_memory(FRAME_1 + 4 * 2, insn);
                rig.step_from(PLACE, 6); // the line is there
                rig.load(OTHER);
                rig.load(OTHER + 0x40);
                rig.store_words(OTHER, &[1, 2, 3]);
                rig.store(OTHER + 0x40, 4);
                rig.store(OTHER + 0x80, 5); // into the write buffer
                rig.machine.core().r[0] = OTHER;
                let before = rig.machine.core().mem.platform.cycle;
                rig.step_from(PLACE, 6);
                let cycles = rig.machine.core().mem.platform.cycle - before;
                let state = rig.contents();
                let after = rig.during(|rig| {
                    assert_eq!(rig.load_words(OTHER, 3), [1, 2, 3]);
                    assert_eq!(rig.load(OTHER + 0x40), 4);
                    rig.fetch(PLACE);
                });
                (cycles, state, after)
            };
            let (with, state, after) = time(name, mcr);
            let (without, expected, _) = time(name, 0xe1a0_6006);
            assert_eq!(with, without, "{name}: c{crn}, c{crm}, {op}");
            assert_eq!(state, expected, "{name}: c{crn}, c{crm}, {op}");
            let misses = (after.dcache.read_misses, after.icache.misses);
            assert_eq!(misses, (0, 0), "{name}: c{crn}, c{crm}, {op}");
            assert_eq!((after.dtlb.misses, after.itlb.misses), (0, 0), "{name}");
        }
    }
}

#[test]
fn test_and_clean_says_that_all_is_clean() {
    let mut rig = Rig::new("versatilepb-tags");
    rig.map(DIRECTORY_A, PLACE, (rig.ram + FRAME_1) | SECTION_CB);
    rig.switch(DIRECTORY_A);
    for n in 0..20 {
        rig.load(PLACE + 32 * n);
        rig.store(PLACE + 32 * n, n);
    }
    let before = rig.contents();
    for crm in [10, 14] {
        let clean = rig.machine.core().read_cp15(Register::new(7, crm, 3));
        assert_eq!(clean, 1 << 30);
    }
    assert_eq!(rig.contents(), before);
}

/// Draining does nothing for memory, where nobody could tell, and everything for devices.
#[test]
fn a_drain_waits_for_writes_to_devices() {
    for (name, device) in [
        ("sa1110-tags", 0x9000_0000),
        ("versatilepb-tags", 0x1000_0000),
    ] {
        let mut rig = Rig::new(name);
        // Bufferable, as no driver would map it.
        rig.map(DIRECTORY_A, OTHER, device | SECTION | 4);
        rig.map(DIRECTORY_A, PLACE, (rig.ram + FRAME_1) | SECTION_CB);
        rig.switch(DIRECTORY_A);
        rig.store(PLACE, 1);
        let memory = rig.machine.core().mem.buffered_writes();
        assert!(memory > 0);
        rig.drain();
        assert_eq!(rig.machine.core().mem.buffered_writes(), memory, "{name}");
        rig.store(OTHER + 8, 0);
        rig.drain();
        assert_eq!(rig.machine.core().mem.buffered_writes(), 0, "{name}");
    }
}

/// How the StrongARM's caches are cleaned: by reading 8 KB of nothing through them.
#[test]
fn reading_the_zeros_bank_replaces_nothing() {
    let read = |name: &str| {
        let mut rig = Rig::new(name);
        rig.map(DIRECTORY_A, PLACE, (rig.ram + FRAME_1) | SECTION_CB);
        rig.map(DIRECTORY_A, OTHER, 0xe000_0000 | SECTION_CB);
        rig.switch(DIRECTORY_A);
        rig.load(PLACE);
        rig.store(PLACE, 1);
        rig.load(OTHER);
        let before = rig.machine.core().mem.platform.cycle;
        let tally = rig.during(|rig| {
            for n in 0..256 {
                assert_eq!(rig.load(OTHER + 32 * n), 0);
            }
        });
        (
            tally.dcache.read_misses,
            rig.contents().len(),
            rig.machine.core().mem.platform.cycle - before,
        )
    };
    assert_eq!(read("sa1110-tags"), (0, 1, 0));
    assert!(read("sa1110").0 >= 255);
}

/// What is locked stays, as far as it is still true (ARM926EJ-S TRM §2.3.10 and 2.3.11).
#[test]
fn lockdown_works() {
    let mut rig = Rig::new("versatilepb-tags");
    let (one, two) = (rig.ram + FRAME_1, rig.ram + FRAME_2);
    rig.map(DIRECTORY_A, PLACE, one | SECTION_CB);
    rig.map(DIRECTORY_B, PLACE, one | SECTION_CB);
    rig.map(DIRECTORY_A, OTHER, (rig.ram + TABLE) | 0x11);
    for n in 0..256 {
        rig.set_memory(TABLE + 4 * n, (one + (n << 12)) | PAGE_CB);
    }
    rig.switch(DIRECTORY_A);
    rig.machine.core().write_cp15(Register::new(10, 0, 0), 1);
    rig.load(PLACE);
    rig.machine.core().write_cp15(Register::new(10, 0, 0), 0);
    // Far more pages than the TLB has room for.
    let fill = |rig: &mut Rig| {
        for n in 0..256 {
            rig.load(OTHER + (n << 12));
        }
    };
    fill(&mut rig);
    let kept = rig.during(|rig| {
        rig.load(PLACE);
        rig.switch(DIRECTORY_B);
        rig.load(PLACE);
        rig.switch(DIRECTORY_A);
        rig.load(PLACE);
    });
    assert_eq!(
        kept.dtlb.misses, 0,
        "locked, and the same in both directories"
    );
    rig.set_memory(FRAME_2, 2);
    rig.store(
        WINDOW + DIRECTORY_A + ((PLACE >> 20) << 2),
        two | SECTION_CB,
    );
    assert_eq!(rig.load(PLACE), 2, "locked, but no longer true");

    // A way of the data cache.
    rig.machine
        .core()
        .write_cp15(Register::new(9, 0, 0), 0b1110);
    rig.store(
        WINDOW + DIRECTORY_A + ((PLACE >> 20) << 2),
        one | SECTION_CB,
    );
    rig.load(PLACE + 0x20);
    rig.machine
        .core()
        .write_cp15(Register::new(9, 0, 0), 0b0001);
    fill(&mut rig);
    for n in 1..64 {
        rig.load(PLACE + 0x20 + 0x1000 * n);
    }
    let kept = rig.during(|rig| assert_eq!(rig.load(PLACE + 0x20), 0));
    assert_eq!(kept.dcache.read_misses, 0);
}

/// The read buffer (SA-1110) holds what memory had, and here what it has.
#[test]
fn the_read_buffer_is_not_stale() {
    let mut rig = Rig::new("sa1110-tags");
    let frame = rig.ram + FRAME_1;
    rig.map(DIRECTORY_A, PLACE, frame | SECTION_CB);
    rig.map(DIRECTORY_A, OTHER, frame | SECTION);
    rig.switch(DIRECTORY_A);
    let load_eight = Register::new(9, 8, 2);
    rig.set_memory(FRAME_1, 1);
    rig.machine.core().write_cp15(load_eight, PLACE);
    let hits = rig.during(|rig| assert_eq!(rig.load(PLACE), 1));
    assert_eq!(hits.memory.read_buffer_hits, 1);
    rig.store(OTHER, 2);
    assert_eq!(rig.load(PLACE), 2);
    rig.store(PLACE, 3);
    rig.machine.core().write_cp15(load_eight, PLACE);
    rig.store(PLACE, 4);
    assert_eq!((rig.load(PLACE), rig.load(OTHER)), (4, 4));
    assert_eq!(rig.machine.core().mem.load(OTHER, Width::Byte, true), Ok(4));
}

/// The relocation of the low 32 MB is what it was: another slot is another address.
#[test]
fn slots_stay() {
    for name in BOTH {
        let mut rig = Rig::new(name);
        let (one, two) = (rig.ram + FRAME_1, rig.ram + FRAME_2);
        rig.map(DIRECTORY_A, 0x0210_0000, one | SECTION_CB);
        rig.map(DIRECTORY_A, 0x0410_0000, two | SECTION_CB);
        rig.switch(DIRECTORY_A);
        rig.set_memory(FRAME_1, 1);
        rig.set_memory(FRAME_2, 2);
        for (slot, value) in [(1, 1), (2, 2), (1, 1)] {
            rig.machine
                .core()
                .write_cp15(Register::new(13, 0, 0), slot << 25);
            assert_eq!(rig.load(0x0010_0000), value, "{name}");
        }
    }
}
