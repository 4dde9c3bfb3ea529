// SPDX-License-Identifier: Apache-2.0
//! The IA-32 processor as the run loop and reports know it.

use crate::ia32::cpu::{MemSys, Observer};
use std::fmt::Write;

use crate::arch::{executes_zeros, register_lines, Dead, MemorySystem, Processor};
use crate::bus::Bus;
use crate::config::MachineConfig;
use crate::event::Cycle;
use crate::ia32::isa::flags::{self, IF};
use crate::ia32::isa::insn::Seg;
use crate::ia32::isa::segment::TableRegister;
use crate::ia32::isa::Ia32;
use crate::platform::Platform;

use super::core::{Core, Shadow, FLAT_TABLE, FLAT_TABLE_AT};

impl MemorySystem for MemSys {
    #[inline]
    fn platform_mut(&mut self) -> &mut Platform {
        &mut self.platform
    }

    fn sync_counters(&mut self) {
        Self::sync_counters(self);
    }

    fn cache_bytes(&self) -> u64 {
        self.time.caches.bytes()
    }
}

impl<O: Observer> Processor for Core<O> {
    type Architecture = Ia32;
    type Observer = O;

    const COUNTER_GROUPS: &'static [&'static str] = &[
        "run",
        "stall",
        "trace",
        "branch",
        "uop",
        "port",
        "dcache",
        "l2",
        "itlb",
        "dtlb",
        "memory",
        "exception",
        "page_fault",
        "fault",
        "written",
    ];

    fn new(config: &MachineConfig, bus: Bus, observer: O) -> Self {
        let ia32 = config
            .ia32()
            .expect("the machine file of an IA-32 processor");
        Self::new(ia32, bus, observer)
    }

    #[inline]
    fn memory(&self) -> &MemSys {
        &self.mem
    }

    #[inline]
    fn parts(&mut self) -> (&mut MemSys, &mut O) {
        (&mut self.mem, &mut self.observer)
    }

    /// As the boot conventions of 32-bit kernels have it: protected mode with flat segments, whose table
    /// the loader has put into memory, paging and interrupts off; `registers` are EAX, EBX and ESI.
    fn start(&mut self, pc: u64, registers: &[u64]) {
        self.start_flat(pc as u32);
        self.gdtr = TableRegister {
            base: FLAT_TABLE_AT,
            limit: (8 * FLAT_TABLE.len() - 1) as u16,
        };
        for (register, value) in START_REGISTERS.into_iter().zip(registers) {
            self.r[register] = *value as u32;
        }
    }

    fn pc(&self) -> u64 {
        Self::pc(self).into()
    }

    fn translate(&mut self) {
        if !O::ON {
            self.run_as_host_code();
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
        if !self.mem.platform.bus.pins.irq || !self.interruptible() {
            return;
        }
        self.sync_counters();
        let Some(vector) = self.mem.platform.acknowledge() else {
            return;
        };
        self.interrupt(vector);
        if self.eflags & IF != 0 {
            // After a trap gate the next one comes after an instruction of the handler.
            self.shadow = Shadow::Interrupts;
        }
    }

    /// One that cannot go on waits, too: for the run loop to hear why.
    fn waits_for_interrupt(&self) -> bool {
        self.waiting || self.dead.is_some()
    }

    fn sleep(&mut self, until: Cycle) -> bool {
        self.dead.is_some() || self.mem.platform.sleep(until)
    }

    /// One that cannot go on says so itself.
    fn can_wake(&self) -> bool {
        self.dead.is_some() || self.mem.platform.bus.can_wake()
    }

    fn clues(&self) -> Vec<String> {
        let zeros = executes_zeros::<16>(self, u64::from(Self::pc(self) & !15));
        let mut clues: Vec<String> = zeros.into_iter().collect();
        clues.extend(on_screen(&self.mem.platform.bus));
        clues
    }

    fn take_dead(&mut self) -> Option<Dead> {
        self.dead.take()
    }

    fn describe(&self) -> String {
        let names = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
        let mut text = register_lines(&names, &self.r);
        let flags = decode_flags(self.eflags);
        let _ = writeln!(
            text,
            "  eip {:08x}  eflags {:08x} ({flags}), level {}",
            self.eip, self.eflags, self.cpl
        );
        let segments = Seg::ALL.map(|seg| self.segments[seg as usize].selector);
        for (name, selector) in ["es", "cs", "ss", "ds", "fs", "gs"].iter().zip(segments) {
            let _ = write!(text, "  {name} {selector:04x}");
        }
        text.push('\n');
        for number in [0, 2, 3, 4] {
            let _ = write!(text, "  cr{number} {:08x}", self.control(number));
        }
        text.push('\n');
        text
    }
}

/// What a guest has written for the screen, whose memory is the machine's own (`dev/vga.rs`).
fn on_screen(bus: &Bus) -> Option<String> {
    /// Where a colour screen's text is, of a character and its colours each, and where pictures are (VGA).
    const TEXT: u32 = 0xb_8000;
    const TEXT_BYTES: usize = 2 * 80 * 25;
    const PICTURE: u32 = 0xa_0000;
    const PICTURE_BYTES: usize = 0x1_0000;
    /// Characters of a line that are shown.
    const MOST: usize = 60;

    let cells = bus.ram_slice(TEXT, TEXT_BYTES)?;
    let picture = bus.ram_slice(PICTURE, PICTURE_BYTES)?;
    let blank = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    let line = |cells: &[u8]| {
        let characters = cells.iter().step_by(2);
        let shown = |&byte: &u8| {
            if byte.is_ascii_graphic() {
                char::from(byte)
            } else {
                ' '
            }
        };
        let line: String = characters.map(shown).collect();
        line.trim().chars().take(MOST).collect::<String>()
    };
    let lines = cells.chunks(2 * 80).map(line);
    match lines.into_iter().find(|line| !line.is_empty()) {
        Some(line) => Some(format!(
            "it has written to the screen, at {TEXT:#x} (its console is a serial port; --screen FILE.png \
             shows the screen): {line:?}"
        )),
        None if blank(cells) && blank(picture) => None,
        None => Some(format!(
            "it has written to the screen's memory, at {:#x}: its console is a serial port; --screen \
             FILE.png shows the screen",
            if blank(picture) { TEXT } else { PICTURE }
        )),
    }
}

/// The registers in which a loader hands something over.
const START_REGISTERS: [usize; 3] = {
    use crate::ia32::isa::insn::reg::{EAX, EBX, ESI};
    [EAX, EBX, ESI]
};

/// The status flags, capital when set, and whether interrupts are masked.
fn decode_flags(eflags: u32) -> String {
    let letters = [
        ('o', flags::OF),
        ('s', flags::SF),
        ('z', flags::ZF),
        ('a', flags::AF),
        ('p', flags::PF),
        ('c', flags::CF),
        ('d', flags::DF),
    ];
    let letter = |(letter, flag): (char, u32)| {
        if eflags & flag != 0 {
            letter.to_ascii_uppercase()
        } else {
            letter
        }
    };
    let interrupts = if eflags & IF == 0 {
        "masked"
    } else {
        "enabled"
    };
    let text: String = letters.into_iter().map(letter).collect();
    format!("{text}, interrupts {interrupts}")
}

#[cfg(test)]
mod tests {
    use super::decode_flags;

    #[test]
    fn flags_are_decoded() {
        assert_eq!(decode_flags(0x2), "oszapcd, interrupts masked");
        assert_eq!(decode_flags(0xad7), "OSZAPCd, interrupts enabled");
    }
}
