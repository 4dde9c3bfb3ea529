// SPDX-License-Identifier: Apache-2.0
//! Moments of a run, as people name them: what a window begins and ends with (`--from`, `--to`).
//!
//! `12000` a cycle, `+500` so many cycles later, `region:2` the guest enters that region of interest,
//! `event:3` it reports that event, `sample:2` it hands out a sample in that stream, `user` and
//! `kernel` the first instruction after a change of privilege, `exception:swi`, `0xc0008000` or the
//! name of a function: the instruction there is next. `*3` after it: the third time.

use crate::event::Cycle;
use crate::platform::Platform;
use crate::symbols::Symbols;

/// What was expected of a text that is no moment.
const EXPECTED: &str = "expected a cycle, +CYCLES, region:N, event:N, sample:N, user, kernel, \
                        exception:NAME, an address or a function, and *N after it for the Nth time";

/// A moment, which comes the nth time that its sign is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    sign: Sign,
    times: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Sign {
    Cycle(Cycle),
    After(Cycle),
    Region(u32),
    Event(u32),
    Sample(u32),
    User(bool),
    Exception(String),
    Address(u64),
}

/// What is known of the machine after an instruction, or an exception that no instruction took.
pub struct Seen<'a> {
    /// Clock, counters and samples.
    pub platform: &'a Platform,
    /// The next instruction, if that is known.
    pub next_pc: Option<u64>,
    /// Whether a program runs.
    pub user: bool,
    /// The exception that was taken.
    pub exception: Option<&'a str>,
}

impl Moment {
    /// What `text` says; functions are those of `symbols`.
    ///
    /// # Errors
    /// It says nothing, in words.
    pub fn parse(text: &str, symbols: &Symbols) -> Result<Self, String> {
        let (name, times) = match text.rsplit_once('*') {
            Some((name, times)) => (name, times.parse().ok().filter(|&n| n > 0)),
            None => (text, Some(1)),
        };
        let sign = Sign::parse(name, symbols);
        match (sign, times) {
            (Some(sign), Some(times)) => Ok(Self { sign, times }),
            _ => Err(format!("{text}: no such moment; {EXPECTED}")),
        }
    }
}

impl Sign {
    fn parse(name: &str, symbols: &Symbols) -> Option<Self> {
        if let Some(digits) = name.strip_prefix("0x") {
            return u64::from_str_radix(digits, 16).ok().map(Self::Address);
        }
        if let Some(cycles) = name.strip_prefix('+') {
            return cycles.parse().ok().map(Self::After);
        }
        if let Ok(cycle) = name.parse() {
            return Some(Self::Cycle(cycle));
        }
        if let Some((kind, which)) = name.split_once(':') {
            let number = || which.parse().ok();
            return match kind {
                "region" => number().map(Self::Region),
                "event" => number().map(Self::Event),
                "sample" => number().map(Self::Sample),
                "exception" => Some(Self::Exception(which.to_string())),
                _ => None,
            };
        }
        match name {
            "user" => Some(Self::User(true)),
            "kernel" => Some(Self::User(false)),
            _ => symbols.address(name).map(Self::Address),
        }
    }

    /// What must rise for it to be seen, for signs that last.
    fn level(&self, seen: &Seen) -> u64 {
        let counters = &seen.platform.counters;
        match self {
            Self::Region(id) => counters.open_regions().any(|open| open == *id).into(),
            Self::Event(id) => counters.events(*id),
            Self::Sample(stream) => {
                let samples = seen.platform.bus.host.samples.get(stream);
                samples.map_or(0, |samples| samples.len() as u64)
            }
            Self::User(user) => u64::from(seen.user == *user),
            _ => 0,
        }
    }

    /// How often it is seen now, after `level` was so high, in a stretch that began at `since`.
    fn times(&self, seen: &Seen, level: u64, since: Cycle) -> u64 {
        let cycle = seen.platform.cycle;
        match self {
            Self::Cycle(at) => (cycle >= *at).into(),
            Self::After(cycles) => (cycle >= since.saturating_add(*cycles)).into(),
            Self::Exception(name) => (seen.exception == Some(name)).into(),
            Self::Address(address) => (seen.next_pc == Some(*address)).into(),
            _ => self.level(seen).saturating_sub(level),
        }
    }
}

