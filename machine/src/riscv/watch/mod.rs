// SPDX-License-Identifier: Apache-2.0
//! Who looks at a RISC-V and changes no cycle: `observe`, `timeline`, `window`, `calls` and `debug` are what
//! observers, timelines, windows, profiles and debuggers see of one; `ideal` is what the coherence checker
//! compares it with.

mod calls;
mod debug;
pub mod ideal;
mod observe;
mod timeline;
mod window;
