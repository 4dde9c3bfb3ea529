// SPDX-License-Identifier: Apache-2.0
//! Performance-monitoring counters (SDM vol. 3, 15.9; the events of appendix A), by code of which one
//! can say what it makes happen.

use switchyard_machine::ia32::isa::insn::reg;
use switchyard_machine::state::{Restorer, Saver, State};

use super::msr::{read, refuses, write, WRMSR};
use super::paging::map;
use super::rig::*;
use super::traces::go;

const COUNTER: u32 = 0x300;
const CCCR: u32 = 0x360;
const COUNTERS: u32 = 18;
const MAX: u64 = (1 << 40) - 1;

/// Bits of a CCCR.
const ENABLE: u64 = 1 << 12;
const ANY_THREAD: u64 = 3 << 16;
const FORCE_OVERFLOW: u64 = 1 << 25;
const INTERRUPT: u64 = 1 << 26;
const OVERFLOW: u64 = 1 << 31;
/// Bits of an ESCR.
const USER: u64 = 1 << 2;
const SYSTEM: u64 = 1 << 3;

const RDPMC: &[u8] = &[0x0f, 0x33];
const NOP: u8 = 0x90;
/// mov ecx, 10; loop: dec ecx; jnz loop
const LOOP: &[u8] = &[0xb9, 10, 0, 0, 0, 0x49, 0x75, 0xfd];
const LOOP_STEPS: u32 = 1 + 2 * 10;

/// An event: a counter that can count it, the ESCR and its number in the CCCR, and the event's.
#[derive(Clone, Copy)]
struct Event {
    counter: u32,
    escr: u32,
    select: u64,
    event: u64,
}

const fn event(counter: u32, escr: u32, select: u64, event: u64) -> Event {
    Event {
        counter,
        escr,
        select,
        event,
    }
}

const INSTR_RETIRED: Event = event(12, 0x3b8, 4, 2);
const UOPS_RETIRED: Event = event(17, 0x3b9, 4, 1);
const MISPRED_BRANCH_RETIRED: Event = event(14, 0x3b9, 4, 3);
const BRANCH_RETIRED: Event = event(16, 0x3cc, 5, 6);
const RETIRED_MISPRED_BRANCH_TYPE: Event = event(5, 0x3c2, 2, 5);
const TC_DELIVER_MODE: Event = event(6, 0x3c5, 1, 1);
const TC_MISC: Event = event(4, 0x3c4, 1, 6);
const BPU_FETCH_REQUEST: Event = event(0, 0x3b2, 0, 3);
const ITLB_REFERENCE: Event = event(1, 0x3b6, 3, 0x18);
const PAGE_WALK_TYPE: Event = event(2, 0x3ad, 4, 1);
const BSQ_CACHE_REFERENCE: Event = event(3, 0x3a1, 7, 0xc);
const GLOBAL_POWER_EVENTS: Event = event(0, 0x3a2, 6, 0x13);

fn cccr(event: Event) -> u64 {
    ENABLE | ANY_THREAD | event.select << 13
}

fn escr(event: Event, mask: u64, levels: u64) -> u64 {
    event.event << 25 | mask << 9 | levels
}

/// Starts the event's counter at 0.
fn start(rig: &mut Rig, event: Event, mask: u64, levels: u64) {
    write(rig, event.escr, escr(event, mask, levels));
    write(rig, COUNTER + event.counter, 0);
    write(rig, CCCR + event.counter, cccr(event));
}

/// What RDPMC says.
fn counter(rig: &mut Rig, index: u32) -> u64 {
    rig.core.r[reg::ECX] = index;
    rig.does(RDPMC);
    u64::from(rig.core.r[reg::EDX]) << 32 | u64::from(rig.core.r[reg::EAX])
}

/// How often the event happens in `steps` steps of `code`.
fn count(rig: &mut Rig, event: Event, mask: u64, code: &[u8], steps: u32) -> u64 {
    start(rig, event, mask, SYSTEM);
    let before = counter(rig, event.counter);
    rig.run(code, steps);
    let behind = counter(rig, event.counter);
    // Reading makes things happen, too.
    let reading = counter(rig, event.counter) - behind;
    behind - before - reading
}

