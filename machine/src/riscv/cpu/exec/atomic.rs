// SPDX-License-Identifier: Apache-2.0
//! Atomic instructions (I, "A" extension). With one hart and accesses in order, aq and rl order nothing
//! further.

use super::{Abort, Core, Observer, Op};

/// A value of `N` bytes with its sign.
#[inline(always)]
fn extend<const N: usize>(value: u64) -> u64 {
    if N == 4 {
        i64::from(value as i32) as u64
    } else {
        value
    }
}

/// A value of `N` bytes without sign.
#[inline(always)]
fn unsigned<const N: usize>(value: u64) -> u64 {
    if N == 4 {
        value & 0xffff_ffff
    } else {
        value
    }
}

/// LR.
pub fn load_reserved<O: Observer, const N: usize>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let va = core.get(op.rs1());
    let value = core.mem.load_reserved(va, N as u64)?;
    core.await_data(op);
    if O::ON {
        core.show_loaded(va, N as u32, value);
    }
    core.set(op.rd(), extend::<N>(value));
    Ok(())
}

/// SC: 0 if it stored, 1 if it did not.
pub fn store_conditional<O: Observer, const N: usize>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    let (va, value) = (core.get(op.rs1()), core.get(op.rs2()));
    let stored = core.mem.store_conditional(va, N as u64, value)?;
    if O::ON && stored {
        core.show_stored(va, N as u32, value);
    }
    core.set(op.rd(), u64::from(!stored));
    Ok(())
}

#[inline(always)]
fn modify<O: Observer, const N: usize>(
    core: &mut Core<O>,
    op: Op,
    change: impl Fn(u64, u64) -> u64,
) -> Result<(), Abort> {
    let (va, operand) = (core.get(op.rs1()), core.get(op.rs2()));
    let old = core.mem.modify(va, N as u64, |old| change(old, operand))?;
    core.await_data(op);
    if O::ON {
        core.show_loaded(va, N as u32, old);
        core.show_stored(va, N as u32, change(old, operand));
    }
    core.set(op.rd(), extend::<N>(old));
    Ok(())
}

/// Declares AMOs: what memory holds and the register's value make what is stored.
macro_rules! atomics {
    ($($(#[$about:meta])* $name:ident: |$old:ident, $operand:ident| $value:expr;)+) => {$(
        $(#[$about])*
        pub fn $name<O: Observer, const N: usize>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
            modify::<O, N>(core, op, |$old, $operand| {
                let _ = $old;
                $value
            })
        }
    )+};
}

atomics! {
    /// AMOSWAP.
    swap: |old, operand| operand;
    /// AMOADD.
    add: |old, operand| old.wrapping_add(operand);
    /// AMOXOR.
    xor: |old, operand| old ^ operand;
    /// AMOAND.
    and: |old, operand| old & operand;
    /// AMOOR.
    or: |old, operand| old | operand;
    /// AMOMIN.
    min: |old, operand| (extend::<N>(old) as i64).min(extend::<N>(operand) as i64) as u64;
    /// AMOMAX.
    max: |old, operand| (extend::<N>(old) as i64).max(extend::<N>(operand) as i64) as u64;
    /// AMOMINU.
    minu: |old, operand| unsigned::<N>(old).min(unsigned::<N>(operand));
    /// AMOMAXU.
    maxu: |old, operand| unsigned::<N>(old).max(unsigned::<N>(operand));
}
