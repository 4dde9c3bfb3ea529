// SPDX-License-Identifier: Apache-2.0
//! Golden cycle counts of the ARM926EJ-S: its core's instruction times, by the table of DDI 0222B,
//! and how lines are filled and written back, by the TRM (DDI 0198D). The numbers are derived from
//! the manuals and the constants of `machines/versatilepb.toml`; nothing writes them but a hand.

use proptest::prelude::*;

use switchyard_machine::arch::Processor;
use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::arm::Machine;
use switchyard_machine::dev::Width;

use crate::support::versatile::{machine_with, map, set_memory, CLEAN_LINE, DRAIN};

const CACHED: u32 = 0x0010_0000;
const BUFFERED: u32 = 0x0030_0000;
const DATA: u32 = CACHED + 0x1000;

const INVALIDATE_INSN: Register = Register::new(7, 5, 0);

/// `machines/versatilepb.toml`, [memory].
const READ_FIRST: u64 = 24;
const READ_NEXT: u64 = 3;
const READ_LINE: u64 = READ_FIRST + 7 * READ_NEXT;
const WRITE_FIRST: u64 = 15;
const WRITE_NEXT: u64 = 3;
const WRITE_LINE: u64 = WRITE_FIRST + 7 * WRITE_NEXT;
const WRITE_HALF: u64 = WRITE_FIRST + 3 * WRITE_NEXT;

/// Two megabytes mapped where they are, one cached and one bufferable, and all caches on.
fn machine() -> Machine {
    let mut machine = machine_with(
        "versatilepb",
        &[
            (0, 0xc12),
            (CACHED, CACHED | 0xc1e),
            (BUFFERED, BUFFERED | 0xc16),
        ],
    );
    // The translations, so that no walk disturbs what follows: the set of the TLB goes by the page.
    for page in [DATA, CACHED + 0x2000, BUFFERED] {
        load(&mut machine, page + 0x800);
    }
    machine
}

/// Loads a word; returns the cycles from the beginning of the access to the word.
fn load(machine: &mut Machine, va: u32) -> u64 {
    let mem = &mut machine.core().mem;
    let before = mem.platform.cycle;
    mem.load(va, Width::Word, true).expect("an allowed load");
    mem.platform.cycle - before
}

fn store(machine: &mut Machine, va: u32) -> u64 {
    let mem = &mut machine.core().mem;
    let before = mem.platform.cycle;
    mem.store(va, Width::Word, 1, true)
        .expect("an allowed store");
    mem.platform.cycle - before
}

fn store_multiple(machine: &mut Machine, va: u32, count: usize) {
    let words: Vec<u32> = (0..count as u32).map(|n| 0x1000 + n).collect();
    let mem = &mut machine.core().mem;
    mem.store_multiple(va, &words, true)
        .expect("an allowed store");
}

fn drain(machine: &mut Machine) -> u64 {
    let before = machine.core().mem.platform.cycle;
    machine.core().write_cp15(DRAIN, 0);
    machine.core().mem.platform.cycle - before
}

/// Lets everything that is on its way arrive.
fn settle(machine: &mut Machine) {
    machine.core().mem.platform.cycle += 1000;
    drain(machine);
}

/// The cycles of `code`, warm: to the instruction at its end, wherever it jumps in between. r1 and
/// r2 are 0, r3 points to data whose first word is the end's address, as r14 is.
fn cycles(code: &[u32]) -> u64 {
    let mut machine = machine();
    let start = CACHED + 0x2000;
    let end = start + 4 * code.len() as u32;
    for (n, word) in code.iter().enumerate() {
        set_memory(&mut machine, start + 4 * n as u32, *word);
    }
    set_memory(&mut machine, DATA, end);
    let mut taken = 0;
    for _ in 0..2 {
        load(&mut machine, DATA);
        settle(&mut machine);
        let core = machine.core();
        core.r[1] = 0;
        core.r[2] = 0;
        core.r[3] = DATA;
        core.r[14] = end;
        core.r[15] = start;
        let before = core.mem.platform.cycle;
        while core.r[15] != end {
            core.step();
        }
        taken = core.mem.platform.cycle - before;
    }
    taken
}

