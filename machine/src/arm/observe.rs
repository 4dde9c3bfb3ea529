// SPDX-License-Identifier: Apache-2.0
//! Observers: what may watch a machine run. The observer is a type parameter of the core, so the
//! one that watches nothing, `()`, compiles to nothing.

use super::core::Exception;
use super::cp15::Register;
use super::memsys::MemSys;
use crate::dev::{Mark, Width};
use crate::event::Cycle;

/// One instruction that has issued.
#[derive(Debug, Clone, Copy)]
pub struct Commit {
    /// The cycle at which it has finished issuing.
    pub cycle: Cycle,
    /// Its virtual address.
    pub pc: u32,
    /// Its encoding.
    pub insn: u32,
    /// Whether its condition held.
    pub executed: bool,
    /// The program status register afterwards.
    pub cpsr: u32,
    /// The registers afterwards; the last is the address of the next instruction.
    pub r: [u32; 16],
}

/// A data access or an instruction fetch that has succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// The cycle at which it was done.
    pub cycle: Cycle,
    /// Address of the instruction that made it (the fetched one itself for a fetch).
    pub pc: u32,
    /// The address as the program issued it.
    pub va: u32,
    /// How much of the aligned unit at `va` was accessed.
    pub width: Width,
    /// Whether it was made with the rights of a privileged mode.
    pub privileged: bool,
}

/// An exception that was taken.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Which.
    pub exception: Exception,
    /// The link register of its mode.
    pub return_address: u32,
    /// The program status register of what it has interrupted.
    pub saved: u32,
    /// The registers; r0 to r7 are still those of what it has interrupted.
    pub r: [u32; 16],
}

/// A write of a register of the system control coprocessor, or an operation by one.
#[derive(Debug, Clone, Copy)]
pub struct SystemAccess {
    /// Address of the instruction.
    pub pc: u32,
    /// The register.
    pub register: Register,
    /// What was written.
    pub value: u32,
    /// Whether the processor sleeps now.
    pub sleeps: bool,
}

/// Watches a machine. Methods of an observer whose [`Observer::ON`] is false are never called.
pub trait Observer {
    /// Whether there is anything to call.
    const ON: bool;
    /// After each instruction.
    fn commit(&mut self, _commit: &Commit) {}
    /// After each instruction fetch, with the encoding that will execute.
    fn fetched(&mut self, _memory: &MemSys, _access: &Access, _insn: u32) {}
    /// After each load of a word or part of one, with what it read, right-aligned.
    fn loaded(&mut self, _memory: &MemSys, _access: &Access, _value: u32) {}
    /// After each store of a word or part of one, with what it wrote in the low bits.
    fn stored(&mut self, _memory: &MemSys, _access: &Access, _value: u32) {}
    /// After a debugger has changed memory at `_pa` and all copies of it.
    fn poked(&mut self, _pa: u32, _bytes: &[u8]) {}
    /// After an exception was taken, before its first instruction.
    fn entered(&mut self, _memory: &MemSys, _entry: &Entry) {}
    /// After an access to CP15 that may do more than read a register.
    fn operated(&mut self, _memory: &MemSys, _access: &SystemAccess) {}
    /// What the guest has told the probe, in order; some time after it did.
    fn marked(&mut self, _marks: &[Mark]) {}
    /// After the machine was put into a saved state.
    fn restored(&mut self, _memory: &MemSys) {}
}

/// Watches nothing.
impl Observer for () {
    const ON: bool = false;
}

/// An observer's methods, each passed on: `forward!(Some)` to what is in an option, `forward!([a, b])`
/// to these fields, in this order.
macro_rules! forward {
    ($to:tt) => {
        $crate::arm::observe::forward! { $to
            commit(commit: &Commit);
            fetched(memory: &MemSys, access: &Access, insn: u32);
            loaded(memory: &MemSys, access: &Access, value: u32);
            stored(memory: &MemSys, access: &Access, value: u32);
            poked(pa: u32, bytes: &[u8]);
            entered(memory: &MemSys, entry: &Entry);
            operated(memory: &MemSys, access: &SystemAccess);
            marked(marks: &[Mark]);
            restored(memory: &MemSys);
        }
    };
    ($to:tt $($method:ident($($name:ident: $type:ty),*);)+) => {
        $($crate::arm::observe::forward! { @one $to $method ($($name),*) ($($name: $type),*) })+
    };
    (@one Some $method:ident $given:tt ($($name:ident: $type:ty),*)) => {
        fn $method(&mut self, $($name: $type),*) {
            if let Some(observer) = self {
                observer.$method $given;
            }
        }
    };
    (@one [$($field:ident),+] $method:ident $given:tt ($($name:ident: $type:ty),*)) => {
        fn $method(&mut self, $($name: $type),*) {
            $(self.$field.$method $given;)+
        }
    };
}
pub(crate) use forward;

/// An observer that may be absent.
impl<A: Observer> Observer for Option<A> {
    const ON: bool = A::ON;
    forward!(Some);
}
