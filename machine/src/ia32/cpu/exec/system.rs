// SPDX-License-Identifier: Apache-2.0
//! System instructions (SDM vol. 3, 2.6; vol. 2).

use crate::arch::Dead;
use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::pmu::Pmu;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags::{IF, ZF};
use crate::ia32::isa::insn::reg::{EAX, EBX, ECX, EDX};
use crate::ia32::isa::insn::Insn;
use crate::ia32::isa::register::Operation;
use crate::ia32::isa::register::{cr0, cr4};
use crate::ia32::isa::segment::{is_null, rpl, system, Descriptor, TableRegister};

use super::handler::Done;

/// Halts until an interrupt. With interrupts masked that is the end: no machine has an NMI.
pub(super) fn hlt<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.require_supervisor()?;
    core.end_quantum();
    if core.eflags & IF != 0 {
        core.waiting = true;
    } else {
        core.next_eip = core.eip;
        core.dead = Some(Dead::NeverWakes(format!(
            "halts at {:#010x} with interrupts masked",
            core.pc()
        )));
    }
    core.operated(Operation::Halt);
    Ok(())
}

pub(super) fn clts<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.require_supervisor()?;
    core.mem.cr0 &= !cr0::TS;
    core.operated(Operation::Control(0));
    Ok(())
}

/// INVD and WBINVD.
pub(super) fn flush_caches<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.require_supervisor()?;
    core.mem.empty_caches();
    core.operated(Operation::FlushCaches);
    Ok(())
}

pub(super) fn invlpg<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.require_supervisor()?;
    let linear = core.segments[insn.seg as usize]
        .base
        .wrapping_add(core.offset(insn));
    core.mem.invalidate_page(linear);
    core.operated(Operation::InvalidatePage(linear));
    Ok(())
}

// ---- tables --------------------------------------------------------------------------------

fn store_table<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
    table: TableRegister,
) -> Done {
    let offset = core.offset(insn);
    let after = core.offset_after(insn, 2);
    core.store::<2>(insn.seg, offset, u32::from(table.limit))?;
    core.store::<4>(insn.seg, after, table.base)
}

fn load_table<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
) -> Result<TableRegister, Fault> {
    core.require_supervisor()?;
    let offset = core.offset(insn);
    let limit = core.load::<2>(insn.seg, offset)? as u16;
    let after = core.offset_after(insn, 2);
    let base = core.load::<4>(insn.seg, after)?;
    // With operands of 16 bits the base has 24.
    let base = if N == 2 { base & 0x00ff_ffff } else { base };
    Ok(TableRegister { base, limit })
}

pub(super) fn sgdt<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    store_table::<O, N>(core, insn, core.gdtr)
}

pub(super) fn sidt<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    store_table::<O, N>(core, insn, core.idtr)
}

pub(super) fn lgdt<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.gdtr = load_table::<O, N>(core, insn)?;
    Ok(())
}

pub(super) fn lidt<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.idtr = load_table::<O, N>(core, insn)?;
    Ok(())
}

/// Those of protected mode alone.
fn require_protected<O: Observer>(core: &Core<O>) -> Done {
    if core.is_protected() {
        Ok(())
    } else {
        Err(Fault::undefined())
    }
}

/// A selector into memory, of 16 bits, or into a register.
fn store_selector<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
    selector: u16,
) -> Done {
    require_protected(core)?;
    if insn.memory {
        core.set_rm::<2>(insn, u32::from(selector))
    } else {
        core.set_rm::<N>(insn, u32::from(selector))
    }
}

pub(super) fn sldt<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    store_selector::<O, N>(core, insn, core.ldtr.selector)
}

pub(super) fn str<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    store_selector::<O, N>(core, insn, core.tr.selector)
}

pub(super) fn lldt<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    require_protected(core)?;
    core.require_supervisor()?;
    let selector = core.rm::<2>(insn)?;
    core.load_ldt(selector as u16)
}

pub(super) fn ltr<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    require_protected(core)?;
    core.require_supervisor()?;
    let selector = core.rm::<2>(insn)?;
    core.load_task(selector as u16)
}

