// SPDX-License-Identifier: Apache-2.0
//! Writes a timeline: tracks, slices, instants and counters as packets, one after another, keeping
//! only the names that were interned.

use std::collections::BTreeMap;
use std::io::{self, Write};

use prost::Message;

use crate::event::Cycle;

use super::packet::{
    CounterDescriptor, DebugAnnotation, Interned, InternedData, ProcessDescriptor, TracePacket,
    TrackDescriptor, TrackEvent, Type, Value, CLEARED, EXPLICIT, NEEDS_INTERNED,
};

/// The one sequence of packets.
const SEQUENCE: u32 = 1;
/// The key of a packet in the file: field 1, length-delimited.
const PACKET_KEY: u8 = 1 << 3 | 2;
/// Most names that are interned; later ones are written out each time.
const MOST_NAMES: usize = 1 << 16;
/// The track that is the machine; its children follow.
const MACHINE: u64 = 1;

/// A track of slices and instants, or of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Track(u64);

/// An event of a timeline.
pub struct Event<'a> {
    /// Slice begin, slice end or instant.
    pub kind: Type,
    /// On which track.
    pub track: Track,
    /// For people and for queries, few of them.
    pub category: &'static str,
    /// What it is called; ends have none.
    pub name: Name<'a>,
    /// More about it.
    pub arguments: Vec<(&'static str, Argument)>,
}

/// What is said about an event.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A number.
    Number(u64),
    /// An address.
    Address(u64),
    /// A word out of few.
    Text(String),
}

/// A name.
#[derive(Debug, Clone, Copy)]
pub enum Name<'a> {
    /// Of a slice that ends.
    None,
    /// Written once and then referred to.
    Of(&'a str),
}

/// The numbers of one kind of names.
#[derive(Debug, Default)]
struct Names(BTreeMap<String, u64>);

impl Names {
    /// The number of `name`, and what is to be said about it if it is new. `None`: there are too
    /// many.
    fn intern(&mut self, name: &str) -> Option<(u64, Option<Interned>)> {
        if let Some(iid) = self.0.get(name) {
            return Some((*iid, None));
        }
        if self.0.len() == MOST_NAMES {
            return None;
        }
        let iid = self.0.len() as u64 + 1;
        self.0.insert(name.to_string(), iid);
        let name = name.to_string();
        Some((iid, Some(Interned { iid, name })))
    }
}

/// The writer.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    clock_hz: u64,
    tracks: u64,
    names: Names,
    categories: Names,
    arguments: Names,
    texts: Names,
    buffer: Vec<u8>,
    failed: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Begins the timeline of `machine`, whose cycles are those of `clock_hz`.
    pub fn new(out: W, machine: &str, clock_hz: u64) -> Self {
        let mut writer = Self {
            out,
            clock_hz,
            tracks: MACHINE,
            names: Names::default(),
            categories: Names::default(),
            arguments: Names::default(),
            texts: Names::default(),
            buffer: Vec::new(),
            failed: None,
        };
        writer.packet(&TracePacket {
            sequence_flags: Some(CLEARED),
            track_descriptor: Some(TrackDescriptor {
                uuid: MACHINE,
                process: Some(ProcessDescriptor {
                    pid: 1,
                    process_name: machine.to_string(),
                }),
                child_ordering: Some(EXPLICIT),
                ..TrackDescriptor::default()
            }),
            ..TracePacket::default()
        });
        writer
    }

    /// A track below those that are there; with a unit it is a counter's.
    pub fn track(&mut self, name: &str, unit: Option<&str>) -> Track {
        self.tracks += 1;
        let uuid = self.tracks;
        self.packet(&TracePacket {
            track_descriptor: Some(TrackDescriptor {
                uuid,
                name: Some(name.to_string()),
                parent_uuid: Some(MACHINE),
                counter: unit.map(|unit| CounterDescriptor {
                    unit_name: unit.to_string(),
                }),
                sibling_order_rank: Some(uuid as i32),
                ..TrackDescriptor::default()
            }),
            ..TracePacket::default()
        });
        Track(uuid)
    }

    /// Writes an event that happened at `cycle`.
    pub fn event(&mut self, cycle: Cycle, event: Event) {
        let mut new = InternedData::default();
        let mut out = TrackEvent {
            r#type: event.kind as i32,
            track_uuid: event.track.0,
            ..TrackEvent::default()
        };
        if event.kind != Type::End {
            if let Some((iid, interned)) = self.categories.intern(event.category) {
                out.category_iids.push(iid);
                new.event_categories.extend(interned);
            }
        }
        match event.name {
            Name::None => {}
            Name::Of(name) => match self.names.intern(name) {
                Some((iid, interned)) => {
                    out.name_iid = Some(iid);
                    new.event_names.extend(interned);
                }
                None => out.name = Some(name.to_string()),
            },
        }
        for (name, value) in event.arguments {
            // There are a handful of argument names.
            let Some((name_iid, interned)) = self.arguments.intern(name) else {
                continue;
            };
            new.debug_annotation_names.extend(interned);
            let value = match value {
                Argument::Number(number) => Value::Number(number),
                Argument::Address(address) => Value::Address(address),
                Argument::Text(text) => {
                    let Some((iid, interned)) = self.texts.intern(&text) else {
                        continue;
                    };
                    new.debug_annotation_string_values.extend(interned);
                    Value::Text(iid)
                }
            };
            out.debug_annotations.push(DebugAnnotation {
                name_iid,
                value: Some(value),
            });
        }
        let packet = TracePacket {
            timestamp: Some(self.nanoseconds(cycle)),
            sequence_flags: Some(NEEDS_INTERNED),
            interned_data: (new != InternedData::default()).then_some(new),
            track_event: Some(out),
            ..TracePacket::default()
        };
        self.packet(&packet);
    }

    /// Writes the value that a counter has from `cycle` on.
    pub fn count(&mut self, cycle: Cycle, track: Track, value: f64) {
        let packet = TracePacket {
            timestamp: Some(self.nanoseconds(cycle)),
            track_event: Some(TrackEvent {
                r#type: Type::Counter as i32,
                track_uuid: track.0,
                double_counter_value: Some(value),
                ..TrackEvent::default()
            }),
            ..TracePacket::default()
        };
        self.packet(&packet);
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Ends the timeline.
    ///
    /// # Errors
    /// The first error that writing has met.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn nanoseconds(&self, cycle: Cycle) -> u64 {
        (u128::from(cycle) * 1_000_000_000 / u128::from(self.clock_hz)) as u64
    }

    fn packet(&mut self, packet: &TracePacket) {
        if self.failed.is_some() {
            return;
        }
        let packet = TracePacket {
            trusted_packet_sequence_id: SEQUENCE,
            ..packet.clone()
        };
        self.buffer.clear();
        self.buffer.push(PACKET_KEY);
        let encoded = packet.encode_length_delimited(&mut self.buffer);
        // A vector has room for anything.
        encoded.expect("room");
        if let Err(error) = self.out.write_all(&self.buffer) {
            self.failed = Some(error);
        }
    }
}
