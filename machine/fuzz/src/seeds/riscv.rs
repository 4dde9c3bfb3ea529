// SPDX-License-Identifier: Apache-2.0
//! Seeds of `virt`: RISC-V code by kinds of instructions, accesses to its devices.

use super::number;

const MACHINES: [&str; 3] = ["virt-u74", "virt-u74-asid", "virt-rv64"];

/// Of each kind some, of which the fuzzer makes the others; then back to the begin.
const CODE: [&[u32]; 4] = [
    // add a0,a1,a2; mulhu; divw; ld; sd; sh1add; clz; amoadd.d; lr.d; sc.d
    &[
        0x00c5_8533,
        0x02c5_b533,
        0x02c5_c53b,
        0x0005_b503,
        0x00c5_b023,
        0x20c5_a533,
        0x6005_1513,
        0x00c5_b52f,
        0x1005_b52f,
        0x18c5_b52f,
    ],
    // fld fa0,0(a1); fsd; fadd.d; fdiv.s; fmadd.d; fcvt.l.d; fclass.d; c.fld and c.nop; csrrw fcsr
    &[
        0x0005_b507,
        0x00a5_b027,
        0x02c5_f553,
        0x18c5_f553,
        0x6ac5_f543,
        0xc225_7553,
        0xe205_1553,
        0x0001_2188,
        0x0035_9073,
    ],
    // csrrw satp; sfence.vma; sfence.vma a1,a2; fence.i; csrrs mstatus; sret; mret; wfi; ecall
    &[
        0x1805_9073,
        0x1200_0073,
        0x12c5_8073,
        0x0000_100f,
        0x3005_a573,
        0x1020_0073,
        0x3020_0073,
        0x1050_0073,
        0x0000_0073,
    ],
    // csrrw pmpcfg0, pmpaddr0, mie, mtvec, sepc; ebreak
    &[
        0x3a05_9073,
        0x3b05_9073,
        0x3045_9073,
        0x3055_9073,
        0x1415_9073,
        0x0010_0073,
    ],
];

/// `j` to 48 bytes before it.
const BACK: u32 = 0xfd1f_f06f;

/// For `instructions`: each on each machine, with and without translation and what watches, at each level.
pub fn instructions() -> impl Iterator<Item = Vec<u8>> {
    let machines = MACHINES.into_iter().map(number);
    machines.flat_map(|machine| {
        (0..).zip(CODE).flat_map(move |(n, code)| {
            [0x32, 0x17, 0x03 | n << 2].map(|options: u8| {
                let mut seed = vec![machine, options];
                seed.extend(0x6000u32.to_le_bytes()); // mstatus: FS
                seed.extend([0x10; 4 * 31]);
                let words = code.iter().chain([&BACK]);
                seed.extend(words.flat_map(|word| word.to_le_bytes()));
                seed
            })
        })
    })
}

/// For `devices`: any accesses.
pub fn devices() -> Vec<u8> {
    let mut seed = vec![number(MACHINES[0])];
    seed.extend((0..400u32).map(|n| ((n * 37) >> 2) as u8));
    seed
}
