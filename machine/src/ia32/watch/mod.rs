// SPDX-License-Identifier: Apache-2.0
//! Who looks at an IA-32 processor and changes no cycle.

mod calls;
mod debug;
pub mod ideal;
pub mod observe;
mod timeline;
mod window;
