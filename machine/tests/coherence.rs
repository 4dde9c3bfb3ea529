// SPDX-License-Identifier: Apache-2.0
//! The coherence checker against guests with planted faults: each must be found, with its cause,
//! and nothing else. The guests of `memory/` provoke most of them, since showing what the
//! processor does with stale state is their purpose; `coherence/` has the rest, and one without
//! any fault.

use crate::support;

use std::collections::BTreeSet;

/// The causes that the checker names for a guest, as a sorted list.
fn causes(directory: &'static str, name: &str) -> Vec<&'static str> {
    let found = support::check(directory, name, "sa1110");
    let causes: BTreeSet<_> = found.iter().map(|finding| finding.cause).collect();
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
        [
            "lost-data",
            "not-cleaned",
            "stale-line",
            "stale-synonym",
            "synonym"
        ]
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
        .find(|finding| finding.cause == "stale-translation")
        .expect("the page is used after it was unmapped");
    // The page is gone: the ideal machine would have faulted. It names who changed the descriptor.
    assert_eq!(stale.ideal_pa, None);
    assert!(stale.writer.is_some_and(|w| w.pc < stale.access.pc));
}

#[test]
fn a_missing_clean_before_a_frame_is_used_otherwise() {
    let found = causes("memory", "dirty_unmap");
    assert!(found.contains(&"not-cleaned"), "{found:?}");
    assert!(found.contains(&"late-write-back"), "{found:?}");
}

#[test]
fn a_stale_instruction() {
    let found = causes("memory", "stale_instruction");
    assert_eq!(found, ["code-not-cleaned", "stale-instruction"]);
}

#[test]
fn a_stale_read_buffer() {
    assert_eq!(causes("memory", "read_buffer"), ["stale-read-buffer"]);
}

#[test]
fn a_descriptor_that_is_not_in_memory() {
    let found = causes("coherence", "descriptor");
    assert_eq!(found, ["descriptor-not-cleaned"]);
}

#[test]
fn a_domain_left_open() {
    assert_eq!(causes("coherence", "domain_open"), ["domain-open"]);
}

/// A kernel's access with a program's rights is not that program's.
#[test]
fn who_runs_is_not_whose_rights() {
    assert_eq!(causes("coherence", "as_user"), [""; 0]);
    expect("as_user_then_user", &[&["domain-open", "in_user_mode"]]);
}

/// The findings of a guest of `coherence/` are these, in any order: each of the lists is the cause
/// and what else the line says. A place is a label of the guest.
fn expect(name: &str, expected: &[&[&str]]) {
    let found = support::findings("coherence", name, "sa1110");
    let text = found.join("\n");
    for parts in expected {
        let cause = format!("{}: ", parts[0]);
        let right = |line: &&String| {
            line.starts_with(&cause) && parts[1..].iter().all(|part| line.contains(part))
        };
        assert!(
            found.iter().any(|line| right(&line)),
            "{parts:?} in\n{text}"
        );
    }
    assert_eq!(found.len(), expected.len(), "\n{text}");
}

#[test]
fn a_store_into_a_line_of_another_frame() {
    let line = "in the line mva 0x0a000000 pa 0xc0100000";
    expect(
        "homonym_store",
        &[
            &[
                "homonym-store",
                "pc 0x",
                "<hits_wrong_line+0x0>",
                "pa 0xc0200000",
                line,
                "<dirties_old_frame+0x0> at mva 0x0a000004",
            ],
            &["misplaced", "<reads_new_frame+", "last written by", line],
            &[
                "late-write-back",
                "<reads_old_frame+",
                "read 0x7, newest 0x0",
                "by the line mva 0x0a000000 pa 0xc0100000, last written by",
                "<hits_wrong_line+0x0>",
                "written back by pc",
            ],
        ],
    );
}

#[test]
fn memory_overwritten_by_a_write_back() {
    expect(
        "overwritten",
        &[
            &[
                "overwritten",
                "<reads_one+",
                "read 0x0, newest 0x2",
                "last written by pc",
                "at mva 0xd0100000",
                "by the line mva 0x0a000000 pa 0xc0100000, last written by pc",
                "<dirties_one+0x0> at mva 0x0a000004 domain 0",
                "written back by pc",
            ],
            &[
                "late-write-back",
                "<reads_two+",
                "by the line mva 0x0b000000 pa 0xc0200000, last written by pc",
                "<dirties_two+0x0> at mva 0x0b000004",
            ],
        ],
    );
}

#[test]
fn a_dirty_line_that_is_invalidated() {
    let line = "with the line mva 0x0a000000 pa 0xc0100000, last written by pc";
    expect(
        "lost",
        &[
            &[
                "lost-data",
                "<reads_line+0x0>",
                line,
                "<written+0x0>",
                "invalidated by pc",
                "<drops_line+0x0>",
            ],
            &[
                "lost-data",
                "<reads_all+0x0>",
                line,
                "invalidated by pc",
                "<drops_all+0x0>",
            ],
        ],
    );
}

#[test]
fn a_line_older_than_memory() {
    let old = "old in the line mva 0x0b000000 pa 0xc0100000";
    expect(
        "stale_synonym",
        &[
            &[
                "synonym",
                "<reads_dirty+0x0>",
                "newest in the line mva 0x0a000000 pa 0xc0100000, last written by pc",
                "<writes_one+0x0>",
            ],
            &[
                "stale-synonym",
                "<reads_cleaned+0x0>",
                "at mva 0x0a000000",
                old,
            ],
            &["stale-line", "<reads_past+0x0>", "at mva 0xd0100000", old],
        ],
    );
}

#[test]
fn code_that_is_not_in_memory() {
    let dirty = "in the line mva 0x0a000000 pa 0xc0100000, last written by pc";
    expect(
        "code",
        &[
            &["code-not-cleaned", dirty, "<writes_cached+0x0>"],
            &["code-not-drained", "va 0x0a000040", "<writes_buffered+0x0>"],
            &[
                "instruction-homonym",
                "pa 0xc0200000",
                "hit the line mva 0x0a000000 pa 0xc0100000, filled by pc",
            ],
        ],
    );
}

#[test]
fn code_that_is_stored_over_in_the_line_that_runs() {
    expect(
        "running_line",
        &[&["stale-instruction", "<old+0x0>", "2 times"]],
    );
}

#[test]
fn a_descriptor_in_the_write_buffer() {
    expect(
        "descriptor_buffered",
        &[
            &[
                "descriptor-not-drained",
                "<walks+0x0>",
                "should be pa 0xc0200000",
                "<changes_descriptor+0x0>",
                "translated by pc",
            ],
            // Afterwards memory is right, and the entry still is what was walked too early.
            &["descriptor-not-drained", "<walks+0x8>", "<walks+0x0>"],
        ],
    );
}

#[test]
fn a_descriptor_that_is_overwritten_between_two_walks() {
    expect(
        "descriptor_lost",
        &[
            &["descriptor-lost", "<walks_again+0x0>", "0xc0100000"],
            &["descriptor-lost", "<walks_section+0x0>"],
            &["descriptor-lost", "<uses_section+0x0>"],
            &[
                "stale-translation",
                "<uses_older+0x0>",
                "should be pa 0xc0100000",
            ],
        ],
    );
}

#[test]
fn a_store_that_goes_astray() {
    let store = "store by mva 0x0a000000 pa 0xc0100000";
    expect(
        "astray",
        &[
            &[
                "stale-translation",
                "<goes_astray+0x0>",
                "should be pa 0xc0200000",
            ],
            &["astray", "<reads_meant+", store, "<goes_astray+0x0>"],
            &["trampled", "<reads_trampled+", store],
        ],
    );
}

#[test]
fn a_read_buffer_loaded_too_early() {
    expect(
        "early_read_buffer",
        &[&["read-buffer-too-early", "<dirties+0x0>"]],
    );
}

#[test]
fn a_translation_that_was_made_for_another_table() {
    expect(
        "other_table",
        &[
            &["foreign-translation", "<uses_it_at_once+0x0>"],
            &[
                "foreign-translation",
                "<uses_old_entry+0x0>",
                "running space 0xc0200000, made for space 0xc00",
            ],
        ],
    );
}

#[test]
fn protection_of_the_spaces_that_a_kernel_announces() {
    expect(
        "spaces",
        &[
            &["foreign-domain", "<others_page+0x0>", "domain 2"],
            &[
                "foreign-translation",
                "<others_entry+0x0>",
                "should fault domain 1",
                "translated by pc",
                "<own_page+0x4>",
            ],
            &["foreign-domain", "<others_page_again+0x0>", "domain 1"],
        ],
    );
}

#[test]
fn memory_that_a_program_reaches_by_two_addresses() {
    expect(
        "slot_alias",
        &[
            &[
                "slot-alias",
                "<then_in_full+0x0>",
                "va 0x02001000 mva 0x02001000 pa 0xc0101000 domain 1",
                "1 times",
            ],
            &[
                "slot-alias",
                "<first_in_full+0x0>",
                "va 0x02002000",
                "1 times",
            ],
            &[
                "slot-alias",
                "<stores_in_full+0x0>",
                "va 0x02003800",
                "1 times",
            ],
            &["slot-alias", "pc 0x02004000", "va 0x02004000", "1 times"],
        ],
    );
}
