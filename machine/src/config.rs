// SPDX-License-Identifier: Apache-2.0
//! A machine is data: what a machine file (`machines/*.toml`) may say, and the checks that turn
//! each mistake into one clear line. What a constant means is here; its value and where the value
//! comes from are in the machine files.

mod arm;
mod ia32;

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};
use serde_path_to_error::Track;

use crate::assumed;
use crate::error::{read_file, Error};
use crate::plru::PseudoLru;

pub use self::arm::{
    AddressSpaceTags, ArmConfig, ArmCore, Packets, PipelineConfig, WriteBufferConfig,
    ARM_LINE_BYTES,
};
pub use self::ia32::{
    BranchConfig, BusConfig, Ia32Config, LatencyConfig, Model, PriceConfig, WalkConfig,
    IA32_LINE_BYTES,
};

/// The machines that need no file: name and text of `machines/NAME.toml`.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("sa1110", include_str!("../machines/sa1110.toml")),
    (
        "sa1110-sdram",
        include_str!("../machines/sa1110-sdram.toml"),
    ),
    ("collie", include_str!("../machines/collie.toml")),
    ("versatilepb", include_str!("../machines/versatilepb.toml")),
    (
        "versatile920",
        include_str!("../machines/versatile920.toml"),
    ),
    ("s3c24a0", include_str!("../machines/s3c24a0.toml")),
    ("omap1610", include_str!("../machines/omap1610.toml")),
    (
        "omap1610-two-tlbs",
        include_str!("../machines/omap1610-two-tlbs.toml"),
    ),
    ("sa1110-tags", include_str!("../machines/sa1110-tags.toml")),
    (
        "versatilepb-tags",
        include_str!("../machines/versatilepb-tags.toml"),
    ),
    (
        "s3c24a0-tags",
        include_str!("../machines/s3c24a0-tags.toml"),
    ),
    (
        "omap1610-tags",
        include_str!("../machines/omap1610-tags.toml"),
    ),
    (
        "p4-willamette",
        include_str!("../machines/p4-willamette.toml"),
    ),
    (
        "p4-willamette-tags",
        include_str!("../machines/p4-willamette-tags.toml"),
    ),
    (
        "p4-northwood",
        include_str!("../machines/p4-northwood.toml"),
    ),
];

/// What a clock rate should have been.
const A_FREQUENCY: &str = "a frequency from 1 to 10000000000";
/// What an unreadable machine file should have been.
const A_MACHINE_FILE: &str = "a machine file (TOML)";
/// Most bytes of one; a saved machine has room for as many.
const MOST_TEXT: u64 = 1 << 20;
/// Largest cache.
const MAX_CACHE_BYTES: u32 = 1 << 24;
/// Most ways of a cache: `cache.rs` keeps way numbers in bytes.
const MAX_WAYS: u32 = 128;
/// Most entries of a TLB: `tlb.rs` remembers entry numbers in bytes.
const MAX_TLB_ENTRIES: u32 = 256;
/// Most locked entries of a TLB: the victim field of the ARM926EJ-S has three bits.
const MAX_LOCKED: u32 = 8;
/// Most banks of SDRAM.
const MAX_BANKS: u32 = 64;
/// Largest constant of memory: 1 ms at 1 GHz.
const MAX_MEMORY: u32 = 1_000_000;

/// A described computer.
#[derive(Debug, Clone)]
pub struct MachineConfig {
    /// The name by which `--machine` finds it.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// The processor's clock in Hz.
    pub clock_hz: u64,
    /// The board: a name known to `board/`.
    pub board: String,
    /// Bytes of SDRAM on the board.
    pub ram_bytes: u32,
    /// The processor, which the core in `[processor]` decides, and with it what else the file says.
    pub processor: ProcessorConfig,
    /// What its assumed constants may be, by their names (`memory.zeros-first`).
    pub assumed: assumed::Ranges,
    /// The machine file, as it was read: a saved machine has it with it.
    pub text: String,
}

/// A processor, by its architecture.
#[derive(Debug, Clone)]
pub enum ProcessorConfig {
    /// An ARM.
    Arm(Box<ArmConfig>),
    /// An IA-32 processor.
    Ia32(Box<Ia32Config>),
}

