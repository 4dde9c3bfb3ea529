// SPDX-License-Identifier: Apache-2.0
//! Observers: what may watch a machine run. The observer is a type parameter of the processor, so the
//! one that watches nothing, `()`, compiles to nothing.
//!
//! What is seen is the same for every architecture: instructions, accesses, exceptions, operations on
//! the registers of the system, marks of the guest. What only one has (its memory system, how an
//! instruction is encoded, what an exception or an operation is) it names by [`Observed`]. An observer
//! that can do without watches every architecture; one that cannot asks for more than `Observed`
//! ([`Timeline`](crate::trace::Timeline)), or is that architecture's (`arm/watch/ideal`).

use std::fmt::{Debug, Display, LowerHex};

use serde::Serialize;

use crate::counters::{Counter, Tally};
use crate::dev::Mark;
use crate::event::Cycle;
use crate::platform::Platform;

/// An architecture, as those see it who watch its machines.
pub trait Observed: Debug + Sized + 'static {
    /// Its memory system.
    type Memory: Memory;
    /// The encoding of an instruction: as people read it, and as a number.
    type Code: Copy + Default + Debug + Display + LowerHex;
    /// An exception that was taken.
    type Entry;
    /// A register of the system, or an operation by one.
    type Operation;
    /// What one of its registers holds.
    type Word: Word;
    /// The names of [`Commit::registers`]; there may be more of these.
    const REGISTERS: &'static [&'static str];
    /// The name of [`Commit::status`].
    const STATUS: &'static str;
    /// The counters that it brings: their values are in [`Tally::own`], their numbers are beyond those of
    /// [`Tally::COUNTERS`].
    const OWN_COUNTERS: &'static [Counter] = &[];
}

/// What a register holds: a number of as many bits as the architecture has.
pub trait Word: Copy + Debug + Default + Eq + LowerHex + Into<u64> + Serialize + 'static {
    /// Hexadecimal digits of one that is written in full.
    const DIGITS: usize;
}

impl Word for u32 {
    const DIGITS: usize = 8;
}

impl Word for u64 {
    const DIGITS: usize = 16;
}

/// What any observer may ask a memory system. Looking changes nothing.
pub trait Memory {
    /// Clock, bus and counters.
    fn platform(&self) -> &Platform;
    /// Everything counted so far, user and kernel together.
    fn tally(&self) -> Tally;
}

/// One instruction that has issued.
pub struct Commit<'a, A: Observed> {
    /// The cycle at which it has finished issuing.
    pub cycle: Cycle,
    /// Its virtual address.
    pub pc: u64,
    /// Its encoding.
    pub code: A::Code,
    /// Whether its condition held.
    pub executed: bool,
    /// The address of the next instruction.
    pub next_pc: u64,
    /// The mode, or level of privilege, of that.
    pub mode: u32,
    /// The registers afterwards.
    pub registers: &'a [A::Word],
    /// The register of flags afterwards.
    pub status: A::Word,
    /// The memory system afterwards.
    pub memory: &'a A::Memory,
}

/// A data access or an instruction fetch that has succeeded. One of more than a word, or of bytes that
/// are not aligned together, is shown in parts.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// The cycle at which it was done.
    pub cycle: Cycle,
    /// Address of the instruction that made it (the fetched one itself for a fetch).
    pub pc: u64,
    /// The address as the program issued it.
    pub va: u64,
    /// Bytes of the aligned unit around `va` that was accessed.
    pub bytes: u32,
    /// Whether it was made with the rights of a privileged mode.
    pub privileged: bool,
}

/// A write of a register of the system, or an operation by one.
pub struct SystemAccess<A: Observed> {
    /// Address of the instruction.
    pub pc: u64,
    /// What was written or done.
    pub what: A::Operation,
    /// Whether the processor sleeps now.
    pub sleeps: bool,
}

