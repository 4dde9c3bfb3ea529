// SPDX-License-Identifier: Apache-2.0
//! What CPUID says (SDM vol. 2, CPUID): what is there, and nothing else. No MMX, no SSE, no physical address extension, no APIC; of caches none, since the model has none yet.

/// Family 15, model 1, stepping 2: a Willamette. Also in EDX after reset.
pub const SIGNATURE: u32 = 0x0f12;

/// What `brand index` 8 means: an Intel Pentium 4.
const BRAND: u32 = 8;

/// Features of leaf 1, in EDX.
mod feature {
    pub const FPU: u32 = 1 << 0;
    pub const PSE: u32 = 1 << 3;
    pub const TSC: u32 = 1 << 4;
    pub const MSR: u32 = 1 << 5;
    pub const CX8: u32 = 1 << 8;
    pub const SEP: u32 = 1 << 11;
    pub const PGE: u32 = 1 << 13;
    pub const CMOV: u32 = 1 << 15;
    pub const ALL: u32 = FPU | PSE | TSC | MSR | CX8 | SEP | PGE | CMOV;
}

/// EAX, EBX, ECX and EDX for `leaf`, with ITLB and DTLB of so many entries. A leaf that is not there
/// has what the highest basic one has.
#[must_use]
pub fn leaf(leaf: u32, tlb_entries: [u32; 2]) -> [u32; 4] {
    match leaf {
        0 => {
            let name = |text: &[u8; 4]| u32::from_le_bytes(*text);
            [2, name(b"Genu"), name(b"ntel"), name(b"ineI")]
        }
        1 => [SIGNATURE, BRAND, 0, feature::ALL],
        0x8000_0000 => [0x8000_0000, 0, 0, 0],
        _ => {
            let [itlb, dtlb] = tlb_entries;
            [
                descriptor(0x50, itlb) << 8 | descriptor(0x5b, dtlb) << 16 | 1,
                0,
                0,
                0,
            ]
        }
    }
}

/// The descriptor of a TLB with 64 entries is `first`, with 128 and 256 the next ones; one of another
/// size has none.
fn descriptor(first: u32, entries: u32) -> u32 {
    match entries {
        64 => first,
        128 => first + 1,
        256 => first + 2,
        _ => 0,
    }
}
