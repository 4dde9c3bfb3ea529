// SPDX-License-Identifier: Apache-2.0
//! Paging (SDM vol. 3, 3.6 and 3.7; page faults, 5.14; the TLBs, 3.11): who may do what, the bits that
//! the processor sets, and entries that stay until they are invalidated.

use switchyard_machine::ia32::cpu::Observer;
use switchyard_machine::ia32::isa::insn::reg;

use super::rig::*;

pub const P: u32 = 1;
pub const RW: u32 = 2;
pub const US: u32 = 4;
const A: u32 = 0x20;
pub const D: u32 = 0x40;
const PS: u32 = 0x80;
pub const G: u32 = 0x100;

const CR0_PG: u32 = 1 << 31;
const CR0_WP: u32 = 1 << 16;
const CR4_PSE: u32 = 1 << 4;
pub const CR4_PGE: u32 = 1 << 7;

/// The table of the first 4 MB, and that of those at `HIGH`.
const TABLE: u32 = DIRECTORY + 0x1000;
pub const HIGH_TABLE: u32 = DIRECTORY + 0x2000;
pub const HIGH: u32 = 0x8000_0000;
/// Two pages of memory to be mapped there.
pub const PAGE: u32 = 0x20_0000;
pub const OTHER: u32 = 0x20_1000;

pub const READ: &[u8] = &[0x8b, 0x03]; // mov eax, [ebx]
pub const WRITE: &[u8] = &[0x89, 0x03]; // mov [ebx], eax
pub const INVLPG: &[u8] = &[0x0f, 0x01, 0x3b]; // invlpg [ebx]
pub const RELOAD_CR3: &[u8] = &[0x0f, 0x20, 0xd9, 0x0f, 0x22, 0xd9]; // mov ecx, cr3; mov cr3, ecx

/// A rig with paging.
fn with(page: u32, bits: u32, cr0: u32, cr4: u32) -> Rig {
    let mut rig = Rig::new();
    map(&mut rig, page, bits, cr0, cr4);
    rig
}

/// Switches paging on: memory where it is, for all levels; `HIGH` has `page` as its first page and the
/// directory `bits`.
pub fn map<O: Observer + Default>(rig: &mut Rig<O>, page: u32, bits: u32, cr0: u32, cr4: u32) {
    for n in 0..1024 {
        rig.set32(TABLE + 4 * n, n << 12 | P | RW | US);
    }
    rig.set32(DIRECTORY, TABLE | P | RW | US);
    rig.set32(DIRECTORY + (HIGH >> 20), HIGH_TABLE | bits);
    rig.set32(HIGH_TABLE, page);
    rig.set32(HIGH_TABLE + 4, OTHER | P | RW | US);
    rig.set32(PAGE, 0x1111_1111);
    rig.set32(OTHER, 0x2222_2222);
    rig.core.set_controls([CR0_PG | cr0, DIRECTORY, cr4]);
    rig.core.r[reg::EBX] = HIGH;
}

#[test]
fn what_was_read_of_a_page_goes_with_its_entry() {
    let mut rig = with(PAGE | P | RW | US, P | RW | US, 0, 0);
    for n in 2..100 {
        rig.set32(HIGH_TABLE + 4 * n, OTHER | P | RW | US);
    }
    let mut read = |page: u32| {
        rig.core.r[reg::EBX] = HIGH + 0x1000 * page;
        rig.does(READ);
        rig.core.r[reg::EAX]
    };
    assert_eq!(read(0), 0x1111_1111);
    for _ in 0..3 {
        // Few others leave it where it is, and what is remembered of it is true.
        for page in 1..9 {
            assert_eq!(read(page), 0x2222_2222);
            assert_eq!(read(0), 0x1111_1111);
        }
    }
    // More than the TLB has entries.
    for page in 1..100 {
        assert_eq!(read(page), 0x2222_2222);
    }
    rig.set32(HIGH_TABLE, OTHER | P | RW | US);
    rig.core.r[reg::EBX] = HIGH;
    rig.does(READ);
    assert_eq!(rig.core.r[reg::EAX], 0x2222_2222);
}

