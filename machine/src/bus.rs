// SPDX-License-Identifier: Apache-2.0
//! The physical address space: SDRAM, the zeros bank, devices; the space of ports is in `ports`.
//! Functional only: what an access costs is charged by the architecture's memory system.

mod ports;

use std::cell::Cell;

use crate::cache::HINTS;
use crate::counters::Counters;
use crate::dev::display::Picture;
use crate::dev::keyboard::Key;
use crate::dev::medium::Medium;
use crate::dev::{DevCtx, Device, DeviceMemory, Dma, Host, MediumSlot, Pins, Role, Width};
use crate::event::{Cycle, EventQueue};
use crate::state::{plausible, require, Damaged, Restorer, Saver};

pub use self::ports::PortMapping;
pub use crate::dev::PAGE;

use self::ports::PortWindow;

/// What stands at a physical address; decides the cost of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// SDRAM.
    Ram,
    /// The bank that reads as zeros without an external access.
    Zeros,
    /// A device register.
    Device(usize),
    /// Nothing: the access aborts.
    Nothing,
}

/// A device and the window of physical addresses in which it stands.
pub struct Mapping {
    /// First address.
    pub base: u32,
    /// Bytes.
    pub size: u32,
    /// The device.
    pub device: Box<dyn Device>,
}

/// One window in memory.
#[derive(Clone, Copy)]
struct Window {
    base: u32,
    /// 0: the device has none.
    size: u32,
    /// The offset of its first byte.
    first: u32,
}

impl Window {
    fn has(self, pa: u32) -> bool {
        pa.wrapping_sub(self.base) < self.size
    }

    fn offset(self, pa: u32) -> u32 {
        pa.wrapping_sub(self.base) + self.first
    }
}

/// What a board consists of, beside the processor; made by `board/`.
pub struct BoardParts {
    /// Physical address of SDRAM.
    pub ram_base: u32,
    /// Bytes of SDRAM.
    pub ram_bytes: u32,
    /// The zeros bank: base and size, if the board has one.
    pub zeros: Option<(u32, u32)>,
    /// Windows without a device that neither abort nor hold anything (flash sockets, static
    /// memory with nothing there): base and size. They read as zero.
    pub open_bus: Vec<(u32, u32)>,
    /// The devices. Which of them are interrupt controllers they say by [`Device::role`].
    pub devices: Vec<Mapping>,
    /// Devices in a space of their own, that of ports (IA-32).
    pub ports: Vec<PortMapping>,
}

/// The bus and everything on it.
pub struct Bus {
    ram_base: u32,
    ram: Vec<u8>,
    /// The pages of SDRAM that were written since somebody has asked.
    written: Vec<bool>,
    zeros: Option<(u32, u32)>,
    open_bus: Vec<(u32, u32)>,
    /// Those in memory, then those at ports.
    devices: Vec<Box<dyn Device>>,
    /// Where each of them is in memory.
    windows: Vec<Window>,
    /// Where those at ports are.
    ports: Vec<PortWindow>,
    /// Deadlines of the devices.
    pub events: EventQueue,
    /// Interrupt sources.
    lines: u64,
    /// The device that drives the processor's interrupt inputs.
    controller: Option<usize>,
    /// The device that drives some of its sources, from further ones.
    secondary: Option<usize>,
    /// The device that looks at the counters.
    probe: Option<usize>,
    /// The serial ports and the network interfaces.
    serial: Vec<usize>,
    network: Vec<usize>,
    /// Where a keyboard is plugged in.
    keyboard: Option<usize>,
    /// Whether the interrupt controller has a source that is not masked.
    lets_interrupts_through: bool,
    /// The device that was accessed last: where to look first.
    recent: Cell<usize>,
    /// The processor's interrupt inputs, as the interrupt controller drives them now.
    pub pins: Pins,
    /// Whether the run loop must run before the next instruction: a device has changed the pins, asked for an
    /// earlier wake-up or ended the run since somebody cleared this.
    pub needs_run_loop: bool,
    /// The outside world.
    pub host: Host,
    /// What devices have written to memory by themselves.
    pub dma: Dma,
    clock_hz: u64,
}

