// SPDX-License-Identifier: Apache-2.0
//! The machines with an IA-32 processor that need no file.

/// Name and text of `machines/NAME.toml`.
pub(super) const MACHINES: &[(&str, &str)] = &[
    (
        "p4-willamette",
        include_str!("../../machines/p4-willamette.toml"),
    ),
    (
        "p4-willamette-tags",
        include_str!("../../machines/p4-willamette-tags.toml"),
    ),
    (
        "p4-northwood",
        include_str!("../../machines/p4-northwood.toml"),
    ),
];