#[test]
fn counters_are_read_whole_or_fast() {
    let mut rig = Rig::new();
    for n in 0..COUNTERS {
        let value = 0x12_0000_0000 | u64::from(n);
        write(&mut rig, COUNTER + n, !MAX | value);
        assert_eq!(read(&mut rig, COUNTER + n), value);
        assert_eq!(counter(&mut rig, n), value);
        assert_eq!(counter(&mut rig, 1 << 31 | n), u64::from(n));
    }
    for index in [COUNTERS, 1 << 31 | COUNTERS, 0x4000_0000] {
        rig.core.r[reg::ECX] = index;
        rig.faults(RDPMC, GP, Some(0));
    }
}

#[test]
fn registers_have_what_the_manual_says_and_no_more() {
    let mut rig = Rig::new();
    let escrs = [0x3a0..=0x3be, 0x3c0..=0x3c5, 0x3c8..=0x3cd, 0x3e0..=0x3e1].map(Vec::from_iter);
    for number in escrs.concat() {
        write(&mut rig, number, 0x7fff_fffc);
        assert_eq!(read(&mut rig, number), 0x7fff_fffc);
        for bit in [0, 1, 31, 32, 63] {
            refuses(&mut rig, number, 1 << bit);
        }
    }
    for number in CCCR..CCCR + COUNTERS {
        let all = 0xf << 12 | ANY_THREAD | FORCE_OVERFLOW | INTERRUPT | OVERFLOW;
        write(&mut rig, number, all);
        assert_eq!(read(&mut rig, number), all);
        // Compare, complement, threshold, edge and cascade are not there; the rest is reserved.
        for bit in (0..64).filter(|bit| all >> bit & 1 == 0) {
            refuses(&mut rig, number, 1 << bit);
        }
    }
    for number in [
        0x2ff, 0x312, 0x35f, 0x372, 0x39f, 0x3bf, 0x3c6, 0x3ce, 0x3e2,
    ] {
        refuses(&mut rig, number, 0);
    }
}

#[test]
fn instructions_count_by_level() {
    for (levels, expected) in [(SYSTEM, 5), (USER, 3), (SYSTEM | USER, 8), (0, 0)] {
        let mut rig = Rig::new();
        start(&mut rig, INSTR_RETIRED, 1, levels);
        let started = counter(&mut rig, 12);
        rig.run(&[NOP; 4], 4);
        rig.enter(3);
        rig.run(&[NOP; 3], 3);
        rig.enter(0);
        // And the instruction that read before.
        assert_eq!(counter(&mut rig, 12) - started, expected, "{levels:x}");
    }
}

#[test]
fn a_counter_stands_unless_all_is_set() {
    let right = cccr(INSTR_RETIRED);
    let selected = 12 + COUNTER;
    for (cccr, other, runs) in [
        (right, 0, true),
        (right & !ENABLE, 0, false),
        (right & !(1 << 16), 0, false),
        // Another ESCR is selected, or this one has another event or no condition.
        (right & !(1 << 15), 0, false),
        (right, 1 << 25, false),
        (right, 1 << 9, false),
    ] {
        let mut rig = Rig::new();
        write(&mut rig, 0x3b8, escr(INSTR_RETIRED, 1, SYSTEM) ^ other);
        write(&mut rig, CCCR + 12, cccr);
        rig.run(&[NOP; 4], 4);
        assert_eq!(read(&mut rig, selected) != 0, runs, "{cccr:x} {other:x}");
    }
    // The second ESCR is of counters 14, 15 and 17.
    for n in [12, 13, 14, 15, 16, 17] {
        let mut rig = Rig::new();
        write(&mut rig, 0x3b9, escr(INSTR_RETIRED, 1, SYSTEM));
        write(&mut rig, CCCR + n, right);
        rig.run(&[NOP; 4], 4);
        assert_eq!(counter(&mut rig, n) != 0, [14, 15, 17].contains(&n), "{n}");
    }
    // It goes on from where it stood.
    let mut rig = Rig::new();
    start(&mut rig, INSTR_RETIRED, 1, SYSTEM);
    write(&mut rig, CCCR + 12, 0);
    let stands = counter(&mut rig, 12);
    assert!(stands > 0);
    rig.run(&[NOP; 4], 4);
    assert_eq!(counter(&mut rig, 12), stands);
    write(&mut rig, CCCR + 12, right);
    assert_eq!(counter(&mut rig, 12), stands + 1);
}

