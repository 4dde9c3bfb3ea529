// SPDX-License-Identifier: Apache-2.0
//! What the ARM926EJ-S has and the SA-1110 has not: its CP15 operations (TRM §2.3), write-through
//! pages, fine tables, the unified TLB with locked entries, 128 slots, faults of instruction
//! fetches. What its instructions do is compared with another processor in `tests/differential`.

use switchyard_machine::arch::Processor;
use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::arm::Machine;
use switchyard_machine::dev::Width;
use switchyard_machine::machine::Stop;

use crate::support::versatile::{
    self, drain, load, map, memory, set_memory, store, CLEAN_LINE, CONTROL, ON, PID, PREFETCH_LINE,
    UNCACHED, WRITE_BACK, WRITE_THROUGH,
};

const REMAPPED: u32 = 0x0040_0000;

/// Control register: vectors at the end of addresses.
const HIGH_VECTORS: u32 = 1 << 13;

const DATA_FAULT: Register = Register::new(5, 0, 0);
const INSN_FAULT: Register = Register::new(5, 0, 1);
const FAULT_ADDRESS: Register = Register::new(6, 0, 0);
const INVALIDATE_ALL: Register = Register::new(7, 7, 0);
const INVALIDATE_INSN_LINE: Register = Register::new(7, 5, 1);
const INVALIDATE_LINE: Register = Register::new(7, 6, 1);
const CLEAN_SLOT: Register = Register::new(7, 10, 2);
const TEST_CLEAN: Register = Register::new(7, 10, 3);
const CLEAN_INVALIDATE_LINE: Register = Register::new(7, 14, 1);
const CLEAN_INVALIDATE_SLOT: Register = Register::new(7, 14, 2);
const TEST_CLEAN_INVALIDATE: Register = Register::new(7, 14, 3);
const INVALIDATE_TLB: Register = Register::new(8, 7, 0);
const INVALIDATE_TLB_ENTRY: Register = Register::new(8, 7, 1);
const LOCK_DATA_WAYS: Register = Register::new(9, 0, 0);
const LOCK_TLB: Register = Register::new(10, 0, 0);

/// The Z flag, where test-and-clean says that all is clean.
const ALL_CLEAN: u32 = 1 << 30;

fn machine() -> Machine {
    versatile::machine("versatilepb")
}

/// How many lines of the data cache are valid and how many of them dirty.
fn lines(machine: &mut Machine) -> (usize, usize) {
    let mem = &machine.core().mem;
    let dirty = mem.data_lines().filter(|line| line.dirty).count();
    (mem.data_lines().count(), dirty)
}

#[test]
fn write_through_pages_reach_memory_and_write_back_pages_do_not() {
    let mut machine = machine();
    for (page, expected) in [(WRITE_THROUGH, 7), (WRITE_BACK, 0)] {
        for way_in in [WAY_IN_LOOKUP, WAY_IN_HINT] {
            assert_eq!(load(&mut machine, page + way_in), 0);
            store(&mut machine, page + way_in, 6);
            store(&mut machine, page + way_in, 7);
            assert_eq!(load(&mut machine, page + way_in), 7);
            drain(&mut machine);
            assert_eq!(memory(&mut machine, page + way_in), expected);
        }
    }
    assert_eq!(
        lines(&mut machine).1,
        2,
        "dirty lines: those of the write-back page"
    );
    machine
        .core()
        .mem
        .store_multiple(WRITE_THROUGH + 0x0c, &[1, 2, 3], true)
        .unwrap();
    drain(&mut machine);
    let written = [0x0c, 0x10, 0x14].map(|at| memory(&mut machine, WRITE_THROUGH + at));
    assert_eq!(written, [1, 2, 3]);
}

/// Two lines, so that each page is entered by a full lookup and by what was remembered of it.
const WAY_IN_LOOKUP: u32 = 0;
const WAY_IN_HINT: u32 = 0x40;

