// SPDX-License-Identifier: Apache-2.0
//! The RISC-V as the run loop and reports know it.

use std::fmt::Write;

use crate::arch::{awaited_interrupt, executes_zeros, Dead, MemorySystem, Processor};
use crate::bus::Bus;
use crate::config::MachineConfig;
use crate::loader::HostTarget;
use crate::platform::Platform;
use crate::riscv::cpu::core::Core;
use crate::riscv::cpu::Observer;
use crate::riscv::isa::csr;
use crate::riscv::isa::register::NAMES;
use crate::riscv::isa::Riscv;
use crate::riscv::memory::memsys::MemSys;

/// The first argument's register.
const A0: usize = 10;

impl MemorySystem for MemSys {
    #[inline]
    fn platform_mut(&mut self) -> &mut Platform {
        &mut self.platform
    }

    fn sync_counters(&mut self) {
        Self::sync_counters(self);
    }

    fn cache_bytes(&self) -> u64 {
        Self::cache_bytes(self)
    }
}

impl<O: Observer> Processor for Core<O> {
    type Architecture = Riscv;
    type Observer = O;

    const COUNTER_GROUPS: &'static [&'static str] = &[
        "run",
        "stall",
        "icache",
        "dcache",
        "itlb",
        "dtlb",
        "memory",
        "exception",
        "page_fault",
        "fault",
        "l2",
        "branch",
    ];

    fn new(config: &MachineConfig, bus: Bus, observer: O) -> Self {
        Self::new(config, MemSys::new(config, bus), observer)
    }

    #[inline]
    fn memory(&self) -> &MemSys {
        &self.mem
    }

    #[inline]
    fn parts(&mut self) -> (&mut MemSys, &mut O) {
        (&mut self.mem, &mut self.observer)
    }

    /// The board's loader hands over a0 and the registers after it.
    fn start(&mut self, pc: u64, registers: &[u64]) {
        self.r[A0..A0 + registers.len()].copy_from_slice(registers);
        self.pc = pc & !1;
    }

    fn pc(&self) -> u64 {
        self.pc
    }

    fn translate(&mut self) {
        if !O::ON {
            self.mem.run_as_host_code();
        }
    }

    #[inline]
    fn run_to_horizon(&mut self) {
        Self::run_to_horizon(self);
    }

    fn empty_caches(&mut self) {
        self.mem.empty();
    }

    fn poll_interrupts(&mut self) {
        self.look_for_interrupt();
    }

    fn serve_host_target(&mut self, at: HostTarget) {
        self.host_target = Some(at.into());
    }

    fn waits_for_interrupt(&self) -> bool {
        self.waiting
    }

    fn can_wake(&self) -> bool {
        self.mem.platform.bus.can_wake()
    }

    fn awaited(&self) -> &'static str {
        if self.csr.mie == 0 {
            "an interrupt, with all of them disabled in mie"
        } else {
            awaited_interrupt(&self.mem.platform)
        }
    }

    fn clues(&self) -> Vec<String> {
        let zeros = executes_zeros::<32>(self, self.pc.wrapping_sub(16));
        zeros.into_iter().collect()
    }

    fn take_dead(&mut self) -> Option<Dead> {
        self.dead.take()
    }

    fn describe(&self) -> String {
        let mut text = String::new();
        for (n, name) in NAMES.iter().enumerate() {
            let _ = write!(text, "  {name:>4} {:016x}", self.r[n]);
            if n % 4 == 3 {
                text.push('\n');
            }
        }
        let _ = writeln!(
            text,
            "    pc {:016x} ({} mode)",
            self.pc,
            self.privilege().name()
        );
        let c = &self.csr;
        let shown = [
            (csr::MSTATUS, self.mstatus()),
            (csr::MCAUSE, c.mcause),
            (csr::MEPC, c.mepc),
            (csr::MTVAL, c.mtval),
            (csr::SCAUSE, c.scause),
            (csr::SEPC, c.sepc),
            (csr::STVAL, c.stval),
            (csr::SATP, c.satp),
        ];
        for (n, (number, value)) in shown.iter().enumerate() {
            let _ = write!(text, "  {:>7} {value:016x}", csr::name(*number));
            if n % 4 == 3 {
                text.push('\n');
            }
        }
        text
    }
}
