// SPDX-License-Identifier: Apache-2.0
//! Repeated string instructions that stop half-way and go on (SDM vol. 2, REP; vol. 3, 5.5 and 5.6).

use switchyard_machine::ia32::isa::flags::{DF, RF, TF};
use switchyard_machine::ia32::isa::insn::{reg, Seg};

use super::rig::*;

/// ES has a segment that ends after so many bytes of `DATA`.
fn with(bytes: u32) -> Rig {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(DATA, bytes - 1, WRITABLE, BIG));
    rig.load(Seg::Es, FREE);
    rig
}

#[test]
fn a_fault_finds_the_registers_at_its_element() {
    let mut rig = with(10);
    rig.core.mem.platform.horizon = 1 << 40;
    rig.core.r[reg::ESI] = DATA + 0x100;
    rig.core.r[reg::EDI] = 0;
    rig.core.r[reg::ECX] = 7;
    rig.run(&[0xf3, 0x66, 0xa5], 1); // rep movsw
    assert_eq!(rig.core.taken, Some(GP));
    assert_eq!(rig.stack(2), [0, CODE]);
    assert_eq!(rig.core.r[reg::ECX], 2);
    assert_eq!(rig.core.r[reg::EDI], 10);
    assert_eq!(rig.core.r[reg::ESI], DATA + 0x10a);
    // With more room it goes on.
    rig.describe(FREE, descriptor(DATA, 13, WRITABLE, BIG));
    rig.load(Seg::Es, FREE);
    rig.does(&[0xf3, 0x66, 0xa5]);
    assert_eq!(rig.core.r[reg::ECX], 0);
    assert_eq!(rig.core.r[reg::EDI], 14);
}

/// A comparison of nine equal bytes, of which four can be read, in as many steps as are needed.
fn compares_until_a_fault(horizon: u64, steps: u32) {
    let mut rig = with(4);
    rig.core.r[reg::ESI] = DATA;
    rig.core.r[reg::EDI] = 0;
    rig.core.r[reg::ECX] = 9;
    rig.core.set_eflags(0x8d5 & !0x40);
    rig.core.mem.platform.horizon = horizon;
    rig.run(&[0xf3, 0xa6], steps); // repe cmpsb
    assert_eq!(rig.core.taken, Some(GP));
    assert_eq!(rig.core.r[reg::ECX], 5);
    assert_eq!(rig.stack(4)[3], 0x897 | RF);
}

#[test]
fn a_fault_in_a_comparison_leaves_the_flags_of_before() {
    compares_until_a_fault(1 << 40, 1);
}

#[test]
fn so_it_does_where_a_quantum_has_ended_between_elements() {
    compares_until_a_fault(0, 5);
}

#[test]
fn an_interrupt_comes_between_elements() {
    let mut rig = Rig::new();
    rig.core.r[reg::EDI] = DATA;
    rig.core.r[reg::ECX] = 100;
    rig.core.r[reg::EAX] = 0x5a;
    rig.core.mem.platform.horizon = rig.core.mem.platform.cycle + 10;
    rig.run(&[0xf3, 0xaa], 1); // rep stosb
    assert_eq!(rig.core.eip, CODE);
    assert_eq!(rig.core.r[reg::ECX], 90);
    let cycle = rig.core.mem.platform.cycle;
    let instructions = rig.core.mem.platform.counters.fetches;
    rig.core.interrupt(0x20);
    assert_eq!(rig.stack(1), [CODE]);
    rig.core.mem.platform.horizon = 1 << 40;
    rig.core.r[reg::ESP] = STACK;
    rig.does(&[0xf3, 0xaa]);
    assert_eq!(rig.core.eip, CODE + 2);
    assert_eq!(rig.core.r[reg::EDI], DATA + 100);
    // A cycle an element, as before, and one instruction.
    let cycles = rig.core.mem.platform.cycle - cycle;
    assert!((90..95).contains(&cycles), "{cycles}");
    assert_eq!(rig.core.mem.platform.counters.fetches, instructions + 1);
}

#[test]
fn a_single_step_is_an_element() {
    let mut rig = Rig::new();
    rig.core.mem.platform.horizon = 1 << 40;
    rig.core.r[reg::EDI] = DATA;
    rig.core.r[reg::ECX] = 3;
    rig.core.set_eflags(TF);
    rig.run(&[0xf3, 0xab], 1);
    assert_eq!(rig.core.taken, Some(DB));
    assert_eq!(rig.core.r[reg::ECX], 2);
    assert_eq!(rig.stack(1), [CODE]);
}

#[test]
fn sizes_of_addresses_and_directions() {
    let mut rig = Rig::new();
    rig.core.set_eflags(DF);
    rig.core.mem.platform.horizon = 1 << 40;
    rig.core.r[reg::ESI] = 0x5555_0000;
    rig.core.r[reg::EDI] = 0x5555_0001;
    rig.core.r[reg::ECX] = 0x5555_0002;
    rig.set8(0, 0x11);
    rig.set8(0xffff, 0x22);
    // addr16 rep movsb: SI, DI and CX alone, which go round at 64 KB
    rig.does(&[0x67, 0xf3, 0xa4]);
    assert_eq!(rig.core.r[reg::ESI], 0x5555_fffe);
    assert_eq!(rig.core.r[reg::EDI], 0x5555_ffff);
    assert_eq!(rig.core.r[reg::ECX], 0x5555_0000);
    assert_eq!(rig.get32(0) & 0xffff, 0x1122);
    // A count of 0 does nothing, and faults at nothing.
    rig.load(Seg::Es, 0);
    rig.does(&[0x67, 0xf3, 0xa4]);
}
