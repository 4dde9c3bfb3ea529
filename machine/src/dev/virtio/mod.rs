// SPDX-License-Identifier: Apache-2.0
//! VIRTIO devices, with the registers of its MMIO transport (VIRTIO 1.2, 4.2): version 2, and the legacy
//! interface (4.2.4), which QEMU's machines show unless they are told not to. Which device it is says its
//! [`Backend`].
//!
//! Features are those of QEMU that need nothing of the host: no indirect descriptors, no event index, no
//! packed rings. A driver that writes what none may (a ring outside of memory, a chain without an end) gets
//! `DEVICE_NEEDS_RESET`, and nothing is served until it resets the device.

mod block;
mod console;
mod net;
mod queue;
#[cfg(test)]
mod tests;

use super::{DevCtx, Device, Role, Transport, Width};
use crate::state::{require, Damaged, Restorer, Saver, State};

pub use block::Block;
pub use console::{Console, NAME as CONSOLE};
pub use net::Net;
pub use queue::{Broken, Queue};

/// Bytes of registers.
pub const BYTES: u32 = 0x1000;

/// "virt", and the vendor that QEMU's devices have, which drivers ask for.
const MAGIC: u32 = 0x7472_6976;
const VENDOR: u32 = 0x554d_4551;

/// Registers (4.2.2, table 4.1; 4.2.4, table 4.2).
const MAGIC_VALUE: u32 = 0x000;
const VERSION: u32 = 0x004;
const DEVICE_ID: u32 = 0x008;
const VENDOR_ID: u32 = 0x00c;
const DEVICE_FEATURES: u32 = 0x010;
const DEVICE_FEATURES_SEL: u32 = 0x014;
const DRIVER_FEATURES: u32 = 0x020;
const DRIVER_FEATURES_SEL: u32 = 0x024;
const GUEST_PAGE_SIZE: u32 = 0x028;
const QUEUE_SEL: u32 = 0x030;
const QUEUE_NUM_MAX: u32 = 0x034;
const QUEUE_NUM: u32 = 0x038;
const QUEUE_ALIGN: u32 = 0x03c;
const QUEUE_PFN: u32 = 0x040;
const QUEUE_READY: u32 = 0x044;
const QUEUE_NOTIFY: u32 = 0x050;
const INTERRUPT_STATUS: u32 = 0x060;
const INTERRUPT_ACK: u32 = 0x064;
const STATUS: u32 = 0x070;
const QUEUE_DESC_LOW: u32 = 0x080;
const QUEUE_DESC_HIGH: u32 = 0x084;
const QUEUE_DRIVER_LOW: u32 = 0x090;
const QUEUE_DRIVER_HIGH: u32 = 0x094;
const QUEUE_DEVICE_LOW: u32 = 0x0a0;
const QUEUE_DEVICE_HIGH: u32 = 0x0a4;
const SHM_LEN_LOW: u32 = 0x0b0;
const SHM_BASE_HIGH: u32 = 0x0bc;
const CONFIG_GENERATION: u32 = 0x0fc;
const CONFIG: u32 = 0x100;

/// Features: any layout of a request (legacy), the device is not a legacy one.
const ANY_LAYOUT: u64 = 1 << 27;
const VERSION_1: u64 = 1 << 32;
/// Status.
const FEATURES_OK: u32 = 8;
const NEEDS_RESET: u32 = 0x40;
/// Interrupts: buffers were used, the configuration has changed.
const USED: u32 = 1;
const CHANGED: u32 = 2;
/// The alignment of the device's ring in a legacy queue, until the driver says another.
const PAGE: u32 = 4096;

/// What a device is.
pub trait Backend: State + Send + 'static + Sized {
    /// How many queues it has.
    const QUEUES: usize;
    /// Its number (chapter 5); 0: there is none.
    fn id(&self) -> u32;
    /// The features that it offers beside the transport's.
    fn features(&self) -> u64;
    /// Its configuration.
    fn config(&self, ctx: &DevCtx) -> Vec<u8>;
    /// The driver writes the field of its configuration at `offset`, if it may.
    fn set_config(&mut self, _offset: u32, _value: u32, _ctx: &mut DevCtx) {}
    /// The driver has put something into a queue. Whether that is to interrupt. It ends after as many chains
    /// as the queue has descriptors, whatever the driver does.
    ///
    /// # Errors
    /// What the driver has put there is against the rules.
    fn notified(
        &mut self,
        queue: usize,
        queues: &mut [Queue],
        modern: bool,
        ctx: &mut DevCtx,
    ) -> Result<bool, Broken>;
    /// What it is for the machine.
    fn role(device: &mut VirtioMmio<Self>) -> Role<'_>;
}

/// Nothing: a slot without a device.
#[derive(Debug, Default)]
pub struct Empty;

crate::saved!(Empty {});

impl Backend for Empty {
    const QUEUES: usize = 0;

    fn id(&self) -> u32 {
        0
    }

    fn features(&self) -> u64 {
        0
    }

    fn config(&self, _ctx: &DevCtx) -> Vec<u8> {
        Vec::new()
    }

