// SPDX-License-Identifier: Apache-2.0
//! The targets of `fuzz/` without a fuzzer: on their seeds, on changed seeds and on random bytes,
//! always the same ones. `fuzz/README.md` says how to search further.

#[path = "../fuzz/src/lib.rs"]
mod targets;

/// Inputs for each target beside the seeds; a few thousand in all.
const INPUTS: u64 = 700;
/// Longest random input.
const LONGEST: u64 = 600;

/// Marsaglia's xorshift: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % below
    }

    fn bytes(&mut self, longest: u64) -> Vec<u8> {
        let length = self.next(longest);
        (0..length).map(|_| self.next(256) as u8).collect()
    }

    /// A seed with some bytes changed, cut off or doubled.
    fn change(&mut self, seed: &[u8]) -> Vec<u8> {
        let mut input = seed.to_vec();
        for _ in 0..=self.next(6) {
            if input.is_empty() {
                break;
            }
            let at = self.next(input.len() as u64) as usize;
            match self.next(8) {
                0 => input.truncate(at),
                1 => {
                    let end = input.len().min(at + self.next(32) as usize);
                    input.extend_from_within(at..end);
                }
                2 => input[at] ^= 1 << self.next(8),
                3 => input[at] = [0, 1, 0x7f, 0x80, 0xff][self.next(5) as usize],
                _ => input[at] = self.next(256) as u8,
            }
        }
        input
    }
}

fn smoke(name: &str) {
    let (_, target) = targets::TARGETS
        .iter()
        .find(|(target, _)| *target == name)
        .expect("a target");
    let seeds = targets::seeds(name);
    assert!(!seeds.is_empty());
    let mut random = Random(0x5eed_0000 + name.len() as u64);
    for seed in &seeds {
        target(seed);
    }
    for number in 0..INPUTS {
        let input = if number % 3 == 0 {
            random.bytes(LONGEST)
        } else {
            let seed = &seeds[random.next(seeds.len() as u64) as usize];
            random.change(seed)
        };
        target(&input);
    }
}

#[test]
fn kernels() {
    smoke("kernel");
}

/// Those of the seeds are good ones.
#[test]
fn kernels_of_the_seeds_are_loaded() {
    for (number, seed) in targets::seeds("kernel").iter().enumerate() {
        let loaded = targets::load_kernel(seed).map_err(|error| error.to_string());
        assert_eq!(loaded, Ok(()), "seed {number}");
    }
}

#[test]
fn machine_files() {
    smoke("machine_file");
}

#[test]
fn device_trees() {
    smoke("device_tree");
}

#[test]
fn recordings() {
    smoke("recording");
}

#[test]
fn scripts() {
    smoke("script");
}

#[test]
fn instructions() {
    smoke("instructions");
}

#[test]
fn devices() {
    smoke("devices");
}

#[test]
fn saved_states() {
    smoke("saved_state");
}

#[test]
fn debuggers() {
    smoke("debugger");
}
