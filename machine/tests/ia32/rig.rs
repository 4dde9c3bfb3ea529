// SPDX-License-Identifier: Apache-2.0
//! A core with memory, descriptor tables and handlers, for small pieces of machine code.

use std::sync::OnceLock;

use switchyard_machine::bus::Bus;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::ia32::config::{
    BusConfig, Ia32Config, LatencyConfig, PriceConfig, WalkConfig,
};
use switchyard_machine::ia32::cpu::core::Core;
use switchyard_machine::ia32::cpu::MemSys;
use switchyard_machine::ia32::cpu::Observer;
use switchyard_machine::ia32::isa::insn::{reg, Seg};
use switchyard_machine::registry;

/// Where things are; a handler is a byte, at `HANDLERS` plus its vector times 16.
pub const GDT: u32 = 0x1000;
pub const IDT: u32 = 0x2000;
pub const TSS: u32 = 0x3000;
pub const LDT: u32 = 0x4000;
pub const HANDLERS: u32 = 0x8000;
pub const CODE: u32 = 0x1_0000;
pub const DATA: u32 = 0x2_0000;
/// The top of the stack of level 0, and of the one that the TSS has for it.
pub const STACK: u32 = 0x3_0000;
pub const INNER_STACK: u32 = 0x3_8000;
pub const DIRECTORY: u32 = 0x10_0000;

/// Selectors of the GDT: flat segments of levels 0 and 3, the TSS, and those that tests describe.
pub const CODE0: u16 = 0x08;
pub const DATA0: u16 = 0x10;
pub const CODE3: u16 = 0x1b;
pub const DATA3: u16 = 0x23;
pub const TASK: u16 = 0x28;
pub const FREE: u16 = 0x30;
pub const FREE2: u16 = 0x38;
/// The last byte of the GDT.
pub const GDT_LIMIT: u16 = 0x7f;

/// Access bytes of descriptors: present, level 0.
pub const READ_ONLY: u8 = 0x90;
pub const WRITABLE: u8 = 0x92;
pub const EXPAND_DOWN: u8 = 0x96;
pub const EXECUTE_ONLY: u8 = 0x98;
pub const READABLE_CODE: u8 = 0x9a;
pub const CONFORMING_CODE: u8 = 0x9e;
/// A descriptor's flags: operands of 32 bits, limit in pages.
pub const BIG: u8 = 4;
pub const PAGES: u8 = 8;

/// Vectors.
pub const DB: u8 = 1;
pub const UD: u8 = 6;
pub const NM: u8 = 7;
pub const DF: u8 = 8;
pub const TS: u8 = 10;
pub const NP: u8 = 11;
pub const SS: u8 = 12;
pub const GP: u8 = 13;
pub const PF: u8 = 14;
pub const MF: u8 = 16;
pub const AC: u8 = 17;

/// The halves of a descriptor.
pub fn descriptor(base: u32, limit: u32, access: u8, flags: u8) -> [u32; 2] {
    let access = u32::from(access) << 8;
    let flags = u32::from(flags) << 20;
    [
        base << 16 | limit & 0xffff,
        base & 0xff00_0000 | flags | limit & 0xf_0000 | access | base >> 16 & 0xff,
    ]
}

/// A gate's.
pub fn gate(selector: u16, offset: u32, access: u8, parameters: u8) -> [u32; 2] {
    [
        u32::from(selector) << 16 | offset & 0xffff,
        offset & 0xffff_0000 | u32::from(access) << 8 | u32::from(parameters),
    ]
}

/// The machine: `p4-willamette` with 4 MB of memory, on which nothing has a price: an instruction takes
/// a third of a cycle for each µop, and one when it is decoded.
pub fn config() -> &'static MachineConfig {
    static CONFIG: OnceLock<MachineConfig> = OnceLock::new();
    CONFIG.get_or_init(without_prices)
}

fn without_prices() -> MachineConfig {
    let mut config = MachineConfig::find("p4-willamette").unwrap();
    config.ram_bytes = 4 << 20;
    let ia32: &mut Ia32Config = config.processor_mut().unwrap();
    ia32.memory = BusConfig::default();
    ia32.walk = WalkConfig::default();
    ia32.latency = LatencyConfig::default();
    ia32.price = PriceConfig::default();
    ia32.branch.mispredicted = 0;
    config
}

pub struct Rig<O: Observer = ()> {
    pub core: Core<O>,
}

impl Rig {
    /// One that nobody watches.
    pub fn new() -> Self {
        Self::watched(|_| ())
    }
}

impl<O: Observer + Default> Rig<O> {
    /// A core at level 0 with flat segments, a handler for every vector (a 32-bit interrupt gate of
    /// level 0) and a TSS. From then on it is watched by what `observer` makes.
    pub fn watched(observer: impl FnOnce(&mut MemSys) -> O) -> Self {
        Self::on(config(), observer)
    }