#[test]
fn an_overflow_stays_until_it_is_cleared() {
    let mut rig = Rig::new();
    start(&mut rig, INSTR_RETIRED, 1, SYSTEM);
    let flag = |rig: &mut Rig| read(rig, CCCR + 12) & OVERFLOW;
    write(&mut rig, COUNTER + 12, MAX - 4);
    assert_eq!(flag(&mut rig), 0);
    rig.run(&[NOP; 4], 4);
    assert_eq!(flag(&mut rig), OVERFLOW);
    assert!(counter(&mut rig, 12) < 10);
    write(&mut rig, COUNTER + 12, 0);
    assert_eq!(flag(&mut rig), OVERFLOW);
    write(&mut rig, CCCR + 12, cccr(INSTR_RETIRED));
    assert_eq!(flag(&mut rig), 0);
    // Or it comes with each event. No interrupt does.
    let forced = cccr(INSTR_RETIRED) | FORCE_OVERFLOW | INTERRUPT;
    write(&mut rig, CCCR + 12, forced);
    rig.does(&[NOP]);
    assert_eq!(flag(&mut rig), OVERFLOW);
    assert_eq!(rig.core.taken, None);
}

#[test]
fn uops_retire() {
    let mut rig = Rig::new();
    assert_eq!(count(&mut rig, INSTR_RETIRED, 1, &[NOP; 6], 6), 6);
    assert_eq!(count(&mut rig, UOPS_RETIRED, 1, &[NOP; 6], 6), 6);
    // add [ebx], ecx: read, add, and two to write
    rig.core.r[reg::EBX] = DATA;
    let code = [0x01, 0x0b, 0x01, 0x0b];
    assert_eq!(count(&mut rig, INSTR_RETIRED, 1, &code, 2), 2);
    assert_eq!(count(&mut rig, UOPS_RETIRED, 1, &code, 2), 8);
    // Neither is bogus or tagged.
    assert_eq!(count(&mut rig, INSTR_RETIRED, 0xe, &code, 2), 0);
    assert_eq!(count(&mut rig, UOPS_RETIRED, 2, &code, 2), 0);
}

/// A loop of ten. The first time its branch is not known, and one that goes backward is predicted to.
/// Then each history is new, whose counter says that it is not taken: so the last time is predicted.
#[test]
fn branches_retire() {
    for (mask, expected) in [(1, 1), (2, 0), (4, 1), (8, 8), (15, 10)] {
        let mut rig = Rig::new();
        let branches = count(&mut rig, BRANCH_RETIRED, mask, LOOP, LOOP_STEPS);
        assert_eq!(branches, expected, "{mask:x}");
    }
    let mut rig = Rig::new();
    let mispredicted = count(&mut rig, MISPRED_BRANCH_RETIRED, 1, LOOP, LOOP_STEPS);
    assert_eq!(mispredicted, 8);
    // A backward branch that is not known and not taken.
    let through = [0x31, 0xc0, 0x75, 0xfc];
    let mut rig = Rig::new();
    assert_eq!(count(&mut rig, BRANCH_RETIRED, 2, &through, 2), 1);
}

#[test]
fn mispredicted_branches_have_types() {
    const CONDITIONAL: u64 = 2;
    const CALL: u64 = 4;
    const RETURN: u64 = 8;
    const INDIRECT: u64 = 16;
    let to = (CODE + 0x100).to_le_bytes();
    // mov eax, to; then jmp eax, call eax, or push eax and ret
    let with = |rest: &[u8]| [&[0xb8][..], &to, rest].concat();
    for (code, steps, types) in [
        // xor eax, eax; jz forward, which nobody knows
        (vec![0x31, 0xc0, 0x74, 2], 2, CONDITIONAL),
        (with(&[0xff, 0xe0]), 2, INDIRECT),
        (with(&[0xff, 0xd0]), 2, INDIRECT | CALL),
        (with(&[0x50, 0xc3]), 3, INDIRECT | RETURN),
    ] {
        for mask in [CONDITIONAL, CALL, RETURN, INDIRECT] {
            let mut rig = Rig::new();
            let found = count(&mut rig, RETIRED_MISPRED_BRANCH_TYPE, mask, &code, steps);
            assert_eq!(found, u64::from(types & mask != 0), "{code:x?} {mask}");
        }
        let mut rig = Rig::new();
        let found = count(&mut rig, RETIRED_MISPRED_BRANCH_TYPE, 30, &code, steps);
        assert_eq!(found, 1, "{code:x?}");
    }
}

