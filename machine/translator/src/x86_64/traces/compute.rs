// SPDX-License-Identifier: Apache-2.0
//! What instructions do, but for branches. An operand in memory is at rdi.
#![allow(clippy::useless_conversion)] // in the code that dynasm makes of registers

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, part, Unit, ESP};
use crate::traces::{Action, Binary, Count, Operand, Register, Shift, Unary, Width};

/// Registers of the host, as instructions number them.
const RBX: u8 = 3;
const RDI: u8 = 7;

/// The guest's registers.
const EAX: Register = 0;
const ECX: Register = 1;
const EDX: Register = 2;
const EBP: Register = 5;
const ESI: Register = 6;
const EDI: Register = 7;

/// Where an operand is: a register of the host, and bytes from there.
type Place = (u8, i32);

fn place(operand: Operand, width: Width) -> Place {
    match operand {
        Operand::Register(n) => (RBX, part(n, width)),
        _ => (RDI, 0),
    }
}

/// An instruction of the host on memory and eax or a constant.
macro_rules! combine {
    ($unit:ident, $name:ident, $width:ident, $place:ident, $constant:ident) => {{
        let (base, offset) = $place;
        match ($width, $constant) {
            (Width::Byte, None) => {
                dynasm!($unit.asm ; .arch x64 ; $name BYTE [Rq(base) + offset], al)
            }
            (Width::Word, None) => {
                dynasm!($unit.asm ; .arch x64 ; $name WORD [Rq(base) + offset], ax)
            }
            (Width::Long, None) => {
                dynasm!($unit.asm ; .arch x64 ; $name DWORD [Rq(base) + offset], eax)
            }
            (Width::Byte, Some(n)) => {
                dynasm!($unit.asm ; .arch x64 ; $name BYTE [Rq(base) + offset], n as i8)
            }
            (Width::Word, Some(n)) => {
                dynasm!($unit.asm ; .arch x64 ; $name WORD [Rq(base) + offset], n as i16)
            }
            (Width::Long, Some(n)) => {
                dynasm!($unit.asm ; .arch x64 ; $name DWORD [Rq(base) + offset], n as i32)
            }
        }
    }};
}

/// An instruction of the host on memory alone.
macro_rules! change {
    ($unit:ident, $name:ident, $width:ident, $place:ident) => {{
        let (base, offset) = $place;
        match $width {
            Width::Byte => dynasm!($unit.asm ; .arch x64 ; $name BYTE [Rq(base) + offset]),
            Width::Word => dynasm!($unit.asm ; .arch x64 ; $name WORD [Rq(base) + offset]),
            Width::Long => dynasm!($unit.asm ; .arch x64 ; $name DWORD [Rq(base) + offset]),
        }
    }};
}

