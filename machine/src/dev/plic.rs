// SPDX-License-Identifier: Apache-2.0
//! The platform-level interrupt controller (RISC-V PLIC specification 1.0.0) of one hart, with QEMU's
//! `virt` numbers: 95 sources, 7 levels of priority, and two contexts, that of machine and that of
//! supervisor mode. All sources are levels: one that was claimed is asked again when it is complete.
//!
//! It drives the processor's interrupt bits, with those that the core-local interruptor ([`clint`]) has.
//!
//! [`clint`]: super::clint

use serde::{Deserialize, Serialize};

use super::clint::{LINE_SOFTWARE, LINE_TIMER};
use super::{lane, DevCtx, Device, InterruptController, Pins, Role, Width};

/// Bytes of registers.
pub const BYTES: u32 = 0x60_0000;
/// Sources and the one that does not exist, number 0.
pub const SOURCES: u32 = 96;

const CONTEXTS: usize = 2;
const WORDS: usize = SOURCES as usize / 32;
/// Bits of a priority.
const PRIORITY: u32 = 7;
/// The lines that are sources: those of the interruptor are above them.
const SOURCE_LINES: u64 = (1 << LINE_SOFTWARE) - 2;

const PENDING: u32 = 0x1000;
const ENABLE: u32 = 0x2000;
const ENABLE_STEP: u32 = 0x80;
const CONTEXT: u32 = 0x20_0000;
const CONTEXT_STEP: u32 = 0x1000;
const CLAIM: u32 = 4;

/// Bits of `mip`.
const MSIP: u16 = 1 << 3;
const MTIP: u16 = 1 << 7;
const EXTERNAL: [u16; CONTEXTS] = [1 << 11, 1 << 9];

/// A context: whom interrupts go to.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
struct Context {
    enabled: [u32; WORDS],
    threshold: u32,
}

/// The controller.
#[derive(Debug)]
pub struct Plic {
    priority: Vec<u32>,
    contexts: [Context; CONTEXTS],
    /// What the sources say.
    lines: u64,
    /// Sources that have asked and were not claimed.
    pending: u64,
    /// Those that were claimed and are not complete.
    claimed: u64,
}

impl Default for Plic {
    fn default() -> Self {
        Self {
            priority: vec![0; SOURCES as usize],
            contexts: [Context::default(); CONTEXTS],
            lines: 0,
            pending: 0,
            claimed: 0,
        }
    }
}

crate::saved!(Plic { priority, contexts, lines, pending, claimed }
if |plic| plic.priority.len() == SOURCES as usize && plic.priority.iter().all(|&p| p <= PRIORITY));

impl Plic {
    /// The gateways: a source that asks is pending until it is claimed, and asks again when that is
    /// complete.
    fn look(&mut self) {
        self.pending |= self.lines & SOURCE_LINES & !self.claimed;
    }

    /// The most urgent source that is pending and enabled for a context; of equal ones the lowest.
    fn best(&self, context: &Context) -> Option<u32> {
        let [low, high, _] = context.enabled.map(u64::from);
        let mut waiting = self.pending & (low | high << 32);
        let mut best = None;
        let mut level = 0;
        while waiting != 0 {
            let source = waiting.trailing_zeros();
            waiting &= waiting - 1;
            let priority = self.priority[source as usize];
            if priority > level {
                (best, level) = (Some(source), priority);
            }
        }
        best
    }

    fn asks(&self, context: &Context) -> bool {
        self.best(context)
            .is_some_and(|source| self.priority[source as usize] > context.threshold)
    }

    /// A claim takes the most urgent one whatever the threshold says (chapter 9).
    fn claim(&mut self, context: usize) -> u32 {
        let Some(source) = self.best(&self.contexts[context]) else {
            return 0;
        };
        self.pending &= !(1 << source);
        self.claimed |= 1 << source;
        source
    }

    /// Completion of a source that is not enabled for the context is ignored (chapter 10).
    fn complete(&mut self, context: usize, source: u32) {
        let word = self.contexts[context].enabled.get(source as usize / 32);
        let enabled = word.is_some_and(|word| word >> (source % 32) & 1 != 0);
        if enabled && source < u64::BITS {
            self.claimed &= !(1 << source);
        }
    }

    fn pending_word(&self, n: usize) -> u32 {
        match n {
            0 => self.pending as u32,
            1 => (self.pending >> 32) as u32,
            _ => 0,
        }
    }
}

/// What stands at an offset.
enum Place {
    Priority(usize),
    Pending(usize),
    Enable(usize, usize),
    Threshold(usize),
    Claim(usize),
    Nothing,
}

fn place(offset: u32) -> Place {
    let offset = offset & !3;
    let context = |from: u32, step: u32| ((offset - from) / step) as usize;
    match offset {
        0..PENDING if offset < 4 * SOURCES => Place::Priority(offset as usize / 4),
        PENDING..ENABLE if offset < PENDING + SOURCES / 8 => {
            Place::Pending((offset - PENDING) as usize / 4)
        }
        ENABLE..CONTEXT => {
            let word = (offset - ENABLE) % ENABLE_STEP / 4;
            match context(ENABLE, ENABLE_STEP) {
                n @ 0..CONTEXTS if word < WORDS as u32 => Place::Enable(n, word as usize),
                _ => Place::Nothing,
            }
        }
        CONTEXT.. => {
            let register = (offset - CONTEXT) % CONTEXT_STEP;
            match (context(CONTEXT, CONTEXT_STEP), register) {
                (n @ 0..CONTEXTS, 0) => Place::Threshold(n),
                (n @ 0..CONTEXTS, CLAIM) => Place::Claim(n),
                _ => Place::Nothing,
            }
        }
        _ => Place::Nothing,
    }
}

