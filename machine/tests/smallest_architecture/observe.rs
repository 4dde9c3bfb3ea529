// SPDX-License-Identifier: Apache-2.0
//! What observers, timelines, profiles and windows see of it.

use switchyard_machine::arch::MemorySystem;
use switchyard_machine::counters::{Counter, Tally, OWN};
use switchyard_machine::event::Cycle;
use switchyard_machine::observe::{Commit, Memory, Observed};
use switchyard_machine::platform::Platform;
use switchyard_machine::profile::calls::Calling;
use switchyard_machine::trace::{Exception, Rate, Timeline};
use switchyard_machine::window::{Row, Table, Windowed};

use super::board::START;
use super::processor::BACK;
use super::Sums;

/// Its memory system: no caches, no translation.
pub struct Words {
    pub platform: Platform,
    /// The cycle up to which cycles are counted.
    pub synced: Cycle,
}

impl Memory for Words {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn tally(&self) -> Tally {
        self.platform.counters.counted()
    }
}

impl MemorySystem for Words {
    fn platform_mut(&mut self) -> &mut Platform {
        &mut self.platform
    }

    fn sync_counters(&mut self) {
        let cycles = self.platform.cycle - self.synced;
        self.platform.counters.now.run.cycles += cycles;
        self.synced = self.platform.cycle;
    }

    fn cache_bytes(&self) -> u64 {
        0
    }
}

impl Observed for Sums {
    type Memory = Words;
    type Code = u32;
    /// Where it came from.
    type Entry = u32;
    type Word = u32;
    type Operation = ();
    const REGISTERS: &'static [&'static str] = &["sum"];
    const STATUS: &'static str = "flags";
    const OWN_COUNTERS: &'static [Counter] = &[Counter {
        number: ADDITIONS_NUMBER,
        group: OWN,
        name: "additions",
        of: |tally| tally.own[ADDITIONS],
    }];
}

/// Its own counter, by its place in a tally; the number by which guests choose it.
pub const ADDITIONS: usize = 0;
pub const ADDITIONS_NUMBER: u32 = 1000;

/// Nobody calls.
impl Calling for Sums {
    fn returns_to(_commit: &Commit<'_, Self>) -> Option<u64> {
        None
    }

    fn stack_pointer(_registers: &[u32]) -> u64 {
        0
    }
}

impl Timeline for Sums {
    const SETTINGS: &'static [&'static str] = &["space"];
    const MAINTENANCE: &'static [Counter] = &[];
    const RATES: &'static [Rate] = &[];
    const LONGEST_INSN: u64 = 4;

    fn setting(_memory: &Words, _number: usize) -> String {
        "the only one".to_string()
    }

    fn written(_memory: &Words, (): &()) -> Option<(usize, &'static str)> {
        None
    }

    fn may_return(code: u32) -> bool {
        code == BACK
    }

    fn is_user(_mode: u32) -> bool {
        false
    }

    fn exception(_memory: &Words, from: &u32, _code: u32) -> Exception {
        Exception {
            name: "trap",
            pc: (*from).into(),
            mode: 0,
            arguments: Vec::new(),
        }
    }
}

impl Windowed for Sums {
    const BEFORE_ISSUE: &'static str = "nothing";
    const SYSTEM: &'static [&'static str] = &["from"];

    fn system(_memory: &Words) -> Vec<u32> {
        vec![0]
    }

    fn tables(_memory: &Words) -> Vec<Table> {
        vec![Table {
            name: "program",
            kind: "directory",
            sets: 1,
            ways: 2,
            unit: 4,
            columns: &["address", "word"],
        }]
    }

    fn rows(memory: &Words, _table: usize, rows: &mut Vec<Row<u32>>) {
        let word = |at| memory.platform.bus.read_memory_word(at);
        let row = |at| Some([at, word(at)?, 0, 0, 0, 0]);
        rows.extend([row(START), None]);
    }

    fn tagged(_memory: &Words, va: u64) -> u64 {
        va
    }
}
