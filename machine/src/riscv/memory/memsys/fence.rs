// SPDX-License-Identifier: Apache-2.0
//! What fences do to TLBs and instruction cache, and how a machine empties its caches.

use crate::riscv::memory::tlb::Scope;

use super::MemSys;

impl MemSys {
    /// SFENCE.VMA: forgets the translations that `scope` names, and what SINVAL.VMA named before. Gives that.
    pub fn fence_translations(&mut self, scope: &Scope) -> Vec<Scope> {
        let postponed = self.pending.finish_all();
        for scope in &postponed {
            self.forget_translations(scope);
        }
        self.forget_translations(scope);
        postponed
    }

    /// SINVAL.VMA.
    pub fn invalidate_translations(&mut self, scope: Scope) {
        self.pending.invalidate(scope);
    }

    /// SFENCE.W.INVAL.
    pub fn order_stores_to_tables(&mut self) {
        self.pending.order_stores();
    }

    /// SFENCE.INVAL.IR: forgets what SINVAL.VMA has named. Gives that.
    pub fn finish_invalidations(&mut self) -> Vec<Scope> {
        let postponed = self.pending.finish();
        for scope in &postponed {
            self.forget_translations(scope);
        }
        postponed
    }

    fn forget_translations(&mut self, scope: &Scope) {
        if scope.va.is_none() {
            self.pointers.clear();
        }
        for tlb in [&mut self.itlb, &mut self.dtlb, &mut self.l2_tlb] {
            tlb.invalidate(scope);
        }
        let now = &mut self.platform.counters.now;
        if scope.va.is_some() {
            now.itlb.invalidate_entry += 1;
            now.dtlb.invalidate_entry += 1;
        } else {
            now.itlb.invalidate_all += 1;
            now.dtlb.invalidate_all += 1;
        }
        self.forget_hints();
    }

    /// FENCE.I: forgets every instruction.
    pub fn fence_instructions(&mut self) {
        self.platform.counters.now.icache.invalidate_all += 1;
        self.icache.invalidate_all();
        self.forget_hints();
    }

    /// Empties caches and TLBs.
    pub fn empty(&mut self) {
        self.icache.invalidate_all();
        self.hierarchy.empty();
        for tlb in [&mut self.itlb, &mut self.dtlb, &mut self.l2_tlb] {
            tlb.invalidate(&Scope::default());
        }
        self.pointers.clear();
        self.reads.clear();
        self.writes.clear();
        self.fetches.clear();
        self.forget_hints();
    }
}
