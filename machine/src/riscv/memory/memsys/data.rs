// SPDX-License-Identifier: Apache-2.0
//! Loads and stores, AMOs and reservations.

use crate::bus::Target;
use crate::cache::HINTS;
use crate::dev::Width;
use crate::event::Cycle;
use crate::riscv::config::Misaligned;
use crate::riscv::isa::cause::Exception;
use crate::riscv::memory::fault::{Abort, Access};
use crate::riscv::memory::hierarchy::Touched;

use super::hint::OFFSET;
use super::translate::Location;
use super::{MemSys, Reservation};

impl MemSys {
    /// Loads `N` bytes from `va`, without their sign.
    ///
    /// # Errors
    /// The load faulted.
    #[inline(always)]
    pub fn load<const N: usize>(&mut self, va: u64) -> Result<u64, Abort> {
        if let Some(hint) = self.reads.find(va, N as u64, self.data_tag) {
            let at = hint.offset | (va & OFFSET) as usize;
            if let Some(bytes) = self.platform.bus.ram_bytes::<N>(at) {
                self.platform.counters.hinted_reads += 1;
                return Ok(number(&bytes));
            }
        }
        self.load_unhinted(va, N as u64)
    }

    /// Stores the low `N` bytes of `value` at `va`.
    ///
    /// # Errors
    /// The store faulted.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, va: u64, value: u64) -> Result<(), Abort> {
        if let Some(hint) = self.writes.find(va, N as u64, self.data_tag) {
            let at = hint.offset | (va & OFFSET) as usize;
            let mut bytes = [0; N];
            bytes.copy_from_slice(&value.to_le_bytes()[..N]);
            if self.platform.bus.set_ram_bytes(at, bytes) {
                self.platform.counters.hinted_writes += 1;
                return Ok(());
            }
        }
        self.store_unhinted(va, N as u64, value)
    }

    #[inline(never)]
    fn load_unhinted(&mut self, va: u64, bytes: u64) -> Result<u64, Abort> {
        if va & (bytes - 1) != 0 {
            return self.load_misaligned(va, bytes);
        }
        let location = self.locate(va, bytes, Access::Load)?;
        self.load_at(va, location, bytes)
    }

    fn load_at(&mut self, va: u64, location: Location, bytes: u64) -> Result<u64, Abort> {
        match location.target {
            Target::Ram => {
                let touched = self.touch_for_load(location.pa);
                self.remember_read(va, location, touched);
                Ok(self.ram_value(location.pa, bytes as usize).unwrap_or(0))
            }
            Target::Zeros => Ok(0),
            Target::Device(_) | Target::Nothing => self.read_device(va, location, bytes),
        }
    }

    #[inline(never)]
    fn store_unhinted(&mut self, va: u64, bytes: u64, value: u64) -> Result<(), Abort> {
        if va & (bytes - 1) != 0 {
            return self.store_misaligned(va, bytes, value);
        }
        let location = self.locate(va, bytes, Access::Store)?;
        self.store_at(va, location, bytes, value)
    }

    fn store_at(
        &mut self,
        va: u64,
        location: Location,
        bytes: u64,
        value: u64,
    ) -> Result<(), Abort> {
        match location.target {
            Target::Ram => {
                let touched = self.touch_for_store(location.pa);
                self.remember_write(va, location, touched);
                self.write_ram(location.pa, &value.to_le_bytes()[..bytes as usize]);
                Ok(())
            }
            Target::Zeros => Ok(()),
            Target::Device(_) | Target::Nothing => self.write_device(va, location, bytes, value),
        }
    }

    fn touch_for_load(&mut self, pa: u32) -> Touched {
        let now = self.platform.cycle;
        // What waits for a miss before it is not counted again.
        let waits = now.max(self.hierarchy.missing());
        let touched = self
            .hierarchy
            .load(pa, now, &mut self.platform.counters.now);
        self.ready = touched.ready;
        self.platform.counters.now.stall.fill += touched.ready.saturating_sub(waits);
        self.forget_evicted(touched);
        touched
    }

    fn touch_for_store(&mut self, pa: u32) -> Touched {
        let now = self.platform.cycle;
        let touched = self
            .hierarchy
            .store(pa, now, &mut self.platform.counters.now);
        if touched.ready > now {
            self.platform.counters.now.stall.write_buffer += touched.ready - now;
            self.platform.cycle = touched.ready;
        }
        self.forget_evicted(touched);
        touched
    }

    /// A slot of the first level has another line, if it was filled.
    pub(super) fn forget_evicted(&mut self, touched: Touched) {
        if touched.filled {
            self.reads.forget(touched.slot);
            self.writes.forget(touched.slot);
        }
    }

    /// Whether the next access to this line can go by a hint: hits leave no trace.
    fn can_be_hinted(&self, location: Location) -> bool {
        HINTS && location.whole_line && self.hierarchy.l1.hits_leave_no_trace()
    }

    /// The next load need not look for the line, if it is there.
    fn remember_read(&mut self, va: u64, location: Location, touched: Touched) {
        if !touched.filled && touched.ready == 0 && self.can_be_hinted(location) {
            if let Some(offset) = self.platform.bus.ram_offset(location.pa) {
                self.reads.remember(va, self.data_tag, touched.slot, offset);
            }
        }
    }

    /// The next store need not look for the line, nor a load: what may be written may be read. A store does
    /// not wait for a line that is on its way.
    fn remember_write(&mut self, va: u64, location: Location, touched: Touched) {
        if !self.can_be_hinted(location) {
            return;
        }
        if let Some(offset) = self.platform.bus.ram_offset(location.pa) {
            let (tag, slot) = (self.data_tag, touched.slot);
            self.writes.remember(va, tag, slot, offset);
            let now = self.platform.cycle;
            if !touched.filled && !self.hierarchy.is_coming(location.pa, now) {
                self.reads.remember(va, tag, slot, offset);
            }
        }
    }

    /// The value of `bytes` at `pa` in SDRAM.
    pub(in crate::riscv) fn ram_value(&self, pa: u32, bytes: usize) -> Option<u64> {
        Some(number(self.platform.bus.ram_slice(pa, bytes)?))
    }

    /// Writes SDRAM at `pa`, if it is there.
    pub(in crate::riscv) fn write_ram(&mut self, pa: u32, bytes: &[u8]) -> bool {
        match self.platform.bus.ram_slice_mut(pa, bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }

    fn before_device(&mut self, location: Location) {
        self.platform.cycle += Cycle::from(self.prices.device);
        if self.platform.bus.counts(location.target) {
            self.sync_counters();
        }
    }

    /// Reads a device; eight bytes as two words, the low one first.
    fn read_device(&mut self, va: u64, location: Location, bytes: u64) -> Result<u64, Abort> {
        self.before_device(location);
        self.platform.counters.now.memory.uncached_reads += 1;
        let Location { pa, target, .. } = location;
        let read = match bytes {
            1 => self.platform.read(target, pa, Width::Byte).map(u64::from),
            2 => self.platform.read(target, pa, Width::Half).map(u64::from),
            4 => self.platform.read(target, pa, Width::Word).map(u64::from),
            _ => {
                let low = self.platform.read(target, pa, Width::Word);
                let high = self.platform.read(target, pa | 4, Width::Word);
                low.zip(high)
                    .map(|(low, high)| u64::from(low) | u64::from(high) << 32)
            }
        };
        read.ok_or_else(|| self.fail(Exception::LoadAccess, va))
    }

    /// Writes a device, likewise.
    fn write_device(
        &mut self,
        va: u64,
        location: Location,
        bytes: u64,
        value: u64,
    ) -> Result<(), Abort> {
        self.before_device(location);
        self.platform.counters.now.memory.uncached_writes += 1;
        let pa = location.pa;
        let written = match bytes {
            1 => self.platform.write(pa, value as u32 & 0xff, Width::Byte),
            2 => self.platform.write(pa, value as u32 & 0xffff, Width::Half),
            4 => self.platform.write(pa, value as u32, Width::Word),
            _ => {
                self.platform.write(pa, value as u32, Width::Word)
                    && self
                        .platform
                        .write(pa | 4, (value >> 32) as u32, Width::Word)
            }
        };
        if written {
            Ok(())
        } else {
            Err(self.fail(Exception::StoreAccess, va))
        }
    }

    /// A load whose address is no multiple of its size.
    #[cold]
    fn load_misaligned(&mut self, va: u64, bytes: u64) -> Result<u64, Abort> {
        if self.isa.misaligned == Misaligned::Trap {
            return Err(self.fail(Exception::LoadMisaligned, va));
        }
        self.platform.cycle += Cycle::from(self.prices.misaligned);
        let mut value = 0;
        for n in 0..bytes {
            value |= self.load_unhinted(va.wrapping_add(n), 1)? << (8 * n);
        }
        Ok(value)
    }

    /// A store whose address is no multiple of its size. Nothing is written if a part of it faults.
    #[cold]
    fn store_misaligned(&mut self, va: u64, bytes: u64, value: u64) -> Result<(), Abort> {
        if self.isa.misaligned == Misaligned::Trap {
            return Err(self.fail(Exception::StoreMisaligned, va));
        }
        self.platform.cycle += Cycle::from(self.prices.misaligned);
        for n in 0..bytes {
            self.locate(va.wrapping_add(n), 1, Access::Store)?;
        }
        for n in 0..bytes {
            self.store_unhinted(va.wrapping_add(n), 1, value >> (8 * n) & 0xff)?;
        }
        Ok(())
    }

    // ---- atomics ---------------------------------------------------------------------------

    fn check_atomic(&mut self, va: u64, bytes: u64, exception: Exception) -> Result<(), Abort> {
        if va & (bytes - 1) != 0 {
            return Err(self.fail(exception, va));
        }
        self.platform.cycle += Cycle::from(self.prices.atomic);
        Ok(())
    }

    /// Reads `bytes` at `va` and writes what `change` makes of them. Gives what was read. Any fault is a
    /// store's (I, "A" extension).
    ///
    /// # Errors
    /// The access faulted.
    pub fn modify(
        &mut self,
        va: u64,
        bytes: u64,
        change: impl FnOnce(u64) -> u64,
    ) -> Result<u64, Abort> {
        self.check_atomic(va, bytes, Exception::StoreMisaligned)?;
        let location = self.locate(va, bytes, Access::Store)?;
        let old = match location.target {
            Target::Ram => {
                self.touch_for_load(location.pa);
                self.ram_value(location.pa, bytes as usize).unwrap_or(0)
            }
            _ => self.load_at(va, location, bytes)?,
        };
        self.store_at(va, location, bytes, change(old))?;
        Ok(old)
    }

    /// LR: loads and reserves.
    ///
    /// # Errors
    /// The access faulted.
    pub fn load_reserved(&mut self, va: u64, bytes: u64) -> Result<u64, Abort> {
        self.check_atomic(va, bytes, Exception::LoadMisaligned)?;
        let location = self.locate(va, bytes, Access::Load)?;
        let value = self.load_at(va, location, bytes)?;
        self.reservation = Some(Reservation {
            pa: location.pa,
            bytes: bytes as u32,
            value,
        });
        Ok(value)
    }

    /// SC: stores if the reservation holds, and gives it up. Says whether it did.
    ///
    /// # Errors
    /// The access faulted.
    pub fn store_conditional(&mut self, va: u64, bytes: u64, value: u64) -> Result<bool, Abort> {
        self.check_atomic(va, bytes, Exception::StoreMisaligned)?;
        let location = self.locate(va, bytes, Access::Store)?;
        let Some(reserved) = self.reservation.take() else {
            return Ok(false);
        };
        let now = self.ram_value(location.pa, reserved.bytes as usize);
        let holds = reserved.pa == location.pa
            && u64::from(reserved.bytes) == bytes
            && now == Some(reserved.value);
        if holds {
            self.store_at(va, location, bytes, value)?;
        }
        Ok(holds)
    }
}

/// Bytes of memory as a number.
#[inline(always)]
fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}
