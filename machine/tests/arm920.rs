// SPDX-License-Identifier: Apache-2.0
//! What the ARM920T has and the other cores have not: architecture 4T, its identification, caches that
//! are locked by index and TLBs by base and victim. Numbers of pages are those of the S3C2410A User's
//! Manual ("SUM") whose appendices are its manual; "T922" is the ARM922T's (DDI 0184B), the same core.

use switchyard_machine::arm::isa::exception::Exception;
use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::arm::Machine;

use crate::support::versatile::{
    self, drain, load, map, set_memory, store, CLEAN_LINE, CONTROL, ON, PID, PREFETCH_LINE,
    UNCACHED, WRITE_BACK, WRITE_THROUGH,
};

/// Control register: round-robin replacement.
const ROUND_ROBIN: u32 = 1 << 14;

const ID: Register = Register::new(0, 0, 0);
const CACHE_TYPE: Register = Register::new(0, 0, 1);
const CLEAN_INDEX: Register = Register::new(7, 10, 2);
const CLEAN_INVALIDATE_INDEX: Register = Register::new(7, 14, 2);
const INVALIDATE_DTLB: Register = Register::new(8, 6, 0);
const INVALIDATE_DTLB_ENTRY: Register = Register::new(8, 6, 1);
const INVALIDATE_ITLB: Register = Register::new(8, 5, 0);
const LOCK_DATA: Register = Register::new(9, 0, 0);
const LOCK_INSN: Register = Register::new(9, 0, 1);
const LOCK_DTLB: Register = Register::new(10, 0, 0);
const LOCK_ITLB: Register = Register::new(10, 0, 1);

fn machine() -> Machine {
    versatile::machine("versatile920")
}

/// What memory has when all that was stored past the cache has arrived.
fn memory(machine: &mut Machine, pa: u32) -> u32 {
    drain(machine);
    versatile::memory(machine, pa)
}

fn read(machine: &mut Machine, register: Register) -> u32 {
    machine.core().read_cp15(register)
}

fn write(machine: &mut Machine, register: Register, value: u32) {
    machine.core().write_cp15(register, value);
}

/// The addresses of the lines that the data cache holds.
fn lines(machine: &mut Machine) -> Vec<u32> {
    let mut kept: Vec<u32> = machine.core().mem.data_lines().map(|l| l.mva).collect();
    kept.sort_unstable();
    kept
}

/// Runs the instruction, in ARM or Thumb state, and returns what exception it takes.
fn exception(insn: u32, thumb: bool) -> Option<Exception> {
    let mut machine = machine();
    set_memory(&mut machine, UNCACHED, insn);
    let core = machine.core();
    core.set_cpsr(core.cpsr() | (u32::from(thumb) << 5));
    assert_eq!(core.thumb(), thumb);
    core.r[15] = UNCACHED;
    core.step();
    core.taken
}

/// SUM p. 2-7 and 2-8.
#[test]
fn it_says_what_it_is() {
    let mut machine = machine();
    assert_eq!(read(&mut machine, ID), 0x4112_9200);
    assert_eq!(read(&mut machine, CACHE_TYPE), 0x0d17_2172);
}

/// SUM p. 2-3: what version 4T has not is undefined.
#[test]
fn later_instructions_are_undefined() {
    for (what, insn) in [
        ("CLZ r0, r1", 0xe16f_0f11),
        ("BLX r1", 0xe12f_ff31),
        ("BKPT", 0xe120_0070),
        ("QADD r0, r1, r2", 0xe102_0051),
        ("SMULBB r0, r1, r2", 0xe160_0281),
        ("LDRD r0, [r2]", 0xe1c2_00d0),
    ] {
        assert_eq!(exception(insn, false), Some(Exception::Undefined), "{what}");
    }
    for (what, insn) in [("BLX r1", 0x4788), ("BLX", 0xe800), ("BKPT", 0xbe00)] {
        assert_eq!(exception(insn, true), Some(Exception::Undefined), "{what}");
    }
    for (what, insn, thumb) in [
        ("BX r1", 0xe12f_ff11, false),
        ("BX r1", 0x4708, true),
        ("MSR cpsr_f, r0", 0xe128_f000, false),
        ("UMULL r0, r1, r2, r3", 0xe081_0392, false),
    ] {
        assert_eq!(exception(insn, thumb), None, "{what}");
    }
}

/// DDI 0100, A2.4.3: a load of the PC changes the state from version 5 on only; BX does.
#[test]
fn loads_of_the_pc_stay_in_their_state() {
    for (insn, thumb) in [
        (0xe593_f000, false),
        (0xe893_8000, false),
        (0xe12f_ff11, true),
    ] {
        let mut machine = machine();
        set_memory(&mut machine, UNCACHED, insn);
        set_memory(&mut machine, UNCACHED + 0x100, UNCACHED | 1);
        let core = machine.core();
        (core.r[1], core.r[3], core.r[15]) = (UNCACHED | 1, UNCACHED + 0x100, UNCACHED);
        core.step();
        assert_eq!(core.thumb(), thumb, "{insn:#x}");
        assert_eq!(core.r[15], UNCACHED);
    }
}