#[test]
fn alignment_is_checked_before_pages() {
    const AM: u32 = 1 << 18;
    let mut rig = with(0, P | RW | US, AM, 0);
    rig.enter(3);
    for (ebx, vector, code) in [(HIGH, PF, US), (HIGH + 1, AC, 0)] {
        rig.core.set_eflags(AM);
        rig.core.r[reg::EBX] = ebx;
        rig.faults(READ, vector, Some(code));
    }
}

fn set_page(rig: &mut Rig, value: u32) {
    rig.set32(HIGH_TABLE, value);
}

fn read(rig: &mut Rig) -> u32 {
    rig.does(READ);
    rig.core.r[reg::EAX]
}

/// The error code of an access that is to fault at `address`.
fn fault(rig: &mut Rig, insn: &[u8], code: u32, address: u32) {
    rig.faults(insn, PF, Some(code));
    assert_eq!(rig.core.control(2), address);
}

/// Which accesses which bits let through, for both levels, with write protection and without (table
/// 4-3 of the manual).
#[test]
fn both_levels_of_the_tables_say_who_may() {
    for directory in [P, P | RW, P | US, P | RW | US] {
        for table in [P, P | RW, P | US, P | RW | US] {
            for (level, wp) in [(0, 0), (0, CR0_WP), (3, 0), (3, CR0_WP)] {
                for (insn, write) in [(READ, false), (WRITE, true)] {
                    let both = directory & table;
                    let user = level == 3;
                    let reach = !user || both & US != 0;
                    let right = !write || both & RW != 0 || !user && wp == 0;
                    let mut rig = with(PAGE | table, directory, wp, 0);
                    rig.enter(level);
                    if reach && right {
                        rig.does(insn);
                    } else {
                        let code = 1 | u32::from(write) << 1 | u32::from(user) << 2;
                        fault(&mut rig, insn, code, HIGH);
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_not_present_faults_at_either_level() {
    let mut rig = with(PAGE, P | RW | US, 0, 0);
    fault(&mut rig, READ, 0, HIGH);
    fault(&mut rig, WRITE, 2, HIGH);
    rig.core.r[reg::EBX] = HIGH - 3;
    fault(&mut rig, READ, 0, HIGH - 3);
    rig.core.r[reg::EBX] = 0x4000_0123;
    rig.enter(3);
    fault(&mut rig, WRITE, 6, 0x4000_0123);
}

#[test]
fn an_operand_across_pages_needs_both() {
    let mut rig = with(PAGE | P | RW | US, P | RW | US, 0, 0);
    rig.core.r[reg::EBX] = HIGH + 0xffe;
    rig.core.r[reg::EAX] = 0xaabb_ccdd;
    rig.does(WRITE);
    assert_eq!(rig.get32(PAGE + 0xffc) >> 16, 0xccdd);
    assert_eq!(rig.get32(OTHER) & 0xffff, 0xaabb);
    rig.core.r[reg::EAX] = 0;
    assert_eq!(read(&mut rig), 0xaabb_ccdd);
    // Nothing is written if the second cannot be, and the fault is that page's.
    rig.set32(HIGH_TABLE + 4, 0);
    rig.core.r[reg::EBX] = HIGH + 0x1000;
    rig.does(INVLPG);
    rig.core.r[reg::EBX] = HIGH + 0xffe;
    rig.core.r[reg::EAX] = 0;
    fault(&mut rig, WRITE, 2, HIGH + 0x1000);
    assert_eq!(rig.get32(PAGE + 0xffc) >> 16, 0xccdd);
    // An instruction likewise.
    let code = HIGH + 0xfff;
    rig.set8(PAGE + 0xfff, 0xb8);
    rig.core.eip = code;
    rig.core.step();
    assert_eq!(rig.core.taken, Some(PF));
    assert_eq!(rig.core.control(2), HIGH + 0x1000);
    assert_eq!(rig.stack(2), [0, code]);
}

#[test]
fn accessed_and_dirty_are_set_as_pages_are_used() {
    let mut rig = with(PAGE | P | RW, P | RW, 0, 0);
    let entries = |rig: &Rig| {
        let directory = rig.get32(DIRECTORY + (HIGH >> 20)) & 0xfff;
        (directory, rig.get32(HIGH_TABLE) & 0xfff)
    };
    assert_eq!(entries(&rig), (P | RW, P | RW));
    rig.does(READ);
    assert_eq!(entries(&rig), (P | RW | A, P | RW | A));
    // The translation is known now, but not that the page may be made dirty without a note.
    rig.does(WRITE);
    assert_eq!(entries(&rig), (P | RW | A, P | RW | A | D));
    // From then on nothing is noted.
    set_page(&mut rig, PAGE | P | RW);
    rig.does(WRITE);
    assert_eq!(entries(&rig).1, P | RW);
    // An access that is refused marks the directory's entry, not the page's.
    let mut rig = with(PAGE | P, P | RW | US, 0, 0);
    rig.enter(3);
    fault(&mut rig, READ, 5, HIGH);
    assert_eq!(entries(&rig), (P | RW | US | A, P));
}

#[test]
fn a_large_page_is_one_entry_of_the_directory() {
    let large = P | RW | PS;
    let mut rig = with(0, large, 0, CR4_PSE);
    let place = DIRECTORY + (HIGH >> 20);
    rig.set32(place, large);
    rig.core.r[reg::EBX] = HIGH + PAGE;
    assert_eq!(read(&mut rig), 0x1111_1111);
    assert_eq!(rig.get32(place), large | A);
    rig.core.r[reg::EBX] = HIGH + OTHER;
    rig.does(WRITE);
    assert_eq!(rig.get32(place), large | A | D);
    assert_eq!(rig.get32(OTHER), 0x1111_1111);
    // It takes one entry of the TLB, whatever of it is used.
    let of_it = rig.core.mem.dtlb().entries().filter(|e| e.linear == HIGH);
    assert_eq!(of_it.count(), 1);
    // Bits 21 to 13 are reserved.
    rig.set32(place, large | 0x2000);
    rig.does(INVLPG);
    fault(&mut rig, READ, 9, HIGH + OTHER);
    // Without PSE the bit has no meaning.
    let mut rig = with(PAGE | P | RW, P | RW | PS, 0, 0);
    assert_eq!(read(&mut rig), 0x1111_1111);
}

#[test]
fn a_translation_stays_until_it_is_invalidated() {
    let mut rig = with(PAGE | P | RW, P | RW, 0, 0);
    assert_eq!(read(&mut rig), 0x1111_1111);
    set_page(&mut rig, OTHER | P | RW);
    assert_eq!(read(&mut rig), 0x1111_1111);
    rig.does(INVLPG);
    assert_eq!(read(&mut rig), 0x2222_2222);
    set_page(&mut rig, PAGE | P | RW);
    assert_eq!(read(&mut rig), 0x2222_2222);
    rig.run(RELOAD_CR3, 2);
    assert_eq!(read(&mut rig), 0x1111_1111);
    // Taken away it can still be used, too.
    set_page(&mut rig, 0);
    assert_eq!(read(&mut rig), 0x1111_1111);
    rig.does(INVLPG);
    fault(&mut rig, READ, 0, HIGH);
}

#[test]
fn instructions_have_a_tlb_of_their_own() {
    let mut rig = with(PAGE | P | RW, P | RW, 0, 0);
    let run = |rig: &mut Rig| {
        rig.core.eip = HIGH;
        rig.core.step();
        assert_eq!(rig.core.taken, None);
        rig.core.r[reg::EDX]
    };
    rig.write(PAGE, &[0xba, 1, 0, 0, 0]); // mov edx, 1
    rig.write(OTHER, &[0xba, 2, 0, 0, 0]);
    assert_eq!(run(&mut rig), 1);
    set_page(&mut rig, OTHER | P | RW);
    // Data goes to the new page, instructions still come from the old one.
    assert_eq!(read(&mut rig), 0x0000_02ba);
    assert_eq!(run(&mut rig), 1);
    rig.does(INVLPG);
    assert_eq!(run(&mut rig), 2);
}

#[test]
fn more_rights_are_seen_after_a_fault() {
    let mut rig = with(PAGE | P | US, P | RW | US, CR0_WP, 0);
    rig.does(READ);
    set_page(&mut rig, PAGE | P | RW | US);
    // The entry is used as it is, and dropped by the fault.
    fault(&mut rig, WRITE, 3, HIGH);
    rig.does(WRITE);
    // Less rights are not seen until the entry is invalidated.
    set_page(&mut rig, PAGE | P | US);
    rig.does(WRITE);
    rig.does(INVLPG);
    fault(&mut rig, WRITE, 3, HIGH);
}

#[test]
fn global_pages_survive_a_load_of_cr3() {
    for (cr4, page, survives) in [(CR4_PGE, G, true), (CR4_PGE, 0, false), (0, G, false)] {
        let mut rig = with(PAGE | P | RW | page, P | RW, 0, cr4);
        assert_eq!(read(&mut rig), 0x1111_1111);
        set_page(&mut rig, OTHER | P | RW);
        rig.run(RELOAD_CR3, 2);
        let expected = if survives { 0x1111_1111 } else { 0x2222_2222 };
        assert_eq!(read(&mut rig), expected, "{cr4:x} {page:x}");
        // INVLPG does not spare them.
        rig.does(INVLPG);
        assert_eq!(read(&mut rig), 0x2222_2222);
    }
    // A change of PGE empties everything, as switching paging off does.
    for leave in [
        &[0x0f, 0x20, 0xe1, 0x80, 0xf1, 0x80, 0x0f, 0x22, 0xe1][..], // cr4 ^= PGE
        // ecx = cr0; cr0 = ecx without PG; cr0 = ecx
        &[
            0x0f, 0x20, 0xc1, 0x89, 0xca, 0x0f, 0xba, 0xf2, 31, 0x0f, 0x22, 0xc2, 0x0f, 0x22, 0xc1,
        ],
    ] {
        let mut rig = with(PAGE | P | RW | G, P | RW, 0, CR4_PGE);
        rig.does(READ);
        set_page(&mut rig, OTHER | P | RW);
        let steps = if leave.len() == 9 { 3 } else { 5 };
        rig.run(leave, steps);
        assert_eq!(rig.core.taken, None);
        assert_eq!(read(&mut rig), 0x2222_2222);
    }
}

#[test]
fn the_tlb_holds_64_pages() {
    let mut rig = with(PAGE | P | RW, P | RW, 0, 0);
    // Other pages of the first 4 MB: 64 of them, and this is replaced.
    let touch = |rig: &mut Rig, pages: u32| {
        rig.core.r[reg::ECX] = pages;
        rig.core.r[reg::ESI] = 0x30_0000;
        // next: mov eax, [esi]; add esi, 4096; loop next
        let code = [0x8b, 0x06, 0x81, 0xc6, 0, 0x10, 0, 0, 0xe2, 0xf6];
        rig.run(&code, 3 * pages);
        assert_eq!(rig.core.r[reg::ECX], 0);
    };
    for (pages, stays) in [(62, true), (64, false)] {
        rig.run(RELOAD_CR3, 2);
        set_page(&mut rig, PAGE | P | RW);
        rig.does(READ);
        set_page(&mut rig, OTHER | P | RW);
        touch(&mut rig, pages);
        assert_eq!(read(&mut rig) == 0x1111_1111, stays, "{pages}");
    }
}

#[test]
fn the_processor_reads_its_tables_with_its_own_rights() {
    // At level 3 with all tables in pages of the supervisor.
    let mut rig = with(PAGE | P, P | RW, 0, 0);
    for at in [GDT, IDT, TSS, INNER_STACK - 0x1000, HANDLERS] {
        let n = at >> 12;
        rig.set32(TABLE + 4 * n, n << 12 | P | RW);
    }
    rig.enter(3);
    rig.core.r[reg::ESP] = STACK;
    fault(&mut rig, READ, 5, HIGH);
}

#[test]
fn a_page_fault_on_the_new_stack_is_a_fault_of_its_own() {
    let mut rig = with(PAGE | P, P | RW, 0, 0);
    let n = (INNER_STACK - 4) >> 12;
    rig.set32(TABLE + 4 * n, 0);
    // Its handler runs at level 3, which needs no stack of the task.
    rig.set_gate(PF, gate(CODE3, handler(PF), 0xee, 0));
    rig.enter(3);
    rig.run(&[0x0f, 0x0b], 1);
    assert_eq!(rig.core.taken, Some(PF));
    assert_eq!(rig.core.control(2), INNER_STACK - 4);
    assert_eq!(rig.stack(2), [2, CODE]);
}
