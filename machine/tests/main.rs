// SPDX-License-Identifier: Apache-2.0
//! The tests of the simulator from outside, as one program: each file as a program of its own would
//! have the whole machine compiled and linked again.

mod arch;
mod arm920;
mod arm926;
mod arm926_timing;
mod cli;
mod coherence;
mod contexts;
mod fuzz;
mod ia32;
mod memory;
mod naive_models;
mod probe;
mod profile;
mod smallest_architecture;
mod state;
mod support;
mod tags;
mod tags_random;
mod timing;
mod trace;
mod translation;
mod translation_riscv;
