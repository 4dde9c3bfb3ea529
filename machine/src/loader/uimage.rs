// SPDX-License-Identifier: Apache-2.0
//! U-Boot's images of the older kind (U-Boot, include/image.h, `image_header_t`): a header of big-endian
//! words, and after it the kernel, compressed or not.

use flate2::Crc;

use super::gzip;
use super::kernel::{Kernel, Target, Wrong};

/// Bytes of the header.
pub(crate) const HEADER_BYTES: usize = 64;
/// Places in the header.
const MARK: u32 = 0x2705_1956;
const HEADER_SUM_AT: usize = 4;
const SIZE_AT: usize = 12;
const LOAD_AT: usize = 16;
const ENTRY_AT: usize = 20;
const DATA_SUM_AT: usize = 24;
const ARCHITECTURE_AT: usize = 29;
const TYPE_AT: usize = 30;
const COMPRESSION_AT: usize = 31;
/// Values: `IH_ARCH_ARM`, `IH_TYPE_KERNEL`, `IH_TYPE_KERNEL_NOLOAD`.
const ARM: u8 = 2;
const KERNEL: u8 = 2;
const KERNEL_ANYWHERE: u8 = 14;
/// The compressions by their numbers (`IH_COMP_*`); the first two can be loaded.
const COMPRESSIONS: [&str; 7] = ["none", "gzip", "bzip2", "lzma", "lzo", "lz4", "zstd"];

/// Whether that is such an image.
pub(crate) fn is_uimage(image: &[u8]) -> bool {
    image.starts_with(&MARK.to_be_bytes())
}

/// Whether it does not say where it goes.
pub(crate) fn goes_anywhere(image: &[u8]) -> bool {
    image.get(TYPE_AT) == Some(&KERNEL_ANYWHERE)
}

fn word(header: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Takes one apart, which may have so many bytes in `memory`; a kernel that can be anywhere goes to
/// `anywhere`.
pub(crate) fn parse(
    image: &[u8],
    anywhere: u32,
    memory: u32,
    target: &Target,
) -> Result<Kernel, Wrong> {
    let truncated = |needed: usize| {
        (
            format!("is a truncated U-Boot image: it has {} bytes", image.len()),
            format!("{needed}"),
        )
    };
    let Some((header, rest)) = image.split_at_checked(HEADER_BYTES) else {
        return Err(truncated(HEADER_BYTES));
    };
    let mut unsummed = header.to_vec();
    unsummed[HEADER_SUM_AT..HEADER_SUM_AT + 4].fill(0);
    same_sum("header", word(header, HEADER_SUM_AT), &unsummed)?;
    if header[ARCHITECTURE_AT] != ARM {
        return Err((
            format!(
                "is a U-Boot image for architecture {}",
                header[ARCHITECTURE_AT]
            ),
            format!("one for {ARM}, ARM"),
        ));
    }
    if ![KERNEL, KERNEL_ANYWHERE].contains(&header[TYPE_AT]) {
        return Err((
            format!("is a U-Boot image of type {}", header[TYPE_AT]),
            format!("one of type {KERNEL} or {KERNEL_ANYWHERE}, a kernel"),
        ));
    }
    let size = word(header, SIZE_AT) as usize;
    let data = rest
        .get(..size)
        .ok_or_else(|| truncated(HEADER_BYTES + size))?;
    same_sum("data", word(header, DATA_SUM_AT), data)?;
    let data = match header[COMPRESSION_AT] {
        0 => data.to_vec(),
        1 => gzip::unpack(data, |_| memory.into()).map_err(|what| {
            let expected = "a U-Boot image whose data are whole".to_string();
            (what, expected)
        })?,
        other => {
            let name = COMPRESSIONS.get(usize::from(other)).copied();
            let name = name.map_or_else(|| format!("number {other}"), str::to_string);
            return Err((
                format!("is a U-Boot image compressed by {name}"),
                format!("{} or {}", COMPRESSIONS[0], COMPRESSIONS[1]),
            ));
        }
    };
    let (load, entry) = (word(header, LOAD_AT), word(header, ENTRY_AT));
    if header[TYPE_AT] == KERNEL_ANYWHERE {
        return Kernel::flat(anywhere, anywhere.wrapping_add(entry), data, target);
    }
    Kernel::flat(load, entry, data, target)
}

fn same_sum(of: &str, said: u32, bytes: &[u8]) -> Result<(), Wrong> {
    let found = checksum(bytes);
    if said == found {
        return Ok(());
    }
    Err((
        format!("is a damaged U-Boot image: the checksum of its {of} is {found:#010x}"),
        format!("{said:#010x}, as its header says"),
    ))
}

#[cfg(test)]
mod tests;
