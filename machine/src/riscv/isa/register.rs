// SPDX-License-Identifier: Apache-2.0
//! Registers: the names of the calling convention, and places in the register file.
//!
//! One file holds all: integer registers at their numbers, floating-point registers from [`FLOAT`] on.
//! What an instruction writes to x0 goes to [`NOWHERE`], so that x0 stays 0 without a test.

/// The first floating-point register's place.
pub const FLOAT: u8 = 32;
/// Where writes of x0 go.
pub const NOWHERE: u8 = 64;
/// Places of the file: a power of two.
pub const PLACES: usize = 128;

/// Integer registers.
pub const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

/// Floating-point registers.
pub const FLOAT_NAMES: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2",
    "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9",
    "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];

/// How many have names: the first of the file.
pub const NAMED: usize = NAMES.len() + FLOAT_NAMES.len();
/// The names of these.
pub const ALL_NAMES: [&str; NAMED] = {
    let mut all = [""; NAMED];
    let mut n = 0;
    while n < NAMES.len() {
        all[n] = NAMES[n];
        all[FLOAT as usize + n] = FLOAT_NAMES[n];
        n += 1;
    }
    all
};

/// Return address.
pub const RA: u8 = 1;
/// Stack pointer.
pub const SP: u8 = 2;
/// The alternate link register.
pub const T0: u8 = 5;
