// SPDX-License-Identifier: Apache-2.0
//! Devices: one file each. A device is a window of registers on the bus, an optional deadline and
//! an optional set of interrupt sources; it learns of the rest of the machine only through
//! [`DevCtx`]. What it saves is a line, [`saved!`](crate::saved). Boards (`board/`) say which devices stand where.

#[cfg(test)]
pub(crate) mod bench;
pub mod clint;
pub mod display;
pub mod ethernet;
pub mod finisher;
pub mod goldfish_rtc;
pub mod gpio;
pub mod i8042;
pub mod i8254;
pub mod i8259;
pub mod intc;
pub mod keyboard;
pub mod mc146818;
pub mod medium;
pub mod ne2000;
pub mod network;
pub mod ns16550;
pub mod os_timer;
pub mod pl011;
pub mod pl031;
pub mod pl050;
pub mod pl061;
pub mod pl110;
pub mod pl181;
pub mod plic;
pub mod power;
pub mod ppc;
pub mod primecell;
pub mod probe;
pub mod reset;
pub mod rom;
pub mod rtc;
pub mod sbcon;
pub mod sdcard;
pub mod sic;
pub mod smc91c111;
pub mod sp804;
pub mod sp805;
pub mod storage;
pub mod sysreg;
pub mod uart;
pub mod vbe;
pub mod vga;
pub mod vic;
pub mod virtio;

use serde::{Deserialize, Serialize};

use crate::counters::Counters;
use crate::event::{Cycle, EventQueue, NEVER};
use crate::state::{plausible, State};

use self::medium::Medium;

/// Bytes of a page, of which a bus knows whether it was written.
pub const PAGE: usize = 4096;

/// The width of a bus access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl Width {
    /// The width in bytes: 1, 2 or 4.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::Byte => 1,
            Self::Half => 2,
            Self::Word => 4,
        }
    }
}

/// What a guest has told the probe about where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub cycle: Cycle,
    /// What.
    pub kind: MarkKind,
}

/// What a mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// The region of interest of this number begins.
    Begin(u32),
    /// It ends.
    End(u32),
    /// The event of this number has happened.
    Event(u32),
}

/// Something that comes from outside the machine, at a moment that nothing in it decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Bytes are typed on the console.
    Typed(Vec<u8>),
    /// A frame stands in the cable of the network interface.
    Frame(Vec<u8>),
    /// The interface is told of those that stand there.
    Arrived,
    /// The cable is plugged in, or unplugged.
    Cable(bool),
    /// A key of the keyboard is pressed, or released.
    Key(keyboard::Key, bool),
}

/// How the running space is known: addresses after translation is on, that are the kernel's and so
/// the same in every space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spaces {
    /// The word that points to what the kernel keeps of the running thread, or is 0.
    pub word: u32,
    /// Where in that is the pointer to what it keeps of the thread's space, which may be 0.
    pub thread: u32,
    /// Where in that is the pointer to the space's own page directory.
    pub directory: u32,
    /// Addresses from here on are the kernel's, and in no space's directory; 0: nothing is known.
    pub kernel: u32,
    /// Where in a space are base and size of its programs' linear addresses; 0: they are all one.
    pub segment: u32,
    /// Linear addresses from here on are the same in every space.
    pub shared: u32,
}

