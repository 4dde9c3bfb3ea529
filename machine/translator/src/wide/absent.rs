// SPDX-License-Identifier: Apache-2.0
//! A host without code for it.

use crate::host::Absent;
use crate::lines::{Lines, Stubs};
use crate::wide::{Exit, Guest, Stretch, LINE_WORDS, PLACES};

/// There is none.
pub type Host = Absent<Stretch>;

impl Host {
    pub(crate) fn new() -> Option<Self> {
        None
    }

    pub(crate) fn stubs(&self) -> Stubs<PLACES> {
        match self.0 {}
    }

    pub(crate) fn translate(&mut self, _: &Stretch, _: usize) -> Option<usize> {
        match self.0 {}
    }

    pub(crate) fn run(&self, _: &Lines<LINE_WORDS, PLACES>, _: &mut Guest<'_>) -> Exit {
        match self.0 {}
    }
}