#[test]
fn instructions_take_what_table_8_2_says() {
    for (what, code, golden) in [
        ("CLZ", &[0xe16f_0f11][..], 1),
        ("data operation, normal case", &[0xe080_0001], 1),
        (
            "data operation, operand shifted by a constant",
            &[0xe080_0101],
            1,
        ),
        (
            "data operation, register-controlled shift",
            &[0xe080_0211],
            2,
        ),
        (
            "ADD to the PC: over the next instruction",
            &[0xe28f_f000, 0],
            3,
        ),
        ("MOV to the PC", &[0xe1a0_f00e], 4),
        ("ORR to the PC", &[0xe18e_f001], 4),
        ("ADD to the PC with operand shift", &[0xe08f_f101, 0], 4),
        (
            "ADD to the PC with register-controlled shift",
            &[0xe08f_f211, 0],
            4,
        ),
        ("LDR, normal case", &[0xe593_0000], 1),
        (
            "LDR and use: 1-cycle interlock",
            &[0xe593_0000, 0xe280_0001],
            3,
        ),
        ("LDR, register offset not shifted", &[0xe793_0001], 1),
        ("LDR, shifted offset", &[0xe793_0101], 2),
        (
            "LDR, shifted offset, and use",
            &[0xe793_0101, 0xe280_0001],
            4,
        ),
        (
            "LDRB and use: 2-cycle interlock",
            &[0xe5d3_0000, 0xe280_0001],
            4,
        ),
        (
            "LDRH and use: 2-cycle interlock",
            &[0xe1d3_00b0, 0xe280_0001],
            4,
        ),
        (
            "LDR unaligned and use: 2-cycle interlock",
            &[0xe593_0001, 0xe280_0001],
            4,
        ),
        ("LDR to the PC", &[0xe593_f000], 5),
        ("LDR to the PC, scaled register offset", &[0xe793_f101], 6),
        ("LDRD", &[0xe1c3_00d0], 2),
        (
            "LDRD and use of the last word",
            &[0xe1c3_00d0, 0xe281_1001],
            4,
        ),
        ("STR, normal case", &[0xe583_0000], 1),
        ("STR, scaled offset", &[0xe783_0101], 2),
        ("STRD", &[0xe1c3_00f0], 2),
        ("LDM of one register", &[0xe893_0001], 2),
        ("LDM of three", &[0xe893_0013], 3),
    ] {
        assert_eq!(cycles(code), golden, "{what} (DDI 0222B, table 8.2)");
    }
}

#[test]
fn the_asked_word_comes_first_and_the_others_in_their_turn() {
    // TRM 4.1, table 6-1: a wrapping burst from the word that was asked for.
    let mut machine = machine();
    settle(&mut machine);
    let start = machine.core().mem.platform.cycle;
    assert_eq!(load(&mut machine, DATA + 4 * 5), READ_FIRST);
    assert_eq!(load(&mut machine, DATA + 4 * 6), READ_NEXT);
    assert_eq!(load(&mut machine, DATA + 4 * 6), 0, "it is there");
    assert_eq!(load(&mut machine, DATA + 4 * 4), 6 * READ_NEXT, "the last");
    assert_eq!(machine.core().mem.platform.cycle - start, READ_LINE);
    assert_eq!(load(&mut machine, DATA), 0);
}

#[test]
fn a_store_waits_for_its_word_too() {
    let mut machine = machine();
    settle(&mut machine);
    assert_eq!(load(&mut machine, DATA), READ_FIRST);
    assert_eq!(store(&mut machine, DATA + 4 * 2), 2 * READ_NEXT);
    assert_eq!(store(&mut machine, DATA), 0);
}

#[test]
fn the_bus_is_busy_until_the_last_word() {
    let mut machine = machine();
    settle(&mut machine);
    assert_eq!(load(&mut machine, DATA), READ_FIRST);
    // The other line is asked for when 7 words of the first are still to come.
    assert_eq!(load(&mut machine, DATA + 32), 7 * READ_NEXT + READ_FIRST);
}

#[test]
fn another_line_is_there_while_one_is_filled() {
    let mut machine = machine();
    load(&mut machine, DATA + 32);
    settle(&mut machine);
    assert_eq!(load(&mut machine, DATA), READ_FIRST);
    assert_eq!(load(&mut machine, DATA + 32), 0);
}

