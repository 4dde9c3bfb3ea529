// SPDX-License-Identifier: Apache-2.0
//! What each instruction does: one small function each, grouped as the chapters of the manual, and the
//! table that gives each [`Kind`] its function.

mod alu;
mod atomic;
mod bits;
mod branch;
mod float;
mod memory;
mod multiply;
mod system;

pub use branch::links;

use crate::riscv::cpu::core::Core;
use crate::riscv::cpu::Observer;
use crate::riscv::isa::insn::Op;
use crate::riscv::isa::kind::{Kind, KINDS};
use crate::riscv::memory::fault::Abort;

/// Executes one instruction. `Err`: it raises the exception that the memory system notes.
pub type Handler<O> = fn(&mut Core<O>, Op) -> Result<(), Abort>;

/// Places for handlers: one for each value of a byte.
pub const HANDLERS: usize = 256;

/// The kinds, each with its handler: the table of handlers.
macro_rules! instructions {
    ($($name:ident = $handler:expr;)+) => {
        /// The handler of every kind.
        #[must_use]
        pub const fn handlers<O: Observer>() -> [Handler<O>; HANDLERS] {
            let mut table: [Handler<O>; HANDLERS] = [system::illegal::<O>; HANDLERS];
            $(table[Kind::$name as usize] = $handler;)+
            table
        }

        // Each kind has one.
        const _: () = assert!([$(Kind::$name),+].len() == KINDS);
    };
}