impl ProcessorConfig {
    /// Its instruction cache, if it has one.
    #[must_use]
    pub fn insn_cache(&self) -> Option<&CacheConfig> {
        match self {
            Self::Arm(arm) => Some(&arm.icache),
            Self::Ia32(_) => None,
        }
    }
}

/// The core that `[processor]` names: the tag that decides what else the file says.
#[derive(Deserialize)]
struct Head {
    processor: HeadTable,
}

#[derive(Deserialize)]
struct HeadTable {
    core: Architecture,
}

/// An architecture, as a file names it by one of its cores.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
enum Architecture {
    Arm,
    Ia32,
}

/// Every core that a file may name, and whose it is.
const CORES: &[(&str, Architecture)] = &[
    ("sa1110", Architecture::Arm),
    ("arm920", Architecture::Arm),
    ("arm926", Architecture::Arm),
    ("pentium4", Architecture::Ia32),
];

impl TryFrom<String> for Architecture {
    type Error = String;

    fn try_from(core: String) -> Result<Self, String> {
        if let Some((_, architecture)) = CORES.iter().find(|(name, _)| *name == core) {
            return Ok(*architecture);
        }
        let known: Vec<String> = CORES.iter().map(|(name, _)| format!("`{name}`")).collect();
        let known = known.join(", ");
        Err(format!("unknown variant `{core}`, expected one of {known}"))
    }
}

impl Architecture {
    /// Reads a whole file that is about one of its cores.
    fn read<'de, D: Deserializer<'de>>(self, file: D) -> Result<MachineConfig, D::Error> {
        match self {
            Self::Arm => arm::File::deserialize(file).map(MachineConfig::from),
            Self::Ia32 => ia32::File::deserialize(file).map(MachineConfig::from),
        }
    }
}

/// Replacement within a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// One pointer a set, advanced at each fill.
    RoundRobin,
    /// Pseudo-random; round robin while the guest asks for it (ARM926EJ-S, control register, RR).
    Random,
    /// Least recently used.
    Lru,
    /// A tree of pseudo-LRU, of eight ways at most.
    PseudoLru,
}

/// Geometry of a cache.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CacheConfig {
    /// Capacity in bytes, a power of two.
    pub size_bytes: u32,
    /// Lines a set, a power of two.
    pub ways: u32,
    /// Bytes a line.
    pub line_bytes: u32,
    /// Which line a fill evicts.
    pub replacement: Replacement,
    /// How the words of a line come.
    #[serde(default)]
    pub refill: Refill,
}

/// Geometry of a TLB, replaced round robin in each set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TlbConfig {
    /// Number of entries, without the locked ones.
    pub entries: u32,
    /// Entries a set, a power of two; left out: one set, fully associative.
    pub ways: Option<u32>,
    /// Entries beside them that the guest fills one by one and that only it replaces, fully
    /// associative; left out: none.
    #[serde(default)]
    pub locked: u32,
}

/// The order in which a line's words come when it is filled, and what the processor waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Refill {
    /// The word that was asked for, then those after it, round the end of the line; the processor
    /// goes on with its word.
    CriticalWordFirst,
    /// From the first word on; the processor goes on with its word.
    InOrder,
    /// The processor waits for the whole line.
    #[default]
    WholeLine,
}

/// Memory timing in processor cycles.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MemoryConfig {
    /// First word of a read from SDRAM, from the request to the word.
    pub read_first: u32,
    /// Each further word of a burst read.
    pub read_next: u32,
    /// First word of a write to SDRAM.
    pub write_first: u32,
    /// Each further word of a burst write.
    pub write_next: u32,
    /// First word of a read from the zeros bank (no external access).
    pub zeros_first: u32,
    /// Each further word of it.
    pub zeros_next: u32,
    /// A read or write of a device register.
    pub device: u32,
    /// The rows of SDRAM that stay open; left out: every access opens its row and closes it.
    pub rows: Option<RowConfig>,
}

/// SDRAM whose controller leaves the row that was accessed last open in each bank.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RowConfig {
    /// Number of banks.
    pub banks: u32,
    /// Bytes of a row, a power of two.
    pub row_bytes: u32,
    /// Bytes from one bank to the next, a power of two.
    pub bank_bytes: u32,
    /// First word of a read whose row is open.
    pub read_open: u32,
    /// First word of a read whose bank has another row open.
    pub read_conflict: u32,
    /// First word of a write whose row is open.
    pub write_open: u32,
    /// First word of a write whose bank has another row open.
    pub write_conflict: u32,
}