/// The outside world as devices see it: the console's two directions and the guest's wish to end.
#[derive(Debug, Default)]
pub struct Host {
    /// Console bytes from the guest that nobody has taken yet; the run loop's owner drains it.
    pub output: Vec<u8>,
    /// Console bytes for the guest.
    pub input: std::collections::VecDeque<u8>,
    /// The serial port that is the console, by its device's name; nothing is at the others' ends.
    pub console: &'static str,
    /// A port beside it whose output is shown with the console's; empty: there is none.
    pub beside: &'static str,
    /// The other serial ports that the guest has written to, the first one first.
    pub unheard: Vec<&'static str>,
    /// What is typed goes to semihosting calls, not to the console's serial port.
    pub input_is_semihosted: bool,
    /// Where the guest has made its first semihosting call that nobody served.
    pub semihosting: Option<u32>,
    /// The first file of the host's that the guest wanted by such a call, and did not get.
    pub refused_file: Option<String>,
    /// The slots for memory cards in which there is one, a bit each.
    pub cards: u32,
    /// The network interface's end of its cable.
    pub net: network::Port,
    /// Set by the probe: the guest asks for the end of the run, with this exit status.
    pub exit: Option<u32>,
    /// Set by the probe: caches, TLBs and buffers are to be empty before the next instruction.
    pub empty: bool,
    /// Set by a power register: the guest switched the machine off; says how.
    pub power_off: Option<&'static str>,
    /// Set by a reset or watchdog register: the machine stopped otherwise; says why.
    pub stopped: Option<&'static str>,
    /// What the guest has marked and nobody has taken yet; `None`: nobody wants to know.
    pub marks: Option<Vec<Mark>>,
    /// What has come from outside and nobody has noted yet; `None`: nobody wants to know.
    pub inputs: Option<Vec<Input>>,
    /// What the guest has told the probe of its address spaces.
    pub spaces: Spaces,
    /// The platform's clock, if the processor reads it too.
    pub timebase: Timebase,
    /// Raw samples by stream, as the guest wrote them to the probe.
    pub samples: std::collections::BTreeMap<u32, Vec<u32>>,
}

impl Host {
    /// Takes what the guest sends on serial port `name`.
    pub fn sent(&mut self, name: &'static str, bytes: impl IntoIterator<Item = u8>) {
        if self.console == name || self.beside == name {
            self.output.extend(bytes);
        } else if !self.unheard.contains(&name) && bytes.into_iter().next().is_some() {
            self.unheard.push(name);
        }
    }

    /// Whether the guest wants something of whoever runs it.
    #[inline]
    #[must_use]
    pub fn asks(&self) -> bool {
        self.empty | self.exit.is_some() | self.power_off.is_some() | self.stopped.is_some()
    }

    /// Whether there is input for serial port `name`.
    #[must_use]
    pub fn has_input_for(&self, name: &str) -> bool {
        !self.input.is_empty() && self.console == name && !self.input_is_semihosted
    }
}

/// What a device may see and do while one of its methods runs.
pub struct DevCtx<'a> {
    /// The current cycle.
    pub now: Cycle,
    /// The clock that cycles count, in Hz.
    pub clock_hz: u64,
    /// This device's number in the event queue.
    pub device: usize,
    /// Deadlines.
    pub events: &'a mut EventQueue,
    /// Interrupt sources, one bit a line of the board's interrupt controllers; set or clear own
    /// bits. A secondary controller's sources follow those of the first.
    pub lines: &'a mut u64,
    /// The outside world.
    pub host: &'a mut Host,
    /// The machine's counters (for the probe).
    pub counters: &'a mut Counters,
    /// Memory, for devices that reach it by themselves.
    pub memory: DeviceMemory<'a>,
}

impl DevCtx<'_> {
    /// Sets interrupt source `line` to `level`.
    pub fn set_line(&mut self, line: u32, level: bool) {
        let bit = 1u64 << line;
        if level {
            *self.lines |= bit;
        } else {
            *self.lines &= !bit;
        }
    }

    /// Notes what the guest says about where it is, for whoever wants to know.
    pub fn mark(&mut self, kind: MarkKind) {
        let cycle = self.now;
        if let Some(marks) = &mut self.host.marks {
            marks.push(Mark { cycle, kind });
        }
    }

    /// Asks to be woken at cycle `at`.
    #[inline]
    pub fn wake_at(&mut self, at: Cycle) {
        self.events.schedule(self.device, at);
    }
}

/// What the interrupt controller tells the processor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// The normal interrupt request is asserted.
    pub irq: bool,
    /// The fast interrupt request is asserted.
    pub fiq: bool,
    /// A source is asserted that ends idle mode (it may be masked, so that neither of the two
    /// requests follows).
    pub wake: bool,
    /// The bits of `mip` that a RISC-V platform drives (privileged specification, `mip`).
    pub mip: u16,
}

/// A clock that the platform and the processor both read: `mtime` of a RISC-V platform.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timebase {
    /// Its ticks a second; 0: there is none.
    pub hz: u64,
    /// What it said at cycle 0.
    pub start: u64,
}

