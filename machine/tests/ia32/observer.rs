// SPDX-License-Identifier: Apache-2.0
//! What an observer is shown of writes to the system's registers.

use switchyard_machine::ia32::cpu::MemSys;
use switchyard_machine::ia32::isa::insn::reg;
use switchyard_machine::ia32::isa::register::Operation;
use switchyard_machine::ia32::Ia32;
use switchyard_machine::observe::{Observer, SystemAccess};

use super::rig::*;

/// Remembers operations, and whether the processor sleeps afterwards.
#[derive(Default)]
struct Operations(Vec<(Operation, bool)>);

impl Observer<Ia32> for Operations {
    const ON: bool = true;

    fn operated(&mut self, _: &MemSys, access: &SystemAccess<Ia32>) {
        assert_eq!(access.pc as u32, CODE);
        self.0.push((access.what, access.sleeps));
    }
}

#[test]
fn each_operation_on_the_system_is_shown() {
    let mut rig = Rig::watched(|_| Operations::default());
    let now = rig.core.control(0);
    for (insn, eax, what) in [
        (&[0x0f, 0x22, 0xc0][..], now, Operation::Control(0)), // mov cr0, eax
        (&[0x0f, 0x01, 0xf0], now, Operation::Control(0)),     // lmsw ax
        (&[0x0f, 0x06], 0, Operation::Control(0)),             // clts
        (&[0x0f, 0x22, 0xd0], 0x1234, Operation::Control(2)),
        (&[0x0f, 0x22, 0xd8], DIRECTORY, Operation::Control(3)),
        (&[0x0f, 0x22, 0xe0], 0, Operation::Control(4)),
        (
            &[0x0f, 0x01, 0x38],
            0x5678,
            Operation::InvalidatePage(0x5678),
        ), // invlpg [eax]
        (&[0x0f, 0x08], 0, Operation::FlushCaches), // invd
        (&[0x0f, 0x09], 0, Operation::FlushCaches), // wbinvd
    ] {
        rig.core.r[reg::EAX] = eax;
        rig.does(insn);
        let shown = std::mem::take(&mut rig.core.observer.0);
        assert_eq!(shown, [(what, false)], "{insn:02x?}");
    }
    rig.does(&[0xfb]); // sti
    rig.does(&[0xf4]); // hlt
    assert_eq!(rig.core.observer.0, [(Operation::Halt, true)]);
}

#[test]
fn what_is_refused_or_only_read_is_not_shown() {
    let mut rig = Rig::watched(|_| Operations::default());
    rig.does(&[0x0f, 0x20, 0xc0]); // mov eax, cr0
    rig.does(&[0x0f, 0x01, 0xe0]); // smsw eax
    rig.enter(3);
    for insn in [&[0x0f, 0x06][..], &[0x0f, 0x22, 0xd8], &[0xf4]] {
        rig.faults(insn, GP, Some(0));
    }
    assert_eq!(rig.core.observer.0, []);
}
