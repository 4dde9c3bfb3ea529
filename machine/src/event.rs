// SPDX-License-Identifier: Apache-2.0
//! The only notion of time: cycles of the processor's clock, and the cycle at which each device
//! next wants to be woken. No host clock, thread or hash order ever reaches the model.

/// A number of processor clock cycles since reset.
pub type Cycle = u64;

/// "Never": the deadline of a device that waits for nothing.
pub const NEVER: Cycle = Cycle::MAX;

/// The next deadline of each device, by device number. A board has a handful of devices, so a
/// plain table with its cached minimum beats a heap.
#[derive(Debug, Clone, Default)]
pub struct EventQueue {
    deadline: Vec<Cycle>,
    next: Cycle,
}

impl EventQueue {
    /// A queue for `devices` devices, none of which waits for anything.
    #[must_use]
    pub fn new(devices: usize) -> Self {
        Self {
            deadline: vec![NEVER; devices],
            next: NEVER,
        }
    }

    /// Wakes `device` at cycle `at` (replacing its earlier wish); [`NEVER`] cancels.
    pub fn schedule(&mut self, device: usize, at: Cycle) {
        let before = std::mem::replace(&mut self.deadline[device], at);
        if at <= self.next {
            self.next = at;
        } else if before == self.next {
            // It was the earliest, or one of them.
            self.next = self.deadline.iter().copied().min().unwrap_or(NEVER);
        }
    }

    /// The deadlines, by device.
    #[must_use]
    pub fn deadlines(&self) -> &[Cycle] {
        &self.deadline
    }

    /// The cycle of the earliest deadline, [`NEVER`] if there is none.
    #[must_use]
    pub fn next(&self) -> Cycle {
        self.next
    }

    /// Takes one device whose deadline is not after `now`, earliest first, lowest number first.
    pub fn take_due(&mut self, now: Cycle) -> Option<usize> {
        if self.next > now {
            return None;
        }
        let due = self.deadline.iter().position(|&at| at == self.next)?;
        self.schedule(due, NEVER);
        Some(due)
    }
}