// ---- looking at descriptors ----------------------------------------------------------------

/// The descriptor that the operand names, if code at this level may see it; ZF says whether.
fn visible<O: Observer>(
    core: &mut Core<O>,
    insn: &Insn,
    accept: impl Fn(Descriptor) -> bool,
) -> Result<Option<Descriptor>, Fault> {
    require_protected(core)?;
    let selector = core.rm::<2>(insn)? as u16;
    let found = if is_null(selector) {
        None
    } else {
        core.find_descriptor(selector)?
    };
    let level = core.cpl().max(rpl(selector));
    let seen = found
        .map(|found| found.descriptor)
        .filter(|d| d.is_conforming() || d.dpl() >= level)
        .filter(|d| accept(*d));
    core.eflags &= !ZF;
    if seen.is_some() {
        core.eflags |= ZF;
    }
    Ok(seen)
}

pub(super) fn verr<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    visible(core, insn, Descriptor::is_readable)?;
    Ok(())
}

pub(super) fn verw<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    visible(core, insn, Descriptor::is_writable)?;
    Ok(())
}

pub(super) fn lar<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    use system::{CALL16, CALL32, LDT, TASK, TSS16, TSS16_BUSY, TSS32, TSS32_BUSY};
    const KNOWN: [u8; 8] = [
        TSS16, LDT, TSS16_BUSY, CALL16, TASK, TSS32, TSS32_BUSY, CALL32,
    ];
    let accept = |d: Descriptor| !d.is_system() || KNOWN.contains(&d.kind());
    if let Some(descriptor) = visible(core, insn, accept)? {
        // All but base and limit, which the manual leaves undefined here.
        core.set_register::<N>(insn.reg, descriptor.high & 0x00f0_ff00);
    }
    Ok(())
}

pub(super) fn lsl<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    use system::{LDT, TSS16, TSS16_BUSY, TSS32, TSS32_BUSY};
    const KNOWN: [u8; 5] = [TSS16, LDT, TSS16_BUSY, TSS32, TSS32_BUSY];
    let accept = |d: Descriptor| !d.is_system() || KNOWN.contains(&d.kind());
    if let Some(descriptor) = visible(core, insn, accept)? {
        core.set_register::<N>(insn.reg, descriptor.limit());
    }
    Ok(())
}

/// ARPL: a selector that has the level already is read alone, so it may be one that cannot be written (as
/// on the host's processor; by the manual, too, only the other branch has a destination).
pub(super) fn arpl<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    require_protected(core)?;
    let selector = core.rm::<2>(insn)?;
    let level = core.register::<2>(insn.reg) & 3;
    if selector & 3 < level {
        core.set_rm::<2>(insn, selector & !3 | level)?;
        core.eflags |= ZF;
    } else {
        core.eflags &= !ZF;
    }
    Ok(())
}

// ---- control and debug registers -----------------------------------------------------------

pub(super) fn smsw<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = core.mem.cr0;
    if insn.memory {
        core.set_rm::<2>(insn, value & 0xffff)
    } else {
        core.set_register::<N>(insn.rm, value);
        Ok(())
    }
}

/// LMSW: the low four bits of CR0; PE can be set, not cleared.
pub(super) fn lmsw<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.require_supervisor()?;
    const MSW: u32 = cr0::PE | cr0::MP | cr0::EM | cr0::TS;
    let value = core.rm::<2>(insn)? & MSW;
    let old = core.mem.cr0;
    core.mem.set_cr0(old & !MSW | value | old & cr0::PE);
    core.operated(Operation::Control(0));
    Ok(())
}

pub(super) fn mov_from_control<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    if !matches!(insn.reg, 0 | 2 | 3 | 4) {
        return Err(Fault::undefined());
    }
    core.require_supervisor()?;
    core.r[usize::from(insn.rm)] = core.control(insn.reg);
    Ok(())
}

