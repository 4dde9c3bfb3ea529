// SPDX-License-Identifier: Apache-2.0
//! The coherence checker against guests with planted faults: each must be found, with its cause,
//! and nothing else. The guests of `memory/` provoke most of them, since showing what the
//! processor does with stale state is their purpose; `coherence/` has the rest, and one without
//! any fault.

mod support;

use std::collections::BTreeSet;

/// The causes that the checker names for a guest, as a sorted list.
fn causes(directory: &'static str, name: &str) -> Vec<&'static str> {
    let found = support::check(directory, name, "sa1110");
    for finding in &found {
        println!("{finding}");
    }
    let causes: BTreeSet<_> = found.iter().map(|finding| finding.cause.name()).collect();
    causes.into_iter().collect()
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    assert_eq!(causes("coherence", "correct"), [""; 0]);
    // Denied domains and subpages fault on the ideal machine as well.
    assert_eq!(causes("memory", "domain"), [""; 0]);
    assert_eq!(causes("memory", "subpage"), [""; 0]);
}

#[test]
fn a_synonym_written_through_two_addresses() {
    // The guest also reads memory past the dirty line, writes memory below a line, and
    // invalidates a dirty one.
    assert_eq!(
        causes("memory", "synonym"),
        ["lost-data", "not-cleaned", "stale-line", "synonym"]
    );
}

#[test]
fn a_missing_invalidate_after_a_remap() {
    let found = causes("memory", "homonym");
    assert_eq!(found, ["homonym", "stale-translation"]);
}

#[test]
fn a_stale_translation_after_a_page_table_change() {
    let found = support::check("memory", "dirty_unmap", "sa1110");
    let stale = found
        .iter()
        .find(|finding| finding.cause.name() == "stale-translation")
        .expect("the page is used after it was unmapped");
    // The page is gone: the ideal machine would have faulted. It names who changed the descriptor.
    assert_eq!(stale.ideal_pa, None);
    assert!(stale.writer.is_some_and(|w| w.pc < stale.access.pc));
}

#[test]
fn a_missing_clean_before_a_frame_is_used_otherwise() {
    assert!(causes("memory", "dirty_unmap").contains(&"not-cleaned"));
}

#[test]
fn a_stale_instruction() {
    assert_eq!(causes("memory", "stale_instruction"), ["stale-instruction"]);
}

#[test]
fn a_stale_read_buffer() {
    assert_eq!(causes("memory", "read_buffer"), ["stale-read-buffer"]);
}

#[test]
fn a_descriptor_that_is_not_in_memory() {
    let found = causes("coherence", "descriptor");
    assert_eq!(found, ["descriptor-not-in-memory"]);
}

#[test]
fn a_domain_left_open() {
    assert_eq!(causes("coherence", "domain_open"), ["domain-open"]);
}
