// SPDX-License-Identifier: Apache-2.0
//! Everything between the core and the bus.

pub mod hierarchy;
pub mod memsys;
pub mod mmu;
pub mod tlb;
pub mod trace_cache;
