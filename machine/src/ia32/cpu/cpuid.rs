// SPDX-License-Identifier: Apache-2.0
//! What CPUID says (SDM vol. 2, CPUID): what is there, and nothing else. No MMX, no SSE, no physical
//! address extension, no APIC.

use crate::ia32::config::{Ia32Config, Model};

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

/// Descriptors of leaf 2 (SDM vol. 2, table 3-17).
mod descriptor {
    /// ITLB of 64 entries, for 4 KB and 4 MB pages; with twice as many the next one.
    pub const ITLB: u32 = 0x50;
    /// DTLB of 64 entries, for 4 KB and 4 MB pages; with twice as many the next one.
    pub const DTLB: u32 = 0x5b;
    /// First-level data cache, 8 KB, four ways, lines of 64 bytes; with twice as many the next one.
    pub const DCACHE: u32 = 0x66;
    /// Trace cache, 12 K µops, eight ways.
    pub const TRACES: u32 = 0x70;
    /// Second level, 256 KB, eight ways, lines of 64 bytes in sectors; with twice as many the next one.
    pub const L2: u32 = 0x7a;
}

/// Who the processor says it is.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    /// Family, model and stepping. Also in EDX after reset.
    pub signature: u32,
    /// EAX to EDX of leaf 2.
    caches: [u32; 4],
}

impl Identity {
    /// That of a machine file. What no descriptor describes is left out.
    #[must_use]
    pub fn new(config: &Ia32Config) -> Self {
        let signature = match config.model {
            Model::Willamette => 0x0f12,
            Model::Northwood => 0x0f24,
        };
        let itlb = times(descriptor::ITLB, 64, config.itlb.entries, 3);
        let dtlb = times(descriptor::DTLB, 64, config.dtlb.entries, 3);
        let dcache = match config.dcache.ways {
            4 => times(descriptor::DCACHE, 8 << 10, config.dcache.size_bytes, 3),
            _ => 0,
        };
        let l2 = match config.l2.ways {
            8 => times(descriptor::L2, 256 << 10, config.l2.size_bytes, 3),
            _ => 0,
        };
        Self {
            signature,
            caches: [
                dtlb << 24 | itlb << 8 | dcache << 16 | 1,
                0,
                0,
                l2 << 8 | descriptor::TRACES,
            ],
        }
    }

    /// EAX, EBX, ECX and EDX for `leaf`. One that is not there has what the highest basic one has.
    #[must_use]
    pub fn leaf(&self, leaf: u32) -> [u32; 4] {
        match leaf {
            0 => {
                let name = |text: &[u8; 4]| u32::from_le_bytes(*text);
                [2, name(b"Genu"), name(b"ntel"), name(b"ineI")]
            }
            1 => [self.signature, BRAND, 0, feature::ALL],
            0x8000_0000 => [0x8000_0000, 0, 0, 0],
            _ => self.caches,
        }
    }
}

/// `first` describes something of size `least`, the next ones, `count` in all, twice as much each; 0:
/// none of them does.
fn times(first: u32, least: u32, size: u32, count: u32) -> u32 {
    (0..count)
        .find(|n| least << n == size)
        .map_or(0, |n| first + n)
}
