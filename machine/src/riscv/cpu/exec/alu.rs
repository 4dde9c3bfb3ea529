// SPDX-License-Identifier: Apache-2.0
//! Integer computation (I, "RV32I Base Integer Instruction Set", "RV64I").

use super::{Abort, Core, Observer, Op};

/// Declares handlers that compute a register from two and the immediate, `a`, `b` and `i`.
macro_rules! compute {
    ($($(#[$about:meta])* $name:ident: |$a:ident, $b:ident, $i:ident| $value:expr;)+) => {$(
        $(#[$about])*
        #[allow(clippy::unnecessary_wraps)]
        pub fn $name<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
            let ($a, $b, $i) = (core.get(op.rs1()), core.get(op.rs2()), i64::from(op.imm) as u64);
            let _ = ($a, $b, $i);
            core.set(op.rd(), $value);
            Ok(())
        }
    )+};
}
pub(super) use compute;

/// The sign of 32 bits goes on.
#[inline(always)]
pub(super) fn word(value: u64) -> u64 {
    i64::from(value as i32) as u64
}

compute! {
    /// LUI.
    li: |a, b, i| i;
    /// ADDI.
    addi: |a, b, i| a.wrapping_add(i);
    /// SLTI.
    slti: |a, b, i| u64::from((a as i64) < i as i64);
    /// SLTIU.
    sltiu: |a, b, i| u64::from(a < i);
    /// XORI.
    xori: |a, b, i| a ^ i;
    /// ORI.
    ori: |a, b, i| a | i;
    /// ANDI.
    andi: |a, b, i| a & i;
    /// SLLI.
    slli: |a, b, i| a << (i & 63);
    /// SRLI.
    srli: |a, b, i| a >> (i & 63);
    /// SRAI.
    srai: |a, b, i| (a as i64 >> (i & 63)) as u64;
    /// ADD.
    add: |a, b, i| a.wrapping_add(b);
    /// SUB.
    sub: |a, b, i| a.wrapping_sub(b);
    /// SLL.
    sll: |a, b, i| a << (b & 63);
    /// SLT.
    slt: |a, b, i| u64::from((a as i64) < b as i64);
    /// SLTU.
    sltu: |a, b, i| u64::from(a < b);
    /// XOR.
    xor: |a, b, i| a ^ b;
    /// SRL.
    srl: |a, b, i| a >> (b & 63);
    /// SRA.
    sra: |a, b, i| (a as i64 >> (b & 63)) as u64;
    /// OR.
    or: |a, b, i| a | b;
    /// AND.
    and: |a, b, i| a & b;
    /// ADDIW.
    addiw: |a, b, i| word(a.wrapping_add(i));
    /// SLLIW.
    slliw: |a, b, i| word(a << (i & 31));
    /// SRLIW.
    srliw: |a, b, i| word(u64::from(a as u32 >> (i & 31)));
    /// SRAIW.
    sraiw: |a, b, i| i64::from(a as i32 >> (i & 31)) as u64;
    /// ADDW.
    addw: |a, b, i| word(a.wrapping_add(b));
    /// SUBW.
    subw: |a, b, i| word(a.wrapping_sub(b));
    /// SLLW.
    sllw: |a, b, i| word(a << (b & 31));
    /// SRLW.
    srlw: |a, b, i| word(u64::from(a as u32 >> (b & 31)));
    /// SRAW.
    sraw: |a, b, i| i64::from(a as i32 >> (b & 31)) as u64;
}

/// AUIPC.
#[allow(clippy::unnecessary_wraps)]
pub fn auipc<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    core.set(op.rd(), core.pc.wrapping_add(i64::from(op.imm) as u64));
    Ok(())
}