impl MachineConfig {
    /// The machine that `--machine SPEC` means: a built-in name, or a path that ends in `.toml`.
    ///
    /// # Errors
    /// One line that names the file, the field and what was expected.
    pub fn find(spec: &str) -> Result<Self, Error> {
        if let Some((name, text)) = BUILT_IN.iter().find(|(name, _)| *name == spec) {
            return Self::parse(Path::new(name), text);
        }
        let file = Path::new(spec);
        if file.extension().is_none_or(|extension| extension != "toml") {
            let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
            return Err(Error::UnknownMachine {
                name: spec.to_string(),
                known: names.join(", "),
            });
        }
        let bytes = read_file(file, A_MACHINE_FILE, MOST_TEXT)?;
        let text = String::from_utf8(bytes).map_err(|error| Error::Machine {
            file: file.to_path_buf(),
            place: format!("byte {}", error.utf8_error().valid_up_to()),
            what: "is no UTF-8 text".to_string(),
            expected: A_MACHINE_FILE.to_string(),
        })?;
        Self::parse(file, &text)
    }

    /// Reads and checks the text of a machine file; `file` is for messages.
    ///
    /// # Errors
    /// As [`MachineConfig::find`].
    pub fn parse(file: &Path, text: &str) -> Result<Self, Error> {
        let wrong = |error| syntax_error(file, text, &error);
        let head: Head =
            serde_path_to_error::deserialize(toml::Deserializer::new(text)).map_err(wrong)?;
        let architecture = head.processor.core;
        let mut track = Track::new();
        let tracked =
            serde_path_to_error::Deserializer::new(toml::Deserializer::new(text), &mut track);
        let mut config = architecture
            .read(tracked)
            .map_err(|error| wrong(serde_path_to_error::Error::new(track.path(), error)))?;
        config
            .check()
            .and_then(|()| config.check_assumed(architecture, text))
            .map_err(|mistake| Error::Machine {
                file: file.to_path_buf(),
                place: mistake.field,
                what: mistake.what,
                expected: mistake.expected,
            })?;
        config.text = text.to_string();
        Ok(config)
    }

    /// The same machine with so much memory; its file says so, too, for those who compare it, and assumes
    /// nothing of it any more.
    ///
    /// # Panics
    /// Its text is not that of a machine file.
    #[must_use]
    pub fn with_ram(mut self, bytes: u32) -> Self {
        if bytes != self.ram_bytes {
            let text: Result<toml_edit::DocumentMut, _> = self.text.parse();
            let mut text = text.expect("it has been parsed before");
            text["ram-bytes"] = toml_edit::value(i64::from(bytes));
            let assumed = text.get_mut("assumed");
            if let Some(assumed) = assumed.and_then(toml_edit::Item::as_table_like_mut) {
                assumed.remove("ram-bytes");
            }
            self.assumed.remove("ram-bytes");
            self.text = text.to_string();
            self.ram_bytes = bytes;
        }
        self
    }

    fn check(&self) -> Result<(), Mistake> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            return Err(Mistake::new(
                "name",
                format!("{:?}", self.name),
                "lower-case letters, digits and '-'",
            ));
        }
        if self.clock_hz == 0 || self.clock_hz > 10_000_000_000 {
            return Err(Mistake::new(
                "clock-hz",
                self.clock_hz.to_string(),
                A_FREQUENCY,
            ));
        }
        match &self.processor {
            ProcessorConfig::Arm(arm) => arm.check(),
            ProcessorConfig::Ia32(ia32) => ia32.check(),
        }
    }

    /// What it says of an ARM, if it is one.
    #[must_use]
    pub fn arm(&self) -> Option<&ArmConfig> {
        match &self.processor {
            ProcessorConfig::Arm(arm) => Some(arm),
            ProcessorConfig::Ia32(_) => None,
        }
    }

    /// What it says of an IA-32 processor, if it is one.
    #[must_use]
    pub fn ia32(&self) -> Option<&Ia32Config> {
        match &self.processor {
            ProcessorConfig::Arm(_) => None,
            ProcessorConfig::Ia32(ia32) => Some(ia32),
        }
    }

    /// Ranges are of numbers that `text` gives, and at both of its ends the machine is sound.
    fn check_assumed(&self, architecture: Architecture, text: &str) -> Result<(), Mistake> {
        let described: toml::Table = text.parse().expect("it has been parsed before");
        assumed::check(&self.assumed, &described).map_err(|(field, what, expected)| Mistake {
            field,
            what,
            expected,
        })?;
        for (name, range) in &self.assumed {
            for (end, value) in [("low", range.low), ("high", range.high)] {
                let changed = assumed::with(&described, name, value);
                let other = architecture.read(changed);
                let other = other.expect("a number in a number's place");
                other.check().map_err(|mistake| {
                    let field = format!("assumed.{name:?}.{end}");
                    Mistake::new(&field, mistake.what, &mistake.expected)
                })?;
            }
        }
        Ok(())
    }
}

