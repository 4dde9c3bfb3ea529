// SPDX-License-Identifier: Apache-2.0
//! The ARM as the run loop and reports know it.

use std::fmt::Write;

use crate::arch::{
    awaited_interrupt, executes_zeros, register_lines, Dead, DiagnosticCount, MemorySystem,
    Processor, Semihosted,
};
use crate::arm::cpu::core::Core;
use crate::arm::cpu::semihosting::Semihosting;
use crate::arm::cpu::Observer;
use crate::arm::isa::exception::Exception;
use crate::arm::isa::{mode, psr, Arm};
use crate::arm::memory::memsys::MemSys;
use crate::bus::Bus;
use crate::config::MachineConfig;
use crate::platform::Platform;

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
    type Architecture = Arm;
    type Observer = O;

    const COUNTER_GROUPS: &'static [&'static str] = &[
        "run",
        "stall",
        "icache",
        "dcache",
        "minicache",
        "itlb",
        "dtlb",
        "memory",
        "exception",
        "abort",
        "fault",
        "written",
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

    fn start(&mut self, pc: u64, registers: &[u64]) {
        for (register, value) in self.r.iter_mut().zip(registers) {
            *register = *value as u32;
        }
        self.set_thumb(pc & 1 != 0);
        self.r[15] = pc as u32 & !1;
    }

    fn pc(&self) -> u64 {
        self.r[15].into()
    }

    fn translate(&mut self) {
        if !O::ON {
            self.mem.translate();
        }
    }

    #[inline]
    fn run_to_horizon(&mut self) {
        Self::run_to_horizon(self);
    }

    fn empty_caches(&mut self) {
        self.refetch();
        self.mem.empty();
    }

    fn poll_interrupts(&mut self) {
        let pins = self.mem.platform.bus.pins;
        self.waiting &= !pins.wake && !self.key_has_come();
        if !pins.irq && !pins.fiq {
            return;
        }
        let return_address = self.r[15].wrapping_add(4);
        if pins.fiq && self.cpsr() & psr::F == 0 {
            self.take(Exception::Fiq, return_address);
        } else if pins.irq && self.cpsr() & psr::I == 0 {
            self.take(Exception::Irq, return_address);
        } else {
            return;
        }
        self.enter();
    }

    fn waits_for_interrupt(&self) -> bool {
        self.waiting
    }

    fn awaited(&self) -> &'static str {
        match &self.semihosting {
            Some(service) if service.waits => "a key, by semihosting, and nobody types",
            _ => awaited_interrupt(&self.mem.platform),
        }
    }

    fn can_wake(&self) -> bool {
        let semihosted = self.semihosting.as_ref().is_some_and(|s| s.waits);
        semihosted || self.mem.platform.bus.can_wake()
    }

    fn serve_semihosting(&mut self, served: Semihosted) -> bool {
        let service = Semihosting::new(served);
        self.semihosting.get_or_insert_with(|| Box::new(service));
        true
    }

    fn clues(&self) -> Vec<String> {
        let zeros = executes_zeros::<32>(self, self.r[15].wrapping_sub(16).into());
        let mut clues: Vec<String> = zeros.into_iter().collect();
        if let (Some(pc), None) = (self.mem.platform.bus.host.semihosting, &self.semihosting) {
            clues.push(format!(
                "it has made a semihosting call, at {pc:#010x}: --semihosting serves these"
            ));
        }
        clues
    }

    fn take_dead(&mut self) -> Option<Dead> {
        self.dead.take()
    }

    fn diagnostics(&self) -> Vec<DiagnosticCount> {
        let each = self
            .diagnostics
            .iter()
            .map(|((kind, pc), count)| DiagnosticCount {
                kind: kind.name(),
                pc: (*pc).into(),
                count: *count,
            });
        each.collect()
    }

    fn describe(&self) -> String {
        let names = [
            "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp",
            "lr", "pc",
        ];
        let mut text = register_lines(&names, &self.r);
        let _ = writeln!(
            text,
            "  cpsr {:08x} ({})",
            self.cpsr(),
            decode_cpsr(self.cpsr())
        );
        text
    }
}

/// Flags (capital when set), masks and mode of a status register.
fn decode_cpsr(cpsr: u32) -> String {
    let mut text = String::new();
    for (letter, bit) in [('n', 31), ('z', 30), ('c', 29), ('v', 28)] {
        let set = cpsr & 1 << bit != 0;
        text.push(if set {
            letter.to_ascii_uppercase()
        } else {
            letter
        });
    }
    for (name, mask) in [("IRQ", psr::I), ("FIQ", psr::F)] {
        let state = if cpsr & mask != 0 {
            "masked"
        } else {
            "enabled"
        };
        let _ = write!(text, ", {name} {state}");
    }
    let mode = match cpsr & 0x1f {
        mode::USR => "user",
        mode::FIQ => "fast interrupt",
        mode::IRQ => "interrupt",
        mode::SVC => "supervisor",
        mode::ABT => "abort",
        mode::UND => "undefined",
        mode::SYS => "system",
        _ => "invalid",
    };
    let _ = write!(text, ", {mode} mode");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_registers_are_decoded() {
        assert_eq!(
            decode_cpsr(0x6000_00d3),
            "nZCv, IRQ masked, FIQ masked, supervisor mode"
        );
        assert_eq!(
            decode_cpsr(0x9000_0010),
            "NzcV, IRQ enabled, FIQ enabled, user mode"
        );
    }
}
