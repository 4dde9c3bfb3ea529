// SPDX-License-Identifier: Apache-2.0
//! The system control coprocessor of the SA-1110 (Developer's Manual, chapter 5).

use crate::observe::Observer;

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
    /// Whether the current mode may do this: user mode only what concerns the read buffer, and
    /// only if the kernel has allowed it (§5.2.9).
    pub(super) fn may_access(&self, register: Register, read: bool) -> bool {
        let read_buffer = register.crn == 9 && !read && register.opcode_2 <= 2;
        self.privileged() || (read_buffer && self.mem.user_read_buffer)
    }

    /// MRC.
    pub fn read_cp15(&mut self, register: Register) -> u32 {
        match register.crn {
            0 => self.processor_id,
            1 => self.mem.control,
            2 => self.mem.ttb,
            3 => self.mem.dacr,
            5 => self.mem.fault_status,
            6 => self.mem.fault_address,
            13 => self.mem.pid,
            _ => {
                self.diagnose(Diagnostic::UndefinedCp15, self.r[15].wrapping_sub(8));
                0
            }
        }
    }

    /// MCR.
    pub fn write_cp15(&mut self, register: Register, value: u32) {
        // Whatever is written here may change what a fetch finds.
        self.refetch();
        match register.crn {
            1 => self.mem.set_control(value),
            2 => {
                self.mem.counters.now.ttb_writes += 1;
                self.mem.ttb = value & 0xffff_c000;
            }
            3 => {
                self.mem.counters.now.dacr_writes += 1;
                self.mem.dacr = value;
            }
            5 => self.mem.fault_status = value & 0xff,
            6 => self.mem.fault_address = value,
            7 => self.cache_operation(register, value),
            8 => self.tlb_operation(register, value),
            9 => self.read_buffer_operation(register, value),
            13 => {
                self.mem.counters.now.pid_writes += 1;
                self.mem.pid = value & 0x7e00_0000;
            }
            // Register 14, the hardware breakpoints, is accepted and has no effect: nothing here
            // debugs through them.
            14 => {}
            15 => self.test_operation(register),
            _ => self.undefined_operation(),
        }
    }

    /// Register 7 (§5.2.7).
    fn cache_operation(&mut self, register: Register, value: u32) {
        match (register.crm, register.opcode_2) {
            (7, 0) => {
                self.mem.invalidate_icache();
                self.mem.invalidate_dcache();
            }
            (5, 0) => self.mem.invalidate_icache(),
            (6, 0) => self.mem.invalidate_dcache(),
            (6, 1) => self.mem.invalidate_dcache_line(value),
            (10, 1) => self.mem.clean_dcache_line(value),
            (10, 4) => {
                self.mem.counters.now.write_buffer_drains += 1;
                self.mem.drain_write_buffer();
            }
            _ => self.undefined_operation(),
        }
    }

    /// Register 8 (§5.2.8).
    fn tlb_operation(&mut self, register: Register, value: u32) {
        match (register.crm, register.opcode_2) {
            (7, 0) => {
                self.mem.invalidate_itlb();
                self.mem.invalidate_dtlb();
            }
            (5, 0) => self.mem.invalidate_itlb(),
            (6, 0) => self.mem.invalidate_dtlb(),
            (6, 1) => self.mem.invalidate_dtlb_entry(value),
            _ => self.undefined_operation(),
        }
    }

    /// Register 9 (§5.2.9): opcode 2 says what, CRm which entry and how many words.
    fn read_buffer_operation(&mut self, register: Register, value: u32) {
        let entry = usize::from(register.crm & 3);
        match (register.opcode_2, register.crm >> 2) {
            (0, _) => self.mem.flush_read_buffer(None),
            (1, _) => self.mem.flush_read_buffer(Some(entry)),
            (2, size @ 0..=2) => {
                let words = [1, 4, 8][usize::from(size)];
                let privileged = self.privileged();
                self.mem.load_read_buffer(entry, words, value, privileged);
            }
            (4, _) => self.mem.user_read_buffer = false,
            (5, _) => self.mem.user_read_buffer = true,
            _ => self.undefined_operation(),
        }
    }

    /// Register 15 (§5.2.15): clock switching is accepted and has no effect, since the clock never
    /// changes; so are the operations on the instruction cache's test register. Wait for
    /// interrupt sleeps.
    fn test_operation(&mut self, register: Register) {
        match (register.opcode_2, register.crm) {
            (2, 8) => {
                self.waiting = true;
                self.mem.horizon = 0;
            }
            (1 | 2, 1 | 2 | 4 | 8) => {}
            _ => self.undefined_operation(),
        }
    }

    fn undefined_operation(&mut self) {
        self.diagnose(Diagnostic::UndefinedCp15, self.r[15].wrapping_sub(8));
    }
}