impl Unit {
    /// Translates what an instruction does; `flags`: those that it sets are wanted.
    pub(super) fn execute(&mut self, action: &Action, flags: bool) {
        match *action {
            Action::Nothing => {}
            Action::Binary {
                operation,
                width,
                first,
                second,
            } => self.binary(operation, width, first, second, flags),
            Action::Unary {
                operation,
                width,
                operand,
            } => self.unary(operation, width, operand, flags),
            Action::Move { width, to, from } => {
                let constant = self.load(from, width);
                let to = place(to, width);
                combine!(self, mov, width, to, constant);
            }
            Action::Extend {
                width,
                from_width,
                signed,
                to,
                from,
            } => {
                let (base, offset) = place(from, from_width);
                match (from_width, signed) {
                    (Width::Byte, true) => {
                        dynasm!(self.asm ; .arch x64 ; movsx eax, BYTE [Rq(base) + offset]);
                    }
                    (Width::Byte, false) => {
                        dynasm!(self.asm ; .arch x64 ; movzx eax, BYTE [Rq(base) + offset]);
                    }
                    (_, true) => {
                        dynasm!(self.asm ; .arch x64 ; movsx eax, WORD [Rq(base) + offset]);
                    }
                    (_, false) => {
                        dynasm!(self.asm ; .arch x64 ; movzx eax, WORD [Rq(base) + offset]);
                    }
                }
                if width == Width::Word {
                    dynasm!(self.asm ; .arch x64 ; mov [rbx + at(to)], ax);
                } else {
                    dynasm!(self.asm ; .arch x64 ; mov [rbx + at(to)], eax);
                }
            }
            Action::Address { to, address } => {
                self.address(address);
                dynasm!(self.asm ; .arch x64 ; mov [rbx + at(to)], edi);
            }
            Action::Shift {
                operation,
                register,
                count,
            } => self.shift(operation, register, count),
            Action::Multiply { to, first, second } => {
                let _ = self.load(first, Width::Long);
                match second {
                    Operand::Constant(n) => {
                        dynasm!(self.asm ; .arch x64 ; imul eax, eax, n as i32);
                    }
                    other => {
                        let (base, offset) = place(other, Width::Long);
                        dynasm!(self.asm ; .arch x64 ; imul eax, [Rq(base) + offset]);
                    }
                }
                dynasm!(self.asm ; .arch x64 ; mov [rbx + at(to)], eax);
                self.store_width_flags();
            }
            Action::MultiplyWide { signed, by } => {
                let (base, offset) = place(by, Width::Long);
                dynasm!(self.asm ; .arch x64 ; mov eax, [rbx + at(EAX)]);
                if signed {
                    dynasm!(self.asm ; .arch x64 ; imul DWORD [Rq(base) + offset]);
                } else {
                    dynasm!(self.asm ; .arch x64 ; mul DWORD [Rq(base) + offset]);
                }
                dynasm!(self.asm
                    ; .arch x64
                    ; mov [rbx + at(EAX)], eax
                    ; mov [rbx + at(EDX)], edx
                );
                self.store_width_flags();
            }
            Action::MoveIf {
                condition,
                to,
                from,
            } => {
                let _ = self.load(from, Width::Long);
                dynasm!(self.asm ; .arch x64 ; mov ecx, eax);
                let skip = self.asm.new_dynamic_label();
                self.go_if(condition ^ 1, skip);
                dynasm!(self.asm ; .arch x64 ; mov [rbx + at(to)], ecx ; =>skip);
            }
            Action::SetIf { condition, to } => {
                let (base, offset) = place(to, Width::Byte);
                let (set, done) = (self.asm.new_dynamic_label(), self.asm.new_dynamic_label());
                self.go_if(condition, set);
                dynasm!(self.asm
                    ; .arch x64
                    ; mov BYTE [Rq(base) + offset], 0
                    ; jmp =>done
                    ; =>set
                    ; mov BYTE [Rq(base) + offset], 1
                    ; =>done
                );
            }
            Action::Exchange(one, other) => dynasm!(self.asm
                ; .arch x64
                ; mov eax, [rbx + at(one)]
                ; mov ecx, [rbx + at(other)]
                ; mov [rbx + at(one)], ecx
                ; mov [rbx + at(other)], eax
            ),
            Action::SwapBytes(register) => dynasm!(self.asm
                ; .arch x64
                ; mov eax, [rbx + at(register)]
                ; bswap eax
                ; mov [rbx + at(register)], eax
            ),
            Action::ExtendAccumulator => dynasm!(self.asm
                ; .arch x64
                ; movsx eax, WORD [rbx + at(EAX)]
                ; mov [rbx + at(EAX)], eax
            ),
            Action::SignToEdx => dynasm!(self.asm
                ; .arch x64
                ; mov eax, [rbx + at(EAX)]
                ; sar eax, 31
                ; mov [rbx + at(EDX)], eax
            ),
            Action::TimeStamp { held } => self.hold(held),
            Action::Push(Operand::Memory(_)) => dynasm!(self.asm
                ; .arch x64
                ; mov eax, [rdi]
                ; mov rcx, [rbp + frame::DESTINATION]
                ; mov [rcx], eax
                ; sub DWORD [rbx + at(ESP)], 4
            ),
            Action::Push(from) => {
                let constant = self.load(from, Width::Long);
                let (to, width) = ((RDI, 0), Width::Long);
                combine!(self, mov, width, to, constant);
                dynasm!(self.asm ; .arch x64 ; sub DWORD [rbx + at(ESP)], 4);
            }
            Action::Pop(to) => dynasm!(self.asm
                ; .arch x64
                ; mov eax, [rdi]
                ; add DWORD [rbx + at(ESP)], 4
                ; mov [rbx + at(to)], eax
            ),
            Action::DropFrame => dynasm!(self.asm
                ; .arch x64
                ; mov eax, [rdi]
                ; mov ecx, [rbx + at(EBP)]
                ; add ecx, 4
                ; mov [rbx + at(ESP)], ecx
                ; mov [rbx + at(EBP)], eax
            ),
            Action::MoveString(width) => {
                dynasm!(self.asm ; .arch x64 ; mov rcx, [rbp + frame::DESTINATION]);
                match width {
                    Width::Byte => dynasm!(self.asm ; .arch x64 ; mov al, [rdi] ; mov [rcx], al),
                    Width::Word => dynasm!(self.asm ; .arch x64 ; mov ax, [rdi] ; mov [rcx], ax),
                    Width::Long => dynasm!(self.asm ; .arch x64 ; mov eax, [rdi] ; mov [rcx], eax),
                }
                let shift = width.bytes().trailing_zeros() as i8;
                dynasm!(self.asm
                    ; .arch x64
                    ; mov eax, [rbp + frame::DIRECTION]
                    ; shl eax, shift
                    ; add [rbx + at(ESI)], eax
                    ; add [rbx + at(EDI)], eax
                );
            }
            Action::JumpTo(_) => self.jump_to(false),
            Action::CallTo(_) => self.jump_to(true),
            Action::Jump { to } => {
                self.pass();
                self.go_on(to);
            }
            Action::JumpIf {
                condition,
                to,
                backward,
            } => self.jump_if(condition, to, backward),
            Action::Call { to } => {
                dynasm!(self.asm
                    ; .arch x64
                    ; mov DWORD [rdi], self.passed.address as i32
                    ; sub DWORD [rbx + at(ESP)], 4
                );
                self.call(to);
            }
            Action::Return { bytes } => {
                dynasm!(self.asm ; .arch x64 ; add DWORD [rbx + at(ESP)], 4 + bytes as i32);
                self.returns();
            }
            Action::Leave => unreachable!("no unit has it"),
        }
    }

