// SPDX-License-Identifier: Apache-2.0
//! The device tree of a machine, as QEMU makes that of its `virt` (hw/riscv/virt.c, `create_fdt`), with the
//! processor that the machine file describes. It has no random seed, so that runs repeat.

use crate::board::virt;
use crate::dev::{clint, finisher, goldfish_rtc, plic, virtio};
use crate::devicetree::{DeviceTree, Node};
use crate::riscv::config::{IsaConfig, RiscvConfig};

/// Handles of nodes that others name.
const CPU: u32 = 1;
const CPU_INTERRUPTS: u32 = 2;
const PLIC: u32 = 3;
const FINISHER: u32 = 4;

/// The processor's interrupts, by their numbers in `mip`.
const SOFTWARE: u32 = 3;
const TIMER: u32 = 7;
const SUPERVISOR_EXTERNAL: u32 = 9;
const MACHINE_EXTERNAL: u32 = 11;

/// What the tree is told that is not in the machine file.
pub struct Told<'a> {
    /// Base and size of memory.
    pub memory: (u32, u32),
    /// The command line.
    pub append: Option<&'a str>,
    /// Begin and end of the initial RAM disk.
    pub initrd: Option<(u32, u32)>,
}

fn node(name: &str, compatible: &str) -> Node {
    let mut node = Node {
        name: name.to_string(),
        ..Node::default()
    };
    if !compatible.is_empty() {
        node.set_string("compatible", compatible);
    }
    node
}

/// A device: its name with its address, `reg`, and its interrupt source if it has one.
fn device(name: &str, compatible: &str, (base, size): (u32, u32), irq: Option<u32>) -> Node {
    let mut node = node(&format!("{name}@{base:x}"), compatible);
    node.set_cells("reg", &[0, base, 0, size]);
    if let Some(irq) = irq {
        node.set_cells("interrupts", &[irq]);
        node.set_cells("interrupt-parent", &[PLIC]);
    }
    node
}

/// The extensions that have names of more than a letter, in the order of the unprivileged specification's
/// chapter on names.
fn named_extensions(config: &IsaConfig) -> impl Iterator<Item = &'static str> {
    let all = [
        ("zicntr", true),
        ("zicsr", true),
        ("zifencei", true),
        ("zihpm", true),
        ("zba", config.zba),
        ("zbb", config.zbb),
        ("sstc", config.sstc),
        ("svadu", config.svadu),
        ("svinval", config.svinval),
    ];
    all.into_iter()
        .filter_map(|(name, has)| has.then_some(name))
}

/// What the processor has, as `riscv,isa` says it.
#[must_use]
pub fn isa(config: &IsaConfig) -> String {
    let mut text = "rv64imafdc".to_string();
    for name in named_extensions(config) {
        text.push('_');
        text.push_str(name);
    }
    text
}

/// The same as `riscv,isa-extensions` says it, by which newer kernels go (Linux 6.6 on, QEMU from 8.2).
fn extensions(config: &IsaConfig) -> String {
    let letters = ["i", "m", "a", "f", "d", "c"].into_iter();
    let every: Vec<&str> = letters.chain(named_extensions(config)).collect();
    every.join("\0")
}

fn cpus(config: &RiscvConfig) -> Node {
    let mut interrupts = node("interrupt-controller", "riscv,cpu-intc");
    interrupts.set_cells("#interrupt-cells", &[1]);
    interrupts.set_cells("interrupt-controller", &[]);
    interrupts.set_cells("phandle", &[CPU_INTERRUPTS]);
    let mut cpu = node("cpu@0", "riscv");
    cpu.set_string("device_type", "cpu");
    cpu.set_cells("reg", &[0]);
    cpu.set_string("status", "okay");
    cpu.set_string("riscv,isa", &isa(&config.isa));
    cpu.set_string("riscv,isa-base", "rv64i");
    cpu.set_string("riscv,isa-extensions", &extensions(&config.isa));
    cpu.set_string("mmu-type", "riscv,sv39");
    cpu.set_cells("phandle", &[CPU]);
    cpu.children.push(interrupts);
    let mut cpus = node("cpus", "");
    cpus.set_cells("#address-cells", &[1]);
    cpus.set_cells("#size-cells", &[0]);
    cpus.set_cells("timebase-frequency", &[virt::TIMEBASE_HZ as u32]);
    cpus.children.push(cpu);
    cpus
}

