// SPDX-License-Identifier: Apache-2.0
//! A host without code for it: everything is interpreted.

use crate::guest::{Exit, Machine, LINE_WORDS};
use crate::instruction::Instruction;
use crate::lines::{Lines, Stubs};
use crate::PLACES;

#[path = "traces/absent.rs"]
pub(crate) mod traces;
#[path = "wide/absent.rs"]
pub(crate) mod wide;

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

    pub(crate) fn translate(&mut self, _: &[Instruction], _: usize) -> Option<usize> {
        match *self {}
    }

    pub(crate) fn run<M: Machine>(
        &self,
        _: &Lines<LINE_WORDS, PLACES>,
        _: &mut M,
        _: usize,
    ) -> Exit {
        match *self {}
    }
}
