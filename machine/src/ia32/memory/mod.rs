// SPDX-License-Identifier: Apache-2.0
//! Everything between the core and the bus: `memsys` puts it together and orders what happens there. `mmu` has
//! the formats of page tables, `tlb` what a TLB holds, `held` what is kept of that where address-space tags are
//! ideal, `hierarchy` the data caches and the bus, `trace_cache` decoded instructions; `pipeline` is what the
//! memory system has to know of the core's time.

pub mod held;
pub mod hierarchy;
pub mod memsys;
pub mod mmu;
pub mod pipeline;
pub mod tlb;
pub mod trace_cache;