#[test]
fn instructions_wait_each_for_its_word() {
    // TRM 4.1: the caches, both, perform critical-word-first refilling.
    let mut machine = machine();
    let code = CACHED + 0x2000;
    for n in 0..16 {
        set_memory(&mut machine, code + 4 * n, 0xe080_0001);
    }
    machine.core().r[15] = code + 4 * 6;
    settle(&mut machine);
    let before = machine.core().mem.platform.cycle;
    let mut at = Vec::new();
    for _ in 0..4 {
        machine.core().step();
        at.push(machine.core().mem.platform.cycle - before);
    }
    // Words 6 and 7 of one line; the next line when the bus has brought words 0 to 5 of it.
    let next = READ_LINE + READ_FIRST;
    assert_eq!(
        at,
        [
            READ_FIRST + 1,
            READ_FIRST + READ_NEXT + 1,
            next + 1,
            next + READ_NEXT + 1
        ]
    );
}

#[test]
fn a_dirty_line_goes_as_one_burst() {
    // TRM table 6-1: full line write-back Incr8, half-line write-back Incr4.
    for (words, golden) in [
        (&[0, 7][..], WRITE_LINE),
        (&[1], WRITE_HALF),
        (&[6], WRITE_HALF),
    ] {
        let mut machine = machine();
        load(&mut machine, DATA);
        settle(&mut machine);
        for word in words {
            store(&mut machine, DATA + 4 * word);
        }
        machine.core().write_cp15(CLEAN_LINE, DATA);
        assert_eq!(drain(&mut machine), golden, "dirty words {words:?}");
    }
}

#[test]
fn the_write_back_buffer_holds_one_line_and_leaves_the_stores_theirs() {
    // TRM 4.1: 8 words and one address for write-backs; 16 words and 4 addresses for stores.
    let mut machine = machine();
    for line in 0..2 {
        load(&mut machine, DATA + 32 * line);
        store(&mut machine, DATA + 32 * line);
    }
    settle(&mut machine);
    for n in 0..4 {
        assert_eq!(store(&mut machine, BUFFERED + 64 * n), 0, "store {n}");
    }
    let before = machine.core().mem.platform.cycle;
    machine.core().write_cp15(CLEAN_LINE, DATA);
    assert_eq!(
        machine.core().mem.platform.cycle,
        before,
        "a place of its own"
    );
    machine.core().write_cp15(CLEAN_LINE, DATA + 32);
    assert_eq!(
        machine.core().mem.platform.cycle - before,
        4 * WRITE_FIRST + WRITE_HALF,
        "the second waits until the first is written, after the stores"
    );
}

#[test]
fn store_multiples_are_bursts_of_eight_and_four() {
    // TRM 6.2.2: a request that is not 1, 4 or 8 words is split; 12 words are 8 and 4. Note to table
    // 6-1: bursts can be aligned to any word boundary.
    let single = WRITE_FIRST;
    for (at, count, golden) in [
        (0, 1, single),
        (0, 4, WRITE_HALF),
        (0, 8, WRITE_LINE),
        (12, 8, WRITE_LINE),
        (4, 5, WRITE_HALF + single),
        (0, 3, 3 * single),
        (8, 12, WRITE_LINE + WRITE_HALF),
    ] {
        let mut machine = machine();
        settle(&mut machine);
        store_multiple(&mut machine, BUFFERED + at, count);
        assert_eq!(drain(&mut machine), golden, "{count} words at {at}");
        for n in 0..count as u32 {
            let word = machine.bus().read_memory_word(BUFFERED + at + 4 * n);
            assert_eq!(word, Some(0x1000 + n), "word {n} of {count} at {at}");
        }
    }
}