/// A store to each of five pages, a load of CR3, and the same again.
#[test]
fn page_walks_have_types() {
    const PAGE: u32 = 0x8_0000;
    const DATA_MISS: u64 = 1;
    const CODE_MISS: u64 = 2;
    let store = |n: u32| [&[0x88, 0x83][..], &(n << 12).to_le_bytes()].concat(); // mov [ebx+n], al
    let pages: Vec<u8> = (0..5).flat_map(store).collect();
    // mov eax, cr3; mov cr3, eax
    let code = [&[0x0f, 0x20, 0xd8, 0x0f, 0x22, 0xd8][..], &pages, &pages].concat();
    for (event, mask, expected) in [
        (PAGE_WALK_TYPE, DATA_MISS, 5),
        (PAGE_WALK_TYPE, CODE_MISS, 1),
        (PAGE_WALK_TYPE, DATA_MISS | CODE_MISS, 6),
        (ITLB_REFERENCE, 2, 1),
    ] {
        let mut rig = Rig::new();
        map(&mut rig, 0, 7, 0, 0);
        rig.core.r[reg::EBX] = PAGE;
        rig.run(&code, 12);
        rig.core.r[reg::EBX] = PAGE;
        assert_eq!(count(&mut rig, event, mask, &code, 12), expected, "{mask}");
    }
    let mut rig = Rig::new();
    map(&mut rig, 0, 7, 0, 0);
    assert!(count(&mut rig, ITLB_REFERENCE, 1, &[NOP; 64], 64) > 0);
}

/// A program reads 100 pages twice, more than the TLB holds, and counts the walks: RDPMC gives what the
/// machine has counted.
#[test]
fn a_program_counts_its_page_walks() {
    let walks_of_data = escr(PAGE_WALK_TYPE, 1, SYSTEM).to_le_bytes();
    let counts = cccr(PAGE_WALK_TYPE).to_le_bytes();
    let counter = PAGE_WALK_TYPE.counter;
    let set = |number: u32, value: &[u8]| {
        let number = number.to_le_bytes();
        // mov ecx, number; mov eax, value; wrmsr
        [&[0xb9], &number[..], &[0xb8], &value[..4], WRMSR].concat()
    };
    let code = [
        &[0x31, 0xd2][..], // xor edx, edx
        &set(PAGE_WALK_TYPE.escr, &walks_of_data),
        &set(CCCR + counter, &counts),
        // mov edi, 2; twice: mov ebx, 0x100000; mov ecx, 100
        &[0xbf, 2, 0, 0, 0, 0xbb, 0, 0, 0x10, 0, 0xb9, 100, 0, 0, 0],
        // page: mov al, [ebx]; add ebx, 0x1000; dec ecx; jnz page; dec edi; jnz twice
        &[
            0x8a, 0x03, 0x81, 0xc3, 0, 0x10, 0, 0, 0x49, 0x75, 0xf5, 0x4f, 0x75, 0xe8,
        ],
        // mov ecx, counter; rdpmc; hlt
        &[0xb9, counter as u8, 0, 0, 0],
        RDPMC,
        &[0xf4],
    ]
    .concat();
    let mut rig = Rig::new();
    map(&mut rig, 0, 7, 0, 0);
    rig.write(CODE, &code);
    let before = rig.core.mem.tally().dtlb.misses;
    go(&mut rig, CODE);
    let walks = rig.core.mem.tally().dtlb.misses - before;
    assert_eq!(walks, 200);
    assert_eq!(u64::from(rig.core.r[reg::EAX]), walks);
    assert_eq!(rig.core.r[reg::EDX], 0);
}

