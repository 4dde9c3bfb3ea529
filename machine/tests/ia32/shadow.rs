// SPDX-License-Identifier: Apache-2.0
//! What a load of SS holds off for an instruction (SDM vol. 3, 5.8.3): interrupts, breakpoints of both
//! kinds, single steps; and how often a breakpoint at a repeated instruction is hit (15.3.1.1).

use switchyard_machine::ia32::isa::flags::{IF, RF, TF};
use switchyard_machine::ia32::isa::insn::reg;

use super::exceptions::{hit, set_debug};
use super::rig::*;

const MOV_SS: &[u8] = &[0x8e, 0xd0]; // mov ss, ax
const MOV_SS_FROM: &[u8] = &[0x8e, 0x13]; // mov ss, [ebx]
const POP_SS: &[u8] = &[0x17];
const LSS: &[u8] = &[0x0f, 0xb2, 0x23]; // lss esp, [ebx]
const MOV_DS: &[u8] = &[0x8e, 0xd8];
const NOP: &[u8] = &[0x90];
const STI: &[u8] = &[0xfb];
const UD2: &[u8] = &[0x0f, 0x0b];
/// A breakpoint of DR0: at an instruction; at two bytes, read or written.
const AT_CODE: u32 = 1;
const AT_DATA: u32 = 1 | 3 << 16 | 1 << 18;

/// A rig whose registers suit all of these, with a breakpoint at `address`.
fn with(address: u32, control: u32) -> Rig {
    let mut rig = Rig::new();
    set_debug(&mut rig, 0, address);
    set_debug(&mut rig, 7, control);
    rig.core.r[reg::EAX] = u32::from(DATA0);
    rig.core.r[reg::EBX] = DATA;
    rig.set32(DATA, u32::from(DATA0));
    rig.core.r[reg::ESP] = STACK - 16;
    rig.set32(STACK - 16, u32::from(DATA0));
    rig
}

/// Runs the pieces of code, a step each; after which of them a debug exception came, and where it
/// returns to.
fn trapped(rig: &mut Rig, code: &[&[u8]]) -> Option<(usize, u32)> {
    rig.write(CODE, &code.concat());
    rig.core.eip = CODE;
    for n in 0..code.len() {
        rig.core.step();
        if rig.core.taken == Some(DB) {
            return Some((n, rig.stack(1)[0] - CODE));
        }
    }
    None
}

#[test]
fn a_breakpoint_behind_mov_ss_and_pop_ss_is_passed_over() {
    for (load, passes) in [
        (MOV_SS, true),
        (POP_SS, true),
        (MOV_DS, false),
        (STI, false),
    ] {
        let behind = load.len() as u32;
        let mut rig = with(CODE + behind, AT_CODE);
        let taken = trapped(&mut rig, &[load, NOP, NOP]);
        assert_eq!(taken, (!passes).then_some((1, behind)), "{load:x?}");
        assert_eq!(hit(&mut rig), u32::from(!passes), "{load:x?}");
        // That of the instruction after the next one is hit.
        let mut rig = with(CODE + behind + 1, AT_CODE);
        let taken = trapped(&mut rig, &[load, NOP, NOP]);
        assert_eq!(taken, Some((2, behind + 1)), "{load:x?}");
    }
    // LSS is one instruction: nothing is between its two halves.
    let behind = LSS.len() as u32;
    let mut rig = with(CODE + behind, AT_CODE);
    rig.set32(DATA, STACK);
    rig.set32(DATA + 4, u32::from(DATA0));
    assert_eq!(trapped(&mut rig, &[LSS, NOP, NOP]), Some((1, behind)));
}

#[test]
fn a_mov_ss_that_fails_holds_nothing_off() {
    let mut rig = with(handler(GP), AT_CODE);
    rig.core.r[reg::EAX] = 0;
    rig.core.set_eflags(IF);
    rig.run(MOV_SS, 1);
    assert_eq!(rig.core.taken, Some(GP));
    rig.core.step();
    assert_eq!(rig.core.taken, Some(DB));
    // Nor does one whose next instruction faults, in the handler.
    let mut rig = with(handler(UD), AT_CODE);
    assert_eq!(trapped(&mut rig, &[MOV_SS, UD2]), None);
    assert_eq!(rig.core.taken, Some(UD));
    rig.core.step();
    assert_eq!(rig.core.taken, Some(DB));
}

