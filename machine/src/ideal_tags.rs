// SPDX-License-Identifier: Apache-2.0
//! Ideal address-space tags (`[processor] address-space-tags = "ideal"`, docs/machine-tags.md): what every
//! architecture keeps beside its TLBs for them. No such processor was built. A TLB has only the translations
//! that answer now; each of its places remembers here what it holds, under whichever page directory that
//! answers. So it is taken away when it is true no more, and not before.
//!
//! What would have to be looked up at each store is found by a bit for each piece of memory that a
//! translation, or whatever else must not go stale, may have come from.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::bus::Bus;
use crate::state::{require, Damaged, Restorer, Saver};

/// The TLB for instructions.
pub const INSNS: usize = 0;
/// The TLB for data.
pub const DATA: usize = 1;

/// What the places of two TLBs hold, as an architecture has it (`H`), and which pieces of memory of `PIECE`
/// bytes are watched.
#[derive(Debug)]
pub struct Tags<H, const PIECE: u32> {
    /// By TLB and place.
    held: [Vec<Option<H>>; 2],
    ram_base: u32,
    /// A bit for each piece of memory.
    watched: Vec<u64>,
}

impl<H: Copy + Serialize + DeserializeOwned, const PIECE: u32> Tags<H, PIECE> {
    /// Nothing is held, nothing watched. `places` are those of the instruction TLB and of the data TLB.
    #[must_use]
    pub fn new(bus: &Bus, places: [usize; 2]) -> Self {
        let (ram_base, bytes) = bus.ram_window();
        let pieces = (bytes / PIECE) as usize;
        Self {
            held: places.map(|places| vec![None; places]),
            ram_base,
            watched: vec![0; pieces.div_ceil(64)],
        }
    }

    // ---- places ----------------------------------------------------------------------------

    /// Every place of both TLBs.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let [insns, data] = [INSNS, DATA].map(|tlb| self.held[tlb].len());
        let insns = (0..insns).map(|place| (INSNS, place));
        insns.chain((0..data).map(|place| (DATA, place)))
    }

    /// What a place holds.
    #[must_use]
    pub fn held(&self, tlb: usize, place: usize) -> Option<H> {
        self.held[tlb][place]
    }

    /// A place holds something else from now on, or nothing.
    pub fn hold(&mut self, tlb: usize, place: usize, held: Option<H>) {
        self.held[tlb][place] = held;
    }

    /// No place holds anything.
    pub fn release_all(&mut self) {
        for held in &mut self.held {
            held.fill(None);
        }
    }

    // ---- memory ----------------------------------------------------------------------------

    /// Word and bit of the piece of `pa`, if memory is there.
    #[inline]
    fn bit(&self, pa: u32) -> Option<(usize, u64)> {
        let piece = (pa.wrapping_sub(self.ram_base) / PIECE) as usize;
        (piece / 64 < self.watched.len()).then_some((piece / 64, 1 << (piece % 64)))
    }

    /// Whether the piece of `pa` is watched.
    #[inline]
    #[must_use]
    pub fn watched(&self, pa: u32) -> bool {
        let bit = self.bit(pa);
        bit.is_some_and(|(word, bit)| self.watched[word] & bit != 0)
    }

    /// Watches it.
    pub fn watch(&mut self, pa: u32) {
        if let Some((word, bit)) = self.bit(pa) {
            self.watched[word] |= bit;
        }
    }

    /// Watches it no more.
    pub fn forget(&mut self, pa: u32) {
        if let Some((word, bit)) = self.bit(pa) {
            self.watched[word] &= !bit;
        }
    }

    // ---- a saved machine -------------------------------------------------------------------

    /// Saves what the places hold; what is watched follows from that.
    pub fn save(&self, to: &mut Saver) {
        to.put(&self.held);
    }

    /// Takes it back, after the TLBs; `right` says whether a place of theirs can hold something, or nothing.
    /// Nothing is watched then.
    ///
    /// # Errors
    /// The places are others, or one of them holds what it cannot.
    pub fn restore(
        &mut self,
        from: &mut Restorer,
        right: impl Fn(usize, usize, Option<&H>) -> bool,
    ) -> Result<(), Damaged> {
        let held: [Vec<Option<H>>; 2] = from.take()?;
        let sizes = |held: &[Vec<Option<H>>; 2]| [held[INSNS].len(), held[DATA].len()];
        require(
            sizes(&held) == sizes(&self.held),
            "has other TLBs than the machine",
        )?;
        for (tlb, places) in held.iter().enumerate() {
            for (place, held) in places.iter().enumerate() {
                require(right(tlb, place, held.as_ref()), "has damaged TLBs")?;
            }
        }
        self.held = held;
        self.watched.fill(0);
        Ok(())
    }
}
