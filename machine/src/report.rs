// SPDX-License-Identifier: Apache-2.0
//! What a run leaves: the statistics (`--stats`), and the message about a guest that died,
//! hung or did not come to an end. The statistics hold no date and no host time, so that equal
//! runs give equal bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::arch::{DiagnosticCount, Processor};
use crate::check::Finding;
use crate::config::MachineConfig;
use crate::counters::{Counter, Privilege, Region, Tally, Totals};
use crate::event::Cycle;
use crate::lines::Lines;
use crate::machine::{Machine, Stop};
use crate::observe::Observed;
use crate::profile::RegionProfile;
use crate::symbols::Symbols;

/// Version of the statistics' format; `switchyard/run/machine.py` reads it.
const SCHEMA: u32 = 1;
/// Lines of the console that a message about a failed guest repeats.
const TAIL_LINES: usize = 10;
/// Bytes of the console that are kept for it.
const TAIL_BYTES: usize = 4096;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct End {
    /// `exit`, `max-cycles`, `died`, `hung`, `left`, `killed`, `watched`, `power-off`, `stopped`
    /// or `unexpected`.
    pub kind: &'static str,
    /// The guest's exit status, if it gave one; 0 if it switched the machine off.
    pub status: Option<u32>,
    /// What happened, in words.
    pub message: String,
}

impl End {
    /// Of a machine that stopped at `cycles`.
    #[must_use]
    pub fn new(stop: Stop, cycles: Cycle) -> Self {
        let (kind, status, message) = match stop {
            Stop::Budget => (
                "max-cycles",
                None,
                format!("the guest still ran after {cycles} cycles"),
            ),
            Stop::Exit(status) => (
                "exit",
                Some(status),
                format!("the guest ended with status {status}"),
            ),
            Stop::PowerOff(how) => (
                "power-off",
                Some(0),
                format!("the guest switched the machine off: {how}"),
            ),
            Stop::Stopped(why) => ("stopped", None, format!("the guest stopped: {why}")),
            Stop::Left => (
                "left",
                None,
                format!("left by Ctrl-A x after {cycles} cycles"),
            ),
            Stop::Killed => (
                "killed",
                None,
                format!("ended by the debugger after {cycles} cycles"),
            ),
            Stop::Watched => (
                "watched",
                None,
                format!("the window ended after {cycles} cycles"),
            ),
            Stop::Unexpected(why) => ("unexpected", None, why),
            Stop::Hung(why) => ("hung", None, format!("the guest hangs: {why}")),
            Stop::Died(why) => ("died", None, format!("the guest died: {why}")),
        };
        Self {
            kind,
            status,
            message,
        }
    }

    /// Whether the guest ended by itself and was content.
    #[must_use]
    pub fn good(&self) -> bool {
        self.status == Some(0)
    }
}

/// The statistics of a run, as JSON with a newline at its end.
pub fn statistics<P: Processor>(
    config: &MachineConfig,
    machine: &mut Machine<P>,
    end: &End,
    findings: Option<(&[Finding], &Symbols)>,
    profile: Option<&[RegionProfile]>,
) -> String {
    let totals = machine.counters().totals().clone();
    let regions = region_records::<P>(machine.counters().regions());
    let diagnostics = machine.core().diagnostics();
    let diagnostics = diagnostics
        .into_iter()
        .map(|DiagnosticCount { kind, pc, count }| DiagnosticRecord { kind, pc, count })
        .collect();
    let Totals {
        by_privilege,
        events,
    } = totals.clone();
    let statistics = Statistics {
        schema: SCHEMA,
        machine: &config.name,
        clock_hz: config.clock_hz,
        end,
        cycles: machine.cycles(),
        instructions: totals.sum().run.instructions,
        counters: ByPrivilege::of::<P>(by_privilege),
        events,
        regions,
        samples: &machine.bus().host.samples,
        diagnostics,
        findings: findings.map(|(all, symbols)| {
            let lines = symbols.lines();
            let record = |finding| FindingRecord::of(finding, symbols, &lines);
            all.iter().map(record).collect()
        }),
        profile,
    };
    // Nothing in it can fail to serialise: the keys are numbers and names, the values integers.
    let mut text = serde_json::to_string(&statistics).expect("statistics are plain values");
    text.push('\n');
    text
}

/// What has been counted up to now, as JSON with a newline at its end: members of the statistics, by
/// the same names. Changes nothing.
pub fn counts<P: Processor>(machine: &mut Machine<P>) -> String {
    let mut counters = machine.counters().clone();
    let totals = counters.totals().clone();
    let counts = Counts {
        cycles: machine.cycles(),
        instructions: totals.sum().run.instructions,
        counters: ByPrivilege::of::<P>(totals.by_privilege),
        events: totals.events,
        regions: region_records::<P>(counters.regions()), // closes those of the copy
    };
    let mut text = serde_json::to_string(&counts).expect("counts are plain values");
    text.push('\n');
    text
}

fn region_records<P: Processor>(regions: BTreeMap<u32, Region>) -> Vec<RegionRecord> {
    let record = |(id, region): (u32, Region)| RegionRecord {
        id,
        entries: region.entries,
        counters: ByPrivilege::of::<P>(region.totals.by_privilege),
        events: region.totals.events,
    };
    regions.into_iter().map(record).collect()
}

