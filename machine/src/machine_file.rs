// SPDX-License-Identifier: Apache-2.0
//! Reads a machine file: the core that it names says which architecture's it is, and that what else
//! it may say. What is wrong with one is a line that names the file, the field and what was expected.

use std::path::Path;

use serde::Deserialize;

use crate::assumed;
use crate::config::{MachineConfig, Mistake};
use crate::error::{read_file, Error};
use crate::registry::{Entry, Registry};

/// What an unreadable machine file should have been.
const A_MACHINE_FILE: &str = "a machine file (TOML)";
/// Most bytes of one; a saved machine has room for as many.
const MOST_TEXT: u64 = 1 << 20;

/// The core that `[processor]` names: the tag that decides what else the file says.
#[derive(Deserialize)]
struct Head {
    processor: HeadTable,
}

#[derive(Deserialize)]
struct HeadTable {
    core: String,
}

#[derive(Deserialize)]
struct PlacedHead {
    processor: PlacedHeadTable,
}

#[derive(Deserialize)]
struct PlacedHeadTable {
    core: toml::Spanned<String>,
}

/// What is said of a core that no architecture of `registry` has.
fn unknown_core(registry: &Registry, file: &Path, text: &str, core: &str) -> Error {
    let placed = toml::from_str::<PlacedHead>(text);
    let at = placed.map_or(0, |head| head.processor.core.span().start);
    let known: Vec<String> = registry.cores().map(|name| format!("`{name}`")).collect();
    Error::Machine {
        file: file.to_path_buf(),
        place: format!("line {}: processor.core", line_of(text, at)),
        what: format!("unknown variant `{core}`"),
        expected: format!("one of {}", known.join(", ")),
    }
}

/// The line of `text` in which byte `at` is.
fn line_of(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or(text);
    before.bytes().filter(|&b| b == b'\n').count() + 1
}

impl MachineConfig {
    /// The machine that `--machine SPEC` means: a built-in name, or a path that ends in `.toml`.
    ///
    /// # Errors
    /// One line that names the file, the field and what was expected.
    pub fn find(spec: &str) -> Result<Self, Error> {
        find(&Registry::every(), spec)
    }

    /// Reads and checks the text of a machine file; `file` is for messages.
    ///
    /// # Errors
    /// As [`MachineConfig::find`].
    pub fn parse(file: &Path, text: &str) -> Result<Self, Error> {
        parse(&Registry::every(), file, text)
    }
}

/// The machine that `--machine SPEC` means, among those of `registry`.
///
/// # Errors
/// As [`MachineConfig::find`].
pub fn find(registry: &Registry, spec: &str) -> Result<MachineConfig, Error> {
    if let Some((name, text)) = registry.machines().find(|(name, _)| *name == spec) {
        return parse(registry, Path::new(name), text);
    }
    let file = Path::new(spec);
    if file.extension().is_none_or(|extension| extension != "toml") {
        let names: Vec<&str> = registry.machines().map(|(name, _)| name).collect();
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
    parse(registry, file, &text)
}

/// Reads and checks the text of a machine file, of an architecture of `registry`; `file` is for messages.
///
/// # Errors
/// As [`MachineConfig::find`].
pub fn parse(registry: &Registry, file: &Path, text: &str) -> Result<MachineConfig, Error> {
    let wrong = |error| syntax_error(registry, file, text, &error);
    let head = serde_path_to_error::deserialize(toml::Deserializer::new(text));
    let Head { processor } = head.map_err(wrong)?;
    let Some(entry) = registry.of_core(&processor.core) else {
        return Err(unknown_core(registry, file, text, &processor.core));
    };
    let mut config = (entry.read)(text).map_err(wrong)?;
    config
        .check()
        .and_then(|()| check_assumed(&config, entry, text))
        .map_err(|mistake| Error::Machine {
            file: file.to_path_buf(),
            place: mistake.field,
            what: mistake.what,
            expected: mistake.expected,
        })?;
    config.text = text.to_string();
    Ok(config)
}

/// Ranges are of numbers that `text` gives, and at both of its ends the machine is sound.
fn check_assumed(config: &MachineConfig, entry: &Entry, text: &str) -> Result<(), Mistake> {
    let described: toml::Table = text.parse().expect("it has been parsed before");
    assumed::check(&config.assumed, &described).map_err(|(field, what, expected)| Mistake {
        field,
        what,
        expected,
    })?;
    for (name, range) in &config.assumed {
        for (end, value) in [("low", range.low), ("high", range.high)] {
            let changed = assumed::with(&described, name, value);
            let other = (entry.read_table)(changed);
            let other = other.expect("a number in a number's place");
            other.check().map_err(|mistake| {
                let field = format!("assumed.{name:?}.{end}");
                Mistake::new(&field, mistake.what, &mistake.expected)
            })?;
        }
    }
    Ok(())
}

/// Turns the parser's error into one line: the field by its path, the line by the span.
fn syntax_error(
    registry: &Registry,
    file: &Path,
    text: &str,
    error: &serde_path_to_error::Error<toml::de::Error>,
) -> Error {
    let line = error.inner().span();
    let line = line.map(|span| line_of(text, span.start));
    let path = error.path().to_string();
    // The parser has no path before it has found a key; serde then says ".".
    let place = match (line, path.as_str()) {
        (Some(line), ".") => format!("line {line}"),
        (Some(line), path) => format!("line {line}: {path}"),
        (None, path) => path.to_string(),
    };
    if let Some(error) = too_long(registry, file, text, error) {
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
    registry: &Registry,
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
    let (place, expected) = match parse(registry, file, &[before, MOST, after].concat()) {
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
#[path = "machine_file_tests.rs"]
mod tests;
