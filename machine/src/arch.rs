// SPDX-License-Identifier: Apache-2.0
//! The face of an architecture: what the rest of the simulator asks of a processor. Each
//! architecture is a folder whose files have the same names (`arm/`, `ia32/`), and whose `Core`
//! implements [`Processor`].
//!
//! A machine has the processor's type as its parameter, so that these calls, made once in each
//! quantum, are compiled for that processor, and those of its instructions do not come by here.

use crate::bus::Bus;
use crate::config::MachineConfig;
use crate::dev::Mark;
use crate::event::Cycle;
use crate::platform::Platform;
use crate::state::State;

/// Why a processor cannot go on by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dead {
    /// Nothing can ever wake it.
    Hung(String),
    /// It takes the same exception at its own vector for ever.
    Died(String),
}

/// Something UNPREDICTABLE that the guest did at one address, for reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiagnosticCount {
    /// What, by its name.
    pub kind: &'static str,
    /// Address of the instruction.
    pub pc: u32,
    /// How often.
    pub count: u64,
}

/// A processor with its memory system, between the run loop (`machine.rs`) and the bus.
pub trait Processor: State + Sized {
    /// What watches it.
    type Observer;

    /// The processor of `config`, in front of `bus`, as reset leaves it.
    fn new(config: &MachineConfig, bus: Bus, observer: Self::Observer) -> Self;

    /// Clock, bus and counters.
    fn platform(&self) -> &Platform;

    /// The same, to change.
    fn platform_mut(&mut self) -> &mut Platform;

    /// Brings the counters up to date: before devices are met and counters are read.
    fn sync_counters(&mut self);

    /// Puts it where a kernel starts: at `pc`, with what the board's loader hands over.
    fn start(&mut self, pc: u32, registers: &[u32]);

    /// The address of the next instruction.
    fn pc(&self) -> u32;

    /// Runs instructions until the platform's horizon.
    fn run_to_horizon(&mut self);

    /// Takes a pending interrupt if one is unmasked, and wakes the processor. Called by the run
    /// loop whenever pins or masks may have changed.
    fn poll_interrupts(&mut self);

    /// Whether it sleeps until an interrupt.
    fn waits_for_interrupt(&self) -> bool;

    /// Sleeps up to `until` or the next event. `false` if no event will ever come.
    fn sleep(&mut self, until: Cycle) -> bool {
        self.platform_mut().sleep(until)
    }

    /// Why it cannot go on, if that is so; says it once.
    fn take_dead(&mut self) -> Option<Dead>;

    /// The UNPREDICTABLE things that the guest did, by kind and address.
    fn diagnostics(&self) -> Vec<DiagnosticCount>;

    /// Its registers as lines of text, for the report on a guest that did not end by itself.
    fn describe(&self) -> String;

    /// Bytes that its caches hold: what a saved machine may be large by.
    fn cache_bytes(&self) -> u64;

    /// What watches it.
    fn observer(&mut self) -> &mut Self::Observer;

    /// Tells the observer what the guest has told the probe.
    fn show_marks(&mut self, marks: &[Mark]);

    /// Tells the observer that the machine was put into a saved state.
    fn show_restored(&mut self);
}
