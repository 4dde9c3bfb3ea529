// SPDX-License-Identifier: Apache-2.0
//! The trace cache: what is decoded is used again, as long as the processor would, and no longer (SDM
//! vol. 3, 10.6).

use switchyard_machine::ia32::isa::insn::{reg, Seg};
use switchyard_machine::state::{Restorer, Saver, State};

use super::rig::*;

const P: u32 = 1;
const RW: u32 = 2;
const TABLE: u32 = DIRECTORY + 0x1000;
const HIGH_TABLE: u32 = DIRECTORY + 0x2000;
const HIGH: u32 = 0x8000_0000;
/// Two pages to be mapped there.
const PAGE: u32 = 0x20_0000;
const OTHER: u32 = 0x20_1000;
const HLT: u8 = 0xf4;
const CR0_PG: u32 = 1 << 31;

/// mov eax, N; ret
fn answers(n: u8) -> [u8; 6] {
    [0xb8, n, 0, 0, 0, 0xc3]
}

/// Runs from `at` on, as the run loop does, up to HLT.
pub fn go(rig: &mut Rig, at: u32) {
    go_until(rig, at, 1000, |rig| rig.core.dead.take().is_some());
}

/// Runs the code for so many instructions at least.
fn go_for(rig: &mut Rig, at: u32, instructions: u64) {
    let before = rig.core.mem.tally().run.instructions;
    let done = |rig: &mut Rig| rig.core.mem.tally().run.instructions - before >= instructions;
    go_until(rig, at, 2, done);
}

/// Looks up every so many cycles.
fn go_until(rig: &mut Rig, at: u32, cycles: u64, mut done: impl FnMut(&mut Rig) -> bool) {
    rig.core.eip = at - rig.core.segment(Seg::Cs).base;
    for _ in 0..10_000 {
        rig.core.mem.platform.horizon = rig.core.mem.platform.cycle + cycles;
        rig.core.run_to_horizon();
        if done(rig) {
            return;
        }
    }
    panic!("it goes on at {:#x}", rig.core.pc());
}

fn misses(rig: &Rig) -> u64 {
    rig.core.mem.tally().trace.misses
}

/// Changes memory as another device would: the processor does not hear of it.
fn set_behind(rig: &mut Rig, at: u32, value: u32) {
    let bus = &mut rig.core.mem.platform.bus;
    let place = bus.ram_slice_mut(at, 4).unwrap();
    place.copy_from_slice(&value.to_le_bytes());
}

/// Memory where it is, and `HIGH`, whose first page is `PAGE`; the two pages answer 1 and 2.
fn paged() -> Rig {
    let mut rig = Rig::new();
    for n in 0..1024 {
        rig.set32(TABLE + 4 * n, n << 12 | P | RW);
    }
    rig.set32(DIRECTORY, TABLE | P | RW);
    rig.set32(DIRECTORY + (HIGH >> 20), HIGH_TABLE | P | RW);
    rig.set32(HIGH_TABLE, PAGE | P | RW);
    rig.write(PAGE, &answers(1));
    rig.write(OTHER, &answers(2));
    rig.core.set_controls([CR0_PG, DIRECTORY, 0]);
    // call HIGH
    rig.write(CODE, &[0xe8]);
    rig.set32(CODE + 1, HIGH.wrapping_sub(CODE + 5));
    rig.set8(CODE + 5, HLT);
    rig
}

fn ask(rig: &mut Rig) -> u32 {
    go(rig, CODE);
    rig.core.r[reg::EAX]
}

#[test]
fn a_loop_is_decoded_once() {
    let mut rig = Rig::new();
    rig.core.r[reg::ECX] = 100;
    // 1: inc eax; loop 1b; hlt
    rig.write(CODE, &[0x40, 0xe2, 0xfd, HLT]);
    let before = misses(&rig);
    go(&mut rig, CODE);
    assert_eq!(
        (rig.core.r[reg::EAX], rig.core.r[reg::ECX]),
        (u32::from(TASK) + 100, 0)
    );
    assert_eq!(misses(&rig) - before, 1);
}

#[test]
fn code_that_changes_the_next_instruction_runs_the_new_one() {
    let mut rig = Rig::new();
    // mov byte [CODE + 8], 7; mov al, 1: the constant is the last byte; hlt
    let mut code = vec![0xc6, 0x05];
    code.extend((CODE + 8).to_le_bytes());
    code.extend([7, 0xb0, 1, HLT]);
    rig.write(CODE, &code);
    go(&mut rig, CODE);
    assert_eq!(rig.core.r[reg::EAX] & 0xff, 7);
}

#[test]
fn a_store_elsewhere_leaves_the_lines_alone() {
    let mut rig = Rig::new();
    rig.core.r[reg::EBX] = CODE + 0x400;
    // 1: mov [ebx], eax; jmp 1b
    rig.write(CODE, &[0x89, 0x03, 0xeb, 0xfc]);
    let before = misses(&rig);
    go_for(&mut rig, CODE, 100);
    assert!(misses(&rig) - before < 3);
    // In the same kilobyte each store empties it.
    rig.core.r[reg::EBX] = CODE + 0x3fc;
    let before = misses(&rig);
    go_for(&mut rig, CODE, 100);
    assert!(misses(&rig) - before > 50);
}

