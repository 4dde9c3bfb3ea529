// SPDX-License-Identifier: Apache-2.0
//! What may be put beside a machine. One type for all of it, so that the processor is compiled twice,
//! with watchers and without, and not once for every choice.

use std::io::Write;

use crate::arch::Architecture;
use crate::gdb::{Watch, Watched};
use crate::log::Log;
use crate::observe::{forward, Observer};
use crate::profile::Profile;
use crate::trace::Trace;

/// The observers that there are, each there or not; they are told in this order.
pub struct Watchers<W: Write, A: Architecture> {
    /// `--log`.
    pub log: Option<Log<W>>,
    /// `--trace`.
    pub trace: Option<Trace<W, A>>,
    /// `--check coherence`.
    pub checker: Option<A::Checker>,
    /// `--profile` and `--counts`.
    pub profile: Option<Profile<A>>,
    /// `--gdb`.
    pub watch: Watch,
}

impl<W: Write, A: Architecture> Watchers<W, A> {
    /// Nobody watches yet.
    #[must_use]
    pub fn none() -> Self {
        Self {
            log: None,
            trace: None,
            checker: None,
            profile: None,
            watch: Watch::default(),
        }
    }
}

impl<W: Write, A: Architecture> Observer<A> for Watchers<W, A> {
    const ON: bool = true;
    forward!(A, [log, trace, checker, profile, watch]);
}

impl<W: Write, A: Architecture> Watched for Watchers<W, A> {
    fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }
}
