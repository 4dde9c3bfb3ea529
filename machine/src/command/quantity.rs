// SPDX-License-Identifier: Apache-2.0
//! Numbers on the command line. What is wrong with one is said with what was expected, however many digits
//! it has.

use crate::event::Cycle;

/// A number of cycles to run.
pub fn cycles(text: &str) -> Result<Cycle, String> {
    whole(text, 1, Cycle::MAX)
}

/// Steps of a window, which is in memory until it ends: a few hundred megabytes.
const MOST_STEPS: u64 = 1_000_000;

/// A number of steps.
pub fn steps(text: &str) -> Result<usize, String> {
    whole(text, 1, MOST_STEPS).map(|number| number as usize)
}

/// The number of a serial port.
pub fn port(text: &str) -> Result<u32, String> {
    whole(text, 0, u32::MAX.into()).map(|number| number as u32)
}

/// A physical address, decimal or with 0x before it hexadecimal.
pub fn address(text: &str) -> Result<u32, String> {
    let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let number = match hexadecimal {
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok().filter(|_| !text.starts_with('+')),
    };
    number.ok_or_else(|| "is no address; expected one from 0x0 to 0xffffffff".to_string())
}

/// A size in bytes, or with K, M or G after it. The board's limits are not looked at.
pub fn size(text: &str) -> Result<u32, String> {
    let shift = match text.bytes().last().map(|unit| unit.to_ascii_uppercase()) {
        Some(b'K') => 10,
        Some(b'M') => 20,
        Some(b'G') => 30,
        _ => 0,
    };
    let digits = if shift == 0 {
        text
    } else {
        &text[..text.len() - 1]
    };
    let most = u64::from(u32::MAX);
    let number = whole(digits, 1, most >> shift).ok();
    let size = number.map(|number| (number << shift) as u32);
    size.ok_or_else(|| {
        format!("is no size; expected bytes from 1 to {most}, also with a suffix K, M or G")
    })
}

/// A size as people write it.
pub fn shown(bytes: u32) -> String {
    for (shift, unit) in [(30, "G"), (20, "M"), (10, "K")] {
        if bytes >> shift != 0 && bytes % (1 << shift) == 0 {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let plain = text.bytes().all(|digit| digit.is_ascii_digit());
    let number = text.parse().ok().filter(|_| plain);
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_within_their_range() {
        assert_eq!(cycles("1"), Ok(1));
        assert_eq!(cycles("18446744073709551615"), Ok(Cycle::MAX));
        let expected = "expected a whole number from 1 to 18446744073709551615".to_string();
        for wrong in ["0", "-1", "+1", "", "1e9", "99999999999999999999999"] {
            assert_eq!(cycles(wrong), Err(expected.clone()), "{wrong}");
        }
    }

    #[test]
    fn addresses_are_decimal_or_hexadecimal() {
        assert_eq!(address("0x10000"), Ok(0x1_0000));
        assert_eq!(address("0XFFFFFFFF"), Ok(u32::MAX));
        assert_eq!(address("65536"), Ok(0x1_0000));
        for wrong in ["", "0x", "0x+1", "+1", "ffff", "0x100000000", "4294967296"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_have_units() {
        for text in ["1", "3K", "256M", "2G", "1025"] {
            assert_eq!(size(text).map(shown).as_deref(), Ok(text));
        }
        for (text, bytes) in [
            ("1", 1),
            ("3k", 3 << 10),
            ("256M", 256 << 20),
            ("2G", 2 << 30),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for wrong in [
            "",
            "M",
            "0",
            "0M",
            "1.5G",
            "4G",
            "1T",
            "-1M",
            "99999999999999999999",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