    fn notified(
        &mut self,
        _queue: usize,
        _queues: &mut [Queue],
        _modern: bool,
        _ctx: &mut DevCtx,
    ) -> Result<bool, Broken> {
        Ok(false)
    }

    fn role(_device: &mut VirtioMmio<Self>) -> Role<'_> {
        Role::Registers
    }
}

/// A device on the bus.
#[derive(Debug)]
pub struct VirtioMmio<B> {
    name: &'static str,
    line: u32,
    legacy: bool,
    backend: B,
    device_features_sel: u32,
    driver_features_sel: u32,
    driver_features: u64,
    page_size: u32,
    align: u32,
    queue_sel: u32,
    queues: Vec<Queue>,
    interrupts: u32,
    status: u32,
    /// Whether there was a link when that was last looked at.
    link: bool,
}

impl<B: Backend + Default> VirtioMmio<B> {
    /// One that asserts interrupt source `line`, as reset leaves it.
    #[must_use]
    pub fn new(name: &'static str, line: u32) -> Self {
        Self {
            name,
            line,
            legacy: true,
            backend: B::default(),
            device_features_sel: 0,
            driver_features_sel: 0,
            driver_features: 0,
            page_size: PAGE,
            align: PAGE,
            queue_sel: 0,
            queues: vec![Queue::default(); B::QUEUES],
            interrupts: 0,
            status: 0,
            link: false,
        }
    }
}

impl<B: Backend> State for VirtioMmio<B> {
    fn save(&self, to: &mut Saver) {
        let Self {
            name: _,
            line: _,
            legacy,
            backend,
            device_features_sel,
            driver_features_sel,
            driver_features,
            page_size,
            align,
            queue_sel,
            queues,
            interrupts,
            status,
            link,
        } = self;
        to.put(&(legacy, link, device_features_sel, driver_features_sel));
        to.put(&(driver_features, page_size, align, queue_sel));
        to.put(&(queues, interrupts, status));
        backend.save(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        (
            self.legacy,
            self.link,
            self.device_features_sel,
            self.driver_features_sel,
        ) = from.take()?;
        (
            self.driver_features,
            self.page_size,
            self.align,
            self.queue_sel,
        ) = from.take()?;
        (self.queues, self.interrupts, self.status) = from.take()?;
        let right = self.queues.len() == B::QUEUES
            && self.queues.iter().all(|queue| queue.size <= queue::MOST)
            && self.align.is_power_of_two();
        require(right, "a VIRTIO device is damaged")?;
        self.backend.restore(from)
    }
}

impl<B: Backend> VirtioMmio<B> {
    fn features(&self) -> u64 {
        let own = if self.legacy { ANY_LAYOUT } else { VERSION_1 };
        self.backend.features() | own
    }

    fn reset(&mut self) {
        self.device_features_sel = 0;
        self.driver_features_sel = 0;
        self.driver_features = 0;
        self.page_size = PAGE;
        self.align = PAGE;
        self.queue_sel = 0;
        self.queues.fill(Queue::default());
        self.interrupts = 0;
        self.status = 0;
    }

    fn queue(&mut self) -> Option<&mut Queue> {
        self.queues.get_mut(self.queue_sel as usize)
    }

    fn settle(&self, ctx: &mut DevCtx) {
        ctx.set_line(self.line, self.interrupts != 0);
    }

    /// The configuration has changed, if `link` is another than it was.
    pub(super) fn config_changed_if(&mut self, link: bool) {
        if std::mem::replace(&mut self.link, link) != link && self.status != 0 {
            self.interrupts |= CHANGED;
        }
    }

    /// Lets the device look at a queue.
    pub(super) fn notify(&mut self, queue: usize, ctx: &mut DevCtx) {
        if queue < B::QUEUES && self.status & NEEDS_RESET == 0 {
            let modern = self.driver_features & VERSION_1 != 0;
            match self.backend.notified(queue, &mut self.queues, modern, ctx) {
                Ok(true) => self.interrupts |= USED,
                Ok(false) => {}
                Err(Broken) => {
                    self.status |= NEEDS_RESET;
                    self.interrupts |= CHANGED;
                }
            }
        }
        self.settle(ctx);
    }

    /// Where a legacy queue is: descriptors, the driver's ring, and aligned the device's (2.7.2).
    fn set_page(&mut self, page: u32) {
        let (page_size, align) = (u64::from(self.page_size), u64::from(self.align));
        let Some(queue) = self.queue() else { return };
        let size = queue.size;
        *queue = Queue::default();
        if page == 0 || size == 0 {
            return;
        }
        queue.size = size;
        queue.ready = true;
        queue.descriptors = u64::from(page) * page_size;
        queue.driver = queue.descriptors + 16 * u64::from(size);
        queue.device = (queue.driver + 2 * (3 + u64::from(size))).next_multiple_of(align);
    }

    fn page(&self) -> u32 {
        let queue = self.queues.get(self.queue_sel as usize);
        let at = queue.map_or(0, |queue| queue.descriptors);
        (at / u64::from(self.page_size)) as u32
    }

