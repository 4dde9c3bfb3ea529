// SPDX-License-Identifier: Apache-2.0
//! A host without code for it: everything is interpreted.

use crate::guest::{Exit, Machine, LINE_WORDS};
use crate::instruction::Instruction;
use crate::lines::{Lines, Stubs};
use crate::translations::HostCode;
use crate::PLACES;

#[path = "traces/absent.rs"]
pub(crate) mod traces;
#[path = "wide/absent.rs"]
pub(crate) mod wide;

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
    pub(crate) fn new(_: usize) -> Option<Self> {
        None
    }

    pub(crate) fn registers(&self) -> usize {
        match *self {}
    }

    pub(crate) fn translate(&mut self, _: &[Instruction], _: usize) -> Option<usize> {
        match *self {}
    }

    pub(crate) fn run<M: Machine>(&self, _: &Lines<LINE_WORDS, PLACES>, _: &mut M) -> Exit {
        match *self {}
    }
}
