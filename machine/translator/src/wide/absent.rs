// SPDX-License-Identifier: Apache-2.0
//! A host without code for it.

use crate::lines::{Lines, Stubs};
use crate::translations::HostCode;
use crate::wide::{Exit, Guest, Stretch, LINE_WORDS, PLACES};

/// There is none.
#[derive(Debug)]
pub enum Host {}

impl HostCode<PLACES> for Host {
    fn stubs(&self) -> &Stubs<PLACES> {
        match *self {}
    }

    fn limit(&mut self, _: usize) {
        match *self {}
    }

    fn publish(&mut self) -> Option<()> {
        match *self {}
    }

    fn clear(&mut self) {
        match *self {}
    }
}

impl Host {
    pub(crate) fn new() -> Option<Self> {
        None
    }

    pub(crate) fn translate(&mut self, _: &Stretch, _: usize) -> Option<usize> {
        match *self {}
    }

    pub(crate) fn run(&self, _: &Lines<LINE_WORDS, PLACES>, _: &mut Guest<'_>) -> Exit {
        match *self {}
    }
}
