// SPDX-License-Identifier: Apache-2.0
//! The machines with a RISC-V processor that need no file.

/// Name and text of `machines/NAME.toml`.
pub(super) const MACHINES: &[(&str, &str)] = &[
    ("virt-u74", include_str!("../../machines/virt-u74.toml")),
    (
        "virt-u74-asid",
        include_str!("../../machines/virt-u74-asid.toml"),
    ),
    ("virt-rv64", include_str!("../../machines/virt-rv64.toml")),
];
