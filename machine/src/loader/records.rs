// SPDX-License-Identifier: Apache-2.0
//! Images as lines of hexadecimal digits: Motorola's S-records (M68000 Family Programmer's Reference
//! Manual, appendix C) and Intel's records (Hexadecimal Object File Format Specification, revision A).
//! Each line has a checksum, which is checked.

use super::kernel::{Kernel, Segment, Target, Wrong};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Motorola's.
    Motorola,
    /// Intel's.
    Intel,
}

impl Format {
    /// The name, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Motorola => "a file of S-records",
            Self::Intel => "a file of Intel's hexadecimal records",
        }
    }
}

/// The format of a file that begins with these bytes, of which the first four are looked at. No ARM
/// instruction that is always executed begins like that.
pub(crate) fn format(head: &[u8]) -> Option<Format> {
    let digits = |from: usize| {
        head.get(from..4)
            .is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit))
    };
    match head.first()? {
        b'S' if digits(1) && head[1].is_ascii_digit() => Some(Format::Motorola),
        b':' if digits(1) => Some(Format::Intel),
        _ => None,
    }
}

/// What the lines have said up to now.
#[derive(Default)]
struct Read {
    segments: Vec<Segment>,
    entry: Option<u32>,
    /// Lines with data.
    data_lines: u32,
    /// What Intel's records add to the addresses of data, and whether these stay within 64 KB then.
    base: u32,
    wraps: bool,
    /// Nothing may follow.
    ended: bool,
}

impl Read {
    /// Data at an address: after the last, or elsewhere.
    fn add(&mut self, address: u32, data: &[u8]) {
        if let Some(last) = self.segments.last_mut() {
            if last.address.wrapping_add(last.bytes) == address {
                last.data.extend(data);
                last.bytes += data.len() as u32;
                return;
            }
        }
        self.segments.push(Segment {
            address,
            data: data.to_vec(),
            bytes: data.len() as u32,
        });
    }
}

/// Takes a file of `format` apart.
pub(crate) fn parse(image: &[u8], format: Format, target: &Target) -> Result<Kernel, Wrong> {
    let name = format.name();
    let text = image.strip_suffix(b"\x1a").unwrap_or(image); // an end of text of CP/M and DOS
    let mut read = Read::default();
    for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let taken = if read.ended {
            Err("comes after the end".to_string())
        } else {
            match format {
                Format::Motorola => motorola(line, &mut read),
                Format::Intel => intel(line, &mut read),
            }
        };
        taken.map_err(|what| {
            let expected = format!("{name} without damage");
            (format!("line {}: {what}", number + 1), expected)
        })?;
    }
    if !read.ended {
        return Err((
            "is cut short: its last record is missing".to_string(),
            name.to_string(),
        ));
    }
    // Linkers leave out the entry of Intel's records where it is 0.
    let lowest = read.segments.iter().map(|segment| segment.address).min();
    let entry = read.entry.or(lowest);
    match entry {
        Some(entry) if !read.segments.is_empty() => Kernel::new(entry, read.segments, target),
        _ => Err((
            format!("is {name} with nothing to load"),
            target.expected.to_string(),
        )),
    }
}

/// The bytes of a line, whose sum is checked by `whole`: that of all of them, in eight bits.
fn bytes(digits: &[u8], whole: u8) -> Result<Vec<u8>, String> {
    let digit = |d: u8| char::from(d).to_digit(16).map(|d| d as u8);
    let pairs = digits.chunks(2);
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = pairs.map(pair).collect();
    let bytes = bytes.ok_or("is no line of pairs of hexadecimal digits")?;
    let sum = bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    match bytes.last() {
        Some(_) if sum == whole => Ok(bytes),
        Some(last) => {
            let right = last.wrapping_sub(sum).wrapping_add(whole);
            Err(format!(
                "has the checksum {last:02x} in place of {right:02x}"
            ))
        }
        None => Err("is too short".to_string()),
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |n, byte| n << 8 | u32::from(*byte))
}

/// A line `S`, a kind, and of two digits each: count of what follows, address, data, checksum.
fn motorola(line: &[u8], read: &mut Read) -> Result<(), String> {
    let [b'S', kind, digits @ ..] = line else {
        return Err("does not begin with S and a digit".to_string());
    };
    let address_bytes = match kind {
        b'0' | b'1' | b'5' | b'9' => 2,
        b'2' | b'6' | b'8' => 3,
        b'3' | b'7' => 4,
        _ => return Err(format!("is a record S{}", char::from(*kind))),
    };
    let bytes = bytes(digits, 0xff)?;
    let (count, rest) = (usize::from(bytes[0]), &bytes[1..]);
    if count != rest.len() || count <= address_bytes {
        return Err(format!(
            "has {} bytes after its count of {count}",
            rest.len()
        ));
    }
    let (address, rest) = rest.split_at(address_bytes);
    let (address, data) = (number(address), &rest[..rest.len() - 1]);
    match kind {
        b'1'..=b'3' => {
            read.data_lines += 1;
            if u64::from(address) + data.len() as u64 > 1 << 32 {
                return Err("goes beyond the last address".to_string());
            }
            read.add(address, data);
        }
        b'5' | b'6' if address != read.data_lines => {
            let found = read.data_lines;
            return Err(format!(
                "counts {address} records of data, of which there are {found}"
            ));
        }
        b'7'..=b'9' => {
            read.entry = Some(address);
            read.ended = true;
        }
        _ => {} // a title, or a right count
    }
    Ok(())
}

/// A line `:`, and of two digits each: count of data, address (two), kind, data, checksum.
fn intel(line: &[u8], read: &mut Read) -> Result<(), String> {
    let [b':', digits @ ..] = line else {
        return Err("does not begin with a colon".to_string());
    };
    let bytes = bytes(digits, 0)?;
    let [count, high, low, kind, rest @ ..] = &bytes[..] else {
        return Err("is too short".to_string());
    };
    let Some((_, data)) = rest
        .split_last()
        .filter(|(_, d)| d.len() == usize::from(*count))
    else {
        return Err(format!("has no {count} bytes of data, as it says"));
    };
    match (kind, data.len()) {
        (0, _) => {
            let offset = u32::from(*high) << 8 | u32::from(*low);
            // After a segment's last byte comes its first.
            let fits = (0x1_0000 - offset as usize).min(data.len());
            let (first, second) = data.split_at(if read.wraps { fits } else { data.len() });
            let address = read.base.wrapping_add(offset);
            if u64::from(address) + first.len() as u64 > 1 << 32 {
                return Err("goes beyond the last address".to_string());
            }
            for (address, data) in [(address, first), (read.base, second)] {
                if !data.is_empty() {
                    read.add(address, data);
                }
            }
        }
        (1, 0) => read.ended = true,
        (2, 2) => (read.base, read.wraps) = (number(data) << 4, true),
        (4, 2) => (read.base, read.wraps) = (number(data) << 16, false),
        (3, 4) => read.entry = Some((number(&data[..2]) << 4) + number(&data[2..])),
        (5, 4) => read.entry = Some(number(data)),
        (1..=5, len) => return Err(format!("has {len} bytes in a record of kind {kind}")),
        _ => return Err(format!("is a record of kind {kind}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
