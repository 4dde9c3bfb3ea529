// SPDX-License-Identifier: Apache-2.0
//! The state of a machine's parts: everything that decides what happens next, so that going on from
//! it gives the same cycles, counts and output as never having stopped. Hints (a remembered way,
//! the fetched line) are left out: they change nothing. A whole machine's is in
//! [`snapshot`](crate::snapshot).
//!
//! Whoever reads a state may be given any bytes: lengths and numbers that index something are
//! checked.

use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::event::{Cycle, NEVER};

/// Later than any cycle that a machine has got to: years, but far from overflow.
const MAX_CYCLE: Cycle = 1 << 56;

/// What was read back is no state of this machine, or of none; says in a few words why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged(pub String);

impl From<&str> for Damaged {
    fn from(what: &str) -> Self {
        Self(what.to_string())
    }
}

/// Says `what` is wrong unless `holds`.
///
/// # Errors
/// That.
pub fn require(holds: bool, what: &str) -> Result<(), Damaged> {
    if holds {
        Ok(())
    } else {
        Err(what.into())
    }
}

/// Whether a saved cycle is one that a machine can get to; a deadline may also be "never".
#[must_use]
pub fn plausible(cycle: Cycle) -> bool {
    cycle < MAX_CYCLE || cycle == NEVER
}

/// A part of a machine that can be saved, and put into that state again.
pub trait State {
    /// Appends what changes while the machine runs; the rest the machine file gives again.
    fn save(&self, to: &mut Saver);
    /// Takes it back, into a part of the same kind as reset leaves it. After an error the part is
    /// in no particular state.
    ///
    /// # Errors
    /// What was saved cannot be a state of this part.
    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged>;
}

/// Takes values one after another.
#[derive(Debug, Default)]
pub struct Saver(Vec<u8>);

impl Saver {
    /// Appends a value.
    pub fn put<T: Serialize + ?Sized>(&mut self, value: &T) {
        let bytes = std::mem::take(&mut self.0);
        // Nothing that is saved can fail to serialise: numbers, and collections of known length.
        self.0 = postcard::to_extend(value, bytes).expect("plain values");
    }

    /// How many bytes have been put.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing has been put.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was put.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Gives values back in the same order.
#[derive(Debug)]
pub struct Restorer<'a>(&'a [u8]);

impl<'a> Restorer<'a> {
    /// Of the bytes that a [`Saver`] has left.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next value.
    ///
    /// # Errors
    /// The bytes are no such value.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<T, Damaged> {
        let (value, rest) = postcard::take_from_bytes(self.0)
            .map_err(|_| Damaged::from("is damaged, or of another version"))?;
        self.0 = rest;
        Ok(value)
    }

    /// Nothing may be left.
    ///
    /// # Errors
    /// Something is.
    pub fn finish(&self) -> Result<(), Damaged> {
        require(self.0.is_empty(), "is damaged, or of another version")
    }
}

/// Implements [`State`] for a struct: names the fields that are saved and, after `given`, those
/// that the board or the machine file gives again. One that is forgotten does not compile. A
/// condition on what was read may follow.
#[macro_export]
macro_rules! saved {
    ($type:ty { $($saved:ident),* $(,)? } $(given { $($given:ident),* $(,)? })?
     $(if $valid:expr)?) => {
        impl $crate::state::State for $type {
            fn save(&self, to: &mut $crate::state::Saver) {
                let Self { $($saved,)* $($($given: _,)*)? } = self;
                $(to.put($saved);)*
                let _ = to;
            }

            fn restore(
                &mut self,
                from: &mut $crate::state::Restorer,
            ) -> Result<(), $crate::state::Damaged> {
                $(self.$saved = from.take()?;)*
                let _ = from;
                $(
                    let valid: fn(&Self) -> bool = $valid;
                    $crate::state::require(valid(self), concat!(stringify!($type), " is damaged"))?;
                )?
                Ok(())
            }
        }
    };
}
