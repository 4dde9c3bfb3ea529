// SPDX-License-Identifier: Apache-2.0
//! What happens in a memory system other than the accesses that observers see, kept for an observer
//! that asks for it, until that takes it. What an event is, each architecture says.

use std::cell::RefCell;

/// The events that nobody has taken yet, oldest first; `None`: nobody asks.
#[derive(Debug)]
pub struct Journal<E>(Option<RefCell<Vec<E>>>);

impl<E> Default for Journal<E> {
    fn default() -> Self {
        Self(None)
    }
}

impl<E> Journal<E> {
    /// Keeps events from now on, which have to be taken from time to time.
    pub fn keep(&mut self) {
        self.0 = Some(RefCell::default());
    }

    /// Whether somebody asks.
    pub fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// Notes an event, which is made only if somebody asks.
    #[inline]
    pub fn note(&self, event: impl FnOnce() -> E) {
        if let Some(events) = &self.0 {
            events.borrow_mut().push(event());
        }
    }

    /// Whether something is in it.
    #[inline]
    #[must_use]
    pub fn has_events(&self) -> bool {
        let events = self.0.as_ref();
        events.is_some_and(|events| !events.borrow().is_empty())
    }

    /// Takes what is in it, in place of an empty list.
    pub fn take(&self, empty: &mut Vec<E>) {
        if let Some(events) = &self.0 {
            std::mem::swap(&mut *events.borrow_mut(), empty);
        }
    }
}
