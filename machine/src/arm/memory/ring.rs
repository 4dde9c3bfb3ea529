// SPDX-License-Identifier: Apache-2.0
//! A queue in a ring of a power of two, whose first element goes without being copied: the write buffer's,
//! which every missing store passes.

use serde::{Deserialize, Serialize};

/// What waits, the first that came first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Vec<T>", into = "Vec<T>")]
pub struct Ring<T: Copy> {
    /// As many places as a power of two, once there was an element.
    places: Vec<T>,
    first: usize,
    len: usize,
}

/// An empty one.
impl<T: Copy> Default for Ring<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            first: 0,
            len: 0,
        }
    }
}

impl<T: Copy> Ring<T> {
    /// How many wait.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none does.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the `n`th is.
    #[inline(always)]
    fn place(&self, n: usize) -> usize {
        (self.first + n) & (self.places.len() - 1)
    }

    /// The first.
    #[inline(always)]
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        if self.len == 0 {
            return None;
        }
        self.places.get(self.first)
    }

    /// The first waits no longer, if there is one.
    #[inline(always)]
    pub fn drop_front(&mut self) {
        if self.len > 0 {
            self.first = self.place(1);
            self.len -= 1;
        }
    }

    /// Puts one after the others.
    #[inline(always)]
    pub fn push_back(&mut self, element: T) {
        *self.push_place(element) = element;
    }

    /// Puts one after the others, whatever was there, and gives its place; `filling` is for new ones.
    #[inline(always)]
    pub fn push_place(&mut self, filling: T) -> &mut T {
        if self.len == self.places.len() {
            self.grow(filling);
        }
        let place = self.place(self.len);
        self.len += 1;
        &mut self.places[place]
    }

    /// Makes room, with `filling` in places where nothing is yet.
    #[cold]
    fn grow(&mut self, filling: T) {
        let mut places: Vec<T> = self.iter().copied().collect();
        places.resize((2 * self.len).max(8), filling);
        (self.places, self.first) = (places, 0);
    }

    /// All, the first that came first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).map(|n| &self.places[self.place(n)])
    }

    /// Changes all.
    pub fn for_each_mut(&mut self, mut change: impl FnMut(&mut T)) {
        for n in 0..self.len {
            let place = self.place(n);
            change(&mut self.places[place]);
        }
    }
}

impl<T: Copy> From<Vec<T>> for Ring<T> {
    fn from(elements: Vec<T>) -> Self {
        let mut ring = Self::default();
        for element in elements {
            ring.push_back(element);
        }
        ring
    }
}

impl<T: Copy> From<Ring<T>> for Vec<T> {
    fn from(ring: Ring<T>) -> Self {
        ring.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;
    use std::collections::VecDeque;

    #[test]
    fn it_is_a_queue() {
        let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
        for n in 0..1000u32 {
            if n % 7 < 4 {
                ring.push_back(n);
                queue.push_back(n);
            } else if n % 7 != 6 || n % 5 == 0 {
                ring.drop_front();
                queue.pop_front();
            }
            assert_eq!(ring.front(), queue.front());
            assert!(ring.iter().eq(&queue) && ring.len() == queue.len());
        }
        ring.for_each_mut(|n| *n += 1);
        let all: Vec<u32> = ring.clone().into();
        assert!(all
            .iter()
            .eq(queue.iter().map(|n| n + 1).collect::<Vec<_>>().iter()));
        assert!(Ring::from(all).iter().eq(ring.iter()));
    }
}