pub(super) fn mov_to_control<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    if !matches!(insn.reg, 0 | 2 | 3 | 4) {
        return Err(Fault::undefined());
    }
    core.require_supervisor()?;
    let value = core.r[usize::from(insn.rm)];
    match insn.reg {
        0 => {
            let has = |bit: u32| value & bit != 0;
            if has(cr0::PG) && !has(cr0::PE) || has(cr0::NW) && !has(cr0::CD) {
                return Err(Fault::protection(0));
            }
            core.mem.set_cr0(value);
        }
        2 => core.mem.cr2 = value,
        3 => core.mem.set_cr3(value),
        _ => {
            if value & !cr4::IMPLEMENTED != 0 {
                return Err(Fault::protection(0));
            }
            core.mem.set_cr4(value);
        }
    }
    core.operated(Operation::Control(insn.reg));
    Ok(())
}

/// Which debug register a number means: 4 and 5 are 6 and 7, as CR4.DE is never set.
fn debug_register<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Result<usize, Fault> {
    const GD: u32 = 1 << 13;
    const BD: u32 = 1 << 13;
    core.require_supervisor()?;
    if core.dr[7] & GD != 0 {
        core.dr[6] |= BD;
        core.dr[7] &= !GD;
        return Err(Fault::debug());
    }
    Ok(match insn.reg {
        4 => 6,
        5 => 7,
        n => usize::from(n),
    })
}

pub(super) fn mov_from_debug<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let number = debug_register(core, insn)?;
    core.r[usize::from(insn.rm)] = core.dr[number];
    Ok(())
}

pub(super) fn mov_to_debug<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let number = debug_register(core, insn)?;
    let value = core.r[usize::from(insn.rm)];
    // Bits that are always 1, and always 0 (SDM vol. 3, figure 15-1).
    core.dr[number] = match number {
        6 => value & 0x0000_e00f | 0xffff_0ff0,
        7 => value & 0xffff_23ff | 0x400,
        _ => value,
    };
    core.end_quantum();
    Ok(())
}

// ---- model-specific registers, time, identity ----------------------------------------------

pub(super) fn rdmsr<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.require_supervisor()?;
    let number = core.r[ECX];
    let value = if Pmu::has(number) {
        core.pmu.read(number, core.mem.counted())
    } else {
        core.msrs.read(number, core.mem.platform.cycle)
    };
    set_pair(core, value.ok_or(Fault::protection(0))?);
    Ok(())
}

pub(super) fn wrmsr<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.require_supervisor()?;
    let value = u64::from(core.r[EDX]) << 32 | u64::from(core.r[EAX]);
    let number = core.r[ECX];
    let written = if Pmu::has(number) {
        core.pmu.write(number, value, core.mem.counted())
    } else {
        core.msrs.write(number, value, core.mem.platform.cycle)
    };
    if written {
        Ok(())
    } else {
        Err(Fault::protection(0))
    }
}

pub(super) fn rdtsc<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    if core.mem.cr4 & cr4::TSD != 0 {
        core.require_supervisor()?;
    }
    let value = core.msrs.time_stamp(core.mem.platform.cycle);
    set_pair(core, value);
    Ok(())
}

/// RDPMC: all of a counter's bits, or with bit 31 of ECX the lower 32.
pub(super) fn rdpmc<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    const FAST: u32 = 1 << 31;
    if core.mem.cr4 & cr4::PCE == 0 {
        core.require_supervisor()?;
    }
    let index = core.r[ECX];
    let value = core.pmu.counter(index & !FAST, core.mem.counted());
    let value = value.ok_or(Fault::protection(0))?;
    set_pair(
        core,
        if index & FAST == 0 {
            value
        } else {
            value & 0xffff_ffff
        },
    );
    Ok(())
}

fn set_pair<O: Observer>(core: &mut Core<O>, value: u64) {
    core.r[EAX] = value as u32;
    core.r[EDX] = (value >> 32) as u32;
}

pub(super) fn cpuid<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    let [eax, ebx, ecx, edx] = core.identity.leaf(core.r[EAX]);
    core.r[EAX] = eax;
    core.r[EBX] = ebx;
    core.r[ECX] = ecx;
    core.r[EDX] = edx;
    Ok(())
}
