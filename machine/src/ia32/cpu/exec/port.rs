// SPDX-License-Identifier: Apache-2.0
//! Ports (SDM vol. 1, chapter 12): each access is allowed by the I/O privilege level or by the bit map
//! of the TSS.

use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::insn::reg::{EAX, EDI, EDX, ESI};
use crate::ia32::isa::insn::{Form, Insn, Seg};
use crate::ia32::isa::segment::Access;

use super::handler::Done;
use super::string::{advance, counter, repeat};

/// The port: a constant or DX.
fn number<O: Observer>(core: &Core<O>, insn: &Insn) -> u16 {
    if insn.form == Form::Imm {
        insn.imm as u16
    } else {
        core.r[EDX] as u16
    }
}

pub(super) fn input<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let port = number(core, insn);
    core.require_ports(port, N)?;
    let value = core.mem.read_port::<N>(port);
    core.set_register::<N>(EAX as u8, value);
    Ok(())
}

pub(super) fn output<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let port = number(core, insn);
    core.require_ports(port, N)?;
    let value = core.register::<N>(EAX as u8);
    core.mem.write_port::<N>(port, value);
    Ok(())
}

pub(super) fn ins<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    repeat(core, insn, false, |core, insn| {
        let port = core.r[EDX] as u16;
        core.require_ports(port, N)?;
        // Before the port is read, which cannot be taken back.
        let to = counter(core, insn, EDI);
        let place = core.locate(Seg::Es, to, N, Access::Write)?;
        let value = core.mem.read_port::<N>(port);
        core.put_at::<N>(place, value);
        advance::<O, N>(core, insn, EDI);
        Ok(())
    })
}

pub(super) fn outs<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    repeat(core, insn, false, |core, insn| {
        let port = core.r[EDX] as u16;
        core.require_ports(port, N)?;
        let value = core.load::<N>(insn.seg, counter(core, insn, ESI))?;
        core.mem.write_port::<N>(port, value);
        advance::<O, N>(core, insn, ESI);
        Ok(())
    })
}
