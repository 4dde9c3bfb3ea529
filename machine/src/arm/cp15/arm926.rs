// SPDX-License-Identifier: Apache-2.0
//! What is particular to the ARM926EJ-S (Technical Reference Manual, DDI 0198, §2.3). It has no
//! tightly coupled memory here, and its test and debug operations (register 15) do nothing.

use crate::arm::core::Core;
use crate::arm::memsys::maintenance::Side;
use crate::arm::observe::Observer;

use super::Register;

/// The Z flag where test-and-clean puts it, as MRC to r15 moves it to the status register.
const ALL_CLEAN: u32 = 1 << 30;
/// What the lockdown registers read above the ways: all ways beyond four are locked.
const LOCKDOWN_FIXED: u32 = 0xfff0;

impl<O: Observer> Core<O> {
    /// MRC of what is not common to all cores.
    pub(super) fn read_arm926(&mut self, register: Register) -> u32 {
        let Register {
            crn,
            crm,
            opcode_2: op,
        } = register;
        match (crn, crm, op) {
            (0, _, 1) => self.mem.cache_type(),
            // No tightly coupled memory.
            (0, _, 2) => 0,
            (0, ..) => self.processor_id,
            (5, _, 0) => self.mem.fault_status,
            (5, _, 1) => self.mem.insn_fault_status,
            (7, 10, 3) => self.test_and_clean(false),
            (7, 14, 3) => self.test_and_clean(true),
            (9, 0, 0) => LOCKDOWN_FIXED | self.mem.locked_ways(Side::Data),
            (9, 0, 1) => LOCKDOWN_FIXED | self.mem.locked_ways(Side::Insn),
            (9, 1, 0 | 1) => 0,
            (10, 0, 0) => self.mem.tlb_lockdown,
            (13, _, 0) => self.mem.pid,
            (13, _, 1) => self.context_id,
            (15, ..) => 0,
            _ => self.undefined_read(),
        }
    }

    fn test_and_clean(&mut self, drop: bool) -> u32 {
        if self.mem.test_and_clean(drop) {
            ALL_CLEAN
        } else {
            0
        }
    }

    /// MCR of what is not common to all cores.
    pub(super) fn write_arm926(&mut self, register: Register, value: u32) {
        let Register {
            crn,
            crm,
            opcode_2: op,
        } = register;
        match (crn, crm, op) {
            (5, _, 0) => self.mem.fault_status = value & 0xff,
            (5, _, 1) => self.mem.insn_fault_status = value & 0xff,
            (7, ..) => self.cache_operation_arm926(register, value),
            (8, ..) => self.tlb_operation_arm926(register, value),
            (9, 0, 0) => self.mem.lock_ways(Side::Data, value & 15),
            (9, 0, 1) => self.mem.lock_ways(Side::Insn, value & 15),
            // The region registers of tightly coupled memories that are not there.
            (9, 1, 0 | 1) => {}
            (10, 0, 0) => self.mem.tlb_lockdown = value & 0x1c00_0001,
            (13, _, 0) => self.set_pid(value & 0xfe00_0000),
            (13, _, 1) => self.context_id = value,
            (15, ..) => {}
            _ => self.undefined_operation(),
        }
    }

    /// Register 7 (§2.3.8).
    fn cache_operation_arm926(&mut self, register: Register, value: u32) {
        let mem = &mut self.mem;
        match (register.crm, register.opcode_2) {
            (0, 4) => self.wait_for_interrupt(),
            (5, 0) => mem.invalidate_icache(),
            (5, 1) => mem.invalidate_icache_line(value),
            (5, 2) => mem.invalidate_icache_slot(value),
            (6, 0) => mem.invalidate_dcache(),
            (6, 1) => mem.invalidate_dcache_line(value),
            (6, 2) => mem.maintain_dcache_slot(value, false, true),
            (7, 0) => {
                mem.invalidate_icache();
                mem.invalidate_dcache();
            }
            (10, 1) => mem.clean_dcache_line(value),
            (10, 2) => mem.maintain_dcache_slot(value, true, false),
            (10, 4) => mem.drain_for_guest(),
            (13, 1) => {
                let privileged = self.privileged();
                self.mem.prefetch_line(value, privileged);
            }
            (14, 1) => mem.clean_invalidate_dcache_line(value),
            (14, 2) => mem.maintain_dcache_slot(value, true, true),
            _ => self.undefined_operation(),
        }
    }

    /// Register 8 (§2.3.9): there is one TLB, and the operations of either kind act on it.
    fn tlb_operation_arm926(&mut self, register: Register, value: u32) {
        match (register.crm, register.opcode_2) {
            (5, 0) => self.mem.invalidate_itlb(),
            (6, 0) => self.mem.invalidate_dtlb(),
            (7, 0) => {
                self.mem.invalidate_itlb();
                self.mem.invalidate_dtlb();
            }
            (5, 1) => self.mem.invalidate_itlb_entry(value),
            (6, 1) => self.mem.invalidate_dtlb_entry(value),
            (7, 1) => {
                self.mem.invalidate_itlb_entry(value);
                self.mem.invalidate_dtlb_entry(value);
            }
            _ => self.undefined_operation(),
        }
    }
}
