// SPDX-License-Identifier: Apache-2.0
//! What the coherence checker compares it with.

use switchyard_machine::check::{Checker, Finding, Findings, Shadow, Writer};
use switchyard_machine::observe::{Access, Observer};

use super::observe::Words;
use super::Sums;

/// Memory should hold what it began with and what was stored.
pub struct Same {
    shadow: Shadow,
    findings: Findings<()>,
}

impl Observer<Sums> for Same {
    const ON: bool = true;

    fn fetched(&mut self, _memory: &Words, access: &Access, code: u32) {
        let Some(word) = self
            .shadow
            .word(access.va as u32)
            .filter(|word| *word != code)
        else {
            return;
        };
        let finding = Finding {
            cause: "changed",
            explanation: "memory is not what it was",
            access: *access,
            mva: access.va,
            pa: access.va as u32,
            ideal_pa: Some(access.va as u32),
            domain: None,
            values: (code, word),
            writer: self.shadow.writer(access.va as u32),
            line: None,
            translated: None,
            spaces: None,
            changed: None,
            count: 1,
        };
        self.findings.report((), finding);
    }

    fn stored(&mut self, _memory: &Words, access: &Access, value: u32) {
        let writer = Writer {
            pc: access.pc,
            mva: access.va,
            domain: None,
            cached: false,
            cycle: access.cycle,
        };
        self.shadow
            .store(access.va as u32, access.bytes, value, &writer);
    }
}

impl Checker<Sums> for Same {
    fn new(memory: &mut Words) -> Self {
        Self {
            shadow: Shadow::new(&memory.platform.bus),
            findings: Findings::new(),
        }
    }

    fn findings(&self) -> Vec<Finding> {
        self.findings.iter().cloned().collect()
    }

    fn finding_count(&self) -> usize {
        self.findings.count()
    }
}
