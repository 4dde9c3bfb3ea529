// SPDX-License-Identifier: Apache-2.0
//! What is particular to the SA-1110 (Developer's Manual, chapter 5).

use crate::arm::core::Core;
use crate::arm::observe::Observer;

use super::Register;

impl<O: Observer> Core<O> {
    /// Whether user mode may do this: only what concerns the read buffer, and only if the kernel
    /// has allowed it (§5.2.9).
    pub(super) fn user_may_access_sa1110(&self, register: Register, read: bool) -> bool {
        register.crn == 9 && !read && register.opcode_2 <= 2 && self.mem.user_read_buffer
    }

    /// MRC of what is not common to all cores.
    pub(super) fn read_sa1110(&mut self, register: Register) -> u32 {
        match register.crn {
            0 => self.processor_id,
            5 => self.mem.fault_status,
            13 => self.mem.pid,
            _ => self.undefined_read(),
        }
    }

    /// MCR of what is not common to all cores.
    pub(super) fn write_sa1110(&mut self, register: Register, value: u32) {
        match register.crn {
            5 => self.mem.fault_status = value & 0xff,
            7 => self.cache_operation_sa1110(register, value),
            8 => self.tlb_operation_sa1110(register, value),
            9 => self.read_buffer_operation(register, value),
            13 => self.set_pid(value & 0x7e00_0000),
            // Register 14, the hardware breakpoints, is accepted and has no effect: nothing here
            // debugs through them.
            14 => {}
            15 => self.test_operation(register),
            _ => self.undefined_operation(),
        }
    }

    /// Register 7 (§5.2.7).
    fn cache_operation_sa1110(&mut self, register: Register, value: u32) {
        match (register.crm, register.opcode_2) {
            (7, 0) => {
                self.mem.invalidate_icache();
                self.mem.invalidate_dcache();
            }
            (5, 0) => self.mem.invalidate_icache(),
            (6, 0) => self.mem.invalidate_dcache(),
            (6, 1) => self.mem.invalidate_dcache_line(value),
            (10, 1) => self.mem.clean_dcache_line(value),
            (10, 4) => self.mem.drain_for_guest(),
            _ => self.undefined_operation(),
        }
    }

    /// Register 8 (§5.2.8).
    fn tlb_operation_sa1110(&mut self, register: Register, value: u32) {
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
            (2, 8) => self.wait_for_interrupt(),
            (1 | 2, 1 | 2 | 4 | 8) => {}
            _ => self.undefined_operation(),
        }
    }
}
