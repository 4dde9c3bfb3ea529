// SPDX-License-Identifier: Apache-2.0
//! The RISC-V as a debugger knows it: GDB's own features for integer and floating-point registers and control
//! and status registers. `monitor` shows TLBs and translations.

use std::fmt::Write as _;

use crate::arch::{Debugged, Register};
use crate::riscv::cpu::core::Core;
use crate::riscv::cpu::Observer;
use crate::riscv::isa::csr;
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::register::{FLOAT, FLOAT_NAMES, NAMES};
use crate::riscv::memory::fault::Access;
use crate::riscv::memory::memsys::MemSys;
use crate::riscv::memory::mmu::pte;
use crate::riscv::memory::tlb::TlbEntry;

/// The program counter's number (GDB, "RISC-V Features").
const PC: usize = 32;

/// Where a register is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Of the register file.
    File(u8),
    /// The program counter.
    Pc,
    /// A control and status register.
    Csr(u16),
    /// The level of privilege.
    Privilege,
}

impl<O: Observer> Debugged for Core<O> {
    type Place = Place;
    const PC: usize = PC;
    const WATCHES_BEFORE: bool = true;
    const MONITOR_HELP: &'static str = "\
monitor tlb            the entries of all TLBs
monitor translate VA   how an address is translated now: page tables and TLBs
";

    fn architecture(&self) -> &'static str {
        "riscv:rv64"
    }

    fn registers(&self) -> Vec<Register<Place>> {
        let mut registers = Vec::new();
        let mut add = |name: String, kind, feature, group, place| {
            registers.push(Register {
                name,
                bits: if kind == "int" { 32 } else { 64 },
                kind,
                feature,
                group,
                place,
            });
        };
        for (n, name) in (0..).zip(NAMES) {
            let kind = match name {
                "ra" => "code_ptr",
                "sp" | "gp" | "tp" | "fp" => "data_ptr",
                _ => "uint64",
            };
            let place = Place::File(n);
            add(name.into(), kind, "org.gnu.gdb.riscv.cpu", None, place);
        }
        add(
            "pc".into(),
            "code_ptr",
            "org.gnu.gdb.riscv.cpu",
            None,
            Place::Pc,
        );
        for (n, name) in (0..).zip(FLOAT_NAMES) {
            let place = Place::File(FLOAT + n);
            add(
                name.into(),
                "ieee_double",
                "org.gnu.gdb.riscv.fpu",
                None,
                place,
            );
        }
        for number in [csr::FFLAGS, csr::FRM, csr::FCSR] {
            let place = Place::Csr(number);
            add(
                csr::name(number),
                "int",
                "org.gnu.gdb.riscv.fpu",
                Some("float"),
                place,
            );
        }
        for number in self.shown_csrs() {
            add(
                csr::name(number),
                "uint64",
                "org.gnu.gdb.riscv.csr",
                Some("csr"),
                Place::Csr(number),
            );
        }
        add(
            "priv".into(),
            "uint64",
            "org.gnu.gdb.riscv.virtual",
            Some("general"),
            Place::Privilege,
        );
        registers
    }

    fn read_register(&mut self, place: Place) -> u128 {
        let value = match place {
            Place::File(n) => self.r[usize::from(n)],
            Place::Pc => self.pc,
            Place::Csr(number) => self.csr_value(number),
            Place::Privilege => self.privilege() as u64,
        };
        value.into()
    }

    fn write_register(&mut self, place: Place, value: u128) -> bool {
        let value = value as u64;
        match place {
            Place::File(0) => {}
            Place::File(n) => self.r[usize::from(n)] = value,
            Place::Pc => self.pc = value & !1,
            Place::Csr(number) if csr::is_read_only(number) => return false,
            Place::Csr(number) => self.set_csr(number, value),
            Place::Privilege => match Privilege::of(value) {
                Some(privilege) => self.debug_privilege(privilege),
                None => return false,
            },
        }
        true
    }

    fn step(&mut self) {
        self.step_in_line();
    }

    fn can_fetch(&self, va: u64) -> bool {
        self.mem.can_fetch(va)
    }

    fn physical(&self, va: u64) -> Option<u32> {
        self.mem.physical(va, Access::Load)
    }

    fn peek(&self, va: u64, bytes: &mut [u8]) -> usize {
        self.mem.peek(va, bytes)
    }

    fn poke(&mut self, va: u64, bytes: &[u8]) -> bool {
        let Some(places) = self.mem.poke(va, bytes) else {
            return false;
        };
        for (pa, byte) in places {
            self.observer.poked(pa, &[byte]);
        }
        true
    }

    fn monitor(&self, command: &[&str]) -> Option<String> {
        Some(match *command {
            ["tlb"] => tlbs(&self.mem),
            ["translate", address] => match number(address) {
                Some(va) => translate(&self.mem, va),
                None => format!("{address}: expected an address, such as 0x80200000\n"),
            },
            _ => return None,
        })
    }
}