/// SUM p. 4-9: eight segments by bits 7:5 of 64 lines each, which bits 31:26 name.
#[test]
fn every_line_has_a_segment_and_an_index() {
    let mut machine = machine();
    for n in 0..512 {
        load(&mut machine, WRITE_BACK + 32 * n);
        store(&mut machine, WRITE_BACK + 32 * n, n + 1);
    }
    for (operation, left) in [(CLEAN_INDEX, true), (CLEAN_INVALIDATE_INDEX, false)] {
        for segment in 0..8 {
            for index in 0..64 {
                write(&mut machine, operation, (index << 26) | (segment << 5));
            }
        }
        assert!(machine.core().mem.data_lines().all(|line| !line.dirty));
        assert_eq!(lines(&mut machine).is_empty(), !left);
    }
    for n in 0..512 {
        assert_eq!(memory(&mut machine, WRITE_BACK + 32 * n), n + 1);
    }
}

/// SUM table 4-1.
#[test]
fn pages_are_written_through_or_back() {
    let mut machine = machine();
    for (page, expected) in [(WRITE_THROUGH, 6), (WRITE_BACK, 0)] {
        load(&mut machine, page);
        store(&mut machine, page, 6);
        assert_eq!(memory(&mut machine, page), expected);
    }
    write(&mut machine, CLEAN_LINE, WRITE_BACK);
    assert_eq!(memory(&mut machine, WRITE_BACK), 6);
}

/// The same segment each time.
const NEXT: u32 = 256;

/// SUM p. 2-19: the base is read back; a write of it points the next fill at that line, and lines
/// below it stay, however victims are chosen.
#[test]
fn lines_below_the_base_are_locked() {
    for replacement in [0, ROUND_ROBIN] {
        let mut machine = machine();
        write(&mut machine, CONTROL, ON | replacement);
        for n in 0..2 {
            write(&mut machine, LOCK_DATA, n << 26);
            load(&mut machine, WRITE_BACK + NEXT * n);
        }
        write(&mut machine, LOCK_DATA, 2 << 26);
        assert_eq!(read(&mut machine, LOCK_DATA), 2 << 26);
        assert_eq!(read(&mut machine, LOCK_INSN), 0, "that has its own");
        for n in 2..1000 {
            load(&mut machine, WRITE_BACK + NEXT * n);
        }
        let kept = lines(&mut machine);
        assert_eq!(kept.len(), 64, "all lines of the segment are used");
        assert_eq!(kept[..2], [WRITE_BACK, WRITE_BACK + NEXT]);
        // Unlocked again, they go.
        write(&mut machine, LOCK_DATA, 0);
        for n in 2..1000 {
            load(&mut machine, WRITE_BACK + NEXT * n);
        }
        assert!(!lines(&mut machine).contains(&WRITE_BACK));
    }
}

/// SUM p. 4-4: the victim pointer, and what fills a line of the instruction cache.
#[test]
fn an_instruction_line_is_prefetched_and_locked() {
    let mut machine = machine();
    set_memory(&mut machine, WRITE_BACK, 0xe1a0_0000);
    write(&mut machine, LOCK_INSN, 0);
    write(&mut machine, PREFETCH_LINE, WRITE_BACK);
    write(&mut machine, LOCK_INSN, 1 << 26);
    for n in 1..1000 {
        write(&mut machine, PREFETCH_LINE, WRITE_BACK + NEXT * n);
    }
    let misses = machine.core().mem.tally().icache.misses;
    write(&mut machine, PREFETCH_LINE, WRITE_BACK);
    assert_eq!(machine.core().mem.tally().icache.misses, misses);
}

/// SUM p. 2-21: the victim goes from the base to 63 and back to the base.
#[test]
fn translations_below_the_base_are_locked() {
    let mut machine = machine();
    for n in 0..80 {
        map(&mut machine, n << 20, 0xc12);
    }
    write(&mut machine, LOCK_DTLB, 0);
    write(&mut machine, INVALIDATE_DTLB, 0);
    load(&mut machine, 1 << 20);
    assert_eq!(read(&mut machine, LOCK_DTLB), 1 << 20, "victim 1");
    write(&mut machine, LOCK_DTLB, (1 << 26) | (1 << 20));
    for n in 2..80 {
        load(&mut machine, n << 20);
    }
    // 78 walks from 1 on: 63 to the end, then 15 from 1 again.
    assert_eq!(read(&mut machine, LOCK_DTLB), (1 << 26) | (16 << 20));
    assert_eq!(read(&mut machine, LOCK_ITLB), 0, "that has its own");
    let walks = machine.core().mem.tally().dtlb.misses;
    load(&mut machine, 1 << 20);
    assert_eq!(machine.core().mem.tally().dtlb.misses, walks);
    load(&mut machine, 2 << 20);
    assert_eq!(machine.core().mem.tally().dtlb.misses, walks + 1);
}