#[derive(Serialize)]
struct Counts {
    cycles: u64,
    instructions: u64,
    counters: ByPrivilege,
    events: BTreeMap<u32, u64>,
    regions: Vec<RegionRecord>,
}

#[derive(Serialize)]
struct Statistics<'a> {
    schema: u32,
    machine: &'a str,
    clock_hz: u64,
    end: &'a End,
    cycles: u64,
    instructions: u64,
    counters: ByPrivilege,
    events: BTreeMap<u32, u64>,
    regions: Vec<RegionRecord>,
    samples: &'a BTreeMap<u32, Vec<u32>>,
    diagnostics: Vec<DiagnosticRecord>,
    /// Only there if a checker watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<FindingRecord>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<&'a [RegionProfile]>,
}

#[derive(Serialize)]
struct FindingRecord {
    cause: &'static str,
    pc: u64,
    va: u64,
    mva: u64,
    pa: u32,
    ideal_pa: Option<u32>,
    domain: Option<u8>,
    count: u64,
    text: String,
    /// The line of source of the access, `FILE:41`, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
}

impl FindingRecord {
    fn of(finding: &Finding, symbols: &Symbols, lines: &Lines) -> Self {
        Self {
            cause: finding.cause,
            pc: finding.access.pc,
            va: finding.access.va,
            mva: finding.mva,
            pa: finding.pa,
            ideal_pa: finding.ideal_pa,
            domain: finding.domain,
            count: finding.count,
            text: finding.told(symbols).to_string(),
            line: lines.find(finding.access.pc),
        }
    }
}

#[derive(Serialize)]
struct RegionRecord {
    id: u32,
    entries: u64,
    counters: ByPrivilege,
    events: BTreeMap<u32, u64>,
}

#[derive(Serialize)]
struct DiagnosticRecord {
    kind: &'static str,
    pc: u64,
    count: u64,
}

/// Tallies as `{"user": {...}, "kernel": {...}}`, of what a processor counts.
struct ByPrivilege {
    tallies: [Tally; 2],
    groups: &'static [&'static str],
    own: &'static [Counter],
}

impl ByPrivilege {
    fn of<P: Processor>(tallies: [Tally; 2]) -> Self {
        Self {
            tallies,
            groups: P::COUNTER_GROUPS,
            own: P::Architecture::OWN_COUNTERS,
        }
    }

    fn named(&self, privilege: Privilege) -> Named {
        Named(self.tallies[privilege as usize].named(self.groups, self.own))
    }
}

/// Counters by names, in the order of their numbers.
struct Named(Vec<(&'static str, u64)>);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Serialize for ByPrivilege {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("user", &self.named(Privilege::User))?;
        map.serialize_entry("kernel", &self.named(Privilege::Kernel))?;
        map.end()
    }
}

/// The end of what the guest has written to its console.
#[derive(Debug, Default)]
pub struct ConsoleTail(Vec<u8>);

impl ConsoleTail {
    /// Takes note of more output.
    pub fn extend(&mut self, output: &[u8]) {
        self.0.extend(output);
        // Trimmed rarely, so that a chatty guest costs no copying.
        if self.0.len() > 16 * TAIL_BYTES {
            self.0.drain(..self.0.len() - TAIL_BYTES);
        }
    }

    /// Whether nothing stands on the last line.
    #[must_use]
    pub fn ends_line(&self) -> bool {
        self.0.last().is_none_or(|&last| last == b'\n')
    }

    /// The last lines, without control characters.
    fn lines(&self) -> Vec<String> {
        let start = self.0.len().saturating_sub(TAIL_BYTES);
        let text = String::from_utf8_lossy(&self.0[start..]);
        let clean = |line: &str| line.chars().filter(|c| !c.is_control()).collect();
        let mut lines: Vec<String> = text.lines().map(clean).collect();
        lines.drain(..lines.len().saturating_sub(TAIL_LINES));
        lines
    }
}

/// Where a guest that did not end by itself stands: registers, and the end of its console.
pub fn state<P: Processor>(machine: &mut Machine<P>, tail: &ConsoleTail) -> String {
    let cycles = machine.cycles();
    let mut text = machine.core().describe();
    let _ = writeln!(text, "  cycle {cycles}");
    let lines = tail.lines();
    for clue in machine.core().clues() {
        let _ = writeln!(text, "  {clue}");
    }
    if lines.is_empty() {
        text.push_str("  it wrote nothing to its console\n");
    } else {
        text.push_str("  last lines of its console:\n");
        for line in lines {
            let _ = writeln!(text, "  | {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_has_the_last_lines_only() {
        let mut tail = ConsoleTail::default();
        for n in 0..100_000 {
            tail.extend(format!("line {n}\x07\r\n").as_bytes());
        }
        let lines = tail.lines();
        assert_eq!(lines.len(), TAIL_LINES);
        assert_eq!(lines[0], "line 99990");
        assert_eq!(lines[9], "line 99999");
    }
}
