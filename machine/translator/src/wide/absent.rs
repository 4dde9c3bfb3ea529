// SPDX-License-Identifier: Apache-2.0
//! A host without code for it.

use crate::lines::{Lines, Stubs};
use crate::wide::{Exit, Guest, Stretch, LINE_WORDS, PLACES};

/// There is none.
#[derive(Debug)]
pub(crate) enum Host {}

impl Host {
    pub(crate) fn new() -> Option<Self> {
        None
    }

    pub(crate) fn stubs(&self) -> &Stubs<PLACES> {
        match *self {}
    }

    pub(crate) fn limit(&mut self, _: usize) {
        match *self {}
    }

    pub(crate) fn publish(&mut self) -> Option<()> {
        match *self {}
    }

    pub(crate) fn clear(&mut self) {
        match *self {}
    }

    pub(crate) fn translate(&mut self, _: &Stretch, _: usize) -> Option<usize> {
        match *self {}
    }

    pub(crate) fn run(&self, _: &Lines<LINE_WORDS, PLACES>, _: &mut Guest<'_>) -> Exit {
        match *self {}
    }
}
