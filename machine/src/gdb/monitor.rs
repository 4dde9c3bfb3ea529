// SPDX-License-Identifier: Apache-2.0
//! `monitor` commands: what GDB has no notion of. Looking changes nothing.

use std::fmt::Write as _;
use std::io::{BufReader, BufWriter};

use crate::arm::line::line_address;
use crate::arm::memsys::MemSys;
use crate::arm::observe::Observer;
use crate::arm::tlb::{Attributes, TlbEntry};
use crate::arm::Machine;
use crate::snapshot::{self, Saved};
use crate::state::Damaged;

use super::Files;

const HELP: &str = "\
monitor cycles         cycles and instructions since reset
monitor tlb            the entries of both TLBs
monitor caches         what caches and write buffer hold
monitor translate VA   how an address is translated now: page tables, TLBs, data cache
monitor save FILE      write the whole machine to a file
monitor restore FILE   go back to what was saved there
";

const NO_FILES: &str = "a debugger from another computer may not name files of this one; \
                        expected --gdb :PORT\n";

/// Answers a command; an unknown one with the list of all. `files`: those that it may name.
pub fn answer<O: Observer>(
    machine: &mut Machine<O>,
    command: &str,
    files: Option<&dyn Files>,
) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["cycles"] => {
            let cycles = machine.cycles();
            let instructions = machine.counters().totals().sum().run.instructions;
            format!("{cycles} cycles, {instructions} instructions\n")
        }
        ["tlb"] => tlbs(&machine.core().mem),
        ["caches"] => caches(&machine.core().mem),
        ["translate", address] => match number(address) {
            Some(va) => translate(&machine.core().mem, va),
            None => format!("{address}: expected an address, such as 0xc0008000\n"),
        },
        ["save", file] => files.map_or(NO_FILES.to_string(), |all| save(machine, all, file)),
        ["restore", file] => files.map_or(NO_FILES.to_string(), |all| restore(machine, all, file)),
        _ => HELP.to_string(),
    }
}

/// Whether a command has put the machine into another state, so that what a debugger knows of it
/// is void.
pub fn changes_state(command: &str) -> bool {
    matches!(
        command.split_whitespace().collect::<Vec<_>>()[..],
        ["restore", _]
    )
}

fn save<O: Observer>(machine: &mut Machine<O>, files: &dyn Files, file: &str) -> String {
    let written = files
        .create(file)
        .and_then(|out| snapshot::save(machine, BufWriter::new(out)));
    match written {
        Ok(()) => format!("saved at cycle {}\n", machine.cycles()),
        Err(error) => format!("{file}: {error}; expected a file that can be written\n"),
    }
}

/// Goes back, or leaves the machine as it is if the file is unfit.
fn restore<O: Observer>(machine: &mut Machine<O>, files: &dyn Files, file: &str) -> String {
    let opened = match files.open(file) {
        Ok(opened) => opened,
        Err(error) => return format!("{file}: {error}; expected a saved machine\n"),
    };
    let mut before = Vec::new();
    // Memory takes what is written to it.
    let kept = snapshot::save(machine, &mut before).is_ok();
    let result = Saved::open(BufReader::new(opened)).and_then(|saved| saved.restore(machine));
    match result {
        Ok(()) => format!(
            "restored to cycle {}; now say: maintenance flush register-cache\n",
            machine.cycles()
        ),
        Err(Damaged(what)) => {
            let back = kept && Saved::open(&before[..]).is_ok_and(|b| b.restore(machine).is_ok());
            debug_assert!(back, "what was saved just now can be restored");
            format!("{file}: {what}; expected a saved machine\n")
        }
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
