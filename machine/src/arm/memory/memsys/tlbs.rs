// SPDX-License-Identifier: Apache-2.0
//! The TLBs: one for fetches and one for data accesses, or one for both.

use crate::arm::config::ArmConfig;
use crate::arm::memory::tlb::TlbEntry;
use crate::tlb::Tlb;

/// The TLBs.
#[derive(Debug)]
pub(super) struct Tlbs {
    /// That of instruction fetches; `None`: `data` serves them too.
    pub insn: Option<Tlb<TlbEntry>>,
    /// That of data accesses.
    pub data: Tlb<TlbEntry>,
}

impl Tlbs {
    /// Those of a machine file.
    pub(super) fn new(config: &ArmConfig) -> Self {
        let [insn, data] = [&config.itlb, &config.dtlb].map(|tlb| tlb.as_ref().map(Tlb::new));
        // `MachineConfig` has checked that one of the two is there.
        let data = data.unwrap_or_else(|| Tlb::new(config.tlb.as_ref().expect("a TLB")));
        Self { insn, data }
    }

    /// That which fetches use.
    pub(super) fn for_fetches(&self) -> &Tlb<TlbEntry> {
        self.insn.as_ref().unwrap_or(&self.data)
    }

    /// That which fetches use, to change it.
    pub(super) fn for_fetches_mut(&mut self) -> &mut Tlb<TlbEntry> {
        self.insn.as_mut().unwrap_or(&mut self.data)
    }
}