#[test]
fn stores_do_not_allocate() {
    let mut machine = machine();
    store(&mut machine, WRITE_BACK, 5);
    assert_eq!(lines(&mut machine), (0, 0));
    drain(&mut machine);
    assert_eq!(memory(&mut machine, WRITE_BACK), 5);
}

fn dirty_lines(machine: &mut Machine, count: u32) {
    for n in 0..count {
        load(machine, WRITE_BACK + 32 * n);
        store(machine, WRITE_BACK + 32 * n, n + 1);
    }
    assert_eq!(lines(machine), (count as usize, count as usize));
}

#[test]
fn the_test_and_clean_loop_cleans_everything() {
    let mut machine = machine();
    dirty_lines(&mut machine, 40);
    let mut rounds = 1;
    while machine.core().read_cp15(TEST_CLEAN) & ALL_CLEAN == 0 {
        rounds += 1;
    }
    assert_eq!(rounds, 40, "one line an operation");
    assert_eq!(lines(&mut machine), (40, 0));
    drain(&mut machine);
    for n in 0..40 {
        assert_eq!(memory(&mut machine, WRITE_BACK + 32 * n), n + 1);
    }
    store(&mut machine, WRITE_BACK + 64, 99);
    while machine.core().read_cp15(TEST_CLEAN_INVALIDATE) & ALL_CLEAN == 0 {}
    assert_eq!(lines(&mut machine), (0, 0));
    drain(&mut machine);
    assert_eq!(memory(&mut machine, WRITE_BACK + 64), 99);
}

#[test]
fn every_line_has_a_set_and_a_way() {
    let mut machine = machine();
    dirty_lines(&mut machine, 128);
    // 16 KB in 4 ways: 128 sets from bit 5, the way in bits 31:30.
    for operation in [CLEAN_SLOT, CLEAN_INVALIDATE_SLOT] {
        for way in 0..4 {
            for set in 0..128 {
                machine
                    .core()
                    .write_cp15(operation, (way << 30) | (set << 5));
            }
        }
        let left = if operation == CLEAN_SLOT { 128 } else { 0 };
        assert_eq!(lines(&mut machine), (left, 0));
    }
    drain(&mut machine);
    assert_eq!(memory(&mut machine, WRITE_BACK + 32 * 127), 128);
}

#[test]
fn locked_ways_are_not_replaced() {
    let mut machine = machine();
    // Fill way 0 of one set with a line, the others being locked; then lock way 0 and fill more.
    machine.core().write_cp15(LOCK_DATA_WAYS, 0b1110);
    assert_eq!(machine.core().read_cp15(LOCK_DATA_WAYS), 0xfffe);
    load(&mut machine, WRITE_BACK);
    machine.core().write_cp15(LOCK_DATA_WAYS, 0b0001);
    for n in 1..20 {
        load(&mut machine, WRITE_BACK + 4096 * n);
    }
    let kept: Vec<u32> = machine
        .core()
        .mem
        .data_lines()
        .map(|line| line.mva)
        .collect();
    assert_eq!(kept.len(), 4);
    assert!(kept.contains(&WRITE_BACK));
}

#[test]
fn the_guest_chooses_between_random_and_round_robin() {
    let lines_after = |control: u32| {
        let mut machine = machine();
        machine.core().write_cp15(CONTROL, control);
        for n in 0..6 {
            load(&mut machine, WRITE_BACK + 4096 * n);
        }
        let mut kept: Vec<u32> = machine
            .core()
            .mem
            .data_lines()
            .map(|line| line.mva)
            .collect();
        kept.sort_unstable();
        kept
    };
    let round_robin = lines_after(ON | 1 << 14);
    assert_eq!(round_robin, [2, 3, 4, 5].map(|n| WRITE_BACK + 4096 * n));
    assert_ne!(lines_after(ON), round_robin);
}