/// Moments that come one after another, and how far they have.
#[derive(Debug, Clone)]
pub struct Way {
    moments: Vec<Moment>,
    next: usize,
    /// How often the sign of the next one was seen, and how high its level was last.
    times: u64,
    level: u64,
    /// Since when it is waited for.
    since: Cycle,
}

impl Way {
    /// A way that begins now, for a machine that was not looked at before.
    #[must_use]
    pub fn new(moments: Vec<Moment>) -> Self {
        Self {
            moments,
            next: 0,
            times: 0,
            level: 0,
            since: 0,
        }
    }

    /// Begins again with moment number `next`, in the machine as it is.
    pub fn begin(&mut self, next: usize, seen: &Seen) {
        self.next = next;
        self.times = 0;
        self.since = seen.platform.cycle;
        if let Some(moment) = self.moments.get(next) {
            self.level = moment.sign.level(seen);
        }
    }

    /// Waits for the last moment once more, whichever time of its sign it was to be.
    pub fn expect_last(&mut self, seen: &Seen) {
        self.begin(self.moments.len().saturating_sub(1), seen);
        if let Some(moment) = self.moments.last() {
            self.times = moment.times - 1;
        }
    }

    /// Looks at the machine, but waits for nothing.
    pub fn follow(&mut self, seen: &Seen) {
        if let Some(moment) = self.moments.get(self.next) {
            self.level = moment.sign.level(seen);
        }
    }

    /// Looks at the machine; whether all moments have come.
    pub fn look(&mut self, seen: &Seen) -> bool {
        while let Some(moment) = self.moments.get(self.next) {
            self.times += moment.sign.times(seen, self.level, self.since);
            self.level = moment.sign.level(seen);
            if self.times < moment.times {
                return false;
            }
            self.begin(self.next + 1, seen);
        }
        true
    }

    /// How many moments there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moments.is_empty()
    }

    /// How many of them have come.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Bus;
    use crate::config::MachineConfig;
    use crate::registry;

    fn platform() -> Platform {
        let config = MachineConfig::find("sa1110").unwrap();
        let parts = (registry::board(&config.board).unwrap().parts)(config.ram_bytes);
        Platform::new(Bus::new(parts, config.clock_hz))
    }

    fn way(moments: &[&str]) -> Way {
        let symbols = Symbols::new();
        let parse = |text: &&str| Moment::parse(text, &symbols).unwrap();
        Way::new(moments.iter().map(parse).collect())
    }

    fn seen(platform: &Platform, user: bool) -> Seen<'_> {
        Seen {
            platform,
            next_pc: Some(0x8000),
            user,
            exception: None,
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "region:x",
            "*3",
            "user*0",
            "nothing_of_that_name",
            "0xg",
            "+",
        ] {
            let said = Moment::parse(text, &Symbols::new()).unwrap_err();
            assert!(said.starts_with(&format!("{text}: no such moment; expected")));
        }
    }

    #[test]
    fn moments_come_one_after_another() {
        let mut platform = platform();
        let mut way = way(&["region:2", "sample:5*2", "user", "+10"]);
        assert!(!way.look(&seen(&platform, false)));
        let samples = &mut platform.bus.host.samples;
        samples.entry(5).or_default().push(1); // too early
        platform.counters.begin_region(2);
        assert!(!way.look(&seen(&platform, true)));
        assert_eq!(way.passed(), 1);
        platform.bus.host.samples.get_mut(&5).unwrap().push(1);
        assert!(!way.look(&seen(&platform, true)));
        platform.bus.host.samples.get_mut(&5).unwrap().push(1);
        assert!(!way.look(&seen(&platform, true)));
        assert_eq!(way.passed(), 2, "it must come to user mode anew");
        assert!(!way.look(&seen(&platform, false)));
        assert!(!way.look(&seen(&platform, true)));
        platform.cycle = 9;
        assert!(!way.look(&seen(&platform, true)));
        platform.cycle = 10;
        assert!(way.look(&seen(&platform, true)));
    }

    #[test]
    fn an_address_is_seen_each_time() {
        let platform = platform();
        let mut way = way(&["0x8000*2"]);
        assert!(!way.look(&seen(&platform, false)));
        assert!(way.look(&seen(&platform, false)));
    }
}
