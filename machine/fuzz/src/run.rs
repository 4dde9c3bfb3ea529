// SPDX-License-Identifier: Apache-2.0
//! What a guest can do: any instructions, in any state, and any accesses to devices.

use std::io::Sink;

use switchyard_machine::arch::Processor;
use switchyard_machine::arm::isa::mode::bank;
use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::board::Board;
use switchyard_machine::bus::Bus;
use switchyard_machine::check::Checker as _;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::counters::Counters;
use switchyard_machine::dev::keyboard::Key;
use switchyard_machine::dev::Width;
use switchyard_machine::log::Log;
use switchyard_machine::profile::Profile;
use switchyard_machine::riscv::isa::csr;
use switchyard_machine::riscv::isa::privilege::Privilege;
use switchyard_machine::riscv::isa::Riscv;
use switchyard_machine::riscv::watch::ideal::Checker;
use switchyard_machine::symbols::Symbols;
use switchyard_machine::trace::Trace;
use switchyard_machine::watchers::Watchers;
use switchyard_machine::{arm, ia32, riscv};

use super::{machine, small, Input};

/// Cycles that an input's instructions may take, more than any of them needs to go wrong.
const CYCLES: u64 = 4000;
/// Most operations of an input on devices.
const OPERATIONS: usize = 4000;
/// Where an IA-32 processor's code goes, and its page directory.
const CODE: u32 = 0x8000;
const DIRECTORY: u32 = 0x4000;
/// Most frames that stand before an interface.
const FRAMES: usize = 8;
/// Most output that is kept of a device that talks.
const OUTPUT: usize = 1 << 16;

/// Decodes and runs the input as code, from any registers, in ARM or Thumb state, with or without
/// MMU and caches (memory is then mapped where it is); on a RISC-V at any level of privilege. Input: a
/// machine's number, options, status register, the registers, the code.
pub fn instructions(data: &[u8]) {
    let mut input = Input(data);
    let (config, board) = small(input.number(1));
    if config.arm().is_some() {
        arm_instructions(config, board, input);
    } else if config.riscv().is_some() {
        riscv_instructions(config, board, input);
    } else {
        ia32_instructions(config, board, input);
    }
}

fn arm_instructions(config: &MachineConfig, board: &Board, mut input: Input) {
    let options = input.number(1);
    let mut machine = machine::<arm::cpu::core::Core<()>>(config, board, ());
    let (base, size) = machine.bus().ram_window();
    let status = input.number(4);
    let registers: [u32; 15] = std::array::from_fn(|_| {
        // Mostly addresses in memory, which random words are not.
        let value = input.number(4);
        if value & 3 == 3 {
            value
        } else {
            base + value % size
        }
    });
    let at = base + 0x8000;
    let code = &input.0[..input.0.len().min(0x1000)];
    machine
        .bus()
        .ram_slice_mut(at, code.len())
        .expect("memory is larger")
        .copy_from_slice(code);
    let directory = base + 0x4000;
    for section in 0..4096u32 {
        let place = machine.bus().ram_slice_mut(directory + 4 * section, 4);
        let descriptor = (section << 20) | 0xc1e;
        place
            .expect("memory is larger")
            .copy_from_slice(&descriptor.to_le_bytes());
    }
    let core = machine.core();
    if options & 1 != 0 {
        core.write_cp15(Register::new(2, 0, 0), directory);
        core.write_cp15(Register::new(3, 0, 0), u32::MAX);
        let on = if options & 2 != 0 { 0x100d } else { 1 };
        core.write_cp15(Register::new(1, 0, 0), on | ((options << 6) & 0x2000));
    }
    if bank(status).is_some() {
        core.set_cpsr(status);
    }
    core.r[..15].copy_from_slice(&registers);
    core.r[15] = at;
    machine.run(CYCLES);
    machine.counters();
}

/// With flat segments, at level 0; handlers are what the code has put into its tables, which are none.
fn ia32_instructions(config: &MachineConfig, board: &Board, mut input: Input) {
    let options = input.number(1);
    let mut machine = machine::<ia32::cpu::core::Core<()>>(config, board, ());
    let (_, size) = machine.bus().ram_window();
    let flags = input.number(4);
    let registers: [u32; 8] = std::array::from_fn(|_| {
        let value = input.number(4);
        if value & 3 == 3 {
            value
        } else {
            value % size
        }
    });
    let code = &input.0[..input.0.len().min(0x1000)];
    let memory = machine.bus().ram_slice_mut(0, size as usize);
    let memory = memory.expect("memory is there");
    memory[CODE as usize..CODE as usize + code.len()].copy_from_slice(code);
    // All of memory is mapped where it is, by 4 MB.
    for page in 0..1024u32 {
        let at = (DIRECTORY + 4 * page) as usize;
        memory[at..at + 4].copy_from_slice(&(page << 22 | 0x87).to_le_bytes());
    }
    let core = machine.core();
    core.start(CODE.into(), &[]);
    core.r[..8].copy_from_slice(&registers);
    core.set_eflags(flags);
    if options & 1 != 0 {
        core.set_controls([1 << 31, DIRECTORY, 1 << 4]);
    }
    machine.run(CYCLES);
    machine.counters();
}

