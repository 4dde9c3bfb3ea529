// SPDX-License-Identifier: Apache-2.0
//! The coherence checker against code with planted faults: each must be found, with its cause, and
//! nothing else; with the maintenance that was left out nothing is.

use switchyard_machine::check::{Checker as _, Finding};
use switchyard_machine::dev::Spaces;
use switchyard_machine::ia32::isa::insn::reg;
use switchyard_machine::ia32::watch::ideal::Checker;

use super::paging::*;
use super::rig::*;

const KERNEL: u32 = P | RW;
const USER: u32 = P | RW | US;

type Watched = Rig<Option<Checker>>;

/// Under the checker, with `page` at `HIGH`.
fn watched(page: u32) -> Watched {
    let mut rig = Rig::watched(|memory| Some(Checker::new(memory)));
    map(&mut rig, page, USER, 0, CR4_PGE);
    rig
}

fn findings(rig: &Watched) -> Vec<Finding> {
    rig.core
        .observer
        .as_ref()
        .map_or_else(Vec::new, |checker| checker.findings())
}

/// The only finding.
fn only(rig: &Watched) -> Finding {
    let found = findings(rig);
    assert_eq!(found.len(), 1, "{found:#x?}");
    found.into_iter().next().unwrap()
}

fn silent(rig: &Watched) {
    let found = findings(rig);
    assert!(found.is_empty(), "{found:#x?}");
}

/// Cause, address, where it went and where it should have gone.
fn told(rig: &Watched) -> (&'static str, u32, u32, Option<u32>) {
    let found = only(rig);
    (
        found.cause,
        found.access.va as u32,
        found.pa,
        found.ideal_pa,
    )
}

/// Runs from `HIGH`, where a page with code is.
fn call(rig: &mut Watched) {
    rig.core.eip = HIGH;
    rig.core.step();
    assert_eq!(rig.core.taken, None);
}

fn with_code(page: u32) -> Watched {
    let mut rig = watched(page);
    rig.write(PAGE, &[0x42]); // inc edx
    rig.write(OTHER, &[0x4a]); // dec edx
    rig
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    let mut rig = watched(PAGE | USER);
    rig.does(READ);
    rig.does(WRITE);
    rig.set32(HIGH_TABLE, OTHER | USER);
    rig.does(INVLPG);
    rig.does(READ);
    assert_eq!(rig.core.r[reg::EAX], 0x2222_2222);
    rig.set32(HIGH_TABLE, PAGE | USER);
    rig.run(RELOAD_CR3, 2);
    rig.does(WRITE);
    // A change that nobody has seen yet needs none, nor do more rights; and less rights are a fault's.
    rig.set32(HIGH_TABLE + 4, PAGE | USER);
    rig.core.r[reg::EBX] = HIGH + 0x1000;
    rig.does(READ);
    rig.set32(HIGH_TABLE + 4, PAGE | P);
    rig.does(INVLPG);
    rig.does(READ);
    rig.set32(HIGH_TABLE + 4, PAGE | USER);
    rig.does(READ);
    rig.enter(3);
    rig.faults(READ, PF, Some(5));
    rig.does(READ);
    silent(&rig);
}

#[test]
fn a_forgotten_invlpg_before_a_load() {
    for (now, right) in [(OTHER | USER, Some(OTHER + 8)), (0, None)] {
        let run = |maintained: bool| {
            let mut rig = watched(PAGE | USER);
            rig.core.r[reg::EBX] = HIGH + 8;
            rig.does(READ);
            rig.set32(HIGH_TABLE, now);
            if maintained {
                rig.does(INVLPG);
            }
            rig
        };
        let mut rig = run(false);
        rig.set32(PAGE + 8, 0x1234);
        rig.does(READ);
        assert_eq!(told(&rig), ("stale-translation", HIGH + 8, PAGE + 8, right));
        let found = only(&rig);
        assert_eq!(
            (found.access.pc as u32, found.values, found.count),
            (CODE, (0x1234, 0x1234), 1)
        );
        rig.does(READ);
        assert_eq!(only(&rig).count, 2);

        let mut rig = run(true);
        if right.is_some() {
            rig.does(READ);
        } else {
            rig.faults(READ, PF, Some(0));
        }
        silent(&rig);
    }
}

