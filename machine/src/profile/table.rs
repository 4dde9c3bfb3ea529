// SPDX-License-Identifier: Apache-2.0
//! The profile as a table for people: the functions that took most, a line each.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::calls::{Calls, Spent, NOBODY};
use super::export::{inclusive, part};
use super::Cost;

/// Functions that are shown of each part.
const MOST: usize = 20;
/// Columns of the numbers before a name.
const NUMBERS: usize = 44;

/// A table for each part, no wider than `width`, but for what a name of eight letters needs.
#[must_use]
pub fn table(calls: &Calls, width: usize) -> String {
    let parts = calls.parts();
    let one = |(region, spent): &(Option<u32>, &[Spent])| of_part(calls, *region, spent, width);
    let tables: Vec<String> = parts.iter().map(one).collect();
    tables.join("\n")
}

fn of_part(calls: &Calls, region: Option<u32>, spent: &[Spent], width: usize) -> String {
    let mut own: BTreeMap<usize, Cost> = BTreeMap::new();
    for (node, spent) in calls.nodes().iter().zip(spent).skip(1) {
        *own.entry(node.function).or_default() += spent.cost;
    }
    let with_called = with_called(calls, spent);
    let mut total = Cost::default();
    own.values().for_each(|cost| total += *cost);
    let mut rows: Vec<(usize, Cost)> = own.into_iter().filter(|(_, c)| c.cycles > 0).collect();
    rows.sort_by_key(|(function, cost)| {
        (
            std::cmp::Reverse(cost.cycles),
            &calls.functions()[*function],
        )
    });
    let mut text = String::new();
    let (cycles, instructions) = (grouped(total.cycles), grouped(total.instructions));
    let name = part(region);
    let _ = writeln!(text, "{name}: {cycles} cycles, {instructions} instructions");
    let _ = writeln!(
        text,
        "        cycles   self  total  fill  walk  buf  function"
    );
    for (function, cost) in rows.iter().take(MOST) {
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let of_own = |part: u64| format!("{:.0}%", percent(part, cost.cycles));
        let function = *function;
        let shown = &calls.functions()[function];
        let name = cut(&shown.name, width.saturating_sub(NUMBERS + 9).max(8));
        let whose = if shown.kernel { "" } else { " (user)" };
        let whose = if shown.name.starts_with('(') {
            ""
        } else {
            whose
        };
        let _ = writeln!(
            text,
            "{:>14} {:>5.1}% {:>5.1}% {:>5} {:>5} {:>4}  {name}{whose}",
            grouped(cost.cycles),
            percent(cost.cycles, total.cycles),
            percent(with_called[&function], total.cycles),
            of_own(cost.fetch_fill_cycles + cost.data_fill_cycles),
            of_own(cost.fetch_walk_cycles + cost.data_walk_cycles),
            of_own(cost.write_buffer_cycles),
        );
    }
    if rows.len() > MOST {
        let _ = writeln!(text, "        and {} more functions", rows.len() - MOST);
    }
    text
}

/// Cycles of each function with all that it has called, each once.
fn with_called(calls: &Calls, spent: &[Spent]) -> BTreeMap<usize, u64> {
    let nodes = calls.nodes();
    let mut all: BTreeMap<usize, u64> = BTreeMap::new();
    for (number, cost) in inclusive(calls, spent).iter().enumerate().skip(1) {
        let function = nodes[number].function;
        let sum = all.entry(function).or_default();
        let mut outer = nodes[number].caller;
        while outer != NOBODY && nodes[outer].function != function {
            outer = nodes[outer].caller;
        }
        if outer == NOBODY {
            *sum += cost.cycles;
        }
    }
    all
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A name of at most `most` characters.
fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_string();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(cut("switch_to", 9), "switch_to");
        assert_eq!(cut("switch_to", 8), "switch_…");
    }
}
