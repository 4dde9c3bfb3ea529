// SPDX-License-Identifier: Apache-2.0
//! Everything between the core and the bus: `memsys` puts it together and orders all memory events. `mmu`
//! reads descriptors and checks rights, `fault` says what a fault register shows, `tlb` and `line` what
//! TLBs and caches hold, `fill` what a line fill costs; `write_buffer` has stores on their way to memory, in a `ring`,
//! `decode_cache` the meaning of instruction words that were filled before.

pub mod decode_cache;
pub mod fault;
pub mod fill;
pub mod line;
pub mod memsys;
pub mod mmu;
pub mod ring;
pub mod tlb;
pub mod write_buffer;
