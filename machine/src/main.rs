// SPDX-License-Identifier: Apache-2.0
//! The program `switchyard-machine`. All of it is in the library: a processor's handlers are compiled
//! once, and where they call each other no border of crates is between.

use std::process::ExitCode;

fn main() -> ExitCode {
    switchyard_machine::command::main()
}
