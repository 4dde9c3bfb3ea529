// SPDX-License-Identifier: Apache-2.0
//! Frames on a stream: the length in 32 bits, most significant byte first, then the frame. So do
//! QEMU (`-netdev stream`, `-netdev socket`) and passt.

use std::io::{self, Read, Write};

/// Longest frame: what passt and QEMU may send at all, 64 KB and a header. An interface drops what
/// its network does not allow.
pub const MOST: usize = 65536 + 64;

/// Writes a frame, at once.
///
/// # Errors
/// Those of `to`.
pub fn write_frame(to: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(4 + frame.len());
    bytes.extend((frame.len() as u32).to_be_bytes());
    bytes.extend(frame);
    to.write_all(&bytes)
}

/// Reads a frame. `None`: the stream ended, between two frames.
///
/// # Errors
/// Those of `from`; a length that cannot be one; an end within a frame.
pub fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut length = [0; 4];
    let mut got = 0;
    while got < length.len() {
        match from.read(&mut length[got..]) {
            Ok(0) if got == 0 => return Ok(None),
            Ok(0) => return Err(wrong("the stream ended within a frame".to_string())),
            Ok(n) => got += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length = u32::from_be_bytes(length) as usize;
    if length == 0 || length > MOST {
        return Err(wrong(format!(
            "a frame of {length} bytes was announced; expected 1 to {MOST}, each with its length before it"
        )));
    }
    let mut frame = vec![0; length];
    from.read_exact(&mut frame)
        .map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => wrong("the stream ended within a frame".to_string()),
            _ => error,
        })?;
    Ok(Some(frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    #[test]
    fn the_layout_is_that_of_qemu() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &[0xab; 258]).unwrap();
        assert_eq!(bytes[..6], [0, 0, 1, 2, 0xab, 0xab]);
        assert_eq!(bytes.len(), 4 + 258);
    }

    #[test]
    fn what_is_no_frame_is_named() {
        for (bytes, expected) in [
            (&[0u8, 0, 0, 0][..], "a frame of 0 bytes"),
            (b"GET / HTTP/1.0\r\n", "a frame of 1195725856 bytes"),
            (&[0, 0], "ended within"),
            (&[0, 0, 0, 3, 1, 2], "ended within"),
        ] {
            let error = read_frame(&mut &*bytes).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert_eq!(read_frame(&mut &[][..]).unwrap(), None);
    }

    proptest! {
        #[test]
        fn frames_come_as_they_went(frames: Vec<Vec<u8>>) {
            let mut bytes = Vec::new();
            let sent: Vec<_> = frames.into_iter().filter(|f| !f.is_empty()).collect();
            for frame in &sent {
                write_frame(&mut bytes, frame).unwrap();
            }
            let mut from = &bytes[..];
            let mut got = Vec::new();
            while let Some(frame) = read_frame(&mut from).unwrap() {
                got.push(frame);
            }
            prop_assert_eq!(got, sent);
        }
    }
}
