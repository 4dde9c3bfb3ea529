// SPDX-License-Identifier: Apache-2.0
//! A machine is data: what a machine file (`machines/*.toml`) may say, and the checks that turn
//! each mistake into one clear line. What a constant means is here; its value and where the value
//! comes from are in the machine files.

use std::any::Any;
use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::assumed;
use crate::plru::PseudoLru;

/// What a clock rate should have been.
const A_FREQUENCY: &str = "a frequency in Hz from 1000000 to 10000000000";
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
    pub processor: Box<dyn ProcessorConfig>,
    /// What its assumed constants may be, by their names (`memory.zeros-first`).
    pub assumed: assumed::Ranges,
    /// The machine file, as it was read: a saved machine has it with it.
    pub text: String,
}

/// What a machine file says of a processor. Each architecture has a type of its own for it.
pub trait ProcessorConfig: AsAny + Debug + Send + Sync {
    /// Checks each value.
    ///
    /// # Errors
    /// The first that cannot be.
    fn check(&self) -> Result<(), Mistake>;

    /// The instruction cache, if there is one.
    fn insn_cache(&self) -> Option<&CacheConfig> {
        None
    }

    /// A copy.
    fn copied(&self) -> Box<dyn ProcessorConfig>;
}

/// What any type can be seen as. A trait object becomes another by itself only since Rust 1.86.
pub trait AsAny: Any {
    /// It, to find out its type.
    fn as_any(&self) -> &dyn Any;
    /// It, to change what it turns out to be.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<T: Any> AsAny for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl Clone for Box<dyn ProcessorConfig> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}

/// How caches and TLBs tell address spaces apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum AddressSpaceTags {
    /// They do not: software cleans, invalidates and flushes.
    #[default]
    None,
    /// Always, and nothing is ever stale: maintenance does nothing (`memsys/tags.rs` of each architecture).
    Ideal,
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
    /// This machine with so much memory; its file says so, too, for those who compare it, and assumes
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

    pub(crate) fn check(&self) -> Result<(), Mistake> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            return Err(Mistake::new(
                "name",
                format!("{:?}", self.name),
                "lower-case letters, digits and '-'",
            ));
        }
        // Below, somebody has meant megahertz.
        if !(1_000_000..=10_000_000_000).contains(&self.clock_hz) {
            return Err(Mistake::new(
                "clock-hz",
                self.clock_hz.to_string(),
                A_FREQUENCY,
            ));
        }
        self.processor.check()
    }

    /// What it says of its processor, if that is described by a `C`.
    #[must_use]
    pub fn processor<C: ProcessorConfig>(&self) -> Option<&C> {
        (*self.processor).as_any().downcast_ref()
    }

    /// What it says of its processor, to change.
    pub fn processor_mut<C: ProcessorConfig>(&mut self) -> Option<&mut C> {
        (*self.processor).as_any_mut().downcast_mut()
    }
}

/// A field with an impossible value.
#[derive(Debug)]
pub struct Mistake {
    /// Which, as `icache.size-bytes`.
    pub field: String,
    /// What it says.
    pub what: String,
    /// What it should say.
    pub expected: String,
}

impl Mistake {
    /// Of this field.
    #[must_use]
    pub fn new(field: &str, what: String, expected: &str) -> Self {
        Self {
            field: field.to_string(),
            what,
            expected: expected.to_string(),
        }
    }
}

/// Checks that a field's value is from `least` to `most`.
///
/// # Errors
/// It is not.
pub fn range(field: &str, value: u32, least: u32, most: u32) -> Result<(), Mistake> {
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

    /// Checks each value; `table` is its name in the machine file.
    ///
    /// # Errors
    /// The first that cannot be.
    pub fn check(&self, table: &str, line_bytes: u32) -> Result<(), Mistake> {
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

    /// Checks each value; `table` is its name in the machine file.
    ///
    /// # Errors
    /// The first that cannot be.
    pub fn check(&self, table: &str) -> Result<(), Mistake> {
        self.check_with(table, MAX_TLB_ENTRIES)
    }

    /// The same, of one that may have so many entries: no [`Tlb`](crate::tlb::Tlb) of the shared kind.
    ///
    /// # Errors
    /// The first that cannot be.
    pub fn check_with(&self, table: &str, most: u32) -> Result<(), Mistake> {
        let field = |name: &str| format!("{table}.{name}");
        let entries = self.entries;
        range(&field("entries"), entries, 1, most)?;
        range(&field("locked"), self.locked, 0, MAX_LOCKED)?;
        let ways = self.set_size();
        if ways == 0 || entries % ways != 0 || !(entries / ways).is_power_of_two() {
            return Err(Mistake::new(
                &field("ways"),
                ways.to_string(),
                "entries / ways that is a power of two",
            ));
        }
        range(&field("entries"), entries + self.locked, 1, most)
    }
}

impl MemoryConfig {
    /// Checks each value of `[memory]`.
    ///
    /// # Errors
    /// The first that cannot be.
    pub fn check(&self) -> Result<(), Mistake> {
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
