// SPDX-License-Identifier: Apache-2.0
//! The IA-32 processor as a debugger knows it. Of the registers those of a program are GDB's own i386
//! feature, those of the system are in a feature of ours. `monitor` shows TLBs, caches and
//! translations.

use std::fmt::Write as _;

use crate::arch::{Debugged, Register};
use crate::ia32::config::IA32_LINE_BYTES as LINE_BYTES;
use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::fpu::control::Control;
use crate::ia32::cpu::fpu::extended::Extended;
use crate::ia32::cpu::fpu::Fpu;
use crate::ia32::cpu::MemSys;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::insn::Seg;
use crate::ia32::isa::Ia32;
use crate::ia32::memory::tlb::TlbEntry;
use crate::observe::Observed;

/// The program counter's number.
const PC: usize = Ia32::GENERAL;

/// The segment registers in GDB's order.
const SEGMENTS: [(&str, Seg); 6] = [
    ("cs", Seg::Cs),
    ("ss", Seg::Ss),
    ("ds", Seg::Ds),
    ("es", Seg::Es),
    ("fs", Seg::Fs),
    ("gs", Seg::Gs),
];

/// The floating-point unit's words after its registers, by GDB's names: control, status and tag word,
/// the last instruction's segment and offset, its operand's, its opcode.
const FLOAT_WORDS: [&str; 8] = [
    "fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop",
];

/// Where a register is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// EAX to EDI.
    General(usize),
    /// The linear address of the next instruction: GDB knows no segments.
    ProgramCounter,
    /// EFLAGS.
    Flags,
    /// A segment register's selector.
    Selector(Seg),
    /// ST(i).
    Float(u8),
    /// One of [`FLOAT_WORDS`].
    FloatWord(usize),
    /// A segment's base.
    Base(Seg),
    /// A control register.
    Control(u8),
}

impl<O: Observer> Debugged for Core<O> {
    type Place = Place;
    const PC: usize = PC;
    const WATCHES_BEFORE: bool = false;
    const MONITOR_HELP: &'static str = "\
monitor tlb            the entries of both TLBs
monitor caches         what caches and trace cache hold
monitor translate VA   how a linear address is translated now: page tables, TLBs, data cache
";

    fn architecture(&self) -> &'static str {
        "i386"
    }

    fn registers(&self) -> Vec<Register<Place>> {
        registers()
    }

    fn read_register(&mut self, place: Place) -> u128 {
        let value = match place {
            Place::General(n) => self.r[n],
            Place::ProgramCounter => self.pc(),
            Place::Flags => self.eflags(),
            Place::Selector(seg) => self.segment(seg).selector.into(),
            Place::Float(i) => return self.fpu.contents(i).to_bits(),
            Place::FloatWord(n) => float_words(&self.fpu)[n],
            Place::Base(seg) => self.segment(seg).base,
            Place::Control(number) => self.control(number),
        };
        value.into()
    }

    /// Selectors are written as MOV loads them; bases and control registers are only read.
    fn write_register(&mut self, place: Place, value: u128) -> bool {
        if let Place::Float(i) = place {
            self.fpu.set_contents(i, Extended::from_bits(value));
            return true;
        }
        let value = value as u32;
        match place {
            Place::General(n) => self.r[n] = value,
            Place::ProgramCounter => self.eip = value.wrapping_sub(self.segment(Seg::Cs).base),
            Place::Flags => self.set_eflags(value),
            Place::Selector(seg) => return self.write_selector(seg, value as u16),
            Place::FloatWord(n) => set_float_word(&mut self.fpu, n, value),
            Place::Float(_) | Place::Base(_) | Place::Control(_) => {
                return self.read_register(place) == value.into()
            }
        }
        true
    }

    fn step(&mut self) {
        Self::step(self);
    }

    fn can_fetch(&self, va: u64) -> bool {
        self.mem.peek_translation(va as u32, true).is_some()
    }

    fn physical(&self, va: u64) -> Option<u32> {
        self.mem.peek_translation(va as u32, false)
    }

    fn peek(&self, va: u64, bytes: &mut [u8]) -> usize {
        for (n, byte) in bytes.iter_mut().enumerate() {
            let at = (va as u32).wrapping_add(n as u32);
            let Some(found) = self.mem.peek(at) else {
                return n;
            };
            *byte = found;
        }
        bytes.len()
    }

    fn poke(&mut self, va: u64, bytes: &[u8]) -> bool {
        for (n, byte) in bytes.iter().enumerate() {
            let Some(pa) = self.mem.poke((va as u32).wrapping_add(n as u32), *byte) else {
                return false;
            };
            self.observer.poked(pa, &[*byte]);
        }
        true
    }

    fn monitor(&self, command: &[&str]) -> Option<String> {
        Some(match *command {
            ["tlb"] => tlbs(&self.mem),
            ["caches"] => caches(&self.mem),
            ["translate", address] => match number(address) {
                Some(linear) => translate(&self.mem, linear),
                None => format!("{address}: expected an address, such as 0xc0100000\n"),
            },
            _ => return None,
        })
    }
}

