// SPDX-License-Identifier: Apache-2.0
//! What a saved machine knows of its memory system. What lines mean is decoded again, which changes no
//! count.

use crate::riscv::config::LINE_BYTES;
use crate::state::{require, Damaged, Restorer, Saver, State};

use super::{InsnLine, MemSys, Reservation};

impl State for MemSys {
    fn save(&self, to: &mut Saver) {
        let Self {
            platform,
            fault: _, // what the last step did
            pmp,
            ready: _,
            reservation,
            line: _,
            line_slot: _,
            crossing: _,
            decoded: _,
            ops: _,
            extensions: _,
            registers: _, // follow the core's
            itlb,
            dtlb,
            l2_tlb,
            pending,
            pointers,
            icache,
            hierarchy,
            reads: _,
            writes: _,
            fetches: _,
            epoch: _,
            data_tag: _,
            fetch_tag: _,
            isa: _,
            prices: _,
            synced,
            translator: _,
            journal: _,
        } = self;
        platform.save(to);
        pmp.save(to);
        to.put(reservation);
        for tlb in [itlb, dtlb, l2_tlb] {
            tlb.save(to);
        }
        pending.save(to);
        pointers.save(to);
        icache.save(to, |line, to| to.put(&line.bytes[..]));
        hierarchy.save(to);
        to.put(synced);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.platform.restore(from)?;
        self.pmp.restore(from)?;
        self.pmp.follow_restored();
        let reservation: Option<Reservation> = from.take()?;
        let right = reservation.is_none_or(|r| r.bytes == 4 || r.bytes == 8);
        require(right, "has a damaged reservation")?;
        self.reservation = reservation;
        for tlb in [&mut self.itlb, &mut self.dtlb, &mut self.l2_tlb] {
            tlb.restore(from)?;
        }
        self.pending.restore(from)?;
        self.pointers.restore(from)?;
        self.icache.restore(from, |from| {
            let bytes: Vec<u8> = from.take()?;
            let bytes: [u8; LINE_BYTES as usize] = bytes
                .try_into()
                .map_err(|_| Damaged::from("has a damaged line"))?;
            Ok(InsnLine { bytes })
        })?;
        self.hierarchy.restore(from)?;
        self.synced = from.take()?;
        let right = self.synced.cycle <= self.platform.cycle
            && self.synced.instructions <= self.platform.counters.fetches;
        require(right, "has damaged counters")?;
        self.lines_changed();
        self.reads.clear();
        self.writes.clear();
        self.fetches.clear();
        self.ready = 0;
        self.forget_hints();
        Ok(())
    }
}
