// SPDX-License-Identifier: Apache-2.0
//! The RISC-V from outside, in small pieces of machine code.

mod rig;
