// SPDX-License-Identifier: Apache-2.0
//! What the core shows to its observer.

use crate::ia32::cpu::{MemSys, Observer};
use crate::ia32::isa::encoding::Encoding;
use crate::ia32::isa::insn::{Insn, Seg};
use crate::ia32::isa::kind::Kind;
use crate::ia32::isa::register::Operation;
use crate::ia32::isa::Ia32;
use crate::observe::{self, Commit, SystemAccess};

use super::Core;

impl<O: Observer> Core<O> {
    /// Shows an access to data at `linear`, by `show`: a word, or its bytes if they are not aligned together.
    #[inline(never)]
    pub(super) fn show<const N: u32>(
        &mut self,
        linear: u32,
        user: bool,
        value: u32,
        show: fn(&mut O, &MemSys, &observe::Access, u32),
    ) {
        let bytes = if linear % N == 0 { N } else { 1 };
        for n in (0..N).step_by(bytes as usize) {
            let access = observe::Access {
                cycle: self.mem.platform.cycle,
                pc: self.pc().into(),
                va: linear.wrapping_add(n).into(),
                bytes,
                privileged: !user,
            };
            let part = value >> (8 * n) & u32::MAX >> (32 - 8 * bytes);
            show(&mut self.observer, &self.mem, &access, part);
        }
    }

    /// Shows that the instruction at EIP was fetched.
    pub(in crate::ia32::cpu) fn show_fetch(&mut self, code: Encoding) {
        if self.cpl == 3 {
            self.mem.program = self.segments[Seg::Cs as usize].bounds();
        }
        let access = observe::Access {
            cycle: self.mem.platform.cycle,
            pc: self.pc().into(),
            va: self.pc().into(),
            bytes: 1,
            privileged: self.cpl != 3,
        };
        self.observer.fetched(&self.mem, &access, code);
    }

    /// Shows that the instruction at `pc` is done, to an observer who is to be told.
    pub(in crate::ia32::cpu) fn show_commit(&mut self, pc: u32, insn: &Insn, code: Encoding) {
        let after = self.eip.wrapping_add(u32::from(insn.length));
        let commit = Commit::<Ia32> {
            cycle: self.mem.platform.cycle,
            pc: pc.into(),
            code,
            executed: insn.kind != Kind::JumpIf || self.next_eip != after,
            next_pc: self.segments[Seg::Cs as usize]
                .base
                .wrapping_add(self.next_eip)
                .into(),
            mode: u32::from(self.cpl),
            registers: &self.r[..Ia32::GENERAL],
            status: self.eflags,
            memory: &self.mem,
        };
        self.observer.commit(&commit);
    }

    /// Shows what the instruction has done to a register of the system.
    #[inline(always)]
    pub(in crate::ia32) fn operated(&mut self, what: Operation) {
        if O::ON {
            let access = SystemAccess {
                pc: self.pc().into(),
                what,
                sleeps: self.waiting,
            };
            self.observer.operated(&self.mem, &access);
        }
    }
}