#[test]
fn a_forgotten_invlpg_before_a_store() {
    // Elsewhere, no longer to be written (which WP makes the supervisor's affair), no longer a program's.
    for (now, level, right) in [
        (OTHER | USER, 0, Some(OTHER)),
        (PAGE | P | US, 3, None),
        (PAGE | KERNEL, 3, None),
    ] {
        let run = |maintained: bool| {
            let mut rig = watched(PAGE | USER);
            rig.does(WRITE);
            rig.set32(HIGH_TABLE, now);
            if maintained {
                rig.does(INVLPG);
            }
            rig.enter(level);
            rig
        };
        let mut rig = run(false);
        rig.does(WRITE);
        assert_eq!(told(&rig), ("stale-translation", HIGH, PAGE, right));
        assert_eq!(only(&rig).access.privileged, level == 0);

        let mut rig = run(true);
        if right.is_some() {
            rig.does(WRITE);
        } else {
            rig.faults(WRITE, PF, Some(7));
        }
        silent(&rig);
    }
}

#[test]
fn an_operand_across_pages_names_the_stale_one() {
    let mut rig = watched(PAGE | USER);
    rig.core.r[reg::EBX] = HIGH + 0xffe;
    rig.does(WRITE);
    rig.set32(HIGH_TABLE + 4, PAGE | USER);
    rig.does(WRITE);
    let (cause, _, pa, right) = told(&rig);
    assert_eq!((cause, pa, right), ("stale-translation", OTHER, Some(PAGE)));
    assert_eq!(only(&rig).count, 2, "a byte each");
}

#[test]
fn a_forgotten_invlpg_before_a_fetch() {
    let run = |maintained: bool| {
        let mut rig = with_code(PAGE | USER);
        call(&mut rig);
        rig.set32(HIGH_TABLE, OTHER | USER);
        if maintained {
            rig.does(INVLPG);
        }
        rig.core.r[reg::EDX] = 7;
        call(&mut rig);
        rig
    };
    let rig = run(false);
    assert_eq!(rig.core.r[reg::EDX], 8);
    assert_eq!(told(&rig), ("stale-translation", HIGH, PAGE, Some(OTHER)));
    assert_eq!(only(&rig).access.pc as u32, HIGH);
    let rig = run(true);
    assert_eq!(rig.core.r[reg::EDX], 6);
    silent(&rig);
}

#[test]
fn an_instruction_across_pages_names_the_stale_one() {
    let mut rig = watched(PAGE | USER);
    rig.write(PAGE + 0xfff, &[0xb8]); // mov eax, and its number in the next page
    for _ in 0..2 {
        rig.core.eip = HIGH + 0xfff;
        rig.core.step();
        rig.set32(HIGH_TABLE + 4, PAGE | USER);
    }
    assert_eq!(
        told(&rig),
        (
            "stale-translation",
            HIGH + 0x1003,
            OTHER + 3,
            Some(PAGE + 3)
        )
    );
}

#[test]
fn a_global_page_that_a_load_of_cr3_leaves() {
    // As a switch to another address space, which has something else there.
    const SPACE: u32 = DIRECTORY + 0x3000;
    const SPACE_TABLE: u32 = DIRECTORY + 0x4000;
    let space = |rig: &mut Watched| {
        rig.set32(SPACE, rig.get32(DIRECTORY));
        rig.set32(SPACE + (HIGH >> 20), SPACE_TABLE | USER);
        rig.set32(SPACE_TABLE, OTHER | USER);
        rig.core.r[reg::ECX] = SPACE;
        rig.does(&[0x0f, 0x22, 0xd9]); // mov cr3, ecx
    };
    let mut rig = watched(PAGE | USER | G);
    rig.does(READ);
    space(&mut rig);
    rig.does(READ);
    assert_eq!(told(&rig), ("stale-global-page", HIGH, PAGE, Some(OTHER)));

    // A page of one space alone that is not global, and INVLPG of one that is.
    let mut rig = watched(PAGE | USER);
    rig.does(READ);
    space(&mut rig);
    rig.does(READ);
    silent(&rig);
    let mut rig = watched(PAGE | USER | G);
    rig.does(READ);
    space(&mut rig);
    rig.does(INVLPG);
    rig.does(READ);
    silent(&rig);

    let mut rig = with_code(PAGE | USER | G);
    call(&mut rig);
    space(&mut rig);
    call(&mut rig);
    assert_eq!(told(&rig), ("stale-global-page", HIGH, PAGE, Some(OTHER)));
}