/// A guest whose two loads, of the pages that the TLB keeps in the set of the code's page, replace the
/// translation of the code itself: the instruction after them, in the same line, walks again. In
/// single steps or in the run loop: the misses of fetches and of data accesses, and the cycles.
fn loads_that_evict_the_running_page(steps: bool) -> (u64, u64, u64) {
    let mut machine = machine();
    let code = CACHED + 0x2000;
    // ldr r0, [r4]; ldr r0, [r5]; add r0, r0, r1; wait for interrupt
    let words = [0xe594_0000, 0xe595_0000, 0xe080_0001, 0xee07_0f90];
    for (n, word) in words.into_iter().enumerate() {
        set_memory(&mut machine, code + 4 * n as u32, word);
    }
    let others = [0x0040_0000, 0x0050_0000];
    for section in others {
        map(&mut machine, section, section | 0xc1e);
    }
    settle(&mut machine);
    let core = machine.core();
    // The code's line and its translation are there, and nothing of it is on its way.
    core.r[15] = code + 8;
    core.step();
    core.mem.platform.cycle += 1000;
    [core.r[4], core.r[5]] = others.map(|section| section + 0x2000);
    core.r[15] = code;
    let (before, then) = (core.mem.tally(), core.mem.platform.cycle);
    core.mem.platform.horizon = then + 10_000;
    while !core.waits_for_interrupt() {
        if steps {
            core.step();
        } else {
            core.run_to_horizon();
            core.mem.platform.horizon = core.mem.platform.cycle + 1;
        }
    }
    let after = core.mem.tally();
    (
        after.itlb.misses - before.itlb.misses,
        after.dtlb.misses - before.dtlb.misses,
        core.mem.platform.cycle - then,
    )
}

#[test]
fn a_data_access_may_evict_the_translation_of_the_page_that_runs() {
    // TRM 3.1: one TLB for both, of two ways.
    let stepped = loads_that_evict_the_running_page(true);
    assert_eq!((stepped.0, stepped.1), (1, 2));
    assert_eq!(loads_that_evict_the_running_page(false), stepped);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A word of a line on its way is there no earlier than its turn and no later than it is
    /// asked for after that, in whatever order words are asked for, with other work between.
    #[test]
    fn no_word_is_early_and_none_is_late(
        asked in proptest::collection::vec((0u32..8, 0u64..12), 1..12),
    ) {
        let mut machine = machine();
        settle(&mut machine);
        let start = machine.core().mem.platform.cycle;
        let first = asked[0].0;
        for (word, pause) in asked {
            let turn = u64::from((word + 8 - first) % 8);
            let there = start + READ_FIRST + turn * READ_NEXT;
            let now = machine.core().mem.platform.cycle;
            load(&mut machine, DATA + 4 * word);
            prop_assert_eq!(machine.core().mem.platform.cycle, now.max(there));
            machine.core().mem.platform.cycle += pause;
        }
    }

    /// Instruction by instruction or as the run loop goes, code that is just being filled takes the
    /// same time.
    #[test]
    fn the_run_loop_waits_as_single_steps_do(
        code in proptest::collection::vec(0usize..5, 4..40),
        first in 0u32..8,
    ) {
        const KINDS: [u32; 5] = [
            0xe080_0001, // add r0, r0, r1
            0xe593_0000, // ldr r0, [r3]
            0xe583_0020, // str r0, [r3, #32]
            0xe28f_f000, // add pc, pc, #0: over the next instruction
            0xe5b3_0004, // ldr r0, [r3, #4]!
        ];
        let times = [true, false].map(|steps| {
            let mut machine = machine();
            let start = CACHED + 0x2000 + 4 * first;
            for (n, kind) in code.iter().enumerate() {
                set_memory(&mut machine, start + 4 * n as u32, KINDS[*kind]);
            }
            // Two ends, since the last instruction may leap over one; both wait for interrupts.
            let end = start + 4 * code.len() as u32;
            for n in 0..2 {
                set_memory(&mut machine, end + 4 * n, 0xee07_0f90);
            }
            settle(&mut machine);
            machine.core().write_cp15(INVALIDATE_INSN, 0);
            let core = machine.core();
            core.r[1] = 1;
            core.r[3] = DATA;
            core.r[15] = start;
            let before = core.mem.platform.cycle;
            if steps {
                while !core.waits_for_interrupt() {
                    core.step();
                }
            } else {
                core.mem.platform.horizon = before + 5000;
                core.run_to_horizon();
                while !core.waits_for_interrupt() {
                    core.mem.platform.horizon = core.mem.platform.cycle + 1;
                    core.run_to_horizon();
                }
            }
            (core.mem.platform.cycle - before, core.r)
        });
        prop_assert_eq!(times[0], times[1]);
    }
}
