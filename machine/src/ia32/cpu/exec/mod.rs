// SPDX-License-Identifier: Apache-2.0
//! What each instruction does: one small function each, grouped as SDM vol. 1, chapter 7 groups them.
//! This file names them all: the row of a [`Kind`] in `operations!` has the function for operands of one,
//! two and four bytes.

mod arith;
mod bits;
mod branch;
mod far;
mod flag;
mod fpu;
mod fpu_arith;
mod fpu_move;
mod handler;
mod mov;
mod port;
mod shift;
mod stack;
mod string;
mod system;

use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::insn::{Insn, OPERATIONS, SHAPED, SHAPES, SIZES};
use crate::ia32::isa::kind::{Kind, KINDS};

pub use self::handler::{Done, Handler};

/// Room for the handlers of all operations: a power of two.
pub const ROOM: usize = 1024;
const _: () = assert!(OPERATIONS <= ROOM);

/// The handlers of every [`Kind`]: `sized` functions have the operand's bytes as their parameter, `shaped` ones
/// have handlers for each shape of operands beside these, `computing` ones belong to the floating-point unit
/// and wait for its pending exceptions.
macro_rules! operations {
    ($($how:ident $name:ident $file:ident::$function:ident;)*) => {
        /// The handlers of a kind, by the size of the operand.
        const fn row<O: Observer>(kind: Kind) -> [Handler<O>; SIZES] {
            match kind {
                Kind::Undefined => [undefined::<O>; SIZES],
                $(Kind::$name => operations!(@row $how $file $function),)*
            }
        }

        /// Those of a kind of [`SHAPED`], by the shape of operands of four bytes.
        const fn shapes<O: Observer>(kind: Kind) -> [Handler<O>; SHAPES.len()] {
            match kind {
                $(Kind::$name => operations!(@shapes $how $file $function),)*
                Kind::Undefined => [undefined::<O>; SHAPES.len()],
            }
        }
    };
    (@row shaped $file:ident $function:ident) => {
        operations!(@row sized $file $function)
    };
    (@row sized $file:ident $function:ident) => {
        [$file::$function::<O, 1>, $file::$function::<O, 2>, $file::$function::<O, 4>]
    };
    (@row plain $file:ident $function:ident) => {
        [$file::$function::<O>; SIZES]
    };
    (@row computing $file:ident $function:ident) => {
        [|core, insn| fpu::computing(core, insn, $file::$function::<O>); SIZES]
    };
    (@shapes shaped $file:ident $function:ident) => {
        [
            |core, insn| $file::$function::<O, 4>(core, &handler::of_shape::<0>(insn)),
            |core, insn| $file::$function::<O, 4>(core, &handler::of_shape::<1>(insn)),
            |core, insn| $file::$function::<O, 4>(core, &handler::of_shape::<2>(insn)),
            |core, insn| $file::$function::<O, 4>(core, &handler::of_shape::<3>(insn)),
            |core, insn| $file::$function::<O, 4>(core, &handler::of_shape::<4>(insn)),
            |core, insn| $file::$function::<O, 4>(core, &handler::of_shape::<5>(insn)),
        ]
    };
    (@shapes $how:ident $file:ident $function:ident) => {
        [undefined::<O>; SHAPES.len()]
    };
}

