// SPDX-License-Identifier: Apache-2.0
//! The pipeline as the memory system knows it. It has the data caches, knows when an access can be made, and
//! moves the machine's clock; [`timing`](crate::ia32::cpu::timing) is the one that there is.

use crate::platform::Platform;
use crate::state::State;

use super::hierarchy::Sixth;

/// Takes the time of what the instruction that executes does to memory.
pub trait Pipeline: State {
    /// Sets the machine's clock, which falls behind while instructions execute that nobody outside the
    /// processor sees.
    fn tell(&self, platform: &mut Platform);

    /// The instruction reads `bytes` of cached memory at `pa`, in one page.
    fn load(&mut self, pa: u32, bytes: u32, platform: &mut Platform);

    /// It reads a byte or more of the line at `pa`, which was in `slot` of the first level. False: it is
    /// there no longer, or this is no plain load, and nothing was done.
    fn load_in(&mut self, pa: u32, slot: usize, platform: &mut Platform) -> bool;

    /// The slot of the first level in which the line at `pa` is.
    fn slot_of(&self, pa: u32) -> Option<usize>;

    /// It writes there.
    fn store(&mut self, pa: u32, bytes: u32, platform: &mut Platform);

    /// It reads or writes beside the caches.
    fn access_device(&mut self);

    /// It reads or writes a port: the machine's clock goes on before the device is asked.
    fn access_port(&mut self, platform: &mut Platform);

    /// The caches are emptied.
    fn empty_caches(&mut self, platform: &mut Platform);

    /// Whether what misses the caches is taken in from now on.
    fn set_fills(&mut self, fills: bool);

    /// A walk begins, for data or code: when.
    fn begin_walk(&mut self, fetch: bool) -> Sixth;

    /// It reads an entry of a table at `pa`, through the second level: when that is there.
    fn walk_read(&mut self, pa: u32, at: Sixth, platform: &mut Platform) -> Sixth;

    /// It is over.
    fn end_walk(&mut self, at: Sixth, fetch: bool, platform: &mut Platform);

    /// An instruction is fetched where no cache is.
    fn fetch_device(&mut self, platform: &mut Platform);

    /// Code was not decoded: `count` instructions of `uops` µops in all, whose first and last bytes are
    /// at these physical addresses.
    fn build(&mut self, ends: [u32; 2], count: usize, uops: usize, platform: &mut Platform);

    /// How many µops have entered.
    fn uops(&self) -> u64;
}