    fn register(&mut self, offset: u32) -> u32 {
        match offset {
            MAGIC_VALUE => return MAGIC,
            VERSION => return if self.legacy { 1 } else { 2 },
            DEVICE_ID => return self.backend.id(),
            VENDOR_ID => return if self.backend.id() == 0 { 0 } else { VENDOR },
            _ if self.backend.id() == 0 => return 0,
            _ => {}
        }
        let queue = self.queues.get(self.queue_sel as usize);
        match offset {
            DEVICE_FEATURES => match self.device_features_sel {
                0 => self.features() as u32,
                1 => (self.features() >> 32) as u32,
                _ => 0,
            },
            QUEUE_NUM_MAX => queue.map_or(0, |_| queue::MOST),
            QUEUE_PFN if self.legacy => self.page(),
            QUEUE_READY if !self.legacy => queue.is_some_and(|queue| queue.ready).into(),
            INTERRUPT_STATUS => self.interrupts,
            STATUS => self.status,
            // There is no shared memory: its length and place are all ones (4.2.2).
            SHM_LEN_LOW..=SHM_BASE_HIGH => u32::MAX,
            CONFIG_GENERATION => 0,
            _ => 0,
        }
    }

    fn set_status(&mut self, value: u32) {
        if value == 0 {
            return self.reset();
        }
        let mut status = value & 0xff | self.status & NEEDS_RESET;
        // Features that were not offered are not taken (2.2.2). A driver that does without VERSION_1 may be
        // refused (6.1); QEMU takes it, and xv6 and others, which know of 32 features only, live by that.
        let known = self.driver_features & !self.features() == 0;
        if !(self.legacy || known) {
            status &= !FEATURES_OK;
        }
        self.status = status;
    }

    fn set_register(&mut self, offset: u32, value: u32, ctx: &mut DevCtx) {
        let low = |old: u64| old & !0xffff_ffff | u64::from(value);
        let high = |old: u64| old & 0xffff_ffff | u64::from(value) << 32;
        let legacy = self.legacy;
        match offset {
            DEVICE_FEATURES_SEL => self.device_features_sel = value,
            DRIVER_FEATURES_SEL => self.driver_features_sel = value,
            DRIVER_FEATURES => match self.driver_features_sel {
                0 => self.driver_features = low(self.driver_features),
                1 if !legacy => self.driver_features = high(self.driver_features),
                _ => {}
            },
            GUEST_PAGE_SIZE if legacy && value != 0 => self.page_size = value,
            QUEUE_ALIGN if legacy && value.is_power_of_two() => self.align = value,
            QUEUE_SEL => self.queue_sel = value,
            QUEUE_PFN if legacy => self.set_page(value),
            QUEUE_NOTIFY => return self.notify(value as usize, ctx),
            INTERRUPT_ACK => self.interrupts &= !value,
            STATUS => self.set_status(value),
            _ => {
                if let Some(queue) = self.queue().filter(|queue| !queue.ready) {
                    match offset {
                        QUEUE_NUM if (1..=queue::MOST).contains(&value) => queue.size = value,
                        QUEUE_DESC_LOW => queue.descriptors = low(queue.descriptors),
                        QUEUE_DESC_HIGH => queue.descriptors = high(queue.descriptors),
                        QUEUE_DRIVER_LOW => queue.driver = low(queue.driver),
                        QUEUE_DRIVER_HIGH => queue.driver = high(queue.driver),
                        QUEUE_DEVICE_LOW => queue.device = low(queue.device),
                        QUEUE_DEVICE_HIGH => queue.device = high(queue.device),
                        QUEUE_READY if !legacy => queue.ready = value & 1 != 0 && queue.size != 0,
                        _ => {}
                    }
                } else if let (QUEUE_READY, 0, false, Some(queue)) =
                    (offset, value & 1, legacy, self.queue())
                {
                    *queue = Queue::default();
                }
            }
        }
        self.settle(ctx);
    }
}

impl<B: Backend> Device for VirtioMmio<B> {
    fn name(&self) -> &'static str {
        self.name
    }

    /// Registers are read as words; the configuration as its fields are wide.
    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        if let Some(at) = offset.checked_sub(CONFIG) {
            let config = match self.backend.id() {
                0 => Vec::new(),
                _ => self.backend.config(ctx),
            };
            let at = at as usize;
            let byte = |n: usize| u32::from(config.get(at + n).copied().unwrap_or(0)) << (8 * n);
            return (0..width.bytes() as usize).map(byte).sum();
        }
        match width {
            Width::Word => self.register(offset & !3),
            Width::Byte | Width::Half => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, width: Width, ctx: &mut DevCtx) {
        if self.backend.id() == 0 {
            return;
        }
        if let Some(at) = offset.checked_sub(CONFIG) {
            self.backend.set_config(at, value, ctx);
        } else if width == Width::Word {
            self.set_register(offset & !3, value, ctx);
        }
    }

    fn role(&mut self) -> Role<'_> {
        Role::Virtio(self)
    }
}

impl<B: Backend> Transport for VirtioMmio<B> {
    fn device(&mut self) -> Role<'_> {
        B::role(self)
    }

    fn set_legacy(&mut self, legacy: bool) {
        self.legacy = legacy;
    }
}