/// A field with an impossible value.
struct Mistake {
    field: String,
    what: String,
    expected: String,
}

impl Mistake {
    fn new(field: &str, what: String, expected: &str) -> Self {
        Self {
            field: field.to_string(),
            what,
            expected: expected.to_string(),
        }
    }
}

fn range(field: &str, value: u32, least: u32, most: u32) -> Result<(), Mistake> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let expected = format!("a number from {least} to {most}");
    Err(Mistake::new(field, value.to_string(), &expected))
}

impl CacheConfig {
    /// Lines that it has room for.
    #[must_use]
    pub fn slots(&self) -> usize {
        (self.size_bytes / self.line_bytes) as usize
    }

    fn check(&self, table: &str, line_bytes: u32) -> Result<(), Mistake> {
        let field = |name: &str| format!("{table}.{name}");
        for (name, value, most) in [
            ("size-bytes", self.size_bytes, MAX_CACHE_BYTES),
            ("ways", self.ways, MAX_WAYS),
        ] {
            if !value.is_power_of_two() || value > most {
                return Err(Mistake::new(
                    &field(name),
                    format!("{value} is no power of two from 1 to {most}"),
                    "a power of two",
                ));
            }
        }
        if self.replacement == Replacement::PseudoLru && self.ways as usize > PseudoLru::MOST_WAYS {
            return Err(Mistake::new(
                &field("ways"),
                self.ways.to_string(),
                &format!("at most {} with pseudo-LRU", PseudoLru::MOST_WAYS),
            ));
        }
        if self.line_bytes != line_bytes {
            return Err(Mistake::new(
                &field("line-bytes"),
                self.line_bytes.to_string(),
                &format!("{line_bytes}, the only line size that the model has"),
            ));
        }
        let set = u64::from(self.ways) * u64::from(self.line_bytes);
        if set > u64::from(self.size_bytes) {
            return Err(Mistake::new(
                &field("ways"),
                format!(
                    "{} ways of {} bytes do not fit into {} bytes",
                    self.ways, self.line_bytes, self.size_bytes
                ),
                "ways * line-bytes of at most size-bytes",
            ));
        }
        Ok(())
    }
}

impl TlbConfig {
    /// Entries a set.
    #[must_use]
    pub fn set_size(&self) -> u32 {
        self.ways.unwrap_or(self.entries)
    }

    fn check(&self, table: &str) -> Result<(), Mistake> {
        let field = |name: &str| format!("{table}.{name}");
        let entries = self.entries;
        range(&field("entries"), entries, 1, MAX_TLB_ENTRIES)?;
        range(&field("locked"), self.locked, 0, MAX_LOCKED)?;
        let ways = self.set_size();
        if ways == 0 || entries % ways != 0 || !(entries / ways).is_power_of_two() {
            return Err(Mistake::new(
                &field("ways"),
                ways.to_string(),
                "entries / ways that is a power of two",
            ));
        }
        range(&field("entries"), entries + self.locked, 1, MAX_TLB_ENTRIES)
    }
}

