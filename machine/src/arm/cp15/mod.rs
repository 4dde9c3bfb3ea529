// SPDX-License-Identifier: Apache-2.0
//! The system control coprocessor: what all cores have here, what differs in a file each.
//! Sources: SA-1110 Developer's Manual, chapter 5; ARM926EJ-S Technical Reference Manual
//! (DDI 0198), §2.3.

mod arm926;
mod sa1110;

use crate::arm::observe::{Observer, SystemAccess};
use crate::config::CoreKind;

use super::core::{Core, Diagnostic};

/// A CP15 register or operation as MCR and MRC name it. Opcode 1 is always 0 there and ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// CRn.
    pub crn: u8,
    /// CRm.
    pub crm: u8,
    /// Opcode 2.
    pub opcode_2: u8,
}

impl Register {
    /// The register or operation of these numbers.
    #[must_use]
    pub const fn new(crn: u8, crm: u8, opcode_2: u8) -> Self {
        Self { crn, crm, opcode_2 }
    }
}

impl<O: Observer> Core<O> {
    /// Whether the current mode may do this.
    pub(super) fn may_access(&self, register: Register, read: bool) -> bool {
        self.privileged()
            || match self.mem.core {
                CoreKind::Sa1110 => self.user_may_access_sa1110(register, read),
                CoreKind::Arm926 => false,
            }
    }

    /// MRC.
    pub fn read_cp15(&mut self, register: Register) -> u32 {
        match (register.crn, self.mem.core) {
            (1, _) => self.mem.control,
            (2, _) => self.mem.ttb,
            (3, _) => self.mem.dacr,
            (6, _) => self.mem.fault_address,
            (_, CoreKind::Sa1110) => self.read_sa1110(register),
            (7, CoreKind::Arm926) => {
                let value = self.read_arm926(register);
                self.show(register, 0);
                value
            }
            (_, CoreKind::Arm926) => self.read_arm926(register),
        }
    }

    /// MCR.
    pub fn write_cp15(&mut self, register: Register, value: u32) {
        // Whatever is written here may change what a fetch finds.
        self.refetch();
        match (register.crn, self.mem.core) {
            (1, _) => self.mem.set_control(value),
            (2, _) => {
                self.mem.counters.now.ttb_writes += 1;
                self.mem.set_translation_table(value & 0xffff_c000);
            }
            (3, _) => {
                self.mem.counters.now.dacr_writes += 1;
                self.mem.dacr = value;
                self.mem.forget_hints();
            }
            (6, _) => self.mem.fault_address = value,
            (_, CoreKind::Sa1110) => self.write_sa1110(register, value),
            (_, CoreKind::Arm926) => self.write_arm926(register, value),
        }
        self.show(register, value);
    }

    /// Tells the observer of an operation.
    fn show(&mut self, register: Register, value: u32) {
        if O::ON {
            let access = SystemAccess {
                pc: self.pc(),
                register,
                value,
                sleeps: self.waiting,
            };
            self.observer.operated(&self.mem, &access);
        }
    }

    /// Sleeps from the next instruction on.
    fn wait_for_interrupt(&mut self) {
        self.waiting = true;
        self.mem.horizon = 0;
    }

    fn set_pid(&mut self, value: u32) {
        self.mem.counters.now.pid_writes += 1;
        self.mem.pid = value;
        self.mem.forget_hints();
    }

    fn undefined_operation(&mut self) {
        self.diagnose(Diagnostic::UndefinedCp15, self.pc());
    }

    fn undefined_read(&mut self) -> u32 {
        self.undefined_operation();
        0
    }
}