/// Watches a machine of architecture `A`. Methods of an observer whose [`Observer::ON`] is false are
/// never called.
pub trait Observer<A: Observed> {
    /// Whether there is anything to call.
    const ON: bool;
    /// Whether it is to be told of instructions as a whole, now.
    fn sees_commits(&self) -> bool {
        Self::ON
    }
    /// After each instruction, if it is to be told.
    fn commit(&mut self, _commit: &Commit<'_, A>) {}
    /// Before [`Observer::fetched`], where nobody is told of whole instructions, of one in the line of the
    /// instruction cache that is in `_slot`: whether all that there is to say of it is known already, so that
    /// it need not be told.
    fn expects(&mut self, _memory: &A::Memory, _access: &Access, _slot: usize) -> bool {
        false
    }
    /// After each instruction fetch, with the encoding that will execute.
    fn fetched(&mut self, _memory: &A::Memory, _access: &Access, _code: A::Code) {}
    /// After each load of a word or part of one, with what it read, right-aligned.
    fn loaded(&mut self, _memory: &A::Memory, _access: &Access, _value: u32) {}
    /// After each store of a word or part of one, with what it wrote in the low bits.
    fn stored(&mut self, _memory: &A::Memory, _access: &Access, _value: u32) {}
    /// After a debugger has changed memory at `_pa` and all copies of it.
    fn poked(&mut self, _pa: u32, _bytes: &[u8]) {}
    /// After an exception was taken, before its first instruction.
    fn entered(&mut self, _memory: &A::Memory, _entry: &A::Entry) {}
    /// After an access to a register of the system that may do more than read it.
    fn operated(&mut self, _memory: &A::Memory, _access: &SystemAccess<A>) {}
    /// What the guest has told the probe, in order; some time after it did.
    fn marked(&mut self, _marks: &[Mark]) {}
    /// After the machine was put into a saved state.
    fn restored(&mut self, _memory: &A::Memory) {}
}

/// Watches nothing.
impl<A: Observed> Observer<A> for () {
    const ON: bool = false;
}

/// The methods of an observer of architecture `$a`, each passed on: `forward!(A, Some)` to what is in
/// an option, `forward!(A, [a, b])` to these fields, in this order.
macro_rules! forward {
    ($a:ident, $to:tt) => {
        $crate::observe::forward! { $a $to
            commit(commit: &$crate::observe::Commit<'_, $a>);
            fetched(
                memory: &<$a as $crate::observe::Observed>::Memory,
                access: &$crate::observe::Access,
                code: <$a as $crate::observe::Observed>::Code
            );
            loaded(
                memory: &<$a as $crate::observe::Observed>::Memory,
                access: &$crate::observe::Access,
                value: u32
            );
            stored(
                memory: &<$a as $crate::observe::Observed>::Memory,
                access: &$crate::observe::Access,
                value: u32
            );
            poked(pa: u32, bytes: &[u8]);
            entered(
                memory: &<$a as $crate::observe::Observed>::Memory,
                entry: &<$a as $crate::observe::Observed>::Entry
            );
            operated(
                memory: &<$a as $crate::observe::Observed>::Memory,
                access: &$crate::observe::SystemAccess<$a>
            );
            marked(marks: &[$crate::dev::Mark]);
            restored(memory: &<$a as $crate::observe::Observed>::Memory);
        }
    };
    ($a:ident $to:tt $($method:ident($($name:ident: $type:ty),*);)+) => {
        $($crate::observe::forward! {
            @one $a $to $method ($($name),*) ($($name: $type),*)
        })+
    };
    (@one $a:ident Some $method:ident $given:tt ($($name:ident: $type:ty),*)) => {
        fn $method(&mut self, $($name: $type),*) {
            if let Some(observer) = self {
                $crate::observe::forward! { @call $a (*observer) $method $given }
            }
        }
    };
    (@one $a:ident [$($field:ident),+] $method:ident $given:tt ($($name:ident: $type:ty),*)) => {
        fn $method(&mut self, $($name: $type),*) {
            $($crate::observe::forward! { @call $a (self.$field) $method $given })+
        }
    };
    (@call $a:ident ($observer:expr) $method:ident ($($name:ident),*)) => {
        $crate::observe::Observer::<$a>::$method(&mut $observer, $($name),*);
    };
}
pub(crate) use forward;

/// An observer that may be absent.
impl<A: Observed, T: Observer<A>> Observer<A> for Option<T> {
    const ON: bool = T::ON;
    forward!(A, Some);

    fn sees_commits(&self) -> bool {
        self.as_ref().is_some_and(T::sees_commits)
    }

    fn expects(&mut self, memory: &A::Memory, access: &Access, slot: usize) -> bool {
        self.as_mut()
            .is_none_or(|observer| observer.expects(memory, access, slot))
    }
}