impl Timebase {
    /// What it says at cycle `now`.
    #[must_use]
    pub fn ticks(&self, now: Cycle, clock_hz: u64) -> u64 {
        ticks(now, self.hz, clock_hz).wrapping_add(self.start)
    }

    /// The cycle at which it will say `ticks`, which is more than it says at cycle `now`; [`NEVER`] if
    /// that is too far away to come.
    #[must_use]
    pub fn cycle_of(&self, ticks: u64, now: Cycle, clock_hz: u64) -> Cycle {
        if self.hz == 0 {
            return NEVER;
        }
        let more = ticks.wrapping_sub(self.ticks(now, clock_hz));
        let after = u128::from(self::ticks(now, self.hz, clock_hz)) + u128::from(more);
        let cycle = (after * u128::from(clock_hz)).div_ceil(self.hz.into());
        let cycle = Cycle::try_from(cycle).unwrap_or(NEVER);
        if plausible(cycle) {
            cycle
        } else {
            NEVER
        }
    }
}

/// Memory as a device reaches it by itself. It goes past the processor's caches, as a coherent bus lets
/// it: these hold no data of their own where a device of this kind is.
#[derive(Debug)]
pub struct DeviceMemory<'a> {
    /// Physical address of the first byte.
    pub base: u32,
    /// All of it.
    pub bytes: &'a mut [u8],
    /// Which pages were written.
    pub written: &'a mut [bool],
    /// What devices have written.
    pub dma: &'a mut Dma,
}

/// What devices have written to memory by themselves.
#[derive(Debug, Default)]
pub struct Dma {
    /// How often.
    pub writes: u64,
    /// Address and bytes of each since somebody has taken them; `None`: nobody wants to know.
    pub ranges: Option<Vec<(u32, u32)>>,
}

impl DeviceMemory<'_> {
    /// The bytes at `at`, if all of them are memory.
    #[must_use]
    pub fn read(&self, at: u64, bytes: usize) -> Option<&[u8]> {
        let start = usize::try_from(at.checked_sub(self.base.into())?).ok()?;
        self.bytes.get(start..start.checked_add(bytes)?)
    }

    /// Writes bytes to `at`. `None`: not all of that is memory, and nothing was written.
    pub fn write(&mut self, at: u64, data: &[u8]) -> Option<()> {
        let start = usize::try_from(at.checked_sub(self.base.into())?).ok()?;
        let end = start.checked_add(data.len())?;
        self.bytes.get_mut(start..end)?.copy_from_slice(data);
        if !data.is_empty() {
            self.written[start / PAGE..end.div_ceil(PAGE)].fill(true);
            self.dma.writes += 1;
            if let Some(ranges) = &mut self.dma.ranges {
                ranges.push((at as u32, data.len() as u32));
            }
        }
        Some(())
    }
}

/// Ticks of a clock of `hz` in `now` cycles. Exact, so that no rounding accumulates.
#[must_use]
pub fn ticks(now: Cycle, hz: u64, clock_hz: u64) -> u64 {
    (u128::from(now) * u128::from(hz) / u128::from(clock_hz)) as u64
}

/// The first cycle at which `ticks` have passed.
#[must_use]
pub fn cycle_of(ticks: u64, hz: u64, clock_hz: u64) -> Cycle {
    (u128::from(ticks) * u128::from(clock_hz)).div_ceil(u128::from(hz)) as Cycle
}

/// The part of a register that a narrower access reads, right-aligned. Registers are words, and
/// the manual defines only word accesses; drivers that read a byte get the lane it stands in.
#[must_use]
pub fn lane(word: u32, offset: u32, width: Width) -> u32 {
    match width {
        Width::Byte => word >> (8 * (offset & 3)) & 0xff,
        Width::Half => word >> (8 * (offset & 2)) & 0xffff,
        Width::Word => word,
    }
}

