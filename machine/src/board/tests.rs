// SPDX-License-Identifier: Apache-2.0
//! What holds for every board: windows do not overlap, and nothing that a guest writes makes a
//! device panic, ask to be woken in the past, or lose what it saves.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;

use crate::bus::{BoardParts, Bus};
use crate::config::MachineConfig;
use crate::counters::Counters;
use crate::dev::keyboard::Key;
use crate::dev::{DevCtx, Device, DeviceMemory, Dma, Host, Width};
use crate::event::EventQueue;
use crate::registry::Registry;
use crate::state::{Restorer, Saver};

const CLOCK_HZ: u64 = 200_000_000;

#[test]
fn windows_do_not_overlap() {
    for board in Registry::every().boards() {
        let parts = (board.parts)(board.ram_most);
        let mut windows = parts.open_bus;
        windows.extend(parts.zeros);
        windows.push((parts.ram_base, parts.ram_bytes));
        windows.extend(parts.devices.iter().map(|m| (m.base, m.size)));
        windows.extend(parts.ports.iter().filter_map(|m| m.memory));
        windows.sort_unstable();
        for pair in windows.windows(2) {
            let end = u64::from(pair[0].0) + u64::from(pair[0].1);
            assert!(end <= u64::from(pair[1].0), "{}: {pair:x?}", board.name);
        }
        let mut ports: Vec<_> = parts.ports.into_iter().flat_map(|m| m.windows).collect();
        ports.sort_unstable();
        for pair in ports.windows(2) {
            let end = pair[0].0 + pair[0].1;
            assert!(end <= pair[1].0, "{}: ports {pair:x?}", board.name);
        }
    }
}

/// All names differ: messages and saved states tell devices apart by them.
#[test]
fn names_differ() {
    for board in Registry::every().boards() {
        let names: Vec<_> = devices((board.parts)(1 << 20))
            .iter()
            .map(|device| device.name())
            .collect();
        let different: BTreeSet<_> = names.iter().collect();
        assert_eq!(different.len(), names.len(), "{}: {names:?}", board.name);
    }
}

/// The devices of a board, those in memory first.
fn devices(parts: BoardParts) -> Vec<Box<dyn Device>> {
    let ports = parts.ports.into_iter().map(|m| m.device);
    let memory = parts.devices.into_iter().map(|m| m.device);
    memory.chain(ports).collect()
}

/// An access, or a while without one.
#[derive(Debug, Clone)]
struct Step {
    device: prop::sample::Index,
    offset: u32,
    /// What is written; none: it is read.
    value: Option<u32>,
    width: Width,
    cycles: u64,
}

fn step() -> impl Strategy<Value = Step> {
    // Mostly registers, mostly small numbers and single bits, from cycles to days.
    let offset = prop_oneof![4 => 0u32..0x60, 1 => 0x100u32..0x240, 1 => 0u32..0x1000];
    let value = prop_oneof![
        3 => (0u32..32).prop_map(|bit| 1 << bit),
        3 => 0u32..0x400,
        1 => any::<u32>(),
    ];
    let width = prop_oneof![Just(Width::Word), Just(Width::Half), Just(Width::Byte)];
    let cycles = (0u32..46, any::<u64>()).prop_map(|(bits, n)| n % (1 << bits));
    (
        any::<prop::sample::Index>(),
        offset,
        prop::option::weighted(0.8, value),
        width,
        cycles,
    )
        .prop_map(|(device, offset, value, width, cycles)| Step {
            device,
            offset: offset & !(width.bytes() - 1),
            value,
            width,
            cycles,
        })
}