#[test]
fn single_steps_of_mov_ss_come_behind_the_next_instruction() {
    for (load, holds) in [(MOV_SS, true), (POP_SS, true), (MOV_DS, false)] {
        let behind = load.len() as u32;
        let mut rig = with(0, 0);
        rig.core.set_eflags(TF);
        let expected = if holds { (1, behind + 1) } else { (0, behind) };
        assert_eq!(trapped(&mut rig, &[load, NOP]), Some(expected), "{load:x?}");
    }
}

#[test]
fn a_breakpoint_at_what_is_loaded_into_ss_comes_behind_the_next_instruction() {
    let mut rig = with(DATA, AT_DATA);
    assert_eq!(trapped(&mut rig, &[MOV_SS_FROM, NOP, NOP]), Some((1, 3)));
    assert_eq!(hit(&mut rig), 1);
    let mut rig = with(STACK - 16, AT_DATA);
    assert_eq!(trapped(&mut rig, &[POP_SS, NOP, NOP]), Some((1, 2)));
    // Of an interrupt by software, in front of the handler's first instruction.
    let mut rig = with(DATA, AT_DATA);
    rig.write(CODE, &[MOV_SS_FROM, &[0xcd, 0x40]].concat());
    rig.core.eip = CODE;
    rig.core.step();
    assert_eq!(rig.core.taken, None);
    rig.core.step();
    assert_eq!(rig.core.taken, Some(DB));
    assert_eq!(rig.stack(1), [handler(0x40)]);
    // A fault of the next instruction takes its place, as on the host's processor.
    let mut rig = with(DATA, AT_DATA);
    assert_eq!(trapped(&mut rig, &[MOV_SS_FROM, UD2]), None);
    assert_eq!(rig.core.taken, Some(UD));
}

#[test]
fn interrupts_wait_for_the_instruction_after_mov_ss() {
    for load in [MOV_SS, POP_SS] {
        let mut rig = with(0, 0);
        rig.core.set_eflags(IF);
        rig.run(load, 1);
        assert!(!rig.core.interruptible(), "{load:x?}");
        rig.core.step();
        assert!(rig.core.interruptible(), "{load:x?}");
    }
    let mut rig = with(0, 0);
    rig.set32(DATA, STACK);
    rig.set32(DATA + 4, u32::from(DATA0));
    rig.core.set_eflags(IF);
    rig.run(LSS, 1);
    assert!(rig.core.interruptible());
}

#[test]
fn a_breakpoint_at_a_repeated_instruction_is_hit_once() {
    // rep stosb of four bytes, interrupted after the second: what returns to it has RF.
    let mut rig = with(CODE, AT_CODE);
    rig.core.r[reg::EDI] = DATA;
    rig.core.r[reg::ECX] = 4;
    rig.write(CODE, &[0xf3, 0xaa, 0x90]);
    rig.core.eip = CODE;
    rig.core.step();
    assert_eq!(rig.core.taken, Some(DB));
    assert_eq!(rig.core.r[reg::ECX], 4);
    rig.enter(0);
    rig.core.eip = CODE;
    rig.core.set_eflags(RF | IF);
    for left in [3, 2] {
        // The run loop wants to come back after each element.
        rig.core.mem.platform.horizon = 0;
        rig.core.step();
        assert_eq!((rig.core.taken, rig.core.r[reg::ECX]), (None, left));
    }
    rig.core.interrupt(0x20);
    assert_eq!(rig.stack(3), [CODE, u32::from(CODE0), RF | IF | 2]);
    // One after the last element has not.
    rig.core.r[reg::ECX] = 1;
    rig.enter(0);
    rig.core.eip = CODE;
    rig.core.set_eflags(RF | IF);
    rig.core.step();
    assert_eq!((rig.core.taken, rig.core.eip), (None, CODE + 2));
    rig.core.interrupt(0x20);
    assert_eq!(rig.stack(3)[2], IF | 2);
    // Single steps after an element likewise.
    rig.enter(0);
    rig.core.r[reg::ECX] = 2;
    rig.core.eip = CODE;
    rig.core.set_eflags(RF | TF);
    rig.core.step();
    assert_eq!(rig.core.taken, Some(DB));
    assert_eq!(rig.stack(3), [CODE, u32::from(CODE0), RF | TF | 2]);
}