impl<O: Observer> Core<O> {
    /// Loads a segment register, which a descriptor may forbid: then nothing changes.
    fn write_selector(&mut self, seg: Seg, selector: u16) -> bool {
        if self.segment(seg).selector == selector {
            return true;
        }
        seg != Seg::Cs && self.load_segment(seg, selector).is_ok()
    }
}

fn float_words(fpu: &Fpu) -> [u32; FLOAT_WORDS.len()] {
    let last = fpu.last;
    let [control, status, tags] = [fpu.control.word(), fpu.status(), fpu.tags()].map(u32::from);
    let [cs, ds, opcode] = [last.cs, last.ds, last.opcode].map(u32::from);
    [control, status, tags, cs, last.ip, ds, last.dp, opcode]
}

fn set_float_word(fpu: &mut Fpu, n: usize, value: u32) {
    let half = value as u16;
    match n {
        0 => fpu.set_control(Control::new(half)),
        1 => fpu.set_status(half),
        2 => fpu.set_tags(half),
        3 => fpu.last.cs = half,
        4 => fpu.last.ip = value,
        5 => fpu.last.ds = half,
        6 => fpu.last.dp = value,
        _ => fpu.last.opcode = half,
    }
}

fn registers() -> Vec<Register<Place>> {
    let core = "org.gnu.gdb.i386.core";
    let system = "switchyard.system";
    let mut registers = Vec::new();
    let mut add = |name: String, kind, feature, group, place| {
        registers.push(Register {
            name,
            bits: if kind == "i387_ext" { 80 } else { u32::BITS },
            kind,
            feature,
            group,
            place,
        });
    };
    for (n, name) in Ia32::REGISTERS.iter().enumerate() {
        let kind = if matches!(*name, "esp" | "ebp") {
            "data_ptr"
        } else {
            "int"
        };
        add((*name).to_string(), kind, core, None, Place::General(n));
    }
    add(
        "eip".to_string(),
        "code_ptr",
        core,
        None,
        Place::ProgramCounter,
    );
    add("eflags".to_string(), "int", core, None, Place::Flags);
    for (name, seg) in SEGMENTS {
        add(name.to_string(), "int", core, None, Place::Selector(seg));
    }
    for i in 0..8 {
        add(format!("st{i}"), "i387_ext", core, None, Place::Float(i));
    }
    for (n, name) in FLOAT_WORDS.iter().enumerate() {
        let group = Some("float");
        add((*name).to_string(), "int", core, group, Place::FloatWord(n));
    }
    for (name, seg) in SEGMENTS {
        add(
            format!("{name}_base"),
            "int",
            system,
            Some("system"),
            Place::Base(seg),
        );
    }
    for number in [0, 2, 3, 4] {
        add(
            format!("cr{number}"),
            "int",
            system,
            Some("system"),
            Place::Control(number),
        );
    }
    registers
}

/// A number as people write addresses: hexadecimal with or without 0x.
fn number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u32::from_str_radix(digits, 16).ok()
}

