// SPDX-License-Identifier: Apache-2.0
//! A processor on the Versatile board with its MMU and caches on, driven access by access: a megabyte
//! each of memory that is written back, written through, and not cached. For `arm920.rs`, `arm926.rs`
//! and `arm926_timing.rs`.

use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::arm::Machine;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::dev::Width;
use switchyard_machine::registry;

pub const DIRECTORY: u32 = 0x4000;
pub const WRITE_BACK: u32 = 0x0010_0000;
pub const WRITE_THROUGH: u32 = 0x0020_0000;
pub const UNCACHED: u32 = 0x0030_0000;

/// Control register: MMU, data cache, instruction cache.
pub const ON: u32 = 0x1005;

pub const CONTROL: Register = Register::new(1, 0, 0);
pub const TABLE_BASE: Register = Register::new(2, 0, 0);
pub const DOMAINS: Register = Register::new(3, 0, 0);
pub const CLEAN_LINE: Register = Register::new(7, 10, 1);
pub const DRAIN: Register = Register::new(7, 10, 4);
pub const PREFETCH_LINE: Register = Register::new(7, 13, 1);
pub const PID: Register = Register::new(13, 0, 0);

/// The machine of that name with the first megabytes mapped where they are, in domain 0, and all caches
/// on.
pub fn machine(name: &str) -> Machine {
    machine_with(
        name,
        &[
            (0, 0xc12),
            (WRITE_BACK, WRITE_BACK | 0xc1e),
            (WRITE_THROUGH, WRITE_THROUGH | 0xc1a),
            (UNCACHED, UNCACHED | 0xc12),
        ],
    )
}

/// A machine with these first-level descriptors, too.
pub fn machine_with(name: &str, descriptors: &[(u32, u32)]) -> Machine {
    let config = MachineConfig::find(name).expect("a built-in machine");
    let board = registry::board(&config.board).expect("its board");
    let mut machine = Machine::new(&config, (board.parts)(config.ram_bytes), ());
    for &(va, descriptor) in descriptors {
        map(&mut machine, va, descriptor);
    }
    let core = machine.core();
    core.write_cp15(TABLE_BASE, DIRECTORY);
    core.write_cp15(DOMAINS, 1);
    core.write_cp15(CONTROL, ON);
    machine
}

/// Writes the first-level descriptor of `va`.
pub fn map(machine: &mut Machine, va: u32, descriptor: u32) {
    set_memory(machine, DIRECTORY + ((va >> 20) << 2), descriptor);
}

pub fn set_memory(machine: &mut Machine, pa: u32, word: u32) {
    let place = machine.bus().ram_slice_mut(pa, 4).expect("memory");
    place.copy_from_slice(&word.to_le_bytes());
}

/// What has arrived in memory.
pub fn memory(machine: &mut Machine, pa: u32) -> u32 {
    machine.bus().read_memory_word(pa).expect("memory")
}

pub fn load(machine: &mut Machine, va: u32) -> u32 {
    let value = machine.core().mem.load(va, Width::Word, true);
    value.expect("a load that is allowed")
}

pub fn store(machine: &mut Machine, va: u32, word: u32) {
    let done = machine.core().mem.store(va, Width::Word, word, true);
    done.expect("a store that is allowed");
}

pub fn drain(machine: &mut Machine) {
    machine.core().write_cp15(DRAIN, 0);
}
