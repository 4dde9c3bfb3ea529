// SPDX-License-Identifier: Apache-2.0
//! A processor's registers as GDB sees them: described to it in XML, and sent as bytes in the order of
//! their numbers.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};

use crate::arch::{Debugged, Register};

/// More than any processor has.
const MOST: usize = 128;
/// Most bytes of one.
const MOST_BYTES: usize = u128::BITS as usize / 8;

/// A processor's registers by number.
#[derive(Debug, Clone)]
pub struct Table<Place>(Vec<Register<Place>>);

impl<Place: Copy> Table<Place> {
    /// Those of `core`.
    #[must_use]
    pub fn new<P: Debugged<Place = Place>>(core: &P) -> Self {
        Self(core.registers())
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The description for GDB of a processor of this architecture.
    #[must_use]
    pub fn description(&self, architecture: &str) -> String {
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n\
             <target version=\"1.0\">\n<architecture>{architecture}</architecture>\n"
        );
        let mut feature = "";
        for register in &self.0 {
            if register.feature != feature {
                if !feature.is_empty() {
                    text.push_str("</feature>\n");
                }
                feature = register.feature;
                let _ = writeln!(text, "<feature name=\"{feature}\">");
            }
            let Register {
                name, bits, kind, ..
            } = register;
            let group = register
                .group
                .map_or(String::new(), |group| format!(" group=\"{group}\""));
            let _ = writeln!(
                text,
                "<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\"{group}/>"
            );
        }
        text.push_str("</feature>\n</target>\n");
        text
    }

    /// Where register `number` is.
    pub fn place(&self, number: usize) -> Option<Place> {
        self.0.get(number).map(|register| register.place)
    }

    /// Bytes of register `number`, of which there is one.
    pub fn bytes(&self, number: usize) -> usize {
        self.0[number].bits as usize / 8
    }
}

/// The architecture, as the protocol needs it: with the longest addresses that there are.
#[derive(Debug)]
pub enum Any {}

impl Arch for Any {
    type Usize = u64;
    type Registers = Values;
    type BreakpointKind = usize;
    type RegId = Number;
}

/// A register's number in the description.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        (id < MOST).then_some((Self(id), None)) // they differ in size
    }
}

/// The bytes of all registers, in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values(pub Vec<u8>);

impl Registers for Values {
    type ProgramCounter = u64;

    /// Asked by nobody: where the machine has stopped, the debugger reads the register.
    fn pc(&self) -> u64 {
        0
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for byte in &self.0 {
            write_byte(Some(*byte));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        if bytes.len() > MOST * MOST_BYTES {
            return Err(());
        }
        self.0 = bytes.to_vec();
        Ok(())
    }
}

/// A register's value, whose bytes are given lowest first.
#[must_use]
pub fn value(bytes: &[u8]) -> Option<u128> {
    let mut all = [0; MOST_BYTES];
    all.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u128::from_le_bytes(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_register_is_described_once() {
        let register = |name: &str, bits, feature, group| Register {
            name: name.to_string(),
            bits,
            kind: "uint32",
            feature,
            group,
            place: (),
        };
        let table = Table(vec![
            register("a", 32, "x", None),
            register("b", 80, "x", None),
            register("c", 32, "y", Some("z")),
        ]);
        let text = table.description("arm");
        assert_eq!(text.matches("<architecture>arm</architecture>").count(), 1);
        assert_eq!(text.matches("<feature ").count(), 2);
        assert_eq!(text.matches("</feature>").count(), 2);
        for line in [
            "<reg name=\"a\" bitsize=\"32\" type=\"uint32\"/>",
            "<reg name=\"b\" bitsize=\"80\" type=\"uint32\"/>",
            "<reg name=\"c\" bitsize=\"32\" type=\"uint32\" group=\"z\"/>",
        ] {
            assert_eq!(text.matches(line).count(), 1, "{line} in {text}");
        }
        assert_eq!((table.count(), table.bytes(1)), (3, 10));
    }

    #[test]
    fn values_are_little_endian() {
        assert_eq!(value(&[1, 2]), Some(0x201));
        assert_eq!(value(&[]), Some(0));
        assert_eq!(value(&[0; 17]), None);
    }
}