/// T922, register 8: what came while P was set survives an invalidation of all, not one by address.
#[test]
fn a_preserved_translation_stays_until_it_is_named() {
    let mut machine = machine();
    write(&mut machine, LOCK_DTLB, 1);
    load(&mut machine, UNCACHED);
    write(&mut machine, LOCK_DTLB, (1 << 26) | (1 << 20));
    map(&mut machine, UNCACHED, WRITE_BACK | 0xc12);
    set_memory(&mut machine, WRITE_BACK, 17);
    write(&mut machine, INVALIDATE_DTLB, 0);
    assert_eq!(load(&mut machine, UNCACHED), 0, "still the old page");
    write(&mut machine, INVALIDATE_DTLB_ENTRY, UNCACHED);
    assert_eq!(load(&mut machine, UNCACHED), 17);
}

/// SUM p. 3-1: two TLBs; what one forgets the other keeps.
#[test]
fn the_tlbs_are_two() {
    let mut machine = machine();
    load(&mut machine, UNCACHED);
    let walks = machine.core().mem.tally().dtlb.misses;
    write(&mut machine, INVALIDATE_ITLB, 0);
    load(&mut machine, UNCACHED);
    assert_eq!(machine.core().mem.tally().dtlb.misses, walks);
}

/// SUM p. 2-23 and 2-15: addresses of the program are relocated, those of operations are not.
#[test]
fn operations_take_the_modified_address() {
    const SLOT: u32 = 127 << 25;
    let mut machine = machine();
    map(&mut machine, SLOT + WRITE_BACK, WRITE_BACK | 0xc1e);
    write(&mut machine, PID, SLOT);
    assert_eq!(read(&mut machine, PID), SLOT);
    load(&mut machine, WRITE_BACK);
    store(&mut machine, WRITE_BACK, 5);
    write(&mut machine, CLEAN_LINE, WRITE_BACK);
    assert_eq!(memory(&mut machine, WRITE_BACK), 0);
    write(&mut machine, CLEAN_LINE, SLOT + WRITE_BACK);
    assert_eq!(memory(&mut machine, WRITE_BACK), 5);
}

/// `machines/versatile920.toml`, [memory].
const READ_FIRST: u64 = 24;
const READ_NEXT: u64 = 3;

/// Lines come from their first word on, and the processor goes on with its word.
#[test]
fn a_miss_waits_for_its_word() {
    let mut machine = machine();
    load(&mut machine, WRITE_BACK + 0x1000);
    for word in 0..8 {
        machine.core().mem.platform.cycle += 1000;
        let before = machine.core().mem.platform.cycle;
        let line = WRITE_BACK + NEXT * (word + 1);
        load(&mut machine, line + 4 * word);
        let taken = machine.core().mem.platform.cycle - before;
        assert_eq!(taken, READ_FIRST + u64::from(word) * READ_NEXT);
    }
}

/// Golden cycles by the table that the machine file names (DDI 0222B, table 8.2), SUM p. 3-22 for the
/// multiplier's eight bits a cycle, and the S3C2440A manual, p. 3-20, for MRS.
#[test]
fn instructions_take_what_the_machine_file_says() {
    for (what, code, rs, golden) in [
        ("data operation", &[0xe080_0001][..], 0, 1),
        ("register-controlled shift", &[0xe080_0211], 0, 2),
        ("LDR", &[0xe593_0000], 0, 1),
        ("LDR and use", &[0xe593_0000, 0xe280_0001], 0, 3),
        ("LDRB and use", &[0xe5d3_0000, 0xe280_0001], 0, 4),
        ("MRS", &[0xe10f_0000], 0, 1),
        ("MUL", &[0xe000_0291], 0, 2),
        ("MUL and use, 8 bits", &[0xe000_0291, 0xe280_0001], 0x7f, 4),
        (
            "MUL and use, 16 bits",
            &[0xe000_0291, 0xe280_0001],
            0x7fff,
            5,
        ),
        (
            "MUL and use, 32 bits",
            &[0xe000_0291, 0xe280_0001],
            0x7fff_ffff,
            7,
        ),
        ("MULS", &[0xe010_0291], 0, 2),
        ("UMULL", &[0xe081_0392], 0, 3),
        ("SWP", &[0xe103_0091], 0, 2),
    ] {
        let mut machine = machine();
        let (start, data) = (WRITE_BACK + 0x2000, WRITE_BACK + 0x1000);
        for (n, word) in code.iter().enumerate() {
            set_memory(&mut machine, start + 4 * n as u32, *word);
        }
        let mut taken = 0;
        for _ in 0..2 {
            load(&mut machine, data);
            machine.core().mem.platform.cycle += 1000;
            let core = machine.core();
            (core.r[2], core.r[3], core.r[15]) = (rs, data, start);
            let before = core.mem.platform.cycle;
            for _ in code {
                core.step();
            }
            taken = core.mem.platform.cycle - before;
        }
        assert_eq!(taken, golden, "{what}");
    }
}
