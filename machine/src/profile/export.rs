// SPDX-License-Identifier: Apache-2.0
//! Profiles for other programs: `--speedscope` (<https://www.speedscope.app>, the schema that the file
//! names) and `--callgrind` (the format of Valgrind's manual, for KCachegrind and callgrind_annotate).

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{json, Value};

use super::calls::{Calls, Function, Spent, NOBODY};
use super::Cost;

const SPEEDSCOPE: &str = "https://www.speedscope.app/file-format-schema.json";
const EXPORTER: &str = concat!("switchyard-machine ", env!("CARGO_PKG_VERSION"));

/// A part of the run, in words.
pub(super) fn part(region: Option<u32>) -> String {
    region.map_or_else(
        || "the whole run".into(),
        |number| format!("region {number}"),
    )
}

/// Who a function belongs to, in the place of the source file, which is not known.
fn owner(function: &Function) -> &'static str {
    if function.kernel {
        "kernel"
    } else {
        "user"
    }
}

/// Writes a profile of machine `name` for Speedscope: one for each part, in cycles. What was waited for
/// stands on top of who waited.
///
/// # Errors
/// Those of `out`.
pub fn speedscope(calls: &Calls, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let functions = calls.functions();
    let frame = |function: &Function| json!({"name": function.name, "file": owner(function)});
    let mut frames: Vec<Value> = functions.iter().map(frame).collect();
    let waits = Cost::default().waits();
    frames.extend(waits.iter().map(|(name, _)| json!({"name": name})));
    let stacks = stacks(calls);
    let profiles = calls.parts().into_iter().map(|(region, spent)| {
        let mut samples = Vec::new();
        let mut weights = Vec::new();
        for (node, spent) in spent.iter().enumerate() {
            let mut working = spent.cost.cycles;
            for (n, (_, cycles)) in spent.cost.waits().iter().enumerate() {
                if *cycles > 0 {
                    working -= cycles;
                    let mut stack = stacks[node].clone();
                    stack.push(functions.len() + n);
                    samples.push(stack);
                    weights.push(*cycles);
                }
            }
            if working > 0 {
                samples.push(stacks[node].clone());
                weights.push(working);
            }
        }
        json!({
            "type": "sampled",
            "name": format!("{}, cycles", part(region)),
            "unit": "none",
            "startValue": 0,
            "endValue": weights.iter().sum::<u64>(),
            "samples": samples,
            "weights": weights,
        })
    });
    let profiles: Vec<Value> = profiles.collect();
    let whole = json!({
        "$schema": SPEEDSCOPE,
        "shared": {"frames": frames},
        "profiles": profiles,
        "name": name,
        "activeProfileIndex": 0,
        "exporter": EXPORTER,
    });
    writeln!(out, "{whole}")
}

/// The functions of each node's stack, the outermost first.
fn stacks(calls: &Calls) -> Vec<Vec<usize>> {
    let mut stacks: Vec<Vec<usize>> = Vec::new();
    for (number, node) in calls.nodes().iter().enumerate() {
        let mut stack = Vec::new();
        if number != NOBODY {
            stack.clone_from(&stacks[node.caller]);
            stack.push(node.function);
        }
        stacks.push(stack);
    }
    stacks
}

/// Writes a profile of machine `name` for callgrind's tools: all parts together.
///
/// # Errors
/// Those of `out`.
pub fn callgrind(calls: &Calls, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let parts = calls.parts();
    let spent = sum(calls, &parts);
    let below = inclusive(calls, &spent);
    // by function, and by the two functions of a call
    let mut own: BTreeMap<usize, Cost> = BTreeMap::new();
    let mut arcs: BTreeMap<usize, BTreeMap<usize, (u64, Cost)>> = BTreeMap::new();
    for (number, node) in calls.nodes().iter().enumerate().skip(1) {
        if below[number].cycles == 0 {
            continue;
        }
        *own.entry(node.function).or_default() += spent[number].cost;
        if node.caller != NOBODY {
            let caller = calls.nodes()[node.caller].function;
            own.entry(caller).or_default();
            let arc = arcs.entry(caller).or_default();
            let (count, cost) = arc.entry(node.function).or_default();
            *count += spent[number].calls;
            if !within_itself(calls, number) {
                *cost += below[number];
            }
        }
    }
    let described: Vec<String> = parts.iter().map(|(region, _)| part(*region)).collect();
    writeln!(out, "# callgrind format\nversion: 1\ncreator: {EXPORTER}")?;
    writeln!(out, "cmd: {name}: {}", described.join(", "))?;
    writeln!(
        out,
        "positions: line\nevents: Cycles Instructions FetchFill FetchWalk DataFill DataWalk WriteBuffer"
    )?;
    let mut total = Cost::default();
    own.values().for_each(|cost| total += *cost);
    writeln!(out, "summary: {}", line(&total))?;
    for (number, cost) in &own {
        let function = &calls.functions()[*number];
        writeln!(out, "\nfl=[{}]\nfn={}", owner(function), function.name)?;
        writeln!(out, "0 {}", line(cost))?;
        for (callee, (count, cost)) in arcs.get(number).into_iter().flatten() {
            let callee = &calls.functions()[*callee];
            writeln!(out, "cfi=[{}]\ncfn={}", owner(callee), callee.name)?;
            writeln!(out, "calls={} 0\n0 {}", (*count).max(1), line(cost))?;
        }
    }
    Ok(())
}

fn line(cost: &Cost) -> String {
    let waits = cost.waits().map(|(_, cycles)| format!(" {cycles}"));
    format!("{} {}{}", cost.cycles, cost.instructions, waits.concat())
}

/// What each node took in all parts.
fn sum(calls: &Calls, parts: &[(Option<u32>, &[Spent])]) -> Vec<Spent> {
    let mut all = vec![Spent::default(); calls.nodes().len()];
    for (_, spent) in parts {
        for (sum, one) in all.iter_mut().zip(*spent) {
            sum.cost += one.cost;
            sum.calls += one.calls;
        }
    }
    all
}

/// What each node took with all that it has called.
pub(super) fn inclusive(calls: &Calls, spent: &[Spent]) -> Vec<Cost> {
    let mut all: Vec<Cost> = calls.nodes().iter().map(|_| Cost::default()).collect();
    for (sum, one) in all.iter_mut().zip(spent) {
        *sum = one.cost;
    }
    // callers have lower numbers
    for number in (1..all.len()).rev() {
        let cost = all[number];
        all[calls.nodes()[number].caller] += cost;
    }
    all
}

/// Whether the same call stands further out on a node's stack: its cost is in that one's.
fn within_itself(calls: &Calls, number: usize) -> bool {
    let nodes = calls.nodes();
    let arc = |number: usize| (nodes[nodes[number].caller].function, nodes[number].function);
    let mut outer = nodes[number].caller;
    while outer != NOBODY {
        if nodes[outer].caller != NOBODY && arc(outer) == arc(number) {
            return true;
        }
        outer = nodes[outer].caller;
    }
    false
}