#[test]
fn a_locked_translation_survives_until_it_is_named() {
    let mut machine = machine();
    machine.core().write_cp15(LOCK_TLB, 1 | (3 << 26));
    load(&mut machine, UNCACHED);
    assert_eq!(
        machine.core().read_cp15(LOCK_TLB),
        1 | (4 << 26),
        "the victim moves on"
    );
    machine.core().write_cp15(LOCK_TLB, 0);
    map(&mut machine, UNCACHED, WRITE_BACK | 0xc12);
    set_memory(&mut machine, WRITE_BACK, 17);
    machine.core().write_cp15(INVALIDATE_TLB, 0);
    assert_eq!(load(&mut machine, UNCACHED), 0, "still the old page");
    machine.core().write_cp15(INVALIDATE_TLB_ENTRY, UNCACHED);
    assert_eq!(load(&mut machine, UNCACHED), 17);
}

#[test]
fn an_entry_of_a_section_goes_wherever_it_was_put() {
    let mut machine = machine();
    // One section, two sets of the TLB.
    load(&mut machine, UNCACHED);
    load(&mut machine, UNCACHED + 0x1000);
    map(&mut machine, UNCACHED, WRITE_BACK | 0xc12);
    set_memory(&mut machine, WRITE_BACK, 18);
    set_memory(&mut machine, WRITE_BACK + 0x1000, 19);
    machine.core().write_cp15(INVALIDATE_TLB_ENTRY, UNCACHED);
    assert_eq!(load(&mut machine, UNCACHED), 18);
    assert_eq!(load(&mut machine, UNCACHED + 0x1000), 19);
}

#[test]
fn there_are_128_slots() {
    let mut machine = machine();
    map(&mut machine, 0xfe00_0000, WRITE_BACK | 0xc12);
    set_memory(&mut machine, WRITE_BACK + 0x1234, 127);
    machine.core().write_cp15(PID, 127 << 25);
    assert_eq!(machine.core().read_cp15(PID), 127 << 25);
    assert_eq!(load(&mut machine, 0x1234), 127);
    // A fault shows the address after relocation.
    assert!(machine
        .core()
        .mem
        .load(0x0110_0000, Width::Word, true)
        .is_err());
    assert_eq!(machine.core().mem.fault.mva, 0xff10_0000);
}

/// A slot other than the first, and the way into it of a program that it belongs to.
const SLOT: u32 = 5 << 25;

/// The machine with the slot selected, in which the megabyte at 1 MB is the write-back page; in slot
/// 0 it is that too, by its own descriptor.
fn machine_in_slot() -> Machine {
    let mut machine = machine();
    map(&mut machine, SLOT + WRITE_BACK, WRITE_BACK | 0xc1e);
    machine.core().write_cp15(PID, SLOT);
    machine
}

/// "FCSE translation is not applied for addresses used for entry based cache or TLB maintenance
/// operations" (DDI 0198D, p. 2-34): an address below 32 MB names a line of slot 0.
#[test]
fn maintenance_of_a_line_takes_the_mva() {
    for (operation, cleans, drops) in [
        (CLEAN_LINE, true, false),
        (INVALIDATE_LINE, false, true),
        (CLEAN_INVALIDATE_LINE, true, true),
    ] {
        let mut machine = machine_in_slot();
        dirty_lines(&mut machine, 1);
        machine.core().write_cp15(operation, WRITE_BACK);
        drain(&mut machine);
        assert_eq!(memory(&mut machine, WRITE_BACK), 0, "{operation:?}");
        assert_eq!(lines(&mut machine), (1, 1), "{operation:?}");
        machine.core().write_cp15(operation, SLOT + WRITE_BACK);
        drain(&mut machine);
        let written = memory(&mut machine, WRITE_BACK);
        assert_eq!(written, u32::from(cleans), "{operation:?}");
        let valid = usize::from(!drops);
        assert_eq!(lines(&mut machine).0, valid, "{operation:?}");
    }
}

