// SPDX-License-Identifier: Apache-2.0
//! Switchyard's machines: a deterministic, cycle-level full-system simulator of processors with
//! virtually-tagged caches and TLBs without address-space tags. Caches hold data, TLBs hold
//! translations, decoded instructions live in the lines of the instruction cache: a kernel that
//! forgets a flush fails here as it fails on silicon.
//!
//! Start reading at [`machine`], which owns everything and runs to the next event.

pub mod arch;
pub mod arm;
pub mod assumed;
pub mod board;
pub mod bus;
pub mod bus_cost;
pub mod cache;
pub mod check;
pub mod checkpoint;
#[cfg_attr(test, allow(dead_code, unused_imports))] // without `main`
pub mod command;
pub mod config;
pub mod counters;
pub mod dev;
pub mod devicetree;
pub mod error;
pub mod event;
pub mod gdb;
pub mod ia32;
pub mod ideal_tags;
pub mod journal;
pub mod lines;
pub mod loader;
pub mod log;
pub mod machine;
pub mod machine_file;
pub mod net;
pub mod observe;
pub mod platform;
pub mod plru;
pub mod profile;
pub mod recording;
pub mod registry;
pub mod report;
pub mod riscv;
pub mod script;
pub mod snapshot;
pub mod state;
pub mod symbols;
pub mod tlb;
pub mod trace;
pub mod vectors;
pub mod watchers;
pub mod window;
