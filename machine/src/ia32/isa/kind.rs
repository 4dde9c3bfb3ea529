// SPDX-License-Identifier: Apache-2.0
//! Kinds of instructions: what the decoder gives each encoding, and what execution has handlers for. They are
//! grouped as SDM vol. 1, chapter 7 groups them.

macro_rules! kinds {
    ($($name:ident)*) => {
        /// An operation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[allow(missing_docs)]
        pub enum Kind {
            /// Not an instruction.
            #[default]
            Undefined,
            $($name,)*
        }

        impl Kind {
            /// Every one, in the order of their numbers.
            pub const ALL: [Self; KINDS] = [Self::Undefined, $(Self::$name),*];
        }

        /// How many there are.
        pub const KINDS: usize = [Kind::Undefined, $(Kind::$name),*].len();
    };
}

kinds! {
    Add
    Or
    Adc
    Sbb
    And
    Sub
    Xor
    Compare
    Test
    Not
    Neg
    Inc
    Dec
    Mul
    ImulAccumulator
    Imul
    Div
    Idiv
    Daa
    Das
    Aaa
    Aas
    Aam
    Aad

    Rol
    Ror
    Rcl
    Rcr
    Shl
    Shr
    Sar
    Shld
    Shrd

    Bt
    Bts
    Btr
    Btc
    Bsf
    Bsr
    SetIf

    Nop
    Mov
    MovIf
    MovZeroByte
    MovZeroWord
    MovSignByte
    MovSignWord
    Lea
    Xchg
    Xadd
    CompareExchange
    CompareExchange8
    Bswap
    ExtendAccumulator
    SignToEdx
    Xlat
    MovFromSegment
    MovToSegment
    LoadFarPointer

    Push
    Pop
    PushAll
    PopAll
    PushFlags
    PopFlags
    PushSegment
    PopSegment
    Enter
    Leave

    Lahf
    Sahf
    Salc
    Clc
    Stc
    Cmc
    Cld
    Std
    Cli
    Sti

    Jump
    JumpIf
    JumpIndirect
    JumpIfCountZero
    Loop
    LoopEqual
    LoopNotEqual
    Call
    CallIndirect
    Ret
    Bound

    JumpFar
    JumpFarIndirect
    CallFar
    CallFarIndirect
    RetFar
    Int
    Int1
    Int3
    Into
    Iret
    Sysenter
    Sysexit

    Movs
    Cmps
    Stos
    Lods
    Scas
    Ins
    Outs
    In
    Out

    Fld
    FloadConstant
    Fst
    FstUnchecked
    Fxch
    Fcmov
    Fadd
    Fmul
    Fsub
    FsubReversed
    Fdiv
    FdivReversed
    Fprem
    Fprem1
    Fsqrt
    Fchs
    Fabs
    Frndint
    Fscale
    Fxtract
    Fcom
    Fucom
    Fcomi
    Fucomi
    Ftst
    Fxam
    Fsin
    Fcos
    Fsincos
    Fptan
    Fpatan
    F2xm1
    Fyl2x
    Fyl2xp1
    Fnop
    Ffree
    Fincstp
    Fdecstp
    Wait
    Fninit
    Fnclex
    Fldcw
    Fnstcw
    Fnstsw
    Fldenv
    Fnstenv
    Frstor
    Fnsave

    Hlt
    Clts
    FlushCaches
    Invlpg
    Sgdt
    Sidt
    Lgdt
    Lidt
    Sldt
    Str
    Lldt
    Ltr
    Smsw
    Lmsw
    Verr
    Verw
    Lar
    Lsl
    Arpl
    MovFromControl
    MovToControl
    MovFromDebug
    MovToDebug
    Rdmsr
    Wrmsr
    Rdtsc
    Rdpmc
    Cpuid
}

impl Kind {
    /// Whether it only reads an operand in memory.
    #[must_use]
    pub fn reads_only(self) -> bool {
        matches!(
            self,
            Self::Bt
                | Self::Bsf
                | Self::Bsr
                | Self::Mul
                | Self::ImulAccumulator
                | Self::Imul
                | Self::Div
                | Self::Idiv
                | Self::MovIf
                | Self::MovZeroByte
                | Self::MovZeroWord
                | Self::MovSignByte
                | Self::MovSignWord
                | Self::JumpIndirect
                | Self::MovToSegment
        )
    }

    /// Whether it changes its operands and the status flags and does nothing else: with operands in
    /// registers it cannot fault.
    #[must_use]
    pub fn computes(self) -> bool {
        matches!(
            self,
            Self::Add
                | Self::Or
                | Self::Adc
                | Self::Sbb
                | Self::And
                | Self::Sub
                | Self::Xor
                | Self::Compare
                | Self::Test
                | Self::Not
                | Self::Neg
                | Self::Inc
                | Self::Dec
                | Self::Mul
                | Self::ImulAccumulator
                | Self::Imul
                | Self::Rol
                | Self::Ror
                | Self::Rcl
                | Self::Rcr
                | Self::Shl
                | Self::Shr
                | Self::Sar
                | Self::Shld
                | Self::Shrd
                | Self::Bt
                | Self::Bts
                | Self::Btr
                | Self::Btc
                | Self::Bsf
                | Self::Bsr
                | Self::SetIf
                | Self::Nop
                | Self::Mov
                | Self::MovIf
                | Self::MovZeroByte
                | Self::MovZeroWord
                | Self::MovSignByte
                | Self::MovSignWord
                | Self::Lea
                | Self::Xchg
                | Self::Bswap
                | Self::ExtendAccumulator
                | Self::SignToEdx
                | Self::Clc
                | Self::Stc
                | Self::Cmc
        )
    }

    /// Whether it goes elsewhere, but for conditional branches, or ends what was fetched ahead.
    #[must_use]
    pub fn transfers(self) -> bool {
        matches!(
            self,
            Self::Undefined
                | Self::Jump
                | Self::JumpIndirect
                | Self::Call
                | Self::CallIndirect
                | Self::Ret
                | Self::JumpFar
                | Self::JumpFarIndirect
                | Self::CallFar
                | Self::CallFarIndirect
                | Self::RetFar
                | Self::Int
                | Self::Int1
                | Self::Int3
                | Self::Into
                | Self::Iret
                | Self::Sysenter
                | Self::Sysexit
                | Self::Hlt
                | Self::MovToControl
                | Self::MovToDebug
                | Self::Lmsw
                | Self::Cpuid
        )
    }
}
