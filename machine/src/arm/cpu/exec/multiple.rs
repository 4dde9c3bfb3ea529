// SPDX-License-Identifier: Apache-2.0
//! Load and store multiple (DDI 0100, A3.12, A5.4).

use crate::arm::cpu::core::{Core, Diagnostic};
use crate::arm::cpu::Observer;
use crate::arm::isa::insn::Insn;
use crate::arm::isa::mode::Bank;
use crate::arm::memory::memsys::Abort;
use crate::event::Cycle;

/// LDM in every addressing mode: LDM (1), LDM (2) of user registers, LDM (3) with return from
/// exception.
pub fn load_multiple<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let Some(block) = Block::of(core, insn) else {
        return Ok(());
    };
    let list = insn.register_list();
    let words = core.load_words(block.start, block.count)?;
    core.charge_multiple(block.count);
    // A loaded base wins over the written-back one.
    block.write_back(core, insn);
    let with_pc = list & 0x8000 != 0;
    let user_bank = insn.bit(22) && !with_pc;
    let mut last = 15;
    let mut place = 0;
    let mut rest = list & 0x7fff;
    while rest != 0 {
        let n = rest.trailing_zeros() as usize & 15;
        if user_bank && n >= 8 {
            *core.banked_register(Bank::Usr, n) = words.word(place);
        } else {
            core.r[n] = words.word(place);
            last = n;
        }
        rest &= rest - 1;
        place += 1;
    }
    // The table gives the delay for the last register; earlier ones have arrived by then.
    let delay = core.pipeline.config.load_delay;
    core.pipeline
        .delay_result(last, core.mem.platform.cycle, delay);
    if with_pc {
        let target = words.word(place);
        let extra = core.pipeline.config.pc_load;
        if insn.bit(22) {
            core.mem.platform.cycle += Cycle::from(extra);
            // First, since it says in which state the target is.
            core.restore_psr();
            core.write_pc(target, 0);
        } else {
            core.write_pc_exchanging(target, extra);
        }
    }
    Ok(())
}

/// STM in every addressing mode; with S set, of user registers.
pub fn store_multiple<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let Some(block) = Block::of(core, insn) else {
        return Ok(());
    };
    let user_bank = insn.bit(22);
    let mut words = [0; 16];
    for (n, word) in registers(insn.register_list()).zip(&mut words) {
        *word = if user_bank && (8..15).contains(&n) {
            *core.banked_register(Bank::Usr, n)
        } else {
            core.r[n]
        };
    }
    // The base is stored as it was if it is the first register; otherwise ARMv4 leaves it
    // unpredictable, and the processor stores what it was as well (assumed).
    core.store_words(block.start, &words[..block.count])?;
    core.charge_multiple(block.count);
    block.write_back(core, insn);
    Ok(())
}

/// The registers of a list, lowest first.
fn registers(list: u16) -> impl Iterator<Item = usize> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let n = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (n < 16).then_some(n)
    })
}

/// Where the first word of a block lies and what the base becomes, from the base.
#[must_use]
pub fn block_of(insn: Insn) -> (i32, i32) {
    let block = Block::at(0, insn);
    (block.start as i32, block.end_base as i32)
}

/// Where the words lie and what the base becomes.
struct Block {
    start: u32,
    end_base: u32,
    count: usize,
}

impl Block {
    /// The block that an instruction names; `None`, with a diagnostic, for an empty list.
    fn of<O: Observer>(core: &mut Core<O>, insn: Insn) -> Option<Self> {
        let count = insn.register_list().count_ones();
        if count == 0 {
            core.diagnose(Diagnostic::UnpredictableOperands, core.pc());
            return None;
        }
        Some(Self::at(core.r[insn.rn()], insn))
    }

    /// The block at `base`; the list is not empty.
    #[inline]
    fn at(base: u32, insn: Insn) -> Self {
        let count = insn.register_list().count_ones();
        let bytes = 4 * count;
        let (up, before) = (insn.bit(23), insn.bit(24));
        let (lowest, end_base) = if up {
            (base, base.wrapping_add(bytes))
        } else {
            (base.wrapping_sub(bytes), base.wrapping_sub(bytes))
        };
        // Increment before and decrement after leave out the word at the low end.
        let start = if up == before {
            lowest.wrapping_add(4)
        } else {
            lowest
        };
        Self {
            start,
            end_base,
            count: count as usize,
        }
    }

    fn write_back<O: Observer>(&self, core: &mut Core<O>, insn: Insn) {
        if insn.bit(21) {
            core.write_base(insn.rn(), self.end_base);
        }
    }
}

impl<O: Observer> Core<O> {
    /// Writes a base register back; r15 as a base with writeback is unpredictable and kept.
    #[inline]
    pub(super) fn write_base(&mut self, rn: usize, value: u32) {
        if rn == 15 {
            self.diagnose(Diagnostic::UnpredictableOperands, self.pc());
        } else {
            self.r[rn] = value;
        }
    }

    pub(super) fn charge_multiple(&mut self, count: usize) {
        let issue = (count as u32).max(self.pipeline.config.multiple_min_issue);
        self.mem.platform.cycle += Cycle::from(issue - 1);
    }
}
