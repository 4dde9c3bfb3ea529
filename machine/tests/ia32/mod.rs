// SPDX-License-Identifier: Apache-2.0
//! The IA-32 processor by sections of the manual: what the comparison with Unicorn (`test_ia32.py`)
//! cannot check, since Unicorn checks no segment limits and enters no handlers.

mod coherence;
mod exceptions;
mod faults;
mod fpu;
mod fpu_numbers;
mod gates;
mod instructions;
mod msr;
mod observer;
mod paging;
mod pc;
mod pmu;
mod rig;
mod segments;
mod shadow;
mod strings;
mod tags;
mod templates;
mod timing;
mod traces;
mod translation;