#[test]
fn maintenance_of_a_tlb_entry_takes_the_mva() {
    let mut machine = machine_in_slot();
    map(&mut machine, SLOT + REMAPPED, UNCACHED | 0xc12);
    set_memory(&mut machine, UNCACHED, 3);
    set_memory(&mut machine, WRITE_THROUGH, 2);
    assert_eq!(load(&mut machine, REMAPPED), 3);
    map(&mut machine, SLOT + REMAPPED, WRITE_THROUGH | 0xc12);
    machine.core().write_cp15(INVALIDATE_TLB_ENTRY, REMAPPED);
    assert_eq!(load(&mut machine, REMAPPED), 3, "that was slot 0's entry");
    machine
        .core()
        .write_cp15(INVALIDATE_TLB_ENTRY, SLOT + REMAPPED);
    assert_eq!(load(&mut machine, REMAPPED), 2);
}

#[test]
fn maintenance_of_an_instruction_line_takes_the_mva() {
    let mut machine = machine_in_slot();
    let misses = |machine: &mut Machine, va| {
        let before = machine.core().mem.tally().icache.misses;
        machine.core().mem.fetch(va, true, false).expect("code");
        machine.core().mem.tally().icache.misses - before
    };
    // Slot 0's line is not that of the program, whose addresses are relocated.
    machine.core().write_cp15(PREFETCH_LINE, WRITE_BACK);
    assert_eq!(misses(&mut machine, WRITE_BACK), 1);
    assert_eq!(misses(&mut machine, WRITE_BACK), 0);
    machine
        .core()
        .write_cp15(PREFETCH_LINE, SLOT + WRITE_BACK + 32);
    assert_eq!(misses(&mut machine, WRITE_BACK + 32), 0);
    machine.core().write_cp15(INVALIDATE_INSN_LINE, WRITE_BACK);
    assert_eq!(misses(&mut machine, WRITE_BACK), 0);
    machine
        .core()
        .write_cp15(INVALIDATE_INSN_LINE, SLOT + WRITE_BACK);
    assert_eq!(misses(&mut machine, WRITE_BACK), 1);
}

/// "If the MMU is disabled, then no FCSE address translation occurs" (DDI 0198D, p. 2-34).
#[test]
fn nothing_is_relocated_while_the_mmu_is_off() {
    let mut machine = machine_in_slot();
    set_memory(&mut machine, UNCACHED, 8);
    machine.core().write_cp15(CONTROL, 0);
    assert_eq!(load(&mut machine, UNCACHED), 8);
    machine.core().write_cp15(CONTROL, ON);
    set_memory(&mut machine, WRITE_BACK, 9);
    assert_eq!(load(&mut machine, WRITE_BACK), 9);
    let mva = machine.core().mem.data_lines().next().expect("a line").mva;
    assert_eq!(mva, SLOT + WRITE_BACK);
}

#[test]
fn fine_tables_map_pages_of_1_kb() {
    let mut machine = machine();
    let table = 0x8000;
    map(&mut machine, REMAPPED, table | 0b11);
    // Neighbouring tiny pages, of which user mode may write the first and read the second.
    set_memory(&mut machine, table + 4 * 5, WRITE_BACK | (3 << 4) | 0b11);
    set_memory(&mut machine, table + 4 * 6, UNCACHED | (2 << 4) | 0b11);
    set_memory(&mut machine, WRITE_BACK + 0x3fc, 1);
    set_memory(&mut machine, UNCACHED, 2);
    let mem = &mut machine.core().mem;
    assert_eq!(
        mem.load(REMAPPED + 5 * 1024 + 0x3fc, Width::Word, false),
        Ok(1)
    );
    assert_eq!(mem.load(REMAPPED + 6 * 1024, Width::Word, false), Ok(2));
    assert!(mem
        .store(REMAPPED + 5 * 1024, Width::Word, 9, false)
        .is_ok());
    assert!(mem
        .store(REMAPPED + 6 * 1024, Width::Word, 9, false)
        .is_err());
    assert_eq!(
        mem.fault.status_register(),
        0b1111,
        "a permission fault of a page"
    );
    assert!(mem.load(REMAPPED + 7 * 1024, Width::Word, false).is_err());
    assert_eq!(
        mem.fault.status_register(),
        0b0111,
        "a translation fault of a page"
    );
}

