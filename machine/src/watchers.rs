// SPDX-License-Identifier: Apache-2.0
//! What may be put beside a machine. One type for all of it, so that the core is compiled twice,
//! with watchers and without, and not once for every choice.

use std::io::Write;

use crate::arm::ideal::Checker;
use crate::arm::observe::Arm;
use crate::gdb::{Watch, Watched};
use crate::log::Log;
use crate::observe::{forward, Observer};
use crate::profile::Profile;
use crate::trace::Trace;

/// The observers that there are, each there or not; they are told in this order.
pub struct Watchers<W: Write> {
    /// `--log`.
    pub log: Option<Log<W>>,
    /// `--trace`.
    pub trace: Option<Trace<W, Arm>>,
    /// `--check coherence`.
    pub checker: Option<Checker>,
    /// `--profile` and `--counts`.
    pub profile: Option<Profile<Arm>>,
    /// `--gdb`.
    pub watch: Watch,
}

impl<W: Write> Watchers<W> {
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

impl<W: Write> Observer<Arm> for Watchers<W> {
    const ON: bool = true;
    forward!(Arm, [log, trace, checker, profile, watch]);
}

impl<W: Write> Watched for Watchers<W> {
    fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }
}
