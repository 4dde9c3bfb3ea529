// SPDX-License-Identifier: Apache-2.0
//! The time that instructions in sequence take, known when they are translated: an instruction issues
//! in one cycle and those that its description adds, after it has waited for the results that it reads.

use crate::instruction::{Instruction, Register, REGISTERS};

/// What has passed since a unit began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// Cycles.
    pub cycles: u32,
    /// Instructions.
    pub instructions: u32,
    /// Words read where a hint said.
    pub reads: u32,
    /// And written.
    pub writes: u32,
    /// When the result of each register is there, which an instruction of the unit has computed.
    ready: [u32; REGISTERS],
}

impl Schedule {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            cycles: 0,
            instructions: 0,
            reads: 0,
            writes: 0,
            ready: [0; REGISTERS],
        }
    }

    /// The next instruction waits for what it reads, and issues.
    pub(crate) fn issue(&mut self, instruction: &Instruction) {
        for (register, ready) in self.ready.iter().enumerate() {
            if instruction.sources & (1 << register) != 0 {
                self.cycles = self.cycles.max(*ready);
            }
        }
        self.cycles += 1;
        self.instructions += 1;
    }

    /// The result in `register` may be used `delay` cycles from now.
    pub(crate) fn delay(&mut self, register: Register, delay: u32) {
        if delay != 0 {
            self.ready[usize::from(register)] = self.cycles + delay;
        }
    }

    /// The registers whose result is still delayed, and for how many cycles.
    pub(crate) fn delayed(&self) -> impl Iterator<Item = (Register, u32)> + '_ {
        let ahead = |ready: &u32| ready.checked_sub(self.cycles).filter(|ahead| *ahead > 0);
        let each = self.ready.iter().enumerate();
        each.filter_map(move |(register, ready)| Some((register as Register, ahead(ready)?)))
    }
}