#[test]
fn fetches_have_a_fault_status_of_their_own() {
    let mut machine = machine();
    map(&mut machine, 0xfff0_0000, WRITE_BACK | 0xc1e);
    let core = machine.core();
    core.write_cp15(CONTROL, ON | HIGH_VECTORS);
    core.write_cp15(DATA_FAULT, 0xff);
    core.write_cp15(FAULT_ADDRESS, 0x1234_5678);
    core.r[15] = 0x7000_0000;
    core.step();
    assert_eq!(core.r[15], 0xffff_000c);
    assert_eq!(core.r[14], 0x7000_0004);
    assert_eq!(
        core.read_cp15(INSN_FAULT),
        0b0101,
        "a translation fault of a section"
    );
    assert_eq!(core.read_cp15(DATA_FAULT), 0xff);
    assert_eq!(core.read_cp15(FAULT_ADDRESS), 0x1234_5678);
}

#[test]
fn the_cache_type_register_tells_the_geometry() {
    let mut machine = machine();
    // Write-back with lockdown format C, separate; 16 KB, 4-way, 32 bytes: twice.
    let cache = (5 << 6) | (2 << 3) | 2;
    let expected = (0b1110 << 25) | (1 << 24) | (cache << 12) | cache;
    assert_eq!(machine.core().read_cp15(Register::new(0, 0, 1)), expected);
    assert_eq!(
        machine.core().read_cp15(Register::new(0, 0, 0)),
        0x4106_9265
    );
    assert_eq!(machine.core().read_cp15(CONTROL), 0x0005_0078 | ON);
}

#[test]
fn waiting_for_an_interrupt_sleeps() {
    let mut machine = machine();
    // mcr p15, 0, r0, c7, c0, 4
    set_memory(&mut machine, UNCACHED, 0xee07_0f90);
    machine.core().r[15] = UNCACHED;
    let stop = machine.run(1_000_000);
    assert!(matches!(stop, Stop::Budget | Stop::Hung(_)), "{stop:?}");
    let idle = machine.counters().totals().sum().run.idle;
    assert!(machine.core().waits_for_interrupt());
    assert!(stop != Stop::Budget || idle > 990_000, "{idle}");
}

#[test]
fn a_line_is_decoded_for_the_state_that_fetches_it() {
    let mut machine = machine();
    let code = WRITE_BACK;
    // The same word is `mov r0, #1` to ARM state and two instructions to Thumb state.
    for (at, word) in [
        (0, 0xe3a0_0001u32), // mov r0, #1
        (4, 0xe28f_1001),    // add r1, pc, #1: Thumb, at 0x0d
        (8, 0xe12f_ff11),    // bx r1
        (12, 0x4770_3005),   // Thumb: adds r0, #5; bx lr
        (16, 0xeaff_fffe),   // b .
    ] {
        set_memory(&mut machine, code + at, word);
    }
    machine.core().r[14] = code + 16;
    machine.core().r[15] = code;
    for _ in 0..5 {
        machine.core().step();
    }
    let core = machine.core();
    assert_eq!((core.r[0], core.r[15], core.thumb()), (6, code + 16, false));
    core.step();
    assert_eq!(core.r[15], code + 16);
}

#[test]
fn everything_is_forgotten_at_once() {
    let mut machine = machine();
    dirty_lines(&mut machine, 3);
    machine.core().write_cp15(INVALIDATE_ALL, 0);
    assert_eq!(lines(&mut machine), (0, 0));
    drain(&mut machine);
    assert_eq!(
        memory(&mut machine, WRITE_BACK),
        0,
        "what was dirty is lost"
    );
    dirty_lines(&mut machine, 1);
    machine.core().write_cp15(CLEAN_LINE, WRITE_BACK);
    drain(&mut machine);
    assert_eq!(memory(&mut machine, WRITE_BACK), 1);
}
