// SPDX-License-Identifier: Apache-2.0
//! Kinds of instructions, as numbers: the decoder gives each encoding one, and execution has a handler for
//! each. Data processing has `opcode * 8 + S * 4 + shape`; the others are listed below.

/// The number of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(pub u8);

impl Default for Kind {
    fn default() -> Self {
        UNDEFINED
    }
}

/// Shapes of a data-processing operand (DDI 0100, A5.1).
pub mod shape {
    /// An 8-bit constant, rotated.
    pub const CONSTANT: u8 = 0;
    /// A register as it is.
    pub const REGISTER: u8 = 1;
    /// A register shifted by a constant.
    pub const SHIFTED: u8 = 2;
    /// A register shifted by a register.
    pub const SHIFTED_BY_REGISTER: u8 = 3;
}

/// How many numbers data processing has.
pub const DATA_KINDS: u8 = 128;

macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident)+) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place {
            $($name,)+
        }

        $($(#[$about])* pub const $name: Kind = Kind(DATA_KINDS + Place::$name as u8);)+

        /// All that are no data processing.
        pub const OTHERS: &[Kind] = &[$($name),+];
    };
}

kinds! {
    /// What no manual defines, and what the architecture version does not have.
    UNDEFINED
    /// B.
    BRANCH
    /// BL.
    BRANCH_LINK
    /// SWI.
    SWI
    /// MRS.
    MRS
    /// MSR.
    MSR
    /// MUL and MLA.
    MULTIPLY
    /// UMULL, UMLAL, SMULL and SMLAL.
    MULTIPLY_LONG
    /// SWP and SWPB.
    SWAP
    /// LDRH.
    LOAD_HALF
    /// LDRSB.
    LOAD_SIGNED_BYTE
    /// LDRSH.
    LOAD_SIGNED_HALF
    /// STRH.
    STORE_HALF
    /// LDR and LDRT, but for `LOAD_WORD_OFFSET`.
    LOAD_WORD
    /// LDRB and LDRBT, but for `LOAD_BYTE_OFFSET`.
    LOAD_BYTE
    /// STR and STRT, but for `STORE_WORD_OFFSET`.
    STORE_WORD
    /// STRB and STRBT, but for `STORE_BYTE_OFFSET`.
    STORE_BYTE
    /// LDR with P=1, U=1, W=0 and a constant offset: the form that compilers emit most.
    LOAD_WORD_OFFSET
    /// LDRB of that form.
    LOAD_BYTE_OFFSET
    /// STR of that form.
    STORE_WORD_OFFSET
    /// STRB of that form.
    STORE_BYTE_OFFSET
    /// LDM.
    LOAD_MULTIPLE
    /// STM.
    STORE_MULTIPLE
    /// MRC and MCR.
    COPROCESSOR_TRANSFER
    /// BX.
    BRANCH_EXCHANGE
    /// BLX of a register (ARMv5TE, as all from here to `PRELOAD`).
    BRANCH_LINK_EXCHANGE
    /// BLX with an offset.
    BRANCH_LINK_EXCHANGE_OFFSET
    /// BKPT.
    BREAKPOINT
    /// CLZ.
    COUNT_LEADING_ZEROS
    /// QADD, QSUB, QDADD and QDSUB.
    SATURATING_ADD
    /// Multiplies of halfwords.
    MULTIPLY_HALVES
    /// LDRD.
    LOAD_DOUBLE
    /// STRD.
    STORE_DOUBLE
    /// PLD.
    PRELOAD
    /// B of Thumb. No ARM instruction equals this one and those that follow.
    THUMB_BRANCH
    /// The first half of BL and BLX of Thumb.
    THUMB_LINK_HIGH
    /// The second half of BL.
    THUMB_LINK_LOW
    /// The second half of BLX.
    THUMB_LINK_EXCHANGE
    /// LDR relative to the PC.
    THUMB_LOAD_PC_RELATIVE
    /// ADD of the PC and a constant.
    THUMB_ADDRESS
}
