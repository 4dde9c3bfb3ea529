// SPDX-License-Identifier: Apache-2.0
//! Images that are compressed as a whole (RFC 1952).

use std::io::Read;

use flate2::read::MultiGzDecoder;

/// How a file begins: its mark, and DEFLATE, the only method there is.
const MARK: [u8; 3] = [0x1f, 0x8b, 8];
/// Flags that must be 0 in the byte after it. No ARM instruction that is always executed has them all 0.
const RESERVED_FLAGS: u8 = 0xe0;

/// Whether a file that begins with `head` is compressed.
pub(crate) fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(&MARK) && head.get(3).is_some_and(|flags| flags & RESERVED_FLAGS == 0)
}

/// What is inside, whose first four bytes decide how many there may be; or what is wrong.
pub(crate) fn unpack(packed: &[u8], most: impl FnOnce(&[u8]) -> u64) -> Result<Vec<u8>, String> {
    let mut inside = MultiGzDecoder::new(packed);
    let mut bytes = Vec::new();
    let mut most = Some(most);
    let mut read = || {
        inside.by_ref().take(4).read_to_end(&mut bytes)?;
        let most = most.take().map_or(0, |most| most(&bytes));
        let rest = (most + 1).saturating_sub(bytes.len() as u64);
        inside.by_ref().take(rest).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(most)
    };
    match read() {
        Ok(most) if bytes.len() as u64 > most => {
            Err(format!("has more than {most} bytes when it is unpacked"))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!("cannot be unpacked (gzip): {error}")),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;
    use flate2::Compression;

    use super::*;

    pub fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_was_packed_comes_out() {
        let bytes: Vec<u8> = (0..10_000u32).flat_map(|n| (n * n).to_le_bytes()).collect();
        let whole = packed(&bytes);
        assert!(is_gzip(&whole));
        let most = |head: &[u8]| {
            assert_eq!(head, &bytes[..4]);
            bytes.len() as u64
        };
        assert_eq!(unpack(&whole, most), Ok(bytes.clone()));
        let line = unpack(&whole, |_| 39_999).unwrap_err();
        assert_eq!(line, "has more than 39999 bytes when it is unpacked");
    }

    #[test]
    fn damage_is_found() {
        let whole = packed(&[7; 5000]);
        for (at, what) in [(whole.len() - 1, "length"), (whole.len() - 6, "checksum")] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            let line = unpack(&damaged, |_| 9999).unwrap_err();
            assert!(
                line.starts_with("cannot be unpacked (gzip): "),
                "{what}: {line}"
            );
        }
        let line = unpack(&whole[..whole.len() / 2], |_| 9999).unwrap_err();
        assert!(line.starts_with("cannot be unpacked (gzip): "), "{line}");
    }
}