fn soc() -> Node {
    let mut soc = node("soc", "simple-bus");
    soc.set_cells("#address-cells", &[2]);
    soc.set_cells("#size-cells", &[2]);
    soc.set_cells("ranges", &[]);
    let window = (virt::UART, virt::UART_BYTES);
    let mut uart = device("serial", "ns16550a", window, Some(virt::UART_IRQ));
    uart.set_cells("clock-frequency", &[virt::UART_HZ]);
    soc.children.push(uart);
    let window = (virt::RTC, goldfish_rtc::BYTES);
    let rtc = device("rtc", "google,goldfish-rtc", window, Some(virt::RTC_IRQ));
    soc.children.push(rtc);
    let window = (virt::FINISHER, finisher::BYTES);
    let compatible = "sifive,test1\0sifive,test0\0syscon";
    let mut test = device("test", compatible, window, None);
    test.set_cells("phandle", &[FINISHER]);
    soc.children.push(test);
    for n in 0..virt::VIRTIO_SLOTS {
        let window = (virt::VIRTIO + n * virtio::BYTES, virtio::BYTES);
        let irq = Some(virt::VIRTIO_IRQ + n);
        soc.children
            .push(device("virtio_mmio", "virtio,mmio", window, irq));
    }
    let compatible = "sifive,plic-1.0.0\0riscv,plic0";
    let mut plic = device("plic", compatible, (virt::PLIC, plic::BYTES), None);
    plic.set_cells("#interrupt-cells", &[1]);
    plic.set_cells("#address-cells", &[0]);
    plic.set_cells("interrupt-controller", &[]);
    let contexts = [MACHINE_EXTERNAL, SUPERVISOR_EXTERNAL];
    let wires =
        |bits: &[u32]| -> Vec<u32> { bits.iter().flat_map(|&bit| [CPU_INTERRUPTS, bit]).collect() };
    plic.set_cells("interrupts-extended", &wires(&contexts));
    plic.set_cells("riscv,ndev", &[plic::SOURCES - 1]);
    plic.set_cells("phandle", &[PLIC]);
    soc.children.push(plic);
    let compatible = "sifive,clint0\0riscv,clint0";
    let mut clint = device("clint", compatible, (virt::CLINT, clint::BYTES), None);
    clint.set_cells("interrupts-extended", &wires(&[SOFTWARE, TIMER]));
    soc.children.push(clint);
    soc
}

/// What a word in the finisher's register does.
fn syscon(name: &str, compatible: &str, value: u32) -> Node {
    let mut node = node(name, compatible);
    node.set_cells("regmap", &[FINISHER]);
    node.set_cells("offset", &[0]);
    node.set_cells("value", &[value]);
    node
}

/// Command line and RAM disk, as a boot loader says them.
pub fn tell(root: &mut Node, told: &Told) {
    let chosen = root.child("chosen");
    if let Some(append) = told.append {
        chosen.set_string("bootargs", append);
    }
    if let Some((start, end)) = told.initrd {
        chosen.set_cells("linux,initrd-start", &[0, start]);
        chosen.set_cells("linux,initrd-end", &[0, end]);
    }
}

/// The tree.
#[must_use]
pub fn tree(config: &RiscvConfig, told: &Told) -> DeviceTree {
    let mut root = node("", "riscv-virtio");
    root.set_cells("#address-cells", &[2]);
    root.set_cells("#size-cells", &[2]);
    root.set_string("model", "riscv-virtio,qemu");
    let serial = format!("/soc/serial@{:x}", virt::UART);
    root.child("chosen").set_string("stdout-path", &serial);
    let (base, size) = told.memory;
    let mut memory = device("memory", "", (base, size), None);
    memory.set_string("device_type", "memory");
    root.children.push(memory);
    root.children.push(cpus(config));
    root.children.push(soc());
    root.children
        .push(syscon("poweroff", "syscon-poweroff", finisher::PASS));
    root.children
        .push(syscon("reboot", "syscon-reboot", finisher::RESET));
    tell(&mut root, told);
    DeviceTree {
        root,
        ..DeviceTree::default()
    }
}
