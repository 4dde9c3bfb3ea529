// SPDX-License-Identifier: Apache-2.0
//! Control and status registers by number and name (II, "Control and Status Registers (CSRs)"). Which
//! of them a core has, and what they do, is `cpu/csr`.

/// How many registers a number of 12 bits can name.
pub const NUMBERS: usize = 1 << 12;

/// Declares a constant a register, and the list of all.
macro_rules! registers {
    ($($name:ident = $number:literal $text:literal)+) => {
        $(#[doc = concat!("`", $text, "`.")] pub const $name: u16 = $number;)+

        /// Numbers and names of the registers that have a name each.
        pub const NAMED: &[(u16, &str)] = &[$(($number, $text)),+];
    };
}

registers! {
    FFLAGS = 0x001 "fflags"
    FRM = 0x002 "frm"
    FCSR = 0x003 "fcsr"
    CYCLE = 0xc00 "cycle"
    TIME = 0xc01 "time"
    INSTRET = 0xc02 "instret"
    SSTATUS = 0x100 "sstatus"
    SIE = 0x104 "sie"
    STVEC = 0x105 "stvec"
    SCOUNTEREN = 0x106 "scounteren"
    SENVCFG = 0x10a "senvcfg"
    SSCRATCH = 0x140 "sscratch"
    SEPC = 0x141 "sepc"
    SCAUSE = 0x142 "scause"
    STVAL = 0x143 "stval"
    SIP = 0x144 "sip"
    STIMECMP = 0x14d "stimecmp"
    SATP = 0x180 "satp"
    MVENDORID = 0xf11 "mvendorid"
    MARCHID = 0xf12 "marchid"
    MIMPID = 0xf13 "mimpid"
    MHARTID = 0xf14 "mhartid"
    MCONFIGPTR = 0xf15 "mconfigptr"
    MSTATUS = 0x300 "mstatus"
    MISA = 0x301 "misa"
    MEDELEG = 0x302 "medeleg"
    MIDELEG = 0x303 "mideleg"
    MIE = 0x304 "mie"
    MTVEC = 0x305 "mtvec"
    MCOUNTEREN = 0x306 "mcounteren"
    MENVCFG = 0x30a "menvcfg"
    MCOUNTINHIBIT = 0x320 "mcountinhibit"
    MSCRATCH = 0x340 "mscratch"
    MEPC = 0x341 "mepc"
    MCAUSE = 0x342 "mcause"
    MTVAL = 0x343 "mtval"
    MIP = 0x344 "mip"
    MCYCLE = 0xb00 "mcycle"
    MINSTRET = 0xb02 "minstret"
    TSELECT = 0x7a0 "tselect"
    TDATA1 = 0x7a1 "tdata1"
    TDATA2 = 0x7a2 "tdata2"
    TDATA3 = 0x7a3 "tdata3"
    TINFO = 0x7a4 "tinfo"
}

/// `menvcfg`: the processor sets A and D bits (Svadu).
pub const ADUE: u64 = 1 << 61;
/// The first of `pmpcfg0` to `pmpcfg15`.
pub const PMPCFG: u16 = 0x3a0;
/// `pmpcfg2`, the next on RV64.
pub const PMPCFG2: u16 = 0x3a2;
/// The first of `pmpaddr0` to `pmpaddr63`.
pub const PMPADDR: u16 = 0x3b0;
/// `mhpmevent3` is at this and 3.
pub const MHPMEVENT: u16 = 0x320;
/// `mhpmcounter3` is at this and 3.
pub const MHPMCOUNTER: u16 = 0xb00;
/// `hpmcounter3` is at this and 3.
pub const HPMCOUNTER: u16 = 0xc00;

/// Whether register `number` is one of physical memory protection: `pmpcfg` or `pmpaddr`.
#[must_use]
pub fn is_protection(number: u16) -> bool {
    (PMPCFG..PMPADDR + 64).contains(&number)
}

/// The lowest level that may touch register `number`.
#[must_use]
pub fn lowest_privilege(number: u16) -> u64 {
    u64::from(number >> 8 & 3)
}

/// Whether register `number` can only be read.
#[must_use]
pub fn is_read_only(number: u16) -> bool {
    number >> 10 == 3
}

/// The name of register `number`.
#[must_use]
pub fn name(number: u16) -> String {
    if let Some((_, name)) = NAMED.iter().find(|(n, _)| *n == number) {
        return (*name).to_string();
    }
    match number {
        0x3a0..=0x3af => format!("pmpcfg{}", number - PMPCFG),
        0x3b0..=0x3ef => format!("pmpaddr{}", number - PMPADDR),
        0x323..=0x33f => format!("mhpmevent{}", number - MHPMEVENT),
        0xb03..=0xb1f => format!("mhpmcounter{}", number - MHPMCOUNTER),
        0xc03..=0xc1f => format!("hpmcounter{}", number - HPMCOUNTER),
        _ => format!("csr{number:#05x}"),
    }
}
