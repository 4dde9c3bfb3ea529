// SPDX-License-Identifier: Apache-2.0
//! A machine with memory, a console and a switch to turn it off, for small pieces of machine code.

use switchyard_machine::bus::{BoardParts, Mapping};
use switchyard_machine::config::{CacheConfig, MachineConfig, Refill, Replacement, TlbConfig};
use switchyard_machine::dev::{DevCtx, Device, Width};
use switchyard_machine::riscv::config::{
    BranchConfig, IdentityConfig, IsaConfig, LatencyConfig, Misaligned, PriceConfig,
    PrivilegedVersion, RiscvConfig,
};

/// Where memory begins.
pub const RAM: u32 = 0x8000_0000;
/// Bytes of it.
pub const RAM_BYTES: u32 = 16 << 20;

/// A register at which bytes are written, and one that ends the run.
#[derive(Debug, Default)]
pub struct Console;

switchyard_machine::saved!(Console {});

impl Device for Console {
    fn name(&self) -> &'static str {
        "console"
    }

    fn read(&mut self, _: u32, _: Width, _: &mut DevCtx) -> u32 {
        0x60
    }

    fn write(&mut self, offset: u32, value: u32, _: Width, ctx: &mut DevCtx) {
        if offset == 0 {
            ctx.host.output.push(value as u8);
        }
    }
}

/// QEMU's test finisher.
#[derive(Debug, Default)]
pub struct Finisher;

switchyard_machine::saved!(Finisher {});

impl Device for Finisher {
    fn name(&self) -> &'static str {
        "finisher"
    }

    fn read(&mut self, _: u32, _: Width, _: &mut DevCtx) -> u32 {
        0
    }

    fn write(&mut self, _: u32, value: u32, _: Width, ctx: &mut DevCtx) {
        ctx.host.exit = Some(value >> 16);
    }
}

/// The board.
pub fn parts() -> BoardParts {
    let mapping = |base, device: Box<dyn Device>| Mapping {
        base,
        size: 0x1000,
        device,
    };
    BoardParts {
        ram_base: RAM,
        ram_bytes: RAM_BYTES,
        zeros: None,
        open_bus: Vec::new(),
        devices: vec![
            mapping(0x1000_0000, Box::new(Console)),
            mapping(0x10_0000, Box::new(Finisher)),
        ],
        ports: Vec::new(),
    }
}

fn cache(size_bytes: u32, ways: u32) -> CacheConfig {
    CacheConfig {
        size_bytes,
        ways,
        line_bytes: 64,
        replacement: Replacement::Random,
        refill: Refill::WholeLine,
    }
}

fn tlb(entries: u32, ways: Option<u32>) -> TlbConfig {
    TlbConfig {
        entries,
        ways,
        locked: 0,
    }
}

/// A machine with everything that the architecture knows.
pub fn config() -> MachineConfig {
    let riscv = RiscvConfig {
        identity: IdentityConfig::default(),
        isa: IsaConfig {
            privileged: PrivilegedVersion::V1_12,
            zba: true,
            zbb: true,
            sstc: true,
            svinval: true,
            svadu: true,
            time: true,
            asid_bits: 16,
            physical_bits: 56,
            misaligned: Misaligned::Done,
            hpm_counters: 2,
            pmp_entries: 16,
            pmp_granularity: 4,
            remembers_invalid: false,
        },
        itlb: tlb(40, None),
        dtlb: tlb(40, None),
        l2_tlb: tlb(512, Some(1)),
        icache: cache(32 << 10, 4),
        dcache: cache(32 << 10, 4),
        l2: cache(2 << 20, 16),
        branch: BranchConfig {
            targets: 16,
            counters: 8192,
            history_bits: 10,
            indirect: 8,
            returns: 6,
            decoded_target: 1,
            mispredicted: 5,
            late: 2,
        },
        latency: LatencyConfig {
            load: 3,
            late_alu: 1,
            multiply: 3,
            divide_least: 6,
            divide_most: 68,
            fp_load: 2,
            fp_single: 5,
            fp_double: 7,
            fp_simple: 2,
            fp_to_integer: 4,
            fp_convert: 2,
            fp_from_long_single: 4,
            fp_from_long_double: 6,
            fp_move_to_integer: 1,
            fp_divide_least: 9,
            fp_divide_single: 36,
            fp_divide_double: 58,
            fp_root_single: 28,
            fp_root_double: 57,
        },
        price: PriceConfig {
            l2: 20,
            memory: 220,
            memory_line: 90,
            device: 50,
            store_buffer: 3,
            second_tlb: 10,
            walk: 4,
            walk_read: 4,
            trap: 5,
            csr: 2,
            fence: 2,
            fence_i: 10,
            sfence_vma: 10,
            atomic: 3,
            misaligned: 4,
        },
    };
    MachineConfig {
        name: "rig".to_string(),
        description: String::new(),
        clock_hz: 1_000_000_000,
        board: "virt".to_string(),
        ram_bytes: RAM_BYTES,
        processor: Box::new(riscv),
        assumed: Default::default(),
        text: String::new(),
    }
}
