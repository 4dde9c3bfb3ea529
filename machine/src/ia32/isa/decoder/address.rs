// SPDX-License-Identifier: Apache-2.0
//! The ModRM and SIB bytes, and the addresses that they say (SDM vol. 2, tables 2-1 to 2-3).

use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::insn::reg::{EBP, EBX, EDI, ESI, ESP, NONE};
use crate::ia32::isa::insn::Seg;

use super::{Bytes, Decoder};

impl<B: Bytes> Decoder<'_, B> {
    /// The ModRM byte, and what follows it for a memory operand (SDM vol. 2, tables 2-1 to 2-3).
    pub(super) fn modrm(&mut self) -> Result<(), Fault> {
        let byte = self.byte()?;
        self.modrm = byte;
        let (mode, rm) = (byte >> 6, byte & 7);
        self.insn.reg = byte >> 3 & 7;
        self.insn.rm = rm;
        if mode == 3 {
            return Ok(());
        }
        self.insn.memory = true;
        let on_stack = if self.insn.address16 {
            self.address16(mode, rm)?
        } else {
            self.address32(mode, rm)?
        };
        let own = if on_stack { Seg::Ss } else { Seg::Ds };
        self.insn.seg = self.segment.unwrap_or(own);
        Ok(())
    }

    /// A 16-bit address. Whether its segment is SS.
    fn address16(&mut self, mode: u8, rm: u8) -> Result<bool, Fault> {
        const BASE: [usize; 8] = [EBX, EBX, EBP, EBP, NONE, NONE, EBP, EBX];
        const INDEX: [usize; 8] = [ESI, EDI, ESI, EDI, ESI, EDI, NONE, NONE];
        if mode == 0 && rm == 6 {
            self.insn.displacement = u32::from(self.half()?);
            return Ok(false);
        }
        let base = BASE[usize::from(rm)];
        self.insn.base = base as u8;
        self.insn.index = INDEX[usize::from(rm)] as u8;
        self.insn.displacement = match mode {
            0 => 0,
            1 => self.byte()? as i8 as u32,
            _ => u32::from(self.half()?),
        };
        Ok(base == EBP)
    }

    /// A 32-bit address. Whether its segment is SS.
    fn address32(&mut self, mode: u8, rm: u8) -> Result<bool, Fault> {
        let mut base = rm;
        if rm == ESP as u8 {
            let sib = self.byte()?;
            base = sib & 7;
            let index = sib >> 3 & 7;
            if index != ESP as u8 {
                self.insn.index = index;
                self.insn.scale = sib >> 6;
            }
        }
        if mode == 0 && base == EBP as u8 {
            self.insn.displacement = self.word()?;
            return Ok(false);
        }
        self.insn.base = base;
        self.insn.displacement = match mode {
            0 => 0,
            1 => self.byte()? as i8 as u32,
            _ => self.word()?,
        };
        Ok(base == ESP as u8 || base == EBP as u8)
    }
}
