// SPDX-License-Identifier: Apache-2.0
//! A host without code for it.

use crate::host::Absent;
use crate::traces::{Exit, Guest, Stretch, Ways, SLOTS};

/// There is none.
pub type Host = Absent<Stretch>;

impl Host {
    pub(crate) fn new(_: usize, _: [Ways; 3], _: u32) -> Option<Self> {
        None
    }

    pub(crate) fn cold(&self) -> usize {
        match self.0 {}
    }

    pub(crate) fn branches(&self) -> usize {
        match self.0 {}
    }

    pub(crate) fn ways(&self) -> &[Ways; 3] {
        match self.0 {}
    }

    pub(crate) fn translate(&mut self, _: &Stretch) -> Option<usize> {
        match self.0 {}
    }

    pub(crate) fn run(&self, _: &[usize; SLOTS], _: &mut Guest<'_>) -> Exit {
        match self.0 {}
    }
}