/// A directory without an entry for `HIGH`, and one with the same as the first.
const BARE: u32 = DIRECTORY + 0x3000;
const TWIN: u32 = DIRECTORY + 0x4000;

/// Loads CR3, by code that lies below `HIGH`.
fn switch_to(rig: &mut Watched, directory: u32) {
    rig.core.r[reg::ECX] = directory;
    rig.does(&[0x0f, 0x22, 0xd9]); // mov cr3, ecx
}

/// With a page at `HIGH` whose entry is in the TLB, and both directories.
fn copied_lazily(bits: u32) -> Watched {
    let mut rig = watched(PAGE | bits | G);
    rig.set32(BARE, rig.get32(DIRECTORY));
    rig.set32(TWIN, rig.get32(DIRECTORY));
    rig.set32(TWIN + (HIGH >> 20), rig.get32(DIRECTORY + (HIGH >> 20)));
    rig.does(READ);
    rig.does(WRITE); // or another directory would be asked for the dirty bit
    rig
}

#[test]
fn a_directory_that_has_no_copy_yet_of_the_kernels_entry() {
    let mut rig = copied_lazily(KERNEL);
    switch_to(&mut rig, BARE);
    rig.does(READ);
    rig.does(WRITE);
    silent(&rig);
    // It was given up by all, or is another page: INVLPG was needed.
    rig.set32(HIGH_TABLE, OTHER | KERNEL | G);
    rig.does(READ);
    assert_eq!(told(&rig), ("stale-global-page", HIGH, PAGE, None));
    let mut rig = copied_lazily(KERNEL);
    switch_to(&mut rig, BARE);
    rig.set32(DIRECTORY + (HIGH >> 20), 0);
    rig.does(READ);
    assert_eq!(told(&rig), ("stale-global-page", HIGH, PAGE, None));
}

#[test]
fn a_programs_global_page_that_the_kernel_finds_under_another_directory() {
    // One program's alone: what the kernel does for another one reaches it by mistake.
    let mut rig = copied_lazily(USER);
    switch_to(&mut rig, BARE);
    rig.does(READ);
    assert_eq!(told(&rig), ("stale-global-page", HIGH, PAGE, None));
    // One that two directories have had.
    let mut rig = copied_lazily(USER);
    switch_to(&mut rig, TWIN);
    rig.does(READ);
    switch_to(&mut rig, BARE);
    rig.does(READ);
    silent(&rig);
}

/// A program at `HIGH` that reads its own page, under its directory, then under one without an entry.
fn confined(base: u32, limit: u32) -> Watched {
    let mut rig = copied_lazily(USER);
    let code3 = READABLE_CODE | 0x60;
    rig.describe(FREE, descriptor(base, limit, code3, BIG | PAGES));
    rig.write(PAGE, &[0x8b, 0x03, 0x8b, 0x03]); // mov eax, [ebx], twice
    rig.core.r[reg::EBX] = HIGH + 0x100;
    let step = |rig: &mut Watched| {
        let selectors = [DATA3, FREE | 3, DATA3, DATA3, DATA3, DATA3];
        rig.core.eip = HIGH.wrapping_sub(base);
        rig.core.set_tables(GDT, GDT_LIMIT, selectors).unwrap();
        rig.core.step();
        assert_eq!(rig.core.taken, None);
    };
    step(&mut rig);
    silent(&rig);
    rig.enter(0);
    switch_to(&mut rig, BARE);
    step(&mut rig);
    rig
}

#[test]
fn a_program_in_its_segment_under_another_directory() {
    // All of its addresses are its segment's: the kernel would copy the entry.
    silent(&confined(HIGH, 0));
    silent(&confined(HIGH - 0x40_0000, 0x7ff));
    // A segment of all 4 GB: the kernel would have to say whether the page is the program's. Its code and
    // its data, by a TLB each, of one instruction.
    let global = "stale-global-page";
    let rig = confined(0, 0xf_ffff);
    assert_eq!(told(&rig), (global, HIGH, PAGE, None));
    assert_eq!(only(&rig).count, 2);
    // Data outside of its code.
    let mut rig = confined(HIGH, 0);
    rig.core.r[reg::EBX] = HIGH + 0x1100;
    rig.set32(HIGH_TABLE + 4, OTHER | USER | G);
    switch_home_and_back(&mut rig);
    assert_eq!(told(&rig), (global, HIGH + 0x1100, OTHER + 0x100, None));
}

