// SPDX-License-Identifier: Apache-2.0
//! What may be put beside a machine. One type for all of it, so that the core is compiled twice,
//! with watchers and without, and not once for every choice.

use std::io::Write;

use crate::arm::memsys::MemSys;
use crate::arm::observe::{forward, Access, Commit, Entry, Observer, SystemAccess};
use crate::check::Checker;
use crate::dev::Mark;
use crate::gdb::{Watch, Watched};
use crate::log::Log;
use crate::profile::Profile;
use crate::trace::Trace;

/// The observers that there are, each there or not; they are told in this order.
pub struct Watchers<W: Write> {
    /// `--log`.
    pub log: Option<Log<W>>,
    /// `--trace`.
    pub trace: Option<Trace<W>>,
    /// `--check coherence`.
    pub checker: Option<Checker>,
    /// `--profile` and `--counts`.
    pub profile: Option<Profile>,
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

impl<W: Write> Observer for Watchers<W> {
    const ON: bool = true;
    forward!([log, trace, checker, profile, watch]);
}

impl<W: Write> Watched for Watchers<W> {
    fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }
}