impl Device for Plic {
    fn name(&self) -> &'static str {
        "plic"
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = match place(offset) {
            Place::Priority(source) => self.priority[source],
            Place::Pending(n) => self.pending_word(n),
            Place::Enable(context, n) => self.contexts[context].enabled[n],
            Place::Threshold(context) => self.contexts[context].threshold,
            Place::Claim(context) if width == Width::Word => self.claim(context),
            Place::Claim(_) | Place::Nothing => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, width: Width, _ctx: &mut DevCtx) {
        if width != Width::Word {
            return; // registers are words (chapter 3)
        }
        match place(offset) {
            Place::Priority(source) if source > 0 => self.priority[source] = value & PRIORITY,
            // Source 0 does not exist.
            Place::Enable(context, 0) => self.contexts[context].enabled[0] = value & !1,
            Place::Enable(context, n) => self.contexts[context].enabled[n] = value,
            Place::Threshold(context) => self.contexts[context].threshold = value & PRIORITY,
            Place::Claim(context) => self.complete(context, value),
            Place::Priority(_) | Place::Pending(_) | Place::Nothing => {}
        }
    }

    fn role(&mut self) -> Role<'_> {
        Role::InterruptController(self)
    }
}

impl InterruptController for Plic {
    fn pins(&mut self, sources: u64) -> Pins {
        self.lines = sources;
        self.look();
        let bit = |line: u32, bit: u16| if sources >> line & 1 != 0 { bit } else { 0 };
        let mut mip = bit(LINE_SOFTWARE, MSIP) | bit(LINE_TIMER, MTIP);
        for (context, bit) in self.contexts.iter().zip(EXTERNAL) {
            if self.asks(context) {
                mip |= bit;
            }
        }
        Pins {
            irq: mip != 0,
            fiq: false,
            wake: mip != 0,
            mip,
        }
    }

    /// The interruptor's are not masked here.
    fn lets_interrupts_through(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    const M_ENABLE: u32 = ENABLE;
    const S_ENABLE: u32 = ENABLE + ENABLE_STEP;
    const S_THRESHOLD: u32 = CONTEXT + CONTEXT_STEP;
    const S_CLAIM: u32 = S_THRESHOLD + CLAIM;

    fn mip(b: &mut Bench<Plic>, lines: u64) -> u16 {
        b.device.pins(lines).mip
    }

    #[test]
    fn the_most_urgent_is_claimed_first_and_of_equal_ones_the_lowest() {
        let mut b = Bench::new(Plic::default());
        for (source, priority) in [(1, 2), (8, 5), (10, 5), (11, 0)] {
            b.write(4 * source, priority);
        }
        b.write(S_ENABLE, 0xffff_ffff);
        assert_eq!(b.read(S_ENABLE), 0xffff_fffe, "there is no source 0");
        let lines = 1 << 1 | 1 << 8 | 1 << 10 | 1 << 11 | 1;
        assert_eq!(mip(&mut b, lines), 1 << 9);
        assert_eq!(b.read(PENDING), 0xd02);
        let claims: Vec<u32> = (0..4).map(|_| b.read(S_CLAIM)).collect();
        assert_eq!(claims, [8, 10, 1, 0], "priority 0 never interrupts");
        assert_eq!(mip(&mut b, lines), 0, "nothing is complete");
        b.write(S_CLAIM, 10);
        assert_eq!(mip(&mut b, lines), 1 << 9, "the level is still there");
        assert_eq!(b.read(S_CLAIM), 10);
        b.write(S_CLAIM, 10);
        assert_eq!(mip(&mut b, 0), 0);
    }

    #[test]
    fn a_threshold_masks_and_does_not_hide() {
        let mut b = Bench::new(Plic::default());
        b.write(4 * 10, 3);
        b.write(S_ENABLE, 1 << 10);
        b.write(S_THRESHOLD, 3);
        assert_eq!(mip(&mut b, 1 << 10), 0);
        assert_eq!(b.read(S_CLAIM), 10);
        b.write(S_THRESHOLD, 2);
        assert_eq!(mip(&mut b, 1 << 10), 0, "it is claimed");
    }

    #[test]
    fn contexts_have_enables_of_their_own() {
        let mut b = Bench::new(Plic::default());
        b.write(4 * 33, 1);
        b.write(M_ENABLE + 4, 2);
        assert_eq!(mip(&mut b, 1 << 33), 1 << 11);
        assert_eq!(b.read(S_CLAIM), 0);
        assert_eq!(b.read(CONTEXT + CLAIM), 33);
        b.write(S_CLAIM, 33);
        assert_eq!(
            mip(&mut b, 1 << 33),
            0,
            "not enabled where it was completed"
        );
        b.write(CONTEXT + CLAIM, 33);
        assert_eq!(mip(&mut b, 1 << 33), 1 << 11);
        b.write(CONTEXT + CLAIM, u32::MAX);
    }

    #[test]
    fn the_interruptors_bits_go_through() {
        let mut b = Bench::new(Plic::default());
        assert_eq!(mip(&mut b, 1 << LINE_TIMER), 1 << 7);
        assert_eq!(mip(&mut b, 1 << LINE_SOFTWARE), 1 << 3);
        b.write(S_ENABLE + 4, u32::MAX);
        b.write(S_ENABLE + 8, u32::MAX);
        assert_eq!(mip(&mut b, 0), 0);
    }
}