instructions! {
    Undecoded = system::illegal::<O>;
    Crossing = system::illegal::<O>;
    Illegal = system::illegal::<O>;
    Fence = system::fence::<O>;
    FenceI = system::fence_i::<O>;
    Ecall = system::ecall::<O>;
    Ebreak = system::ebreak::<O>;
    Mret = system::mret::<O>;
    Sret = system::sret::<O>;
    Wfi = system::wfi::<O>;
    SfenceVma = system::sfence_vma::<O>;
    SinvalVma = system::sinval_vma::<O>;
    SfenceWInval = system::sfence_w_inval::<O>;
    SfenceInvalIr = system::sfence_inval_ir::<O>;
    Csrrw = system::csrrw::<O, false>;
    Csrrs = system::csrr_bits::<O, false, true>;
    Csrrc = system::csrr_bits::<O, false, false>;
    Csrrwi = system::csrrw::<O, true>;
    Csrrsi = system::csrr_bits::<O, true, true>;
    Csrrci = system::csrr_bits::<O, true, false>;
    Li = alu::li::<O>;
    Auipc = alu::auipc::<O>;
    Addi = alu::addi::<O>;
    Slti = alu::slti::<O>;
    Sltiu = alu::sltiu::<O>;
    Xori = alu::xori::<O>;
    Ori = alu::ori::<O>;
    Andi = alu::andi::<O>;
    Slli = alu::slli::<O>;
    Srli = alu::srli::<O>;
    Srai = alu::srai::<O>;
    Add = alu::add::<O>;
    Sub = alu::sub::<O>;
    Sll = alu::sll::<O>;
    Slt = alu::slt::<O>;
    Sltu = alu::sltu::<O>;
    Xor = alu::xor::<O>;
    Srl = alu::srl::<O>;
    Sra = alu::sra::<O>;
    Or = alu::or::<O>;
    And = alu::and::<O>;
    Addiw = alu::addiw::<O>;
    Slliw = alu::slliw::<O>;
    Srliw = alu::srliw::<O>;
    Sraiw = alu::sraiw::<O>;
    Addw = alu::addw::<O>;
    Subw = alu::subw::<O>;
    Sllw = alu::sllw::<O>;
    Srlw = alu::srlw::<O>;
    Sraw = alu::sraw::<O>;
    Andn = bits::andn::<O>;
    Orn = bits::orn::<O>;
    Xnor = bits::xnor::<O>;
    Max = bits::max::<O>;
    Maxu = bits::maxu::<O>;
    Min = bits::min::<O>;
    Minu = bits::minu::<O>;
    SextB = bits::sext_b::<O>;
    SextH = bits::sext_h::<O>;
    ZextH = bits::zext_h::<O>;
    Rev8 = bits::rev8::<O>;
    AddUw = bits::add_uw::<O>;
    SlliUw = bits::slli_uw::<O>;
    Clz = bits::clz::<O>;
    Ctz = bits::ctz::<O>;
    Clzw = bits::clzw::<O>;
    Ctzw = bits::ctzw::<O>;
    Rol = bits::rol::<O>;
    Rolw = bits::rolw::<O>;
    Ror = bits::ror::<O>;
    Rori = bits::rori::<O>;
    Rorw = bits::rorw::<O>;
    Roriw = bits::roriw::<O>;
    OrcB = bits::orc_b::<O>;
    Sh1add = bits::shift_add::<O, 1>;
    Sh2add = bits::shift_add::<O, 2>;
    Sh3add = bits::shift_add::<O, 3>;
    Sh1addUw = bits::shift_add_uw::<O, 1>;
    Sh2addUw = bits::shift_add_uw::<O, 2>;
    Sh3addUw = bits::shift_add_uw::<O, 3>;
    Mul = multiply::mul::<O>;
    Mulh = multiply::mulh::<O>;
    Mulhsu = multiply::mulhsu::<O>;
    Mulhu = multiply::mulhu::<O>;
    Mulw = multiply::mulw::<O>;
    Cpop = bits::cpop::<O>;
    Cpopw = bits::cpopw::<O>;
    Div = multiply::div::<O>;
    Divu = multiply::divu::<O>;
    Rem = multiply::rem::<O>;
    Remu = multiply::remu::<O>;
    Divw = multiply::divw::<O>;
    Divuw = multiply::divuw::<O>;
    Remw = multiply::remw::<O>;
    Remuw = multiply::remuw::<O>;
    Jal = branch::jal::<O>;
    Jalr = branch::jalr::<O>;
    Beq = branch::beq::<O>;
    Bne = branch::bne::<O>;
    Blt = branch::blt::<O>;
    Bge = branch::bge::<O>;
    Bltu = branch::bltu::<O>;
    Bgeu = branch::bgeu::<O>;
    Lb = memory::lb::<O>;
    Lh = memory::lh::<O>;
    Lw = memory::lw::<O>;
    Ld = memory::load::<O, 8>;
    Lbu = memory::load::<O, 1>;
    Lhu = memory::load::<O, 2>;
    Lwu = memory::load::<O, 4>;
    Sb = memory::store::<O, 1>;
    Sh = memory::store::<O, 2>;
    Sw = memory::store::<O, 4>;
    Sd = memory::store::<O, 8>;
    LrW = atomic::load_reserved::<O, 4>;
    LrD = atomic::load_reserved::<O, 8>;
    ScW = atomic::store_conditional::<O, 4>;
    ScD = atomic::store_conditional::<O, 8>;
    AmoSwapW = atomic::swap::<O, 4>;
    AmoSwapD = atomic::swap::<O, 8>;
    AmoAddW = atomic::add::<O, 4>;
    AmoAddD = atomic::add::<O, 8>;
    AmoXorW = atomic::xor::<O, 4>;
    AmoXorD = atomic::xor::<O, 8>;
    AmoAndW = atomic::and::<O, 4>;
    AmoAndD = atomic::and::<O, 8>;
    AmoOrW = atomic::or::<O, 4>;
    AmoOrD = atomic::or::<O, 8>;
    AmoMinW = atomic::min::<O, 4>;
    AmoMinD = atomic::min::<O, 8>;
    AmoMaxW = atomic::max::<O, 4>;
    AmoMaxD = atomic::max::<O, 8>;
    AmoMinuW = atomic::minu::<O, 4>;
    AmoMinuD = atomic::minu::<O, 8>;
    AmoMaxuW = atomic::maxu::<O, 4>;
    AmoMaxuD = atomic::maxu::<O, 8>;
    Flw = float::load::<O, 4>;
    Fld = float::load::<O, 8>;
    Fsw = float::store::<O, 4>;
    Fsd = float::store::<O, 8>;
    FmaddS = float::fused::<O, false, false, false>;
    FmaddD = float::fused::<O, true, false, false>;
    FmsubS = float::fused::<O, false, false, true>;
    FmsubD = float::fused::<O, true, false, true>;
    FnmsubS = float::fused::<O, false, true, false>;
    FnmsubD = float::fused::<O, true, true, false>;
    FnmaddS = float::fused::<O, false, true, true>;
    FnmaddD = float::fused::<O, true, true, true>;
    FaddS = float::add::<O, false>;
    FaddD = float::add::<O, true>;
    FsubS = float::subtract::<O, false>;
    FsubD = float::subtract::<O, true>;
    FmulS = float::multiply::<O, false>;
    FmulD = float::multiply::<O, true>;
    FsgnjS = float::sign::<O, false, 0>;
    FsgnjD = float::sign::<O, true, 0>;
    FsgnjnS = float::sign::<O, false, 1>;
    FsgnjnD = float::sign::<O, true, 1>;
    FsgnjxS = float::sign::<O, false, 2>;
    FsgnjxD = float::sign::<O, true, 2>;
    FminS = float::extreme::<O, false, false>;
    FminD = float::extreme::<O, true, false>;
    FmaxS = float::extreme::<O, false, true>;
    FmaxD = float::extreme::<O, true, true>;
    FcvtWS = float::to_integer::<O, false, 32, true>;
    FcvtWuS = float::to_integer::<O, false, 32, false>;
    FcvtLS = float::to_integer::<O, false, 64, true>;
    FcvtLuS = float::to_integer::<O, false, 64, false>;
    FcvtWD = float::to_integer::<O, true, 32, true>;
    FcvtWuD = float::to_integer::<O, true, 32, false>;
    FcvtLD = float::to_integer::<O, true, 64, true>;
    FcvtLuD = float::to_integer::<O, true, 64, false>;
    FeqS = float::equal::<O, false>;
    FltS = float::below::<O, false, false>;
    FleS = float::below::<O, false, true>;
    FeqD = float::equal::<O, true>;
    FltD = float::below::<O, true, false>;
    FleD = float::below::<O, true, true>;
    FclassS = float::classify::<O, false>;
    FclassD = float::classify::<O, true>;
    FcvtSW = float::from_integer::<O, false, 32, true>;
    FcvtSWu = float::from_integer::<O, false, 32, false>;
    FcvtSL = float::from_integer::<O, false, 64, true>;
    FcvtSLu = float::from_integer::<O, false, 64, false>;
    FcvtDW = float::from_integer::<O, true, 32, true>;
    FcvtDWu = float::from_integer::<O, true, 32, false>;
    FcvtDL = float::from_integer::<O, true, 64, true>;
    FcvtDLu = float::from_integer::<O, true, 64, false>;
    FmvWX = float::move_from_integer::<O, false>;
    FmvDX = float::move_from_integer::<O, true>;
    FcvtSD = float::convert::<O, false>;
    FcvtDS = float::convert::<O, true>;
    FmvXW = float::move_to_integer::<O, false>;
    FmvXD = float::move_to_integer::<O, true>;
    FdivS = float::divide::<O, false>;
    FdivD = float::divide::<O, true>;
    FsqrtS = float::square_root::<O, false>;
    FsqrtD = float::square_root::<O, true>;
}