    /// A rig on this machine.
    pub fn on(machine: &MachineConfig, observer: impl FnOnce(&mut MemSys) -> O) -> Self {
        let parts = (registry::board(&machine.board).unwrap().parts)(machine.ram_bytes);
        let bus = Bus::new(parts, 1_400_000_000);
        let mut core = Core::new(machine.ia32().unwrap(), bus, O::default());
        core.start_flat(CODE);
        let mut rig = Self { core };
        let user = 0x60;
        for (selector, access) in [
            (CODE0, READABLE_CODE),
            (DATA0, WRITABLE),
            (CODE3, READABLE_CODE | user),
            (DATA3, WRITABLE | user),
        ] {
            rig.describe(selector, descriptor(0, 0xf_ffff, access, BIG | PAGES));
        }
        rig.describe(TASK, descriptor(TSS, 0x67, 0x89, 0));
        rig.set32(TSS + 4, INNER_STACK);
        rig.set32(TSS + 8, u32::from(DATA0));
        rig.set32(TSS + 0x64, 0x68 << 16);
        for vector in 0..=255 {
            rig.set_gate(vector, gate(CODE0, handler(vector), 0x8e, 0));
            rig.set8(handler(vector), 0xf4); // hlt
        }
        rig.enter(0);
        // lidt [ebx]; ltr ax
        rig.set32(DATA, 0x07ff);
        rig.set32(DATA + 2, IDT);
        rig.core.r[reg::EBX] = DATA;
        rig.core.r[reg::EAX] = u32::from(TASK);
        rig.run(&[0x0f, 0x01, 0x1b, 0x0f, 0x00, 0xd8], 2);
        assert_eq!(rig.core.taken, None);
        rig.core.r[reg::ESP] = STACK;
        rig.core.observer = observer(&mut rig.core.mem);
        rig
    }

    /// Goes to level 0 or 3, with its flat segments and its stack.
    pub fn enter(&mut self, level: u8) {
        let (code, data) = if level == 0 {
            (CODE0, DATA0)
        } else {
            (CODE3, DATA3)
        };
        let selectors = [data, code, data, data, data, data];
        self.core.set_tables(GDT, GDT_LIMIT, selectors).unwrap();
        self.core.r[reg::ESP] = STACK;
    }

    pub fn describe(&mut self, selector: u16, [low, high]: [u32; 2]) {
        let at = GDT + u32::from(selector & !7);
        self.set32(at, low);
        self.set32(at + 4, high);
    }

    pub fn set_gate(&mut self, vector: u8, [low, high]: [u32; 2]) {
        let at = IDT + 8 * u32::from(vector);
        self.set32(at, low);
        self.set32(at + 4, high);
    }

    /// Puts `code` at `CODE` and takes so many steps from there.
    pub fn run(&mut self, code: &[u8], steps: u32) -> &mut Self {
        self.write(CODE, code);
        self.core.eip = CODE - self.core.segment(Seg::Cs).base;
        for _ in 0..steps {
            self.core.step();
        }
        self
    }

    /// Runs one instruction that is to be done without an exception.
    pub fn does(&mut self, code: &[u8]) {
        self.run(code, 1);
        assert_eq!(self.core.taken, None, "{code:02x?}");
    }

    /// Runs one instruction that is to take exception `vector`, whose handler finds `code`. The stack
    /// is put back, and the level.
    pub fn faults(&mut self, insn: &[u8], vector: u8, code: Option<u32>) {
        let esp = self.core.r[reg::ESP];
        let level = self.core.cpl();
        self.run(insn, 1);
        assert_eq!(self.core.taken, Some(vector), "{insn:02x?}");
        assert_eq!(self.core.eip, handler(vector), "{insn:02x?}");
        let mut top = self.core.r[reg::ESP];
        if let Some(code) = code {
            assert_eq!(self.get32(top), code, "{insn:02x?}: error code");
            top += 4;
        }
        assert_eq!(self.get32(top), CODE, "{insn:02x?}: where it restarts");
        self.enter(level);
        self.core.r[reg::ESP] = esp;
    }

    /// Loads `selector` into a segment register, by MOV from AX.
    pub fn load(&mut self, seg: Seg, selector: u16) -> &mut Self {
        self.core.r[reg::EAX] = u32::from(selector);
        self.run(&[0x8e, 0xc0 | (seg as u8) << 3], 1);
        self
    }

    pub fn write(&mut self, at: u32, bytes: &[u8]) {
        let bus = &mut self.core.mem.platform.bus;
        let place = bus.ram_slice_mut(at, bytes.len()).unwrap();
        place.copy_from_slice(bytes);
        self.core.mem.memory_changed();
    }

    pub fn set32(&mut self, at: u32, value: u32) {
        self.write(at, &value.to_le_bytes());
    }

    pub fn set16(&mut self, at: u32, value: u16) {
        self.write(at, &value.to_le_bytes());
    }

    pub fn set8(&mut self, at: u32, value: u8) {
        self.write(at, &[value]);
    }

    pub fn get32(&self, at: u32) -> u32 {
        let bytes = self.core.mem.platform.bus.ram_slice(at, 4).unwrap();
        u32::from_le_bytes(bytes.try_into().unwrap())
    }

    /// The words from the top of the stack on.
    pub fn stack(&self, words: usize) -> Vec<u32> {
        let top = self.core.r[reg::ESP];
        (0..words).map(|n| self.get32(top + 4 * n as u32)).collect()
    }
}

/// Where the handler of `vector` is.
pub fn handler(vector: u8) -> u32 {
    HANDLERS + 16 * u32::from(vector)
}
