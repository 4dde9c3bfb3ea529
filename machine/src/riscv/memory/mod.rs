// SPDX-License-Identifier: Apache-2.0
//! Everything between the core and the bus: physical memory protection, page tables, TLBs, caches.

pub mod counted;
pub mod fault;
pub mod hierarchy;
pub mod memsys;
pub mod mmu;
pub mod pending;
pub mod pmp;
pub mod pointers;
pub mod tlb;
