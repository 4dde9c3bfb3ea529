// SPDX-License-Identifier: Apache-2.0
//! Every kind of instruction, and what it occupies of the pipeline.

use Class::{
    Alu, Atomic, Branch, Divide, FloatConvert, FloatDivide, FloatFromInteger, FloatLoad,
    FloatMoveTo, FloatRoot, FloatSimple, FloatStore, FloatSum, FloatToInteger, Jump, Load,
    Multiply, SlotB, Store, System,
};

/// What kind of work an instruction is, for the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Simple integer: either slot, early or late ALU.
    Alu,
    /// Simple integer that only slot B has.
    SlotB,
    /// Loads of integer registers.
    Load,
    /// Stores.
    Store,
    /// Conditional branches.
    Branch,
    /// Jumps.
    Jump,
    /// Integer multiplication and what takes as long.
    Multiply,
    /// Integer division.
    Divide,
    /// AMO, LR, SC.
    Atomic,
    /// Loads of floating-point registers.
    FloatLoad,
    /// Stores of these.
    FloatStore,
    /// Addition, multiplication, both.
    FloatSum,
    /// Sign injection, minimum, maximum.
    FloatSimple,
    /// To integers: conversions, comparisons, classes.
    FloatToInteger,
    /// From integers.
    FloatFromInteger,
    /// Between the two precisions.
    FloatConvert,
    /// Moves to integer registers.
    FloatMoveTo,
    /// Division.
    FloatDivide,
    /// Square root.
    FloatRoot,
    /// What waits for all before it: registers of the system, fences, returns.
    System,
}

/// The number of classes.
pub const CLASSES: usize = Class::System as usize + 1;

/// Declares [`Kind`] and the class of each.
macro_rules! kinds {
    ($($class:ident: $($name:ident)+;)+) => {
        /// What an instruction does, by the manual's name for it.
        #[allow(missing_docs)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Kind { $($($name,)+)+ }

        impl Kind {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$($(Self::$name,)+)+];

            /// The class of each, by number.
            pub const CLASS: &'static [Class] = &[$($({ let _ = Self::$name; $class },)+)+];
        }
    };
}

kinds! {
    System: Undecoded Crossing Illegal Fence FenceI Ecall Ebreak Mret Sret Wfi SfenceVma SinvalVma
        SfenceWInval SfenceInvalIr Csrrw Csrrs Csrrc Csrrwi Csrrsi Csrrci;
    Alu: Li Auipc Addi Slti Sltiu Xori Ori Andi Slli Srli Srai Add Sub Sll Slt Sltu Xor Srl Sra Or And
        Addiw Slliw Srliw Sraiw Addw Subw Sllw Srlw Sraw
        Andn Orn Xnor Max Maxu Min Minu SextB SextH ZextH Rev8 AddUw SlliUw;
    SlotB: Clz Ctz Clzw Ctzw Rol Rolw Ror Rori Rorw Roriw OrcB
        Sh1add Sh2add Sh3add Sh1addUw Sh2addUw Sh3addUw;
    Multiply: Mul Mulh Mulhsu Mulhu Mulw Cpop Cpopw;
    Divide: Div Divu Rem Remu Divw Divuw Remw Remuw;
    Jump: Jal Jalr;
    Branch: Beq Bne Blt Bge Bltu Bgeu;
    Load: Lb Lh Lw Ld Lbu Lhu Lwu;
    Store: Sb Sh Sw Sd;
    Atomic: LrW LrD ScW ScD AmoSwapW AmoSwapD AmoAddW AmoAddD AmoXorW AmoXorD AmoAndW AmoAndD AmoOrW
        AmoOrD AmoMinW AmoMinD AmoMaxW AmoMaxD AmoMinuW AmoMinuD AmoMaxuW AmoMaxuD;
    FloatLoad: Flw Fld;
    FloatStore: Fsw Fsd;
    FloatSum: FmaddS FmaddD FmsubS FmsubD FnmsubS FnmsubD FnmaddS FnmaddD FaddS FaddD FsubS FsubD FmulS
        FmulD;
    FloatSimple: FsgnjS FsgnjD FsgnjnS FsgnjnD FsgnjxS FsgnjxD FminS FminD FmaxS FmaxD;
    FloatToInteger: FcvtWS FcvtWuS FcvtLS FcvtLuS FcvtWD FcvtWuD FcvtLD FcvtLuD FeqS FltS FleS FeqD
        FltD FleD FclassS FclassD;
    FloatFromInteger: FcvtSW FcvtSWu FcvtSL FcvtSLu FcvtDW FcvtDWu FcvtDL FcvtDLu FmvWX FmvDX;
    FloatConvert: FcvtSD FcvtDS;
    FloatMoveTo: FmvXW FmvXD;
    FloatDivide: FdivS FdivD;
    FloatRoot: FsqrtS FsqrtD;
}

/// The number of kinds.
pub const KINDS: usize = Kind::ALL.len();

impl Kind {
    /// What kind of work it is.
    #[inline]
    #[must_use]
    pub fn class(self) -> Class {
        Self::CLASS[self as usize]
    }

    /// Whether it is of the floating-point unit, which `mstatus.FS` may switch off.
    #[must_use]
    pub fn is_float(self) -> bool {
        self as u8 >= Self::Flw as u8
    }
}