impl Bus {
    /// A bus with the parts of a board, at cycle 0.
    #[must_use]
    pub fn new(parts: BoardParts, clock_hz: u64) -> Self {
        let ram = vec![0; parts.ram_bytes as usize];
        let in_memory = |(base, size), first| Window { base, size, first };
        let windows = parts.devices.iter();
        let mut windows: Vec<_> = windows.map(|m| in_memory((m.base, m.size), 0)).collect();
        let mut devices: Vec<_> = parts.devices.into_iter().map(|m| m.device).collect();
        let mut ports = Vec::new();
        for mapping in parts.ports {
            let mut offset = 0;
            for (first, count) in mapping.windows {
                ports.push(PortWindow {
                    first,
                    ports: count,
                    device: devices.len(),
                    offset,
                });
                offset += u32::from(count);
            }
            windows.push(in_memory(mapping.memory.unwrap_or_default(), offset));
            devices.push(mapping.device);
        }
        let with = |devices: &mut [Box<dyn Device>], has: fn(Role) -> bool| {
            let each = devices.iter_mut().enumerate();
            let those = each.filter_map(|(n, device)| has(device.role()).then_some(n));
            those.collect::<Vec<usize>>()
        };
        let first = |devices: &mut _, has| with(devices, has).first().copied();
        let controller = first(&mut devices, |r| matches!(r, Role::InterruptController(_)));
        let secondary = first(&mut devices, |r| matches!(r, Role::SecondaryController(_)));
        let probe = first(&mut devices, |r| matches!(r, Role::Probe));
        let serial = with(&mut devices, |r| {
            matches!(behind_transport(r), Role::SerialPort(_))
        });
        let network = with(&mut devices, is_network);
        let keyboard = first(&mut devices, |r| matches!(r, Role::KeyboardPort(_)));
        let mut bus = Self {
            ram_base: parts.ram_base,
            written: vec![false; ram.len().div_ceil(PAGE)],
            ram,
            zeros: parts.zeros,
            open_bus: parts.open_bus,
            // The last place is the processor's own.
            events: EventQueue::new(devices.len() + 1),
            devices,
            windows,
            ports,
            lines: 0,
            controller,
            secondary,
            probe,
            serial,
            network,
            keyboard,
            lets_interrupts_through: true,
            recent: Cell::new(usize::MAX),
            pins: Pins::default(),
            needs_run_loop: false,
            host: Host::default(),
            dma: Dma::default(),
            clock_hz,
        };
        for device in &mut bus.devices {
            if let Role::Clock(hz) = device.role() {
                bus.host.timebase.hz = hz;
            }
        }
        bus.look_at_masks();
        bus.host.console = bus.serial_ports().first().copied().unwrap_or_default();
        bus
    }