impl<O: Observer> Core<O> {
    /// The control and status registers that it has and that a debugger shows.
    fn shown_csrs(&self) -> Vec<u16> {
        let isa = self.mem.isa();
        let pmp = isa.pmp_entries as u16;
        let named = csr::NAMED.iter().map(|(number, _)| *number);
        let configurations = (0..pmp.div_ceil(4)).step_by(2).map(|n| csr::PMPCFG + n);
        let protection = configurations.chain((0..pmp).map(|n| csr::PMPADDR + n));
        let float = [csr::FFLAGS, csr::FRM, csr::FCSR];
        named
            .filter(|number| !float.contains(number) && self.has_csr(*number))
            .chain(protection)
            .collect()
    }
}

/// A number as people write addresses: hexadecimal with or without 0x.
fn number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u64::from_str_radix(digits, 16).ok()
}

fn tlbs(memory: &MemSys) -> String {
    let mut text = String::new();
    let names = ["instruction", "data", "second-level"];
    for (name, tlb) in names.iter().zip(memory.tlbs()) {
        let held: Vec<&TlbEntry> = tlb.places().flatten().collect();
        let _ = writeln!(text, "{name} TLB: {} entries", held.len());
        for entry in held {
            let _ = writeln!(text, "  {}", describe(entry));
        }
    }
    text
}

fn describe(entry: &TlbEntry) -> String {
    let size = match entry.level {
        0 => "4K",
        1 => "2M",
        _ => "1G",
    };
    if entry.pte & pte::V == 0 {
        return format!("{:016x} -> nothing, asid {}", entry.va, entry.asid);
    }
    let letters = (0..8).rev().zip("daguxwrv".chars());
    let flags: String = letters
        .map(|(bit, letter)| {
            if entry.pte >> bit & 1 != 0 {
                letter
            } else {
                '-'
            }
        })
        .collect();
    format!(
        "{:016x} -> {:09x} {size} {flags} asid {}",
        entry.va,
        entry.translate(entry.va),
        entry.asid
    )
}

fn translate(memory: &MemSys, va: u64) -> String {
    let mut text = format!("va {va:016x}\n");
    if !memory.translates_data() {
        let _ = writeln!(text, "pa {va:x}: translation is off");
        return text;
    }
    let walked = memory.walk_now(memory.registers().satp, va);
    match walked.leaf {
        Some((entry, level)) => {
            let _ = writeln!(
                text,
                "page tables: entry {entry:016x} of level {level} at {:x}",
                walked.at
            );
            if let Some(pa) = walked.translate(va) {
                let _ = writeln!(text, "pa {pa:x}");
            }
        }
        None => {
            let _ = writeln!(
                text,
                "page tables: nothing is mapped there (entry at {:x})",
                walked.at
            );
        }
    }
    let names = ["instruction", "data", "second-level"];
    for (name, tlb) in names.iter().zip(memory.tlbs()) {
        if let Some((_, entry)) = tlb.peek(va, memory.asid()) {
            let stale = walked.leaf.map(|(pte, _)| pte) != Some(entry.pte);
            let note = if stale {
                " (not what the page tables say)"
            } else {
                ""
            };
            let _ = writeln!(text, "{name} TLB: {}{note}", describe(entry));
        }
    }
    text
}