#[test]
fn a_line_stays_until_its_translation_goes() {
    let mut rig = paged();
    assert_eq!(ask(&mut rig), 1);
    set_behind(&mut rig, HIGH_TABLE, OTHER | P | RW);
    assert_eq!(ask(&mut rig), 1, "the translation is used until INVLPG");
    rig.core.r[reg::EBX] = HIGH;
    rig.write(DATA, &[0x0f, 0x01, 0x3b, HLT]); // invlpg [ebx]; hlt
    go(&mut rig, DATA);
    assert_eq!(ask(&mut rig), 2);
}

#[test]
fn a_load_of_cr3_empties_it() {
    let mut rig = paged();
    ask(&mut rig);
    let before = misses(&rig);
    ask(&mut rig);
    assert_eq!(misses(&rig), before);
    rig.write(CODE + 0x100, &[0x0f, 0x22, 0xd8, HLT]); // mov cr3, eax; hlt
    ask(&mut rig); // the rig forgets lines when it writes
    rig.core.r[reg::EAX] = DIRECTORY;
    go(&mut rig, CODE + 0x100);
    let before = misses(&rig);
    ask(&mut rig);
    assert_eq!(misses(&rig) - before, 3, "the call, what it calls, and HLT");
}

#[test]
fn what_is_stored_into_code_that_has_gone_is_seen() {
    let mut rig = paged();
    // mov [PAGE + 1], ah; mov [PAGE + 1], al; hlt: the second store may take the short way.
    let mut code = vec![0x88, 0x25];
    code.extend((PAGE + 1).to_le_bytes());
    code.extend([0x88, 0x05]);
    code.extend((PAGE + 1).to_le_bytes());
    code.push(HLT);
    rig.write(DATA, &code);
    rig.write(CODE + 0x100, &[0x0f, 0x22, 0xd8, HLT]); // mov cr3, eax; hlt
    assert_eq!(ask(&mut rig), 1);
    for n in 2..20 {
        if n % 3 == 0 {
            rig.core.r[reg::EAX] = DIRECTORY;
            go(&mut rig, CODE + 0x100);
        }
        rig.core.r[reg::EAX] = 0x5500 | n;
        go(&mut rig, DATA);
        assert_eq!(ask(&mut rig), n);
    }
}

#[test]
fn a_line_goes_when_its_page_leaves_the_tlb() {
    let mut rig = paged();
    // Each page of HIGH's 4 MB answers, and there are more of them than the TLB has entries.
    for n in 0..100 {
        rig.set32(HIGH_TABLE + 4 * n, PAGE | P | RW);
    }
    let call = |rig: &mut Rig, n: u32| {
        let target = HIGH + 0x1000 * n;
        set_behind(rig, DATA + 0x100, target);
        go(rig, DATA);
    };
    // call [DATA + 0x100]; hlt
    let mut code = vec![0xff, 0x15];
    code.extend((DATA + 0x100).to_le_bytes());
    code.push(HLT);
    rig.write(DATA, &code);
    call(&mut rig, 0);
    let before = misses(&rig);
    call(&mut rig, 0);
    assert_eq!(misses(&rig), before);
    for n in 1..100 {
        call(&mut rig, n);
    }
    let before = misses(&rig);
    call(&mut rig, 0);
    assert!(misses(&rig) > before);
}

#[test]
fn another_code_segment_ends_where_it_ends() {
    let mut rig = Rig::new();
    rig.write(CODE, &[0x40, 0x40, 0x40, 0xf4]); // inc eax three times; hlt
    go(&mut rig, CODE);
    let eax = rig.core.r[reg::EAX];
    // The same bytes, in a segment that has but two of them.
    rig.describe(FREE, descriptor(CODE, 1, READABLE_CODE, BIG));
    rig.set_gate(GP, gate(CODE0, handler(GP), 0x8e, 0));
    let selectors = [DATA0, FREE, DATA0, DATA0, DATA0, DATA0];
    rig.core.eip = 0;
    rig.core.set_tables(GDT, GDT_LIMIT, selectors).unwrap();
    go_for(&mut rig, CODE, 3);
    assert_eq!(rig.core.r[reg::EAX], eax + 2);
    assert_eq!(rig.core.taken, Some(GP));
}

#[test]
fn it_is_saved_and_goes_on() {
    let mut rig = paged();
    ask(&mut rig);
    let mut saver = Saver::default();
    rig.core.mem.save(&mut saver);
    let mut other = paged();
    other
        .core
        .mem
        .restore(&mut Restorer::new(&saver.into_bytes()))
        .unwrap();
    let before = misses(&other);
    assert_eq!(ask(&mut other), 1);
    assert_eq!(misses(&other), before);
}