/// All memory is open to every level of privilege, and all that can be delegated is, or nothing; handlers
/// are in the code. What watches a run looks at each instruction.
fn riscv_instructions(config: &MachineConfig, board: &Board, mut input: Input) {
    let options = input.number(1);
    type Watched = Watchers<Sink, Riscv>;
    let mut machine = machine::<riscv::cpu::core::Core<Watched>>(config, board, Watched::none());
    let (base, size) = machine.bus().ram_window();
    let status = input.number(4);
    let registers: [u64; 31] = std::array::from_fn(|_| {
        let value = input.number(4);
        if value & 3 == 3 {
            i64::from(value as i32) as u64
        } else {
            u64::from(base + value % size)
        }
    });
    let at = base + 0x8000;
    let code = &input.0[..input.0.len().min(0x1000)];
    let memory = machine.bus().ram_slice_mut(at, code.len());
    memory.expect("memory is larger").copy_from_slice(code);
    // All addresses are mapped where they are, and again above them, by 1 GB.
    let root = base + 0x4000;
    for page in 0..512u32 {
        let entry = u64::from(page % 256) << 28 | 0xcf | u64::from(options & 8) << 1;
        let place = machine.bus().ram_slice_mut(root + 8 * page, 8);
        place
            .expect("memory is larger")
            .copy_from_slice(&entry.to_le_bytes());
    }
    let core = machine.core();
    core.start(at.into(), &[]);
    core.set_csr(csr::PMPADDR, u64::MAX);
    core.set_csr(csr::PMPCFG, 0x1f);
    core.set_csr(csr::MSTATUS, status.into());
    core.set_csr(csr::MTVEC, at.into());
    core.set_csr(csr::STVEC, at.into());
    if options & 4 != 0 {
        core.set_csr(csr::MEDELEG, u64::MAX);
        core.set_csr(csr::MIDELEG, u64::MAX);
    }
    if options & 1 != 0 {
        core.set_csr(csr::SATP, 8 << 60 | u64::from(root >> 12));
    }
    if let Some(privilege) = Privilege::of((options >> 4 & 3).into()) {
        core.debug_privilege(privilege);
    }
    core.r[1..32].copy_from_slice(&registers);
    if options & 2 != 0 {
        let (memory, watchers) = core.parts();
        watchers.checker = Some(Checker::new(memory));
        watchers.log = Some(Log::new(std::io::sink(), Symbols::new()));
        let trace = Trace::new(
            std::io::sink(),
            &config.name,
            config.clock_hz,
            Symbols::new(),
        );
        watchers.trace = Some(trace);
        watchers.profile = Some(Profile::new(Symbols::new(), true));
    }
    machine.run(CYCLES);
    machine.counters();
}

/// Reads and writes registers of a machine's devices, types, presses keys, sends frames, and lets time pass.
/// Input: a machine's number, then operations: what, which device, where, a value.
pub fn devices(data: &[u8]) {
    let mut input = Input(data);
    let (config, board) = small(input.number(1));
    let parts = (board.parts)(config.ram_bytes);
    let in_memory = parts.devices.iter().map(|m| (false, m.base, m.size));
    let ports = parts.ports.iter().flat_map(|m| &m.windows);
    let at_ports = ports.map(|&(first, count)| (true, first.into(), count.into()));
    let also_in_memory = parts.ports.iter().filter_map(|m| m.memory);
    let also_in_memory = also_in_memory.map(|(base, size)| (false, base, size));
    let windows: Vec<(bool, u32, u32)> = in_memory.chain(at_ports).chain(also_in_memory).collect();
    let mut bus = Bus::new(parts, config.clock_hz);
    let mut counters = Counters::new();
    let mut now = 0;
    for _ in 0..OPERATIONS {
        if input.0.is_empty() {
            break;
        }
        let what = input.number(1);
        let (is_port, base, size) = windows[input.number(1) as usize % windows.len()];
        let width = [Width::Byte, Width::Half, Width::Word, Width::Word][(what >> 6) as usize];
        let offset = (input.number(2) % size) & !(width.bytes() - 1);
        let port = (base + offset) as u16;
        match what & 7 {
            0..=2 => {
                let value = input.number(4);
                if is_port {
                    bus.write_port(port, value, width, now, &mut counters);
                } else {
                    bus.write(base + offset, value, width, now, &mut counters);
                }
            }
            3 | 4 if is_port => {
                bus.read_port(port, width, now, &mut counters);
            }
            3 | 4 => {
                let target = bus.target(base + offset);
                bus.read(target, base + offset, width, now, &mut counters);
            }
            5 if what & 8 != 0 => {
                let keys: Vec<Key> = Key::every().collect();
                let key = keys[offset as usize % keys.len()];
                bus.press_key(key, what & 16 != 0, now, &mut counters);
            }
            5 => {
                let typed = input.bytes(offset as usize % 32);
                bus.type_input(typed, now, &mut counters);
            }
            6 if offset & 1 == 0 => {
                // Of any length, to the interface, to all or to nobody; plugged in or out.
                let net = &mut bus.host.net;
                let head = input.number(2);
                net.cable = head & 0xf000 != 0xf000;
                let mut frame = vec![head as u8; (head & 0xfff) as usize];
                if let (true, Some(target)) = (head & 0x1000 != 0, frame.get_mut(..6)) {
                    target.copy_from_slice(&net.mac.0);
                }
                if net.incoming.len() < FRAMES {
                    net.incoming.push_back(frame);
                }
                bus.network_arrived(now, &mut counters);
            }
            _ => {
                // From one cycle to some minutes.
                now += u64::from(input.number(2)) << (offset % 24);
                bus.fire_due(now, &mut counters);
            }
        }
        // The run loop's owner takes what was written.
        bus.host.output.truncate(OUTPUT);
        bus.host.net.outgoing.clear();
    }
}
