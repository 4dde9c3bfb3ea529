// SPDX-License-Identifier: Apache-2.0
//! Ranges of a machine's assumed constants: what no manual says is between these bounds, and why.
//!
//! `[assumed]` in a machine file has a line for each: the constant by its table and name, `low`,
//! `high` and the reason. The machine runs with the constant's own value; who measures something can
//! run it at both ends and see what the result rests on (`switchyard run --band`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// By the constant's name, as in `memory.zeros-first`.
pub type Ranges = BTreeMap<String, Range>;

/// What an assumed constant may be.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Range {
    /// The least that can be defended.
    pub low: u32,
    /// The most.
    pub high: u32,
    /// Why these, in a sentence.
    pub why: String,
}

/// What is wrong with a range: the field, what is there, and what was expected.
pub type Wrong = (String, String, String);

/// Checks that each range is of a number of this description, and around it.
///
/// # Errors
/// The first that is not.
pub fn check(ranges: &Ranges, described: &toml::Table) -> Result<(), Wrong> {
    for (name, range) in ranges {
        let field = |inner: &str| format!("assumed.{name:?}{inner}");
        let Some(value) = value(described, name) else {
            return Err((
                field(""),
                "no number of this machine".to_string(),
                "table and name of one that this file gives, as \"memory.read-first\"".to_string(),
            ));
        };
        let Range { low, high, why } = range;
        if i64::from(*low) > value {
            return Err((
                field(".low"),
                low.to_string(),
                format!("at most {value}, which is the value"),
            ));
        }
        if i64::from(*high) < value {
            return Err((
                field(".high"),
                high.to_string(),
                format!("at least {value}, which is the value"),
            ));
        }
        if why.trim().is_empty() {
            return Err((
                field(".why"),
                "empty".to_string(),
                "the reason for the range".to_string(),
            ));
        }
    }
    Ok(())
}

/// The number that a description has under `name`, the tables that it is in before it, with dots.
#[must_use]
pub fn value(described: &toml::Table, name: &str) -> Option<i64> {
    match name.split_once('.') {
        Some((table, inner)) => value(described.get(table)?.as_table()?, inner),
        None => described.get(name)?.as_integer(),
    }
}

/// The description with another value for a number that it has.
#[must_use]
pub fn with(described: &toml::Table, name: &str, value: u32) -> toml::Table {
    let mut changed = described.clone();
    set(&mut changed, name, value);
    changed
}

fn set(described: &mut toml::Table, name: &str, value: u32) {
    match name.split_once('.') {
        Some((table, inner)) => {
            if let Some(table) = described.get_mut(table).and_then(toml::Value::as_table_mut) {
                set(table, inner, value);
            }
        }
        None => {
            if let Some(place) = described.get_mut(name) {
                *place = toml::Value::Integer(value.into());
            }
        }
    }
}