/// A device: registers at an offset from its base, woken by the event queue. Register accesses
/// have side effects at the cycle `ctx.now`.
pub trait Device: State + Send {
    /// A short name for messages ("uart1").
    fn name(&self) -> &'static str;
    /// Reads the register at `offset`.
    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32;
    /// Writes the register at `offset`.
    fn write(&mut self, offset: u32, value: u32, width: Width, ctx: &mut DevCtx);
    /// The deadline that the device asked for has come.
    fn fire(&mut self, _ctx: &mut DevCtx) {}
    /// Of a device at ports: whether it takes 16 bits at once at `offset`. Else they come as bytes.
    fn takes_half(&self, _offset: u32) -> bool {
        false
    }
    /// Whether it may reset the machine by itself, as a watchdog that is on does.
    fn may_reset(&self) -> bool {
        false
    }
    /// What else it is for the machine.
    fn role(&mut self) -> Role<'_> {
        Role::Registers
    }
}

/// What a device is for the machine. It is the same from reset on.
pub enum Role<'a> {
    /// Nothing but registers, a deadline and interrupt sources.
    Registers,
    /// It drives the processor's interrupt inputs.
    InterruptController(&'a mut dyn InterruptController),
    /// It drives some of that one's sources.
    SecondaryController(&'a mut dyn SecondaryController),
    /// A serial port, which can be the console.
    SerialPort(&'a mut dyn SerialPort),
    /// A network interface: `host.net` is its.
    NetworkInterface(&'a mut dyn NetworkInterface),
    /// It has a slot for a medium.
    MediumSlot(&'a mut dyn MediumSlot),
    /// It keeps the clock that the platform and the processor both read, of so many ticks a second.
    Clock(u64),
    /// A ROM: its words.
    Rom(&'a mut Vec<u32>),
    /// It is on a VIRTIO bus.
    Virtio(&'a mut dyn Transport),
    /// A display controller.
    Display(&'a dyn display::Display),
    /// A keyboard is plugged into it.
    KeyboardPort(&'a mut dyn KeyboardPort),
    /// It looks at the counters, so that they must be up to date when it is accessed.
    Probe,
}

/// The interrupt controller.
pub trait InterruptController {
    /// The processor's pins, given all sources. Called at each of their changes, so that a controller sees
    /// edges, and after each access to it.
    fn pins(&mut self, sources: u64) -> Pins;
    /// For a processor that asks which interrupt it takes: the vector of the one that is in service from
    /// now on.
    fn acknowledge(&mut self) -> Option<u8> {
        None
    }
    /// Whether there is a source that is not masked in it. Only an access to it changes that.
    fn lets_interrupts_through(&self) -> bool;
}

/// A secondary interrupt controller.
pub trait SecondaryController {
    /// The sources once more, with those that it drives as its own sources have them.
    fn cascade(&self, sources: u64) -> u64;
}

/// A serial port.
pub trait SerialPort {
    /// Host input has arrived in `ctx.host.input`, perhaps for another port.
    fn input_arrived(&mut self, ctx: &mut DevCtx);
    /// Of a port that is there only if somebody wants it: it is from now on, before the run. Gives whether
    /// it is such a one.
    fn plug(&mut self) -> bool {
        false
    }
}

/// What a keyboard is plugged into.
pub trait KeyboardPort {
    /// A key is pressed, or released.
    fn key(&mut self, key: keyboard::Key, pressed: bool, ctx: &mut DevCtx);
}

/// A slot for a medium.
pub trait MediumSlot {
    /// What goes into it, in words: several of them.
    fn takes(&self) -> &'static str;
    /// Whether it can have so many bytes.
    ///
    /// # Errors
    /// What is expected instead.
    fn check_size(&self, bytes: u64) -> Result<(), String>;
    /// Puts one in.
    fn insert(&mut self, medium: Medium);
    /// The one that is in.
    fn medium(&mut self) -> Option<&mut Medium>;
}

/// A slot of a VIRTIO bus.
pub trait Transport {
    /// What stands in it, as slots with a medium or a network interface say too.
    fn device(&mut self) -> Role<'_>;
    /// It shows the registers of the legacy interface (VIRTIO 1.2, 4.2.4), or those of version 2.
    fn set_legacy(&mut self, legacy: bool);
}

/// A network interface.
pub trait NetworkInterface {
    /// Frames have arrived in `ctx.host.net.incoming`, or its cable was plugged or unplugged.
    fn network_arrived(&mut self, ctx: &mut DevCtx);
}
