// SPDX-License-Identifier: Apache-2.0
//! The ARM as a debugger knows it. Of the registers r0 to r15 and cpsr are GDB's own ARM feature, those
//! of CP15 and of the other modes are in features of ours. `monitor` shows TLBs, caches and translations.

use std::fmt::Write as _;

use crate::arch::{Debugged, Register};
use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::arm::isa::mode::{bank, Bank};
use crate::arm::isa::{cores, register};
use crate::arm::memory::line::{line_address, line_offset, LINE_BYTES};
use crate::arm::memory::memsys::MemSys;
use crate::arm::memory::tlb::{Attributes, TlbEntry};

/// The program counter's number.
const PC: usize = 15;

/// Where a register is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// r0 to r15 of the current mode.
    Current(usize),
    /// The program status register.
    Cpsr,
    /// Of CP15: CRn and opcode 2.
    System(u8, u8),
    /// r8 to r14 of the modes of a bank.
    Banked(Bank, usize),
    /// A saved status register.
    Saved(Bank),
}

impl<O: Observer> Debugged for Core<O> {
    type Place = Place;
    const PC: usize = PC;
    const WATCHES_BEFORE: bool = true;
    const MONITOR_HELP: &'static str = "\
monitor tlb            the entries of both TLBs
monitor caches         what caches and write buffer hold
monitor translate VA   how an address is translated now: page tables, TLBs, data cache
";

    fn architecture(&self) -> &'static str {
        self.mem.core.architecture.name()
    }

    fn registers(&self) -> Vec<Register<Place>> {
        registers(self.mem.core)
    }

    fn read_register(&mut self, place: Place) -> u128 {
        let value = match place {
            Place::Current(n) => self.r[n],
            Place::Cpsr => self.cpsr(),
            Place::System(crn, opcode_2) => {
                self.read_cp15(register::Register::new(crn, 0, opcode_2))
            }
            Place::Banked(bank, n) => *self.banked_register(bank, n),
            Place::Saved(bank) => *self.spsr_of(bank),
        };
        value.into()
    }

    /// One of CP15 is written as the guest would, with the effects and the count of that.
    fn write_register(&mut self, place: Place, value: u128) -> bool {
        let value = value as u32;
        match place {
            Place::Current(PC) => self.r[PC] = value & if self.thumb() { !1 } else { !3 },
            Place::Current(n) => self.r[n] = value,
            Place::Cpsr if bank(value).is_none() => return false,
            Place::Cpsr => self.set_cpsr(value),
            Place::System(crn, opcode_2) => {
                self.write_cp15(register::Register::new(crn, 0, opcode_2), value);
            }
            Place::Banked(bank, n) => *self.banked_register(bank, n) = value,
            Place::Saved(bank) => *self.spsr_of(bank) = value,
        }
        true
    }

    fn step(&mut self) {
        Self::step(self);
    }

    fn can_fetch(&self, va: u64) -> bool {
        self.mem.can_fetch(va as u32, self.privileged())
    }

    fn physical(&self, va: u64) -> Option<u32> {
        self.mem.physical_now(va as u32)
    }

    fn peek(&self, va: u64, bytes: &mut [u8]) -> usize {
        let mut done = 0;
        while done < bytes.len() {
            let va = (va as u32).wrapping_add(done as u32);
            let Some(line) = self.mem.peek_line(va) else {
                break;
            };
            let from = line_offset(va) as usize;
            let len = (line.len() - from).min(bytes.len() - done);
            bytes[done..done + len].copy_from_slice(&line[from..from + len]);
            done += len;
        }
        done
    }

    fn poke(&mut self, va: u64, bytes: &[u8]) -> bool {
        let mut done = 0;
        while done < bytes.len() {
            let va = (va as u32).wrapping_add(done as u32);
            let room = (LINE_BYTES - line_offset(va)) as usize;
            let part = &bytes[done..bytes.len().min(done + room)];
            let Some(pa) = self.mem.poke(va, part) else {
                return false;
            };
            self.observer.poked(pa, part);
            done += part.len();
        }
        true
    }

    fn monitor(&self, command: &[&str]) -> Option<String> {
        let memory = &self.mem;
        Some(match *command {
            ["tlb"] => tlbs(memory),
            ["caches"] => caches(memory),
            ["translate", address] => match number(address) {
                Some(va) => translate(memory, va),
                None => format!("{address}: expected an address, such as 0xc0008000\n"),
            },
            _ => return None,
        })
    }
}

/// Those of a core.
fn registers(core: &cores::Table) -> Vec<Register<Place>> {
    let mut places: Vec<(String, Place)> = (0..=PC)
        .map(|n| (current_name(n), Place::Current(n)))
        .collect();
    places.push(("cpsr".to_string(), Place::Cpsr));
    for &(name, crn, opcode_2) in core.shown {
        places.push((name.to_string(), Place::System(crn, opcode_2)));
    }
    for (bank, mode) in [
        (Bank::Usr, "usr"),
        (Bank::Fiq, "fiq"),
        (Bank::Irq, "irq"),
        (Bank::Svc, "svc"),
        (Bank::Abt, "abt"),
        (Bank::Und, "und"),
    ] {
        let first = if matches!(bank, Bank::Usr | Bank::Fiq) {
            8
        } else {
            13
        };
        for n in first..PC {
            let name = format!("{}_{mode}", current_name(n));
            places.push((name, Place::Banked(bank, n)));
        }
        if bank != Bank::Usr {
            places.push((format!("spsr_{mode}"), Place::Saved(bank)));
        }
    }
    places
        .into_iter()
        .map(|(name, place)| shown(name, place))
        .collect()
}