    /// The target of an instruction that goes where an operand says, in edi: nothing before its end changes that.
    pub(super) fn load_target(&mut self, action: &Action) {
        match *action {
            Action::JumpTo(Operand::Register(n)) | Action::CallTo(Operand::Register(n)) => {
                dynasm!(self.asm ; .arch x64 ; mov edi, [rbx + at(n)]);
            }
            Action::JumpTo(_) | Action::CallTo(_) | Action::Return { .. } => {
                dynasm!(self.asm ; .arch x64 ; mov edi, [rdi]);
            }
            _ => {}
        }
    }

    /// An operand in eax, or the constant that it is.
    fn load(&mut self, operand: Operand, width: Width) -> Option<u32> {
        let (base, offset) = match operand {
            Operand::Constant(n) => return Some(n),
            other => place(other, width),
        };
        match width {
            Width::Byte => dynasm!(self.asm ; .arch x64 ; mov al, [Rq(base) + offset]),
            Width::Word => dynasm!(self.asm ; .arch x64 ; mov ax, [Rq(base) + offset]),
            Width::Long => dynasm!(self.asm ; .arch x64 ; mov eax, [Rq(base) + offset]),
        }
        None
    }

    fn binary(
        &mut self,
        operation: Binary,
        width: Width,
        first: Operand,
        second: Operand,
        flags: bool,
    ) {
        let constant = self.load(second, width);
        if operation.takes_carry() {
            self.load_carry();
        }
        let first = place(first, width);
        match operation {
            Binary::Add => combine!(self, add, width, first, constant),
            Binary::AddWithCarry => combine!(self, adc, width, first, constant),
            Binary::Subtract => combine!(self, sub, width, first, constant),
            Binary::SubtractWithBorrow => combine!(self, sbb, width, first, constant),
            Binary::And => combine!(self, and, width, first, constant),
            Binary::Or => combine!(self, or, width, first, constant),
            Binary::ExclusiveOr => combine!(self, xor, width, first, constant),
            Binary::Compare => combine!(self, cmp, width, first, constant),
            Binary::Test => combine!(self, test, width, first, constant),
        }
        if flags {
            self.store_flags(operation.is_logic());
        }
    }

    fn unary(&mut self, operation: Unary, width: Width, operand: Operand, flags: bool) {
        let operand = place(operand, width);
        match operation {
            Unary::Increment => {
                self.load_carry();
                change!(self, inc, width, operand);
            }
            Unary::Decrement => {
                self.load_carry();
                change!(self, dec, width, operand);
            }
            Unary::Negate => change!(self, neg, width, operand),
            Unary::Not => change!(self, not, width, operand),
        }
        if flags && operation != Unary::Not {
            self.store_flags(false);
        }
    }

    /// The guest's carry is the host's.
    fn load_carry(&mut self) {
        dynasm!(self.asm ; .arch x64 ; bt WORD [rbp + frame::FLAGS], 8);
    }

    /// The host's flags are the guest's. Changes rax.
    fn store_flags(&mut self, without_half_carry: bool) {
        dynasm!(self.asm ; .arch x64 ; lahf ; seto al);
        if without_half_carry {
            dynasm!(self.asm ; .arch x64 ; and ah, !0x10);
        }
        dynasm!(self.asm ; .arch x64 ; mov [rbp + frame::FLAGS], ax);
    }

    /// Carry and overflow are the host's carry, after a product; the others stay. Changes rax and rcx.
    fn store_width_flags(&mut self) {
        dynasm!(self.asm
            ; .arch x64
            ; setc cl
            ; mov ah, [rbp + frame::FLAGS + 1]
            ; and ah, !1
            ; or ah, cl
            ; mov al, cl
            ; mov [rbp + frame::FLAGS], ax
        );
    }

