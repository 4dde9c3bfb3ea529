// SPDX-License-Identifier: Apache-2.0
//! States of a running machine that are kept in memory, to go back to. Each is whole, but pages of
//! memory that two have in common are there once: to keep one more costs what was written since.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::arch::Processor;
use crate::bus::PAGE;
use crate::machine::Machine;
use crate::state::{Restorer, Saver};

/// A page of memory that is not all zeros.
struct Page {
    bytes: Box<[u8]>,
    /// One of as many as there are pages.
    _counted: Rc<()>,
}

/// Memory, by number of page; `None` is all zeros.
type Memory = Vec<Option<Rc<Page>>>;

/// A state of a machine.
pub struct Checkpoint {
    /// What its parts save.
    parts: Vec<u8>,
    memory: Memory,
    /// The network's cable, which no part saves: frames that stand in it, and whether it is plugged in.
    cable: (VecDeque<Vec<u8>>, bool),
    /// How far it is with what it replays.
    replayed: usize,
}

impl Checkpoint {
    /// Bytes that it takes beside its pages.
    #[must_use]
    pub fn own_bytes(&self) -> usize {
        self.parts.len() + self.memory.len() * size_of::<Option<Rc<Page>>>()
    }
}

/// What makes checkpoints of one machine, and puts it back into them.
pub struct Checkpoints {
    /// Memory as of the last checkpoint that was made or gone back to. What was written since then the
    /// bus knows.
    memory: Memory,
    /// As many as there are pages, and one.
    counter: Rc<()>,
}

impl Checkpoints {
    /// Of a machine as it is now. Nobody else may ask its bus what was written.
    pub fn new<P: Processor>(machine: &mut Machine<P>) -> Self {
        let (_, bytes) = machine.bus().ram_window();
        machine.bus().take_written();
        let mut new = Self {
            memory: Vec::new(),
            counter: Rc::new(()),
        };
        new.memory = (0..(bytes as usize).div_ceil(PAGE))
            .map(|number| new.page(machine, number))
            .collect();
        new
    }

    /// Bytes of all pages that any checkpoint has.
    #[must_use]
    pub fn page_bytes(&self) -> usize {
        (Rc::strong_count(&self.counter) - 1) * PAGE
    }

    /// The state of the machine now.
    pub fn take<P: Processor>(&mut self, machine: &mut Machine<P>) -> Checkpoint {
        for number in machine.bus().take_written() {
            self.memory[number] = self.page(machine, number);
        }
        let mut parts = Saver::default();
        machine.core().save(&mut parts);
        let replayed = machine.replayed();
        let net = &machine.bus().host.net;
        Checkpoint {
            parts: parts.into_bytes(),
            memory: self.memory.clone(),
            cable: (net.incoming.clone(), net.cable),
            replayed,
        }
    }

    /// Puts the machine, whose checkpoints these are, back into one of them. Observers are not told.
    pub fn restore<P: Processor>(&mut self, machine: &mut Machine<P>, state: &Checkpoint) {
        let mut parts = Restorer::new(&state.parts);
        let restored = machine.core().restore(&mut parts);
        restored.expect("what this machine has saved is a state of it");
        machine.set_replayed(state.replayed);
        let bus = machine.bus();
        let (base, size) = bus.ram_window();
        let mut others = vec![false; self.memory.len()];
        for number in bus.take_written() {
            others[number] = true;
        }
        for (number, page) in state.memory.iter().enumerate() {
            let same = match (page, &self.memory[number]) {
                (Some(page), Some(now)) => Rc::ptr_eq(page, now),
                (None, None) => true,
                _ => false,
            };
            if same && !others[number] {
                continue;
            }
            let at = number * PAGE;
            let len = PAGE.min(size as usize - at);
            if let Some(place) = bus.ram_slice_mut(base + at as u32, len) {
                match page {
                    Some(page) => place.copy_from_slice(&page.bytes),
                    None => place.fill(0),
                }
            }
        }
        bus.take_written();
        self.memory.clone_from(&state.memory);
        let net = &mut bus.host.net;
        (net.incoming, net.cable) = state.cable.clone();
        net.outgoing.clear();
    }

    fn page<P: Processor>(&self, machine: &mut Machine<P>, number: usize) -> Option<Rc<Page>> {
        let bus = machine.bus();
        let (base, size) = bus.ram_window();
        let at = number * PAGE;
        let len = PAGE.min(size as usize - at);
        let bytes = bus.ram_slice(base + at as u32, len)?;
        bytes.iter().any(|&byte| byte != 0).then(|| {
            Rc::new(Page {
                bytes: bytes.into(),
                _counted: self.counter.clone(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::Machine;
    use crate::config::MachineConfig;
    use crate::registry;

    /// `str r0, [r0, #0x404]!; b .-4` at the start of memory: writes a word a kilobyte further on.
    fn writing_machine() -> Machine {
        let config = MachineConfig::find("sa1110").unwrap();
        let parts = (registry::board(&config.board).unwrap().parts)(1 << 20);
        let mut machine = Machine::new(&config, parts, ());
        for (n, word) in [0xe5a0_0404u32, 0xeaff_fffd].iter().enumerate() {
            let place = machine.bus().ram_slice_mut(0xc000_0000 + 4 * n as u32, 4);
            place.unwrap().copy_from_slice(&word.to_le_bytes());
        }
        machine.core().r[15] = 0xc000_0000;
        machine.core().r[0] = 0xc000_0000;
        machine
    }

    fn memory(machine: &mut Machine) -> Vec<u8> {
        machine
            .bus()
            .ram_slice(0xc000_0000, 1 << 20)
            .unwrap()
            .into()
    }

    #[test]
    fn any_of_them_can_be_gone_back_to() {
        let mut machine = writing_machine();
        let mut states = Checkpoints::new(&mut machine);
        let mut kept = Vec::new();
        for n in 1..6 {
            machine.run(1000 * n);
            let state = states.take(&mut machine);
            kept.push((machine.cycles(), memory(&mut machine), state));
        }
        // back and on again, in no order, with writes of other pages in between
        for n in [3, 0, 4, 2, 2, 1] {
            let (cycle, bytes, state) = &kept[n];
            states.restore(&mut machine, state);
            assert_eq!(machine.cycles(), *cycle);
            assert!(memory(&mut machine) == *bytes, "memory of checkpoint {n}");
            machine.run(cycle + 500);
        }
        states.restore(&mut machine, &kept[0].2);
        machine.run(5000);
        assert_eq!(machine.cycles(), kept[4].0);
        assert!(memory(&mut machine) == kept[4].1, "run again");
    }

    #[test]
    fn pages_in_common_are_there_once() {
        let mut machine = writing_machine();
        let mut states = Checkpoints::new(&mut machine);
        let first = states.take(&mut machine);
        let second = states.take(&mut machine);
        assert_eq!(states.page_bytes(), PAGE, "the instructions'");
        machine.bus().ram_slice_mut(0xc000_1000, 1).unwrap()[0] = 1;
        let third = states.take(&mut machine);
        assert_eq!(states.page_bytes(), 2 * PAGE);
        drop(third);
        states.restore(&mut machine, &first);
        assert_eq!(states.page_bytes(), PAGE, "its only owner is gone");
        drop((first, second));
    }
}