/// How a register is shown.
fn shown(name: String, place: Place) -> Register<Place> {
    let (feature, group) = match place {
        Place::Current(_) | Place::Cpsr => ("org.gnu.gdb.arm.core", None),
        Place::System(..) => ("switchyard.cp15", Some("general")),
        // not among what `info registers` shows, but `info registers banked`
        Place::Banked(..) | Place::Saved(_) => ("switchyard.banked", Some("banked")),
    };
    let kind = match name.as_str() {
        "sp" => "data_ptr",
        "lr" | "pc" => "code_ptr",
        _ => "uint32",
    };
    Register {
        name,
        bits: u32::BITS,
        kind,
        feature,
        group,
        place,
    }
}

fn current_name(n: usize) -> String {
    match n {
        13 => "sp".to_string(),
        14 => "lr".to_string(),
        PC => "pc".to_string(),
        _ => format!("r{n}"),
    }
}

/// A number as people write addresses: hexadecimal with or without 0x.
fn number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u32::from_str_radix(digits, 16).ok()
}

fn tlbs(memory: &MemSys) -> String {
    let mut text = String::new();
    for (name, entries) in ["instruction", "data"].iter().zip(memory.translations()) {
        let _ = writeln!(text, "{name} TLB: {} entries", entries.len());
        for entry in &entries {
            let _ = writeln!(text, "  {}", describe(entry));
        }
    }
    text
}

fn describe(entry: &TlbEntry) -> String {
    let size = match entry.mask {
        0xfff0_0000 => "1M",
        0xffff_0000 => "64K",
        _ => "4K",
    };
    let permissions = (0..4).rev().map(|n| (entry.permissions >> (2 * n)) & 3);
    let permissions: Vec<String> = permissions.map(|p| p.to_string()).collect();
    format!(
        "{:08x} -> {:08x} {size:>3} domain {:>2} ap {} {}",
        entry.mva,
        entry.pa,
        entry.domain,
        permissions.concat(),
        letters(entry.attributes),
    )
}

fn letters(attributes: Attributes) -> String {
    let c = if attributes.cacheable() { 'C' } else { 'c' };
    let b = if attributes.bufferable() { 'B' } else { 'b' };
    format!("{c}{b}")
}

fn caches(memory: &MemSys) -> String {
    let on = |is| if is { "on" } else { "off" };
    let mut text = format!(
        "instruction cache {}: {} lines\n",
        on(memory.insn_cache_on()),
        memory.insn_lines().count()
    );
    let mut lines: Vec<_> = memory.data_lines().collect();
    lines.sort_by_key(|line| line.mva);
    let _ = writeln!(
        text,
        "data caches {}: {} lines, {} of them dirty (*)",
        on(memory.data_caches_on()),
        lines.len(),
        lines.iter().filter(|line| line.dirty).count()
    );
    for row in lines.chunks(4) {
        for line in row {
            let mark = if line.dirty { '*' } else { ' ' };
            let _ = write!(text, "  {:08x} -> {:08x}{mark}", line.mva, line.pa);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "write buffer: {} writes", memory.buffered_writes());
    text
}

fn translate(memory: &MemSys, va: u32) -> String {
    let mva = memory.relocate(va);
    let mut text = format!("va {va:08x} mva {mva:08x}\n");
    if !memory.translates() {
        let _ = writeln!(text, "pa {mva:08x}: translation is off");
        return text;
    }
    let walk = memory.walk_now(mva);
    let levels = [("first", Some(walk.first)), ("second", walk.second)];
    for (level, (at, descriptor)) in levels.iter().filter_map(|(l, read)| Some((l, (*read)?))) {
        let value = descriptor.map_or("cannot be read".into(), |d| format!("{d:08x}"));
        let _ = writeln!(text, "{level} level: {value} at {at:08x}");
    }
    match walk.entry {
        Some(entry) => {
            let _ = writeln!(text, "page tables: {}", describe(&entry));
            let _ = writeln!(text, "pa {:08x}", entry.translate(mva));
        }
        None => text.push_str("page tables: nothing is mapped there\n"),
    }
    let held = [
        ("instruction", memory.insn_translation(mva)),
        ("data", memory.data_translation(mva)),
    ];
    for (name, entry) in held {
        let Some((_, entry)) = entry else { continue };
        let stale = walk.entry != Some(*entry);
        let note = if stale {
            " (not what the page tables say)"
        } else {
            ""
        };
        let _ = writeln!(text, "{name} TLB: {}{note}", describe(entry));
    }
    for line in memory
        .data_lines()
        .filter(|line| line.mva == line_address(mva))
    {
        let state = if line.dirty { "dirty" } else { "clean" };
        let _ = writeln!(text, "data cache: line of pa {:08x}, {state}", line.pa);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::config::ArmCore;

    #[test]
    fn a_core_has_its_registers_once() {
        for (core, count) in [
            (ArmCore::Sa1110, 50),
            (ArmCore::Arm920, 51),
            (ArmCore::Arm926, 52),
        ] {
            let registers = registers(cores::Table::of(core));
            let names: std::collections::BTreeSet<&str> = registers
                .iter()
                .map(|register| register.name.as_str())
                .collect();
            assert_eq!((registers.len(), names.len()), (count, count));
            assert_eq!(registers[PC].name, "pc");
        }
    }
}