operations! {
    shaped Add arith::add;
    shaped Or arith::or;
    sized Adc arith::adc;
    sized Sbb arith::sbb;
    shaped And arith::and;
    shaped Sub arith::sub;
    shaped Xor arith::xor;
    shaped Compare arith::compare;
    shaped Test arith::test;
    sized Not arith::not;
    sized Neg arith::neg;
    sized Inc arith::inc;
    sized Dec arith::dec;
    sized Mul arith::mul;
    sized ImulAccumulator arith::imul_accumulator;
    sized Imul arith::imul;
    sized Div arith::div;
    sized Idiv arith::idiv;
    plain Daa arith::daa;
    plain Das arith::das;
    plain Aaa arith::aaa;
    plain Aas arith::aas;
    plain Aam arith::aam;
    plain Aad arith::aad;

    sized Rol shift::rol;
    sized Ror shift::ror;
    sized Rcl shift::rcl;
    sized Rcr shift::rcr;
    sized Shl shift::shl;
    sized Shr shift::shr;
    sized Sar shift::sar;
    sized Shld shift::shld;
    sized Shrd shift::shrd;

    sized Bt bits::bt;
    sized Bts bits::bts;
    sized Btr bits::btr;
    sized Btc bits::btc;
    sized Bsf bits::bsf;
    sized Bsr bits::bsr;
    plain SetIf bits::set_if;

    plain Nop mov::nop;
    shaped Mov mov::mov;
    sized MovIf mov::mov_if;
    sized MovZeroByte mov::mov_zero_byte;
    sized MovZeroWord mov::mov_zero_word;
    sized MovSignByte mov::mov_sign_byte;
    sized MovSignWord mov::mov_sign_word;
    sized Lea mov::lea;
    sized Xchg mov::xchg;
    sized Xadd mov::xadd;
    sized CompareExchange mov::compare_exchange;
    plain CompareExchange8 mov::compare_exchange_8;
    sized Bswap mov::bswap;
    sized ExtendAccumulator mov::extend_accumulator;
    sized SignToEdx mov::sign_to_edx;
    plain Xlat mov::xlat;
    sized MovFromSegment mov::mov_from_segment;
    plain MovToSegment mov::mov_to_segment;
    sized LoadFarPointer mov::load_far_pointer;

    sized Push stack::push;
    sized Pop stack::pop;
    sized PushAll stack::push_all;
    sized PopAll stack::pop_all;
    sized PushFlags stack::push_flags;
    sized PopFlags stack::pop_flags;
    sized PushSegment stack::push_segment;
    sized PopSegment stack::pop_segment;
    sized Enter stack::enter;
    sized Leave stack::leave;

    plain Lahf flag::lahf;
    plain Sahf flag::sahf;
    plain Salc flag::salc;
    plain Clc flag::clc;
    plain Stc flag::stc;
    plain Cmc flag::cmc;
    plain Cld flag::cld;
    plain Std flag::std;
    plain Cli flag::cli;
    plain Sti flag::sti;

    sized Jump branch::jump;
    sized JumpIf branch::jump_if;
    sized JumpIndirect branch::jump_indirect;
    sized JumpIfCountZero branch::jump_if_count_zero;
    sized Loop branch::loop_;
    sized LoopEqual branch::loop_equal;
    sized LoopNotEqual branch::loop_not_equal;
    sized Call branch::call;
    sized CallIndirect branch::call_indirect;
    sized Ret branch::ret;
    sized Bound branch::bound;

    plain JumpFar far::jump_far;
    sized JumpFarIndirect far::jump_far_indirect;
    sized CallFar far::call_far;
    sized CallFarIndirect far::call_far_indirect;
    sized RetFar far::ret_far;
    plain Int far::int;
    plain Int1 far::int1;
    plain Int3 far::int3;
    plain Into far::into;
    sized Iret far::iret;
    plain Sysenter far::sysenter;
    plain Sysexit far::sysexit;

    sized Movs string::movs;
    sized Cmps string::cmps;
    sized Stos string::stos;
    sized Lods string::lods;
    sized Scas string::scas;
    sized Ins port::ins;
    sized Outs port::outs;
    sized In port::input;
    sized Out port::output;

    computing Fld fpu_move::fld;
    computing FloadConstant fpu_move::fload_constant;
    computing Fst fpu_move::fst;
    computing FstUnchecked fpu_move::fst_unchecked;
    computing Fxch fpu_move::fxch;
    computing Fcmov fpu_move::fcmov;
    computing Fadd fpu_arith::fadd;
    computing Fmul fpu_arith::fmul;
    computing Fsub fpu_arith::fsub;
    computing FsubReversed fpu_arith::fsub_reversed;
    computing Fdiv fpu_arith::fdiv;
    computing FdivReversed fpu_arith::fdiv_reversed;
    computing Fprem fpu_arith::fprem;
    computing Fprem1 fpu_arith::fprem1;
    computing Fsqrt fpu_arith::fsqrt;
    computing Fchs fpu_arith::fchs;
    computing Fabs fpu_arith::fabs;
    computing Frndint fpu_arith::frndint;
    computing Fscale fpu_arith::fscale;
    computing Fxtract fpu_arith::fxtract;
    computing Fcom fpu_arith::fcom;
    computing Fucom fpu_arith::fucom;
    computing Fcomi fpu_arith::fcomi;
    computing Fucomi fpu_arith::fucomi;
    computing Ftst fpu_arith::ftst;
    computing Fxam fpu_arith::fxam;
    computing Fsin fpu_arith::fsin;
    computing Fcos fpu_arith::fcos;
    computing Fsincos fpu_arith::fsincos;
    computing Fptan fpu_arith::fptan;
    computing Fpatan fpu_arith::fpatan;
    computing F2xm1 fpu_arith::f2xm1;
    computing Fyl2x fpu_arith::fyl2x;
    computing Fyl2xp1 fpu_arith::fyl2xp1;
    computing Fnop fpu::fnop;
    computing Ffree fpu::ffree;
    computing Fincstp fpu::fincstp;
    computing Fdecstp fpu::fdecstp;
    plain Wait fpu::wait;
    plain Fninit fpu::fninit;
    plain Fnclex fpu::fnclex;
    plain Fldcw fpu::fldcw;
    plain Fnstcw fpu::fnstcw;
    plain Fnstsw fpu::fnstsw;
    sized Fldenv fpu::fldenv;
    sized Fnstenv fpu::fnstenv;
    sized Frstor fpu::frstor;
    sized Fnsave fpu::fnsave;

    plain Hlt system::hlt;
    plain Clts system::clts;
    plain FlushCaches system::flush_caches;
    plain Invlpg system::invlpg;
    sized Sgdt system::sgdt;
    sized Sidt system::sidt;
    sized Lgdt system::lgdt;
    sized Lidt system::lidt;
    sized Sldt system::sldt;
    sized Str system::str;
    plain Lldt system::lldt;
    plain Ltr system::ltr;
    sized Smsw system::smsw;
    plain Lmsw system::lmsw;
    plain Verr system::verr;
    plain Verw system::verw;
    sized Lar system::lar;
    sized Lsl system::lsl;
    plain Arpl system::arpl;
    plain MovFromControl system::mov_from_control;
    plain MovToControl system::mov_to_control;
    plain MovFromDebug system::mov_from_debug;
    plain MovToDebug system::mov_to_debug;
    plain Rdmsr system::rdmsr;
    plain Wrmsr system::wrmsr;
    plain Rdtsc system::rdtsc;
    plain Rdpmc system::rdpmc;
    plain Cpuid system::cpuid;
}

/// The handlers of all operations, by their numbers.
#[must_use]
pub const fn handlers<O: Observer>() -> [Handler<O>; ROOM] {
    let mut table = [undefined::<O> as Handler<O>; ROOM];
    let mut n = 0;
    while n < KINDS * SIZES {
        table[n] = row(Kind::ALL[n / SIZES])[n % SIZES];
        n += 1;
    }
    while n < OPERATIONS {
        let shaped = n - KINDS * SIZES;
        table[n] = shapes(SHAPED[shaped / SHAPES.len()])[shaped % SHAPES.len()];
        n += 1;
    }
    table
}

/// The invalid opcode exception.
fn undefined<O: Observer>(_: &mut Core<O>, _: &Insn) -> Done {
    Err(Fault::undefined())
}
