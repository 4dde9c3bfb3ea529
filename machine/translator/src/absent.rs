// SPDX-License-Identifier: Apache-2.0
//! A host without code for it: everything is interpreted.

use std::convert::Infallible;
use std::marker::PhantomData;

use crate::guest::{Exit, Machine, LINE_WORDS};
use crate::instruction::Instruction;
use crate::lines::{Lines, Stubs};
use crate::translations::HostCode;
use crate::PLACES;

#[path = "traces/absent.rs"]
pub(crate) mod traces;
#[path = "wide/absent.rs"]
pub(crate) mod wide;

/// There is no code of what `U` describes.
#[derive(Debug)]
pub struct Absent<U: ?Sized>(Infallible, PhantomData<U>);

/// Nor of lines of instructions.
pub type Host = Absent<[Instruction]>;

impl<U: ?Sized> HostCode for Absent<U> {
    fn limit(&mut self, _: usize) {
        match self.0 {}
    }

    fn publish(&mut self) -> Option<()> {
        match self.0 {}
    }

    fn clear(&mut self) {
        match self.0 {}
    }
}

impl Host {
    pub(crate) fn new(_: usize) -> Option<Self> {
        None
    }

    pub(crate) fn registers(&self) -> usize {
        match self.0 {}
    }

    pub(crate) fn stubs(&self) -> Stubs<PLACES> {
        match self.0 {}
    }

    pub(crate) fn translate(&mut self, _: &[Instruction], _: usize) -> Option<usize> {
        match self.0 {}
    }

    pub(crate) fn run<M: Machine>(&self, _: &Lines<LINE_WORDS, PLACES>, _: &mut M) -> Exit {
        match self.0 {}
    }
}
