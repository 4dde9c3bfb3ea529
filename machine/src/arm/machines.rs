// SPDX-License-Identifier: Apache-2.0
//! The machines with an ARM that need no file.

/// Name and text of `machines/NAME.toml`.
pub(super) const MACHINES: &[(&str, &str)] = &[
    ("sa1110", include_str!("../../machines/sa1110.toml")),
    (
        "sa1110-sdram",
        include_str!("../../machines/sa1110-sdram.toml"),
    ),
    ("collie", include_str!("../../machines/collie.toml")),
    (
        "versatilepb",
        include_str!("../../machines/versatilepb.toml"),
    ),
    (
        "versatile920",
        include_str!("../../machines/versatile920.toml"),
    ),
    ("s3c24a0", include_str!("../../machines/s3c24a0.toml")),
    ("omap1610", include_str!("../../machines/omap1610.toml")),
    (
        "omap1610-two-tlbs",
        include_str!("../../machines/omap1610-two-tlbs.toml"),
    ),
    (
        "sa1110-tags",
        include_str!("../../machines/sa1110-tags.toml"),
    ),
    (
        "versatilepb-tags",
        include_str!("../../machines/versatilepb-tags.toml"),
    ),
    (
        "s3c24a0-tags",
        include_str!("../../machines/s3c24a0-tags.toml"),
    ),
    (
        "omap1610-tags",
        include_str!("../../machines/omap1610-tags.toml"),
    ),
];