/// The trace cache delivers or builds while the processor is awake.
#[test]
fn the_trace_cache_delivers_or_builds() {
    const DELIVER: u64 = 1 << 2;
    const BUILD: u64 = 1 << 5;
    let code = [NOP; 600];
    let mut built = Vec::new();
    for mask in [BUILD, DELIVER, BUILD | DELIVER] {
        let mut rig = Rig::new();
        built.push(count(&mut rig, TC_DELIVER_MODE, mask, &code, 600));
    }
    let mut rig = Rig::new();
    let cycles = count(&mut rig, GLOBAL_POWER_EVENTS, 1, &code, 600);
    assert_eq!(built[2], cycles);
    assert_eq!(built[0] + built[1], cycles);
    // Six instructions a line take six cycles to decode, of which they are delivered in two.
    assert!(built[0] > 2 * built[1] - 10 && built[1] > 190, "{built:?}");
    let mut rig = Rig::new();
    assert_eq!(count(&mut rig, BPU_FETCH_REQUEST, 1, &code, 600), 100);
}

#[test]
fn the_trace_cache_is_emptied_and_counts_twice() {
    let mut rig = Rig::new();
    // mov eax, cr3; mov cr3, eax, three times
    let load = [0x0f, 0x20, 0xd8, 0x0f, 0x22, 0xd8];
    assert_eq!(count(&mut rig, TC_MISC, 1 << 4, &load.repeat(3), 6), 6);
}

/// Four sectors of two lines are read; another one is written.
#[test]
fn the_second_level_is_asked() {
    const HIT: u64 = 1 << 1;
    const MISS: u64 = 1 << 8;
    // Nothing has been read here.
    const FRESH: u32 = 0x8_0000;
    // mov al, [ebx]; mov al, [ebx+64]; add ebx, 256
    let sector = [0x8a, 0x03, 0x8a, 0x43, 64, 0x81, 0xc3, 0, 1, 0, 0];
    let code = sector.repeat(4);
    let write = [0x88, 0x03]; // mov [ebx], al
    let mut rig = Rig::new();
    let mut count_at = |at: u32, mask: u64, code: &[u8], steps: u32| {
        rig.core.r[reg::EBX] = at;
        rig.run(&[NOP], 1);
        rig.core.r[reg::EBX] = at;
        count(&mut rig, BSQ_CACHE_REFERENCE, mask, code, steps)
    };
    assert_eq!(count_at(FRESH, MISS, &code, 12), 4);
    assert_eq!(count_at(FRESH, MISS, &code, 12), 0);
    assert_eq!(count_at(FRESH + 0x800, MISS, &write, 1), 1);
    assert_eq!(count_at(FRESH + 0x800, MISS, &write, 1), 0);
    assert!(count_at(FRESH + 0x1000, HIT, &code, 12) >= 4);
}

#[test]
fn sleep_is_no_running() {
    let mut rig = Rig::new();
    start(&mut rig, GLOBAL_POWER_EVENTS, 1, SYSTEM);
    let slept = 1_000_000;
    let until = rig.core.mem.platform.cycle + slept;
    rig.core.mem.platform.sleep(until);
    assert!(counter(&mut rig, 0) < 100);
}

#[test]
fn counters_are_saved_and_restored() {
    let mut rig = Rig::new();
    start(&mut rig, UOPS_RETIRED, 1, SYSTEM);
    write(&mut rig, COUNTER + 17, MAX);
    rig.run(&[NOP; 4], 4);
    let mut saver = Saver::default();
    rig.core.save(&mut saver);
    let bytes = saver.into_bytes();
    let mut other = Rig::new();
    other.core.restore(&mut Restorer::new(&bytes)).unwrap();
    for rig in [&mut rig, &mut other] {
        rig.run(&[NOP; 4], 4);
    }
    let value = counter(&mut rig, 17);
    assert!((8..50).contains(&value), "{value}");
    assert_eq!(counter(&mut other, 17), value);
    assert_ne!(read(&mut other, CCCR + 17) & OVERFLOW, 0);
}
