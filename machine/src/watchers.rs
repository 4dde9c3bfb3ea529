// SPDX-License-Identifier: Apache-2.0
//! What may be put beside a machine. One type for all of it, so that the processor is compiled twice,
//! with watchers and without, and not once for every choice.

use std::io::Write;
use std::mem::{replace, take};

use crate::arch::Architecture;
use crate::check::{Checker, Finding};
use crate::gdb::{Watch, Watched};
use crate::log::Log;
use crate::observe::{forward, Access, Observer};
use crate::profile::Profile;
use crate::trace::Trace;
use crate::window::Window;

/// The observers that there are, each there or not; they are told in this order.
pub struct Watchers<W: Write, A: Architecture> {
    /// `--log`.
    pub log: Option<Log<W, A::Word>>,
    /// `--trace`.
    pub trace: Option<Trace<W, A>>,
    /// `--check coherence`.
    pub checker: Option<A::Checker>,
    /// `--profile` and `--counts`.
    pub profile: Option<Profile<A>>,
    /// `--window`.
    pub window: Option<Window<A>>,
    /// `--gdb`.
    pub watch: Watch,
    /// The others, while they are told nothing.
    muted: Option<Box<Self>>,
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
            window: None,
            watch: Watch::default(),
            muted: None,
        }
    }
}

impl<W: Write, A: Architecture> Observer<A> for Watchers<W, A> {
    const ON: bool = true;
    forward!(A, [log, trace, checker, profile, window, watch]);

    /// A checker and watchpoints look at accesses alone.
    #[inline]
    fn sees_commits(&self) -> bool {
        self.log.is_some()
            || self.trace.is_some()
            || self.profile.is_some()
            || self.window.is_some()
    }

    #[inline]
    fn expects(&mut self, memory: &A::Memory, access: &Access, slot: usize) -> bool {
        let watch = &mut self.watch;
        Observer::<A>::expects(watch, memory, access, slot)
            && self.checker.expects(memory, access, slot)
    }
}

impl<W: Write, A: Architecture> Watched for Watchers<W, A> {
    fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    fn mute_others(&mut self, mute: bool) {
        let watch = take(&mut self.watch);
        *self = match self.muted.take() {
            Some(others) if !mute => *others,
            None if mute => Self {
                muted: Some(Box::new(replace(self, Self::none()))),
                ..Self::none()
            },
            as_before => Self {
                muted: as_before,
                ..replace(self, Self::none())
            },
        };
        self.watch = watch;
    }

    fn findings(&self) -> Option<Vec<Finding>> {
        let others = self.muted.as_deref().unwrap_or(self);
        others.checker.as_ref().map(Checker::findings)
    }

    fn finding_count(&self) -> Option<usize> {
        self.checker.as_ref().map(Checker::finding_count)
    }
}
