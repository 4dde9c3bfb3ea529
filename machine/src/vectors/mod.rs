// SPDX-License-Identifier: Apache-2.0
//! Architectural test vectors: a processor's state and memory come in, some instructions run, the
//! state and memory go out. The protocols are specified in `tests/differential/README.md` and
//! `tests/ia32/README.md`, whose tests compare the answers with those of a processor that is not ours.

pub(crate) mod reader;

/// Whether streams run through the caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caches {
    /// MMU and caches stay off.
    Off,
    /// All of memory is mapped where it is, cacheable; caches and write buffer are on. The page
    /// directory takes the last 16 KB of memory. Answers are the same.
    On,
}