#[test]
fn the_kernel_reads_the_memory_of_the_program_that_ran_last() {
    // As it reads a message of the program's, which it runs for: its handler would copy the entry.
    let mut rig = confined(HIGH, 0);
    rig.enter(0);
    rig.does(READ);
    rig.does(WRITE);
    silent(&rig);
    // Another program has run since.
    let mut rig = confined(HIGH, 0);
    rig.enter(3);
    rig.does(&[0x90]); // nop
    rig.enter(0);
    rig.does(READ);
    assert_eq!(
        told(&rig),
        ("stale-global-page", HIGH + 0x100, PAGE + 0x100, None)
    );
}

/// Reads once more under the program's own directory, and under the one without an entry.
fn switch_home_and_back(rig: &mut Watched) {
    for directory in [DIRECTORY, BARE] {
        rig.enter(0);
        switch_to(rig, directory);
        let selectors = [DATA3, FREE | 3, DATA3, DATA3, DATA3, DATA3];
        rig.core.eip = 0;
        rig.core.set_tables(GDT, GDT_LIMIT, selectors).unwrap();
        rig.core.step();
        assert_eq!(rig.core.taken, None);
    }
}

/// A guest whose programs are moved to `HIGH` by segments: the running space's own directory has `PAGE`,
/// a global one, at 0, and the directory in force a copy of that entry.
fn moved() -> Watched {
    const THREAD: u32 = OTHER + 0x10;
    const SPACE: u32 = OTHER + 0x20;
    const OWN: u32 = DIRECTORY + 0x3000;
    let mut rig = watched(PAGE | USER | G);
    for (at, word) in [
        (OTHER, THREAD),
        (THREAD + 4, SPACE),
        (SPACE, OWN),
        (SPACE + 4, HIGH),
        (SPACE + 8, 0x1000),
        (OWN, HIGH_TABLE | USER),
    ] {
        rig.set32(at, word);
    }
    rig.core.mem.platform.bus.host.spaces = Spaces {
        word: OTHER,
        thread: 4,
        directory: 0,
        kernel: 0xf000_0000,
        segment: 4,
        shared: 0xf000_0000,
    };
    rig.does(READ);
    rig
}

#[test]
fn a_global_page_of_a_space_that_segments_move() {
    // Another directory, without the entry: that of the space counts.
    const OTHERS: u32 = DIRECTORY + 0x4000;
    let mut rig = moved();
    rig.set32(OTHERS, rig.get32(DIRECTORY));
    rig.core.r[reg::ECX] = OTHERS;
    rig.does(&[0x0f, 0x22, 0xd9]); // mov cr3, ecx
    rig.does(READ);
    silent(&rig);
    rig.set32(HIGH_TABLE, OTHER | USER | G);
    rig.does(READ);
    assert_eq!(told(&rig), ("stale-global-page", HIGH, PAGE, Some(OTHER)));
}

#[test]
fn a_program_beyond_its_segment() {
    let mut rig = moved();
    silent(&rig);
    rig.enter(3);
    rig.does(READ); // of its own: but the instruction is elsewhere
    let found = only(&rig);
    assert_eq!((found.cause, found.ideal_pa), ("foreign-segment", None));
}

#[test]
fn a_user_page_that_is_written_after_it_lost_its_dirty_bit() {
    let run = |bits: u32, level: u8, maintained: bool| {
        let mut rig = watched(PAGE | bits);
        rig.does(WRITE);
        assert_eq!(rig.get32(HIGH_TABLE) & D, D);
        rig.set32(HIGH_TABLE, PAGE | bits);
        if maintained {
            rig.does(INVLPG);
        }
        rig.enter(level);
        rig.does(READ);
        silent(&rig);
        rig.does(WRITE);
        rig
    };
    for level in [0, 3] {
        let rig = run(USER, level, false);
        assert_eq!(told(&rig), ("lost-dirty-bit", HIGH, PAGE, Some(PAGE)));
        let rig = run(USER, level, true);
        assert_eq!(rig.get32(HIGH_TABLE) & D, D);
        silent(&rig);
    }
    // Nobody looks at a kernel page's.
    let rig = run(KERNEL, 0, false);
    assert_eq!(rig.get32(HIGH_TABLE) & D, 0);
    silent(&rig);
}