impl MemoryConfig {
    fn check(&self) -> Result<(), Mistake> {
        for (field, value) in [
            ("read-first", self.read_first),
            ("read-next", self.read_next),
            ("write-first", self.write_first),
            ("write-next", self.write_next),
            ("zeros-first", self.zeros_first),
            ("zeros-next", self.zeros_next),
            ("device", self.device),
        ] {
            range(&format!("memory.{field}"), value, 0, MAX_MEMORY)?;
        }
        self.rows.as_ref().map_or(Ok(()), RowConfig::check)
    }
}

impl RowConfig {
    fn check(&self) -> Result<(), Mistake> {
        range("memory.rows.banks", self.banks, 1, MAX_BANKS)?;
        for (field, value) in [
            ("row-bytes", self.row_bytes),
            ("bank-bytes", self.bank_bytes),
        ] {
            if !value.is_power_of_two() || value < 32 {
                return Err(Mistake::new(
                    &format!("memory.rows.{field}"),
                    value.to_string(),
                    "a power of two from 32",
                ));
            }
        }
        if self.bank_bytes < self.row_bytes {
            return Err(Mistake::new(
                "memory.rows.bank-bytes",
                self.bank_bytes.to_string(),
                &format!("at least {}, a row", self.row_bytes),
            ));
        }
        for (field, value) in [
            ("read-open", self.read_open),
            ("read-conflict", self.read_conflict),
            ("write-open", self.write_open),
            ("write-conflict", self.write_conflict),
        ] {
            range(&format!("memory.rows.{field}"), value, 0, MAX_MEMORY)?;
        }
        Ok(())
    }
}

/// Turns the parser's error into one line: the field by its path, the line by the span.
fn syntax_error(
    file: &Path,
    text: &str,
    error: &serde_path_to_error::Error<toml::de::Error>,
) -> Error {
    let line = error.inner().span().map(|span| {
        let before = text.get(..span.start).unwrap_or(text);
        before.bytes().filter(|&b| b == b'\n').count() + 1
    });
    let path = error.path().to_string();
    // The parser has no path before it has found a key; serde then says ".".
    let place = match (line, path.as_str()) {
        (Some(line), ".") => format!("line {line}"),
        (Some(line), path) => format!("line {line}: {path}"),
        (None, path) => path.to_string(),
    };
    if let Some(error) = too_long(file, text, error) {
        return error;
    }
    let message = error.inner().message().replace('\n', ", ");
    let (what, expected) = match message.split_once(", expected ") {
        Some((what, expected)) => (what.to_string(), in_words(expected)),
        None if message.starts_with("missing field") => (message, "a value".to_string()),
        None => (message, A_MACHINE_FILE.to_string()),
    };
    Error::Machine {
        file: file.to_path_buf(),
        place,
        what,
        expected,
    }
}

/// Of a number that TOML has no room for, which is refused before its key is known. What the key
/// takes is told by the same file with the largest number there is in its place.
fn too_long(
    file: &Path,
    text: &str,
    error: &serde_path_to_error::Error<toml::de::Error>,
) -> Option<Error> {
    // the parser names a place in the number, not all of it
    let at = error.inner().span()?.start;
    let (left, right) = (text.get(..at)?, text.get(at..)?);
    let of_number = |c: char| c.is_ascii_digit() || matches!(c, '_' | '+' | '-');
    let before = left.trim_end_matches(of_number);
    let after = right.trim_start_matches(of_number);
    let number = text.get(before.len()..text.len() - after.len())?;
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    if digits < MOST.len() || number == MOST {
        return None;
    }
    let (place, expected) = match MachineConfig::parse(file, &[before, MOST, after].concat()) {
        Err(Error::Machine {
            place,
            what,
            expected,
            ..
        }) if what.contains(MOST) => (place, expected),
        _ => {
            let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
            let key = before.lines().last()?.split('=').next()?.trim();
            let range = format!("a whole number from 0 to {MOST}");
            (format!("line {line}: {key}"), range)
        }
    };
    Some(Error::Machine {
        file: file.to_path_buf(),
        place,
        what: format!("a number of {digits} digits"),
        expected,
    })
}

/// TOML's largest number.
const MOST: &str = "9223372036854775807";

/// Rust's names of types in words.
fn in_words(expected: &str) -> String {
    match expected {
        "u32" => "a whole number from 0 to 4294967295".to_string(),
        "u64" => "a whole number from 0".to_string(),
        other if other.starts_with("struct ") => "a table".to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
