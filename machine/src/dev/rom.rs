// SPDX-License-Identifier: Apache-2.0
//! A small ROM at which a processor starts. The loader writes it; to the guest's writes it is deaf.

use super::{lane, DevCtx, Device, Role, Width};

/// The ROM: words from offset 0 on.
#[derive(Debug, Default)]
pub struct Rom {
    words: Vec<u32>,
}

crate::saved!(Rom { words });

impl Device for Rom {
    fn name(&self) -> &'static str {
        "rom"
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = self.words.get(offset as usize / 4).copied();
        lane(word.unwrap_or(0), offset, width)
    }

    fn write(&mut self, _offset: u32, _value: u32, _width: Width, _ctx: &mut DevCtx) {}

    fn role(&mut self) -> Role<'_> {
        Role::Rom(&mut self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn it_reads_what_the_loader_put_there() {
        let mut b = Bench::new(Rom::default());
        if let Role::Rom(words) = b.device.role() {
            words.extend([0x1234_5678, 9]);
        }
        b.write(0, 7);
        assert_eq!([0, 4, 8].map(|at| b.read(at)), [0x1234_5678, 9, 0]);
        assert_eq!(b.read_part(2, Width::Half), 0x1234);
    }
}
