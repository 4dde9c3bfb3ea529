// SPDX-License-Identifier: Apache-2.0
//! Replacement by trees of pseudo-LRU: for each set a tree of bits, one a node, the root first. A use
//! of a way points the nodes above it away from it; the victim is where all of them point.

use serde::{Deserialize, Serialize};

/// The trees of the sets of a cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PseudoLru {
    trees: Vec<u8>,
    levels: u32,
    /// For each way the nodes above it, and those of them that then point right: away from it.
    paths: [(u8, u8); Self::MOST_WAYS],
}

impl PseudoLru {
    /// Most ways of a set: seven nodes are in a byte.
    pub const MOST_WAYS: usize = 8;

    /// Trees that point at the first way, for `sets` of `ways`, a power of two up to
    /// [`Self::MOST_WAYS`].
    #[must_use]
    pub fn new(sets: usize, ways: usize) -> Self {
        let mut paths = [(0, 0); Self::MOST_WAYS];
        for (way, path) in paths.iter_mut().enumerate().take(ways) {
            let mut node = way + ways - 1;
            while node > 0 {
                let parent = (node - 1) / 2;
                path.0 |= 1 << parent;
                if node == 2 * parent + 1 {
                    path.1 |= 1 << parent;
                }
                node = parent;
            }
        }
        Self {
            trees: vec![0; sets],
            levels: ways.ilog2(),
            paths,
        }
    }

    /// Notes a use of `way`.
    #[inline(always)]
    pub fn touch(&mut self, set: usize, way: usize) {
        let (above, right) = self.paths[way & (Self::MOST_WAYS - 1)];
        self.trees[set] = self.trees[set] & !above | right;
    }

    /// The trees, for translated code.
    #[inline]
    pub fn trees(&mut self) -> &mut [u8] {
        &mut self.trees
    }

    /// For each way the bits of a tree that stay when it is used, and those that are set.
    #[must_use]
    pub fn paths(&self) -> [[u8; 2]; Self::MOST_WAYS] {
        self.paths.map(|(above, right)| [!above, right])
    }

    /// The way to replace: at each node left where the bit is clear.
    #[must_use]
    pub fn victim(&self, set: usize) -> usize {
        let mut node = 0;
        for _ in 0..self.levels {
            node = 2 * node + 1 + usize::from(self.trees[set] >> node & 1);
        }
        node + 1 - (1 << self.levels)
    }

    /// Whether this is of the same geometry as `other`. Called for what was read from a file.
    #[must_use]
    pub fn fits(&self, other: &Self) -> bool {
        (self.trees.len(), self.levels, self.paths)
            == (other.trees.len(), other.levels, other.paths)
    }
}

#[cfg(test)]
mod tests {
    use super::PseudoLru;

    #[test]
    fn what_was_not_used_lately_is_replaced() {
        for ways in [1, 2, 4, 8] {
            let mut trees = PseudoLru::new(2, ways);
            for way in 0..ways {
                trees.touch(0, way);
            }
            // Used last from the first to the last: the first it is, and then one of the other half.
            assert_eq!(trees.victim(0), 0, "{ways} ways");
            trees.touch(0, 0);
            assert_eq!(trees.victim(0), ways / 2, "{ways} ways");
            assert_eq!(trees.victim(1), 0, "the other set is as it was");
        }
    }

    #[test]
    fn a_used_way_is_never_the_next_victim() {
        let mut trees = PseudoLru::new(1, 8);
        for way in [3, 1, 4, 1, 5, 7, 2, 6, 5, 3, 5, 0] {
            trees.touch(0, way);
            assert_ne!(trees.victim(0), way);
        }
    }
}
