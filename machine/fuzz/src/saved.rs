// SPDX-License-Identifier: Apache-2.0
//! Files of saved machines: any bytes, and good files in which some bytes of what was compressed
//! are others (any change of the file itself fails at the checksum).

use std::io::{Read, Write};
use std::sync::OnceLock;

use lz4_flex::frame::{FrameDecoder, FrameEncoder, FrameInfo};
use switchyard_machine::arch::Processor;
use switchyard_machine::board::Board;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::registry;
use switchyard_machine::snapshot::{self, Saved};

use super::{for_processor, machine, small, Input};

/// Bytes before the compressed part.
const MAGIC: usize = 16;
/// Sizes that are restored: more is what a machine's memory may have.
const LIMIT: u64 = 64 << 20;

/// What a machine saves, by its number.
pub fn saved(number: u32) -> Vec<u8> {
    let (config, board) = small(number);
    for_processor!(config, (), saved_on(config, board))
}

fn saved_on<P: Processor<Observer = ()>>(config: &MachineConfig, board: &Board) -> Vec<u8> {
    let mut machine = machine::<P>(config, board, ());
    let (base, _) = machine.bus().ram_window();
    machine.core().start(base.into(), &[]);
    machine.run(1000);
    let mut file = Vec::new();
    snapshot::save(&mut machine, &mut file).expect("memory can be written");
    file
}

/// For each machine: a good file's beginning, and what is compressed in it.
fn good(number: u32) -> &'static (Vec<u8>, Vec<u8>) {
    static GOOD: OnceLock<Vec<(Vec<u8>, Vec<u8>)>> = OnceLock::new();
    let all = GOOD.get_or_init(|| {
        let one = |number| {
            let file = saved(number);
            let (front, rest) = file.split_at(MAGIC);
            let mut payload = Vec::new();
            FrameDecoder::new(rest)
                .read_to_end(&mut payload)
                .expect("what was saved can be read");
            (front.to_vec(), payload)
        };
        (0..registry::machines().len() as u32).map(one).collect()
    });
    &all[number as usize % all.len()]
}

fn restore(number: u32, file: &[u8]) {
    let (config, board) = small(number);
    for_processor!(config, (), restore_on(config, board, file));
}

fn restore_on<P: Processor<Observer = ()>>(config: &MachineConfig, board: &Board, file: &[u8]) {
    let mut machine = machine::<P>(config, board, ());
    let Ok(saved) = Saved::open(file.take(LIMIT)) else {
        return;
    };
    if saved.restore(&mut machine).is_ok() {
        machine.set_cable(true);
        let until = machine.cycles().saturating_add(2000);
        machine.run(until);
        machine.counters();
    }
}

/// Restores a machine, plugs a cable into it and runs it on. Input: a byte whose lowest bit says
/// which of the two, and the rest which machine, then the file, or where (three bytes) a good one
/// has another byte.
pub fn saved_state(data: &[u8]) {
    let mut input = Input(data);
    let which = input.number(1);
    let number = which >> 1;
    if which & 1 == 0 {
        return restore(number, input.0);
    }
    let (front, payload) = good(number);
    let mut payload = payload.clone();
    while input.0.len() >= 4 {
        let at = input.number(3) as usize % payload.len();
        payload[at] = input.number(1) as u8;
    }
    let mut file = front.clone();
    let info = FrameInfo::new().content_checksum(true);
    let mut out = FrameEncoder::with_frame_info(info, &mut file);
    out.write_all(&payload).expect("memory can be written");
    out.finish().expect("memory can be written");
    restore(number, &file);
}