    /// The names of the serial ports; the first is the console if nobody chooses another.
    #[must_use]
    pub fn serial_ports(&self) -> Vec<&'static str> {
        let serial = self.serial.iter();
        serial.map(|&number| self.devices[number].name()).collect()
    }

    /// What its display shows; `None`: it has none.
    ///
    /// # Errors
    /// Why there is no picture.
    pub fn picture(&mut self) -> Option<Result<Picture, String>> {
        let (base, ram) = (self.ram_base, &self.ram);
        let memory = |at: u32, bytes: usize| {
            let start = at.checked_sub(base)? as usize;
            ram.get(start..start.checked_add(bytes)?)
        };
        self.devices.iter_mut().find_map(|device| {
            if let Role::Display(display) = device.role() {
                return Some(display.picture(&memory));
            }
            None
        })
    }

    /// The clock that cycles count, in Hz.
    #[must_use]
    pub fn clock_hz(&self) -> u64 {
        self.clock_hz
    }

    /// Whether anything can wake a processor that waits for an interrupt, or end the run meanwhile.
    #[must_use]
    pub fn can_wake(&self) -> bool {
        self.lets_interrupts_through || self.devices.iter().any(|device| device.may_reset())
    }

    /// Physical address and size of SDRAM.
    #[must_use]
    pub fn ram_window(&self) -> (u32, u32) {
        (self.ram_base, self.ram.len() as u32)
    }

    /// The bytes of SDRAM at `pa`, if all `len` of them are there. For loaders and reports.
    #[inline(always)]
    #[must_use]
    pub fn ram_slice(&self, pa: u32, len: usize) -> Option<&[u8]> {
        let start = pa.checked_sub(self.ram_base)? as usize;
        self.ram.get(start..start.checked_add(len)?)
    }

    /// The bytes of SDRAM at `pa`, to write.
    #[inline(always)]
    pub fn ram_slice_mut(&mut self, pa: u32, len: usize) -> Option<&mut [u8]> {
        let start = pa.checked_sub(self.ram_base)? as usize;
        let bytes = self.ram.get_mut(start..start.checked_add(len)?)?;
        let (first, end) = (start / PAGE, (start + len).div_ceil(PAGE));
        if let Some(written) = self.written.get_mut(first) {
            *written = true;
        }
        if end > first + 1 {
            self.written[first..end].fill(true);
        }
        Some(bytes)
    }

    /// Where `pa` is in SDRAM, if it is there.
    #[inline]
    #[must_use]
    pub fn ram_offset(&self, pa: u32) -> Option<usize> {
        let offset = pa.wrapping_sub(self.ram_base) as usize;
        (offset < self.ram.len()).then_some(offset)
    }

    /// The `N` bytes of SDRAM at `offset`, if they are there.
    #[inline(always)]
    #[must_use]
    pub fn ram_bytes<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        self.ram.get(offset..offset + N)?.try_into().ok()
    }

    /// Writes the `N` bytes of SDRAM at `offset`, which are in one page, if they are there.
    #[inline(always)]
    pub fn set_ram_bytes<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) -> bool {
        let Some(place) = self.ram.get_mut(offset..offset + N) else {
            return false;
        };
        place.copy_from_slice(&bytes);
        self.written[offset / PAGE] = true;
        true
    }

    /// All of SDRAM, and for each of its pages the mark that it was written, which whoever writes sets.
    #[inline]
    pub fn ram_to_write(&mut self) -> (&mut [u8], &mut [bool]) {
        (&mut self.ram, &mut self.written)
    }

    /// The numbers of the pages of SDRAM that were written since this was last called.
    pub fn take_written(&mut self) -> Vec<usize> {
        let mut pages = Vec::new();
        for (number, written) in self.written.iter_mut().enumerate() {
            if std::mem::take(written) {
                pages.push(number);
            }
        }
        pages
    }

    /// What stands at `pa`.
    #[inline]
    #[must_use]
    pub fn target(&self, pa: u32) -> Target {
        if (pa.wrapping_sub(self.ram_base) as usize) < self.ram.len() {
            Target::Ram
        } else {
            self.target_beside_ram(pa)
        }
    }

    fn target_beside_ram(&self, pa: u32) -> Target {
        let inside = |&(base, size): &(u32, u32)| pa.wrapping_sub(base) < size;
        let recent = self.recent.get();
        if HINTS && self.windows.get(recent).is_some_and(|w| w.has(pa)) {
            return Target::Device(recent);
        }
        if self.zeros.as_ref().is_some_and(inside) || self.open_bus.iter().any(inside) {
            return Target::Zeros;
        }
        match self.windows.iter().position(|w| w.has(pa)) {
            Some(device) => {
                self.recent.set(device);
                Target::Device(device)
            }
            None => Target::Nothing,
        }
    }

    /// Whether `pa` is in the bank that reads as zeros.
    #[must_use]
    pub fn in_zeros_bank(&self, pa: u32) -> bool {
        self.zeros
            .is_some_and(|(base, size)| pa.wrapping_sub(base) < size)
    }

    /// Whether counters are read there, which must be up to date then.
    #[must_use]
    pub fn counts(&self, target: Target) -> bool {
        matches!(target, Target::Device(device) if Some(device) == self.probe)
    }

    /// Whether [`Bus::read_line`] reads there.
    #[inline]
    #[must_use]
    pub fn has_lines(&self, target: Target) -> bool {
        matches!(target, Target::Ram | Target::Zeros)
    }

    /// Reads the line around `pa`, of so many words; `None` unless memory or the zeros bank is there.
    #[inline]
    #[must_use]
    pub fn read_line<const WORDS: usize>(&self, pa: u32) -> Option<[u32; WORDS]> {
        match self.target(pa) {
            Target::Ram => {
                let start = pa.wrapping_sub(self.ram_base) as usize & !(4 * WORDS - 1);
                let bytes = self.ram.get(start..start + 4 * WORDS)?;
                let mut line = [0; WORDS];
                for (word, chunk) in line.iter_mut().zip(bytes.chunks_exact(4)) {
                    *word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
                }
                Some(line)
            }
            Target::Zeros => Some([0; WORDS]),
            Target::Device(_) | Target::Nothing => None,
        }
    }

    /// Reads an aligned word from memory or the zeros bank; `None` elsewhere.
    #[inline]
    #[must_use]
    pub fn read_memory_word(&self, pa: u32) -> Option<u32> {
        match self.target(pa) {
            Target::Ram => {
                let start = (pa.wrapping_sub(self.ram_base) & !3) as usize;
                let b = self.ram.get(start..start + 4)?;
                Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            }
            Target::Zeros => Some(0),
            Target::Device(_) | Target::Nothing => None,
        }
    }

    /// Writes those bytes of the aligned word at `pa` whose bit in `mask` is set, likewise.
    #[inline]
    pub fn write_word(&mut self, pa: u32, data: [u8; 4], mask: u32) -> bool {
        let start = pa.wrapping_sub(self.ram_base) as usize;
        let Some(word) = self.ram.get_mut(start..start + 4) else {
            return self.target_beside_ram(pa) == Target::Zeros;
        };
        self.written[start / PAGE] = true;
        // A bit of the mask becomes the byte that it stands for.
        let bits = (mask & 15).wrapping_mul(0x0020_4081) & 0x0101_0101;
        let new = bits.wrapping_mul(0xff);
        let old = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let merged = (old & !new) | (u32::from_le_bytes(data) & new);
        word.copy_from_slice(&merged.to_le_bytes());
        true
    }

    /// Writes those bytes of the aligned 16-byte block at `pa` whose bit in `mask` is set. Writes
    /// to the zeros bank vanish. `false` if nothing is there or a device is.
    #[inline]
    pub fn write_block(&mut self, pa: u32, data: &[u8; 16], mask: u16) -> bool {
        match self.target(pa) {
            Target::Ram => {
                let start = (pa.wrapping_sub(self.ram_base) & !15) as usize;
                let Some(block) = self.ram.get_mut(start..start + 16) else {
                    return false;
                };
                self.written[start / PAGE] = true;
                if mask == u16::MAX {
                    block.copy_from_slice(data);
                } else {
                    let words = block.chunks_exact_mut(4).zip(data.chunks_exact(4));
                    for (n, (word, new)) in words.enumerate() {
                        match (mask >> (4 * n)) & 15 {
                            0 => {}
                            15 => word.copy_from_slice(new),
                            bytes => replace_bytes(word, new, bytes),
                        }
                    }
                }
                true
            }
            Target::Zeros => true,
            Target::Device(_) | Target::Nothing => false,
        }
    }

    /// A single read at `pa`, where `target` stands, at cycle `now`; the value is right-aligned.
    /// `None`: abort.
    pub fn read(
        &mut self,
        target: Target,
        pa: u32,
        width: Width,
        now: Cycle,
        counters: &mut Counters,
    ) -> Option<u32> {
        match target {
            Target::Device(device) => {
                let offset = self.windows[device].offset(pa);
                Some(self.with_device(device, now, counters, |d, ctx| d.read(offset, width, ctx)))
            }
            _ => {
                let word = self.read_memory_word(pa)?;
                Some(match width {
                    Width::Byte => (word >> (8 * (pa & 3))) & 0xff,
                    Width::Half => (word >> (8 * (pa & 2))) & 0xffff,
                    Width::Word => word,
                })
            }
        }
    }

    /// A single write of any target at cycle `now`. `false`: abort.
    pub fn write(
        &mut self,
        pa: u32,
        value: u32,
        width: Width,
        now: Cycle,
        counters: &mut Counters,
    ) -> bool {
        match self.target(pa) {
            Target::Device(device) => {
                let offset = self.windows[device].offset(pa);
                self.with_device(device, now, counters, |d, ctx| {
                    d.write(offset, value, width, ctx);
                });
                true
            }
            Target::Ram => {
                let start = pa.wrapping_sub(self.ram_base) as usize & !(width.bytes() as usize - 1);
                let bytes = value.to_le_bytes();
                let len = width.bytes() as usize;
                self.ram[start..start + len].copy_from_slice(&bytes[..len]);
                self.written[start / PAGE] = true;
                true
            }
            Target::Zeros => true,
            Target::Nothing => false,
        }
    }

    /// The interrupt controller tells which interrupt the processor takes, which is in service from
    /// then on. `None`: it does not say.
    pub fn acknowledge(&mut self, now: Cycle, counters: &mut Counters) -> Option<u8> {
        let controller = self.controller?;
        self.with_device(controller, now, counters, |d, _| match d.role() {
            Role::InterruptController(controller) => controller.acknowledge(),
            _ => None,
        })
    }

    /// Wakes every device whose deadline has come.
    pub fn fire_due(&mut self, now: Cycle, counters: &mut Counters) {
        while let Some(device) = self.events.take_due(now) {
            // The processor's own is over with the quantum.
            if device < self.devices.len() {
                self.with_device(device, now, counters, |d, ctx| d.fire(ctx));
            }
        }
    }

    /// Ends the processor's quantum at cycle `at`, so that it looks at its interrupts then; [`NEVER`] takes
    /// that back. A timer in the processor itself asks for it.
    ///
    /// [`NEVER`]: crate::event::NEVER
    pub fn wake_processor_at(&mut self, at: Cycle) {
        let next = self.events.next();
        self.events.schedule(self.devices.len(), at);
        self.needs_run_loop |= self.events.next() < next;
    }

    /// What the platform's clock says at cycle `now`: a RISC-V platform's `mtime`.
    #[must_use]
    pub fn time_ticks(&self, now: Cycle) -> u64 {
        self.host.timebase.ticks(now, self.clock_hz)
    }

    /// The cycle at which that will be `ticks`, which it is not yet at cycle `now`.
    #[must_use]
    pub fn time_cycle(&self, ticks: u64, now: Cycle) -> Cycle {
        self.host.timebase.cycle_of(ticks, now, self.clock_hz)
    }

    /// Gives `bytes` to the console as if typed.
    pub fn type_input(&mut self, bytes: &[u8], now: Cycle, counters: &mut Counters) {
        self.host.input.extend(bytes);
        for n in 0..self.serial.len() {
            self.with_device(self.serial[n], now, counters, |d, ctx| {
                if let Role::SerialPort(port) = behind_transport(d.role()) {
                    port.input_arrived(ctx);
                }
            });
        }
    }

    /// Whether it has a keyboard.
    #[must_use]
    pub fn has_keyboard(&self) -> bool {
        self.keyboard.is_some()
    }

    /// A key of its keyboard is pressed, or released.
    pub fn press_key(&mut self, key: Key, pressed: bool, now: Cycle, counters: &mut Counters) {
        if let Some(number) = self.keyboard {
            self.with_device(number, now, counters, |d, ctx| {
                if let Role::KeyboardPort(port) = d.role() {
                    port.key(key, pressed, ctx);
                }
            });
        }
    }

    /// Plugs the serial port `name`, which is there only if somebody wants it. Gives its name if the board has
    /// a place for it.
    pub fn plug_serial_port(&mut self, name: &str) -> Option<&'static str> {
        self.serial.iter().find_map(|&number| {
            let device = &mut self.devices[number];
            let found = device.name();
            let plugged = match behind_transport(device.role()) {
                Role::SerialPort(port) if found == name => port.plug(),
                _ => false,
            };
            plugged.then_some(found)
        })
    }

    /// What devices and console hold; memory is saved beside it (`snapshot.rs`).
    pub(crate) fn save(&self, to: &mut Saver) {
        to.put(&self.lines);
        to.put(&self.pins);
        to.put(self.events.deadlines());
        to.put(&(&self.host.output, &self.host.input, &self.host.samples));
        to.put(&(&self.host.spaces, self.host.timebase.start));
        for device in &self.devices {
            to.put(device.name());
            device.save(to);
        }
    }

    /// Takes it back.
    pub(crate) fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.lines = from.take()?;
        self.pins = from.take()?;
        let deadlines: Vec<Cycle> = from.take()?;
        let right =
            deadlines.len() == self.devices.len() + 1 && deadlines.iter().all(|&c| plausible(c));
        require(right, "has other devices than the machine")?;
        for (device, deadline) in deadlines.into_iter().enumerate() {
            self.events.schedule(device, deadline);
        }
        (self.host.output, self.host.input, self.host.samples) = from.take()?;
        (self.host.spaces, self.host.timebase.start) = from.take()?;
        (self.host.exit, self.host.power_off, self.host.stopped) = (None, None, None);
        self.host.empty = false;
        for device in &mut self.devices {
            let name: String = from.take()?;
            require(name == device.name(), "has other devices than the machine")?;
            device.restore(from)?;
        }
        self.look_at_masks();
        Ok(())
    }

    /// Lets the interrupt controllers look at the sources.
    fn drive_pins(&mut self) {
        if let Some(secondary) = self.secondary {
            if let Role::SecondaryController(secondary) = self.devices[secondary].role() {
                self.lines = secondary.cascade(self.lines);
            }
        }
        if let Some(controller) = self.controller {
            if let Role::InterruptController(controller) = self.devices[controller].role() {
                self.pins = controller.pins(self.lines);
                self.lets_interrupts_through = controller.lets_interrupts_through();
            }
        }
    }

    /// Asks the interrupt controller, which nobody has accessed, what it lets through.
    fn look_at_masks(&mut self) {
        if let Some(controller) = self.controller {
            if let Role::InterruptController(controller) = self.devices[controller].role() {
                self.lets_interrupts_through = controller.lets_interrupts_through();
            }
        }
    }

    /// Whether the board has a network interface.
    #[must_use]
    pub fn has_network(&self) -> bool {
        !self.network.is_empty()
    }

    /// The slots that media can be put into, in order.
    pub fn slots(&mut self) -> impl Iterator<Item = &mut dyn MediumSlot> {
        self.devices
            .iter_mut()
            .filter_map(|device| match behind_transport(device.role()) {
                Role::MediumSlot(slot) => Some(slot),
                _ => None,
            })
    }

    /// Puts a medium into slot `number`, which is there, before the run.
    pub fn insert(&mut self, number: usize, medium: Medium) {
        self.host.cards |= 1 << number;
        if let Some(slot) = self.slots().nth(number) {
            slot.insert(medium);
        }
    }

    /// The media that are in, in the order of their slots.
    pub fn media(&mut self) -> impl Iterator<Item = &mut Medium> {
        self.slots().filter_map(MediumSlot::medium)
    }

    /// Writes the ROM at which the processor starts, if there is one.
    pub fn set_rom(&mut self, contents: &[u32]) {
        for device in &mut self.devices {
            if let Role::Rom(words) = device.role() {
                *words = contents.to_vec();
            }
        }
    }

    /// The devices of its VIRTIO bus show the legacy interface, or version 2. Gives whether there is one.
    pub fn set_virtio_legacy(&mut self, legacy: bool) -> bool {
        let mut any = false;
        for device in &mut self.devices {
            if let Role::Virtio(slot) = device.role() {
                slot.set_legacy(legacy);
                any = true;
            }
        }
        any
    }

    /// Tells the devices that the network brought something.
    pub fn network_arrived(&mut self, now: Cycle, counters: &mut Counters) {
        for n in 0..self.network.len() {
            self.with_device(self.network[n], now, counters, |d, ctx| {
                if let Role::NetworkInterface(interface) = behind_transport(d.role()) {
                    interface.network_arrived(ctx);
                }
            });
        }
    }

    fn with_device<R>(
        &mut self,
        number: usize,
        now: Cycle,
        counters: &mut Counters,
        access: impl FnOnce(&mut dyn Device, &mut DevCtx) -> R,
    ) -> R {
        let mut ctx = DevCtx {
            now,
            clock_hz: self.clock_hz,
            device: number,
            events: &mut self.events,
            lines: &mut self.lines,
            host: &mut self.host,
            counters,
            memory: DeviceMemory {
                base: self.ram_base,
                bytes: &mut self.ram,
                written: &mut self.written,
                dma: &mut self.dma,
            },
        };
        let (next, lines) = (ctx.events.next(), *ctx.lines);
        let result = access(self.devices[number].as_mut(), &mut ctx);
        let controller = Some(number) == self.controller || Some(number) == self.secondary;
        if controller || self.lines != lines {
            let pins = self.pins;
            self.drive_pins();
            self.needs_run_loop |= self.pins != pins;
        }
        self.needs_run_loop |= self.events.next() < next || self.host.asks();
        result
    }
}

/// What a device is, or the one that its VIRTIO registers stand for.
pub(crate) fn behind_transport(role: Role<'_>) -> Role<'_> {
    match role {
        Role::Virtio(slot) => slot.device(),
        role => role,
    }
}

fn is_network(role: Role) -> bool {
    matches!(behind_transport(role), Role::NetworkInterface(_))
}

/// Replaces those bytes of `word` whose bit in `bytes` is set.
fn replace_bytes(word: &mut [u8], new: &[u8], bytes: u16) {
    for (n, (old, new)) in word.iter_mut().zip(new).enumerate() {
        if bytes & (1 << n) != 0 {
            *old = *new;
        }
    }
}