    fn shift(&mut self, operation: Shift, register: Register, count: Count) {
        let nothing = self.asm.new_dynamic_label();
        dynasm!(self.asm ; .arch x64 ; mov edx, [rbx + at(register)] ; mov esi, edx);
        match count {
            Count::Constant(by) => {
                if by & 31 == 0 {
                    dynasm!(self.asm ; .arch x64 ; =>nothing);
                    return;
                }
                dynasm!(self.asm ; .arch x64 ; mov ecx, i32::from(by & 31));
            }
            Count::Register => dynasm!(self.asm
                ; .arch x64
                ; mov ecx, [rbx + at(ECX)]
                ; and ecx, 31
                ; jz =>nothing
            ),
        }
        match operation {
            Shift::Left => dynasm!(self.asm ; .arch x64 ; shl edx, cl),
            Shift::Right => dynasm!(self.asm ; .arch x64 ; shr edx, cl),
            Shift::RightSigned => dynasm!(self.asm ; .arch x64 ; sar edx, cl),
            Shift::RotateLeft => dynasm!(self.asm ; .arch x64 ; rol edx, cl),
            Shift::RotateRight => dynasm!(self.asm ; .arch x64 ; ror edx, cl),
        }
        dynasm!(self.asm ; .arch x64 ; mov [rbx + at(register)], edx);
        if operation.rotates() {
            self.rotated(operation);
            dynasm!(self.asm ; .arch x64 ; =>nothing);
            return;
        }
        // AF in ch.
        dynasm!(self.asm
            ; .arch x64
            ; lahf
            ; mov ch, [rbp + frame::FLAGS + 1]
            ; and ch, 0x10
            ; and ah, !0x10
            ; or ah, ch
        );
        match operation {
            Shift::Left => dynasm!(self.asm
                ; .arch x64
                ; mov al, ah
                ; and al, 1
                ; shr edx, 31
                ; xor al, dl
            ),
            Shift::Right => dynasm!(self.asm
                ; .arch x64
                ; shr esi, 31
                ; mov ecx, esi
                ; mov al, cl
            ),
            _ => dynasm!(self.asm ; .arch x64 ; mov al, 0),
        }
        dynasm!(self.asm
            ; .arch x64
            ; mov [rbp + frame::FLAGS], ax
            ; =>nothing
        );
    }

    /// The flags after a rotate to what is in edx: CF is the bit that came round, OF whether the highest bit is another than
    /// that, or than the next one.
    fn rotated(&mut self, operation: Shift) {
        dynasm!(self.asm ; .arch x64 ; mov eax, edx ; mov ecx, edx);
        if operation == Shift::RotateLeft {
            dynasm!(self.asm ; .arch x64 ; and ecx, 1 ; shr eax, 31);
        } else {
            dynasm!(self.asm ; .arch x64 ; shr ecx, 31 ; shr eax, 30 ; and eax, 1);
        }
        dynasm!(self.asm
            ; .arch x64
            ; xor al, cl
            ; mov ah, [rbp + frame::FLAGS + 1]
            ; and ah, !1
            ; or ah, cl
            ; mov [rbp + frame::FLAGS], ax
        );
    }

    /// Goes to `label` if a condition holds (as opcodes number them: SDM vol. 1, appendix B). Changes rax.
    pub(super) fn go_if(&mut self, condition: u8, label: DynamicLabel) {
        const CARRY: i8 = 1;
        const PARITY: i8 = 4;
        const ZERO: i8 = 1 << 6;
        const SIGN: u8 = 1 << 7;
        // Where a flag stands, and those of which one is to be set.
        let flags = frame::FLAGS + 1;
        let (byte, mask) = match condition >> 1 & 7 {
            0 => (frame::FLAGS, 1),
            1 => (flags, CARRY),
            2 => (flags, ZERO),
            3 => (flags, CARRY | ZERO),
            4 => (flags, SIGN as i8),
            5 => (flags, PARITY),
            _ => {
                // 127 and 1 overflow.
                dynasm!(self.asm
                    ; .arch x64
                    ; mov ax, [rbp + frame::FLAGS]
                    ; add al, 127
                    ; sahf
                );
                match condition & 3 {
                    0 => dynasm!(self.asm ; .arch x64 ; jl =>label),
                    1 => dynasm!(self.asm ; .arch x64 ; jge =>label),
                    2 => dynasm!(self.asm ; .arch x64 ; jle =>label),
                    _ => dynasm!(self.asm ; .arch x64 ; jg =>label),
                }
                return;
            }
        };
        dynasm!(self.asm ; .arch x64 ; test BYTE [rbp + byte], mask);
        if condition & 1 == 0 {
            dynasm!(self.asm ; .arch x64 ; jnz =>label);
        } else {
            dynasm!(self.asm ; .arch x64 ; jz =>label);
        }
    }
}
