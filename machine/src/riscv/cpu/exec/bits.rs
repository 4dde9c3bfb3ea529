// SPDX-License-Identifier: Apache-2.0
//! Bit manipulation (I, "B" extension: Zba, Zbb).

use super::alu::{compute, word};
use super::{Abort, Core, Observer, Op};

compute! {
    /// ANDN.
    andn: |a, b, i| a & !b;
    /// ORN.
    orn: |a, b, i| a | !b;
    /// XNOR.
    xnor: |a, b, i| !(a ^ b);
    /// MAX.
    max: |a, b, i| (a as i64).max(b as i64) as u64;
    /// MAXU.
    maxu: |a, b, i| a.max(b);
    /// MIN.
    min: |a, b, i| (a as i64).min(b as i64) as u64;
    /// MINU.
    minu: |a, b, i| a.min(b);
    /// SEXT.B.
    sext_b: |a, b, i| i64::from(a as i8) as u64;
    /// SEXT.H.
    sext_h: |a, b, i| i64::from(a as i16) as u64;
    /// ZEXT.H.
    zext_h: |a, b, i| a & 0xffff;
    /// REV8.
    rev8: |a, b, i| a.swap_bytes();
    /// ADD.UW.
    add_uw: |a, b, i| b.wrapping_add(a & 0xffff_ffff);
    /// SLLI.UW.
    slli_uw: |a, b, i| (a & 0xffff_ffff) << (i & 63);
    /// CLZ.
    clz: |a, b, i| u64::from(a.leading_zeros());
    /// CTZ.
    ctz: |a, b, i| u64::from(a.trailing_zeros());
    /// CPOP.
    cpop: |a, b, i| u64::from(a.count_ones());
    /// CLZW.
    clzw: |a, b, i| u64::from((a as u32).leading_zeros());
    /// CTZW.
    ctzw: |a, b, i| u64::from((a as u32).trailing_zeros());
    /// CPOPW.
    cpopw: |a, b, i| u64::from((a as u32).count_ones());
    /// ROL.
    rol: |a, b, i| a.rotate_left(b as u32 & 63);
    /// ROLW.
    rolw: |a, b, i| word(u64::from((a as u32).rotate_left(b as u32 & 31)));
    /// ROR.
    ror: |a, b, i| a.rotate_right(b as u32 & 63);
    /// RORI.
    rori: |a, b, i| a.rotate_right(i as u32 & 63);
    /// RORW.
    rorw: |a, b, i| word(u64::from((a as u32).rotate_right(b as u32 & 31)));
    /// RORIW.
    roriw: |a, b, i| word(u64::from((a as u32).rotate_right(i as u32 & 31)));
    /// ORC.B.
    orc_b: |a, b, i| {
        let bytes = a.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xff });
        u64::from_le_bytes(bytes)
    };
}

/// SH1ADD, SH2ADD, SH3ADD.
#[allow(clippy::unnecessary_wraps)]
pub fn shift_add<O: Observer, const BY: u32>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let shifted = core.get(op.rs1()) << BY;
    core.set(op.rd(), core.get(op.rs2()).wrapping_add(shifted));
    Ok(())
}

/// SH1ADD.UW, SH2ADD.UW, SH3ADD.UW.
#[allow(clippy::unnecessary_wraps)]
pub fn shift_add_uw<O: Observer, const BY: u32>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let shifted = (core.get(op.rs1()) & 0xffff_ffff) << BY;
    core.set(op.rd(), core.get(op.rs2()).wrapping_add(shifted));
    Ok(())
}