fn tlbs(memory: &MemSys) -> String {
    let mut text = String::new();
    for (name, tlb) in [("instruction", memory.itlb()), ("data", memory.dtlb())] {
        let _ = writeln!(text, "{name} TLB: {} entries", tlb.entries().count());
        for entry in tlb.entries() {
            let _ = writeln!(text, "  {}", describe(entry));
        }
    }
    text
}

fn describe(entry: &TlbEntry) -> String {
    let size = if entry.mask == 0xffff_f000 {
        "4K"
    } else {
        "4M"
    };
    let letter = |is, yes: char, no: char| if is { yes } else { no };
    format!(
        "{:08x} -> {:08x} {size} {}{}{}{}",
        entry.linear,
        entry.pa,
        letter(entry.user, 'U', 's'),
        letter(entry.writable, 'W', 'r'),
        letter(entry.dirty, 'D', 'd'),
        letter(entry.global, 'G', '-'),
    )
}

fn caches(memory: &MemSys) -> String {
    let traces = memory.traces.valid_lines();
    let (lines, uops) = traces.fold((0, 0), |(lines, uops), line| {
        (lines + 1, uops + line.uops())
    });
    let mut text = format!("trace cache: {lines} lines, {uops} µops\n");
    let mut first: Vec<u32> = memory.time.caches.l1_lines().collect();
    first.sort_unstable();
    let _ = writeln!(text, "data cache: {} lines", first.len());
    for row in first.chunks(8) {
        for pa in row {
            let _ = write!(text, "  {pa:08x}");
        }
        text.push('\n');
    }
    let second = memory.time.caches.l2_lines();
    let (lines, dirty) = second.fold((0, 0), |(lines, dirty), line| {
        (lines + 1, dirty + usize::from(line.1))
    });
    let _ = writeln!(text, "second level: {lines} lines, {dirty} of them dirty");
    text
}

fn translate(memory: &MemSys, linear: u32) -> String {
    let mut text = format!("linear {linear:08x}\n");
    if !memory.pages() {
        let _ = writeln!(text, "pa {linear:08x}: paging is off");
        text.push_str(&cached(memory, linear));
        return text;
    }
    let walked = memory.walk_now(linear);
    match walked {
        Some(entry) => {
            let _ = writeln!(text, "page tables: {}", describe(&entry));
            let _ = writeln!(text, "pa {:08x}", entry.translate(linear));
        }
        None => text.push_str("page tables: nothing is mapped there\n"),
    }
    for (name, tlb) in [("instruction", memory.itlb()), ("data", memory.dtlb())] {
        let Some((_, entry)) = tlb.peek(linear) else {
            continue;
        };
        let note = if walked.is_some_and(|walked| is_current(*entry, walked)) {
            ""
        } else {
            " (not what the page tables say)"
        };
        let _ = writeln!(text, "{name} TLB: {}{note}", describe(entry));
    }
    if let Some(entry) = walked {
        text.push_str(&cached(memory, entry.translate(linear)));
    }
    text
}

/// Whether a TLB's entry is one that the page tables may have given: a page that was clean then may be
/// dirty by now.
fn is_current(entry: TlbEntry, walked: TlbEntry) -> bool {
    let dirty = entry.dirty;
    dirty <= walked.dirty && TlbEntry { dirty, ..walked } == entry
}

/// Where the line of `pa` is cached.
fn cached(memory: &MemSys, pa: u32) -> String {
    let mut text = String::new();
    let line = pa / LINE_BYTES * LINE_BYTES;
    if memory.time.caches.l1_lines().any(|there| there == line) {
        let _ = writeln!(text, "data cache: line {line:08x}");
    }
    if let Some((_, dirty)) = memory
        .time
        .caches
        .l2_lines()
        .find(|(there, _)| *there == line)
    {
        let state = if dirty { "dirty" } else { "clean" };
        let _ = writeln!(text, "second level: line {line:08x}, {state}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_register_is_there_once_and_the_program_counter_where_it_is_said() {
        let registers = registers();
        let names: std::collections::BTreeSet<&str> = registers
            .iter()
            .map(|register| register.name.as_str())
            .collect();
        assert_eq!((registers.len(), names.len()), (42, 42));
        assert_eq!(registers[PC].name, "eip");
    }
}