/// Lets `cycles` pass on a bus at cycle `now`, but no more than a few thousand events.
fn pass(bus: &mut Bus, now: u64, cycles: u64, counters: &mut Counters) -> u64 {
    let end = now + cycles;
    let mut at = now;
    for _ in 0..4000 {
        let next = bus.events.next();
        if next > end {
            return end;
        }
        assert!(next >= at, "woken in the past: {next} at {at}");
        at = next;
        bus.fire_due(at, counters);
        assert!(bus.events.next() > at, "woken again in the same cycle");
    }
    at
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_access_makes_a_device_panic(
        board in 0..Registry::every().boards().count(),
        typed in prop::collection::vec(any::<u8>(), 0..50),
        keys in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..8),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let board = Registry::every().boards().nth(board).unwrap();
        let parts = (board.parts)(1 << 20);
        let windows: Vec<u32> = parts.devices.iter().map(|m| m.base).collect();
        let ports: Vec<u16> = parts.ports.iter().flat_map(|m| &m.windows).map(|w| w.0).collect();
        let mut bus = Bus::new(parts, CLOCK_HZ);
        let mut counters = Counters::new();
        let mut now = 0;
        bus.type_input(&typed, now, &mut counters);
        let every: Vec<_> = Key::every().collect();
        for (key, pressed) in keys {
            bus.press_key(*key.get(&every), pressed, now, &mut counters);
        }
        for step in steps {
            let mask = u32::MAX >> (32 - 8 * step.width.bytes());
            let window = step.device.index(windows.len() + ports.len());
            let mut read = None;
            if let Some(&base) = windows.get(window) {
                let at = base + step.offset;
                if let Some(value) = step.value {
                    bus.write(at, value, step.width, now, &mut counters);
                } else {
                    read = bus.read(bus.target(at), at, step.width, now, &mut counters);
                }
            } else {
                // Beyond the window as well, and across its end.
                let at = ports[window - windows.len()].wrapping_add(step.offset as u16 & 0x1f);
                if let Some(value) = step.value {
                    bus.write_port(at, value & mask, step.width, now, &mut counters);
                } else {
                    read = Some(bus.read_port(at, step.width, now, &mut counters));
                }
                if bus.pins.irq {
                    bus.acknowledge(now, &mut counters);
                }
            }
            prop_assert!(read.is_none_or(|value| value <= mask));
            now = pass(&mut bus, now, step.cycles, &mut counters);
        }
    }

    #[test]
    fn what_a_device_saves_is_all_of_it(
        board in 0..Registry::every().boards().count(),
        writes in prop::collection::vec((any::<prop::sample::Index>(), step()), 1..60),
    ) {
        let board = Registry::every().boards().nth(board).unwrap();
        let make = || devices((board.parts)(1 << 20));
        let in_memory = (board.parts)(1 << 20).devices.len();
        let mut used = make();
        let (mut now, mut lines) = (0, 0);
        let (mut host, mut counters) = (Host::default(), Counters::new());
        let mut dma = Dma::default();
        for (number, step) in writes {
            let device = number.index(used.len());
            let (offset, width) = if device < in_memory {
                (step.offset & !3, Width::Word)
            } else {
                (step.offset & 0x1f, Width::Byte)
            };
            let device = &mut used[device];
            let mut ctx = DevCtx {
                now,
                clock_hz: CLOCK_HZ,
                device: 0,
                events: &mut EventQueue::new(1),
                lines: &mut lines,
                host: &mut host,
                counters: &mut counters,
                memory: DeviceMemory {
                    base: 0,
                    bytes: &mut [],
                    written: &mut [],
                    dma: &mut dma,
                },
            };
            device.write(offset, step.value.unwrap_or(0), width, &mut ctx);
            now += step.cycles;
        }
        for (used, new) in used.iter().zip(&mut make()) {
            let mut saver = Saver::default();
            used.save(&mut saver);
            let saved = saver.into_bytes();
            let mut restorer = Restorer::new(&saved);
            new.restore(&mut restorer).map_err(|e| TestCaseError::fail(e.0))?;
            restorer.finish().map_err(|e| TestCaseError::fail(e.0))?;
            let mut again = Saver::default();
            new.save(&mut again);
            prop_assert_eq!(&saved, &again.into_bytes(), "{}", used.name());
        }
    }
}

#[test]
fn a_machine_that_no_board_makes_is_one_line() {
    let registry = Registry::every();
    let (_, text) = registry.machines().next().unwrap();
    for (from, to, line) in [
        (
            "board = \"assabet\"",
            "board = \"brick\"",
            "m.toml: board: unknown board \"brick\"; expected assabet, collie, isa-pc, versatile, virt",
        ),
        (
            "ram-bytes = 0x0200_0000",
            "ram-bytes = 3000000",
            "m.toml: ram-bytes: 3000000; expected a power of two from 1048576 to 536870912",
        ),
    ] {
        assert!(text.contains(from), "{from:?} is not in the machine file");
        let file = Path::new("m.toml");
        let config = MachineConfig::parse(file, &text.replacen(from, to, 1)).unwrap();
        assert_eq!(registry.board(&config, file).unwrap_err().to_string(), line);
    }
}
