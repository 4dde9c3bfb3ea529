// SPDX-License-Identifier: Apache-2.0
//! How a kernel is started on a PC without a BIOS: an ELF executable or a bzImage, in protected mode with
//! flat segments. An executable with a Multiboot header is started as the Multiboot Specification
//! (version 0.6.96) says, with EAX = its mark and EBX = what it is told; any other as Linux' 32-bit boot
//! protocol has it (Documentation/arch/x86/boot.rst), with ESI = the boot parameters.

mod screen;

use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use object::elf::{ELFMAG, EM_386};

use crate::bus::Bus;
use crate::dev::vbe::Mode;
use crate::error::Error;
use crate::ia32::cpu::core::{FLAT_TABLE, FLAT_TABLE_AT};
use crate::loader::kernel::{Entry, Kernel, Segment, Target, Wrong};
use crate::loader::{
    check_append, one_module, pieces, place_initrd, read_kernel, unpacked, Boot, Module, Start,
};

/// What every kernel should have been.
const A_KERNEL: &str = "a kernel: an ELF32 executable for the 80386 or a bzImage";
const TARGET: Target = Target {
    machine: EM_386,
    long: false,
    entry: Entry::Byte,
    expected: A_KERNEL,
};

/// Where what a kernel is told goes; the segment descriptors are before it ([`FLAT_TABLE_AT`]).
const PARAMETERS: u32 = 0x1_0000;
/// Where the command line goes.
const COMMAND_LINE: u32 = 0x1_8000;
/// Most bytes of one, without its NUL (Linux on x86: COMMAND_LINE_SIZE).
const COMMAND_LINE_MOST: usize = 2047;
/// The end of conventional memory, and of what a PC has between that and its extended memory.
const LOW_END: u32 = 0x9_fc00;
const HIGH: u32 = 0x10_0000;
/// The last address that a RAM disk may have, where a kernel does not say so or says a higher one (boot.rst,
/// `initrd_addr_max`): Linux with the usual 3 GB for programs has at most as much mapped for itself.
const INITRD_MOST: u32 = 0x37ff_ffff;

/// Loads for a PC.
pub(super) fn load(boot: &Boot, bus: &mut Bus) -> Result<Start, Error> {
    let wrong = |(what, expected): Wrong| Error::Image {
        file: boot.kernel.to_path_buf(),
        what,
        expected,
    };
    if boot.dtb.is_some() {
        return Err(Error::Argument {
            argument: "--dtb",
            what: "is for boards that are described by a device tree".to_string(),
            expected: "none for a PC".to_string(),
        });
    }
    if boot.load_address.is_some() {
        return Err(Error::Argument {
            argument: "--load-address",
            what: "is for raw images, which a PC does not take".to_string(),
            expected: "none for a PC".to_string(),
        });
    }
    let image = read_kernel(boot, A_KERNEL, bus)?;
    let append = check_append(boot, COMMAND_LINE_MOST)?;
    let image = Image::parse(&image).map_err(wrong)?;
    let kernel = &image.kernel;
    kernel.place(bus).map_err(wrong)?;
    if kernel.overlaps(FLAT_TABLE_AT.into(), (COMMAND_LINE + 0x1000).into()) {
        return Err(wrong((
            format!("occupies memory from {FLAT_TABLE_AT:#x} on, which the loader needs"),
            format!("a kernel that begins at {HIGH:#x} or above"),
        )));
    }
    let within = HIGH..=image.protocol.initrd_most();
    let table: Vec<u8> = FLAT_TABLE.iter().flat_map(|d| d.to_le_bytes()).collect();
    let mut line = append.as_bytes().to_vec();
    line.push(0);
    let asked = screen::of_command_line(append)?;
    let (parameters, mode, registers) = match image.protocol {
        Protocol::Multiboot { mode } => {
            let mode = asked.or(mode);
            let modules = boot.initrd.map_or_else(Vec::new, pieces);
            let placed = place_modules(&modules, kernel, within, bus)?;
            let told = multiboot(&placed, mode, bus);
            let room = (COMMAND_LINE - PARAMETERS) as usize;
            if told.len() > room {
                return Err(Error::Argument {
                    argument: "--initrd",
                    what: format!(
                        "has modules of which there are {} bytes to tell",
                        told.len()
                    ),
                    expected: format!("at most {room}"),
                });
            }
            (told, mode, [MULTIBOOT_LOADED, PARAMETERS, 0])
        }
        Protocol::Linux { header } => {
            let place = |file| place_initrd(file, kernel, within, bus);
            let initrd = boot.initrd.map(place).transpose()?;
            let told = boot_parameters(&header, initrd, asked, bus);
            (told, asked, [0, 0, PARAMETERS])
        }
    };
    if let Some(mode) = mode {
        screen::set(mode, bus);
    }
    for (at, bytes) in [
        (FLAT_TABLE_AT, &table),
        (COMMAND_LINE, &line),
        (PARAMETERS, &parameters),
    ] {
        // The board has a megabyte at least.
        if let Some(memory) = bus.ram_slice_mut(at, bytes.len()) {
            memory.copy_from_slice(bytes);
        }
    }
    Ok(Start {
        pc: kernel.entry.into(),
        registers: registers.map(u64::from),
        free: kernel.free_up_to(bus.ram_window().1),
        host_target: None,
    })
}

/// How a kernel wants to be started.
enum Protocol {
    /// With the mode of the display that it asks for.
    Multiboot { mode: Option<Mode> },
    /// With the setup header that it has, if any.
    Linux { header: Vec<u8> },
}

impl Protocol {
    /// The last address at which the kernel takes a RAM disk.
    fn initrd_most(&self) -> u32 {
        match self {
            Self::Multiboot { .. } => u32::MAX,
            Self::Linux { header } => word_at(header, setup::INITRD_MOST - setup::FIRST)
                .map_or(INITRD_MOST, |own| own.min(INITRD_MOST)),
        }
    }
}

/// A kernel's file.
struct Image {
    kernel: Kernel,
    protocol: Protocol,
}

impl Image {
    fn parse(image: &[u8]) -> Result<Self, Wrong> {
        let no_kernel = |what: &str| (what.to_string(), A_KERNEL.to_string());
        if image.is_empty() {
            return Err(no_kernel("is empty"));
        }
        if let Some(header) = find_multiboot(image) {
            let kernel = multiboot_kernel(image, &header)?;
            let protocol = Protocol::Multiboot { mode: header.mode };
            return Ok(Self { kernel, protocol });
        }
        if image.starts_with(&ELFMAG) {
            let kernel = Kernel::parse_elf(image, &TARGET)?;
            let header = Vec::new();
            let protocol = Protocol::Linux { header };
            return Ok(Self { kernel, protocol });
        }
        if bytes_at(image, setup::HEADER, 4) == Some(b"HdrS") {
            return Self::parse_bzimage(image);
        }
        Err(no_kernel("is neither ELF nor a bzImage"))
    }

    /// The part of a bzImage for protected mode, and its setup header (boot.rst, "32-bit boot protocol").
    fn parse_bzimage(image: &[u8]) -> Result<Self, Wrong> {
        let damaged = || {
            (
                "is a truncated or damaged bzImage".to_string(),
                A_KERNEL.to_string(),
            )
        };
        let byte = |at: usize| image.get(at).copied().ok_or_else(damaged);
        if byte(setup::LOADFLAGS)? & setup::LOADED_HIGH == 0 {
            let expected = "a bzImage that is loaded at 1 MB".to_string();
            return Err(("is a zImage".to_string(), expected));
        }
        let sectors = match byte(setup::SECTORS)? {
            0 => 4,
            n => usize::from(n),
        };
        let code = image.get((sectors + 1) * 512..).ok_or_else(damaged)?;
        if code.is_empty() {
            return Err(damaged());
        }
        let header_end = setup::JUMP + 2 + usize::from(byte(setup::JUMP + 1)?);
        let header = image.get(setup::FIRST..header_end).ok_or_else(damaged)?;
        let kernel = Kernel {
            entry: HIGH,
            segments: vec![Segment {
                address: HIGH,
                data: code.to_vec(),
                bytes: code.len() as u32,
            }],
        };
        let protocol = Protocol::Linux {
            header: header.to_vec(),
        };
        Ok(Self { kernel, protocol })
    }
}

fn bytes_at(image: &[u8], at: usize, count: usize) -> Option<&[u8]> {
    image.get(at..at.checked_add(count)?)
}

fn word_at(image: &[u8], at: usize) -> Option<u32> {
    let b = bytes_at(image, at, 4)?;
    Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

// ---- Linux ---------------------------------------------------------------------------------

/// Places of the setup header in an image and in the boot parameters (boot.rst, "The Real-Mode Kernel
/// Header").
mod setup {
    pub const FIRST: usize = 0x1f1;
    pub const SECTORS: usize = 0x1f1;
    pub const BOOT_FLAG: usize = 0x1fe;
    pub const JUMP: usize = 0x200;
    pub const HEADER: usize = 0x202;
    pub const VERSION: usize = 0x206;
    pub const LOADER: usize = 0x210;
    pub const LOADFLAGS: usize = 0x211;
    pub const CODE_START: usize = 0x214;
    pub const RAMDISK: usize = 0x218;
    pub const RAMDISK_SIZE: usize = 0x21c;
    pub const COMMAND_LINE: usize = 0x228;
    pub const INITRD_MOST: usize = 0x22c;
    pub const COMMAND_LINE_SIZE: usize = 0x238;

    /// Of LOADFLAGS: the protected-mode code is at 1 MB.
    pub const LOADED_HIGH: u8 = 1;
}

/// Bytes of the boot parameters, and where they have the map of memory (zero-page.rst).
const PARAMETER_BYTES: usize = 4096;
const MAP_COUNT: usize = 0x1e8;
const MAP: usize = 0x2d0;
/// A loader without a number of its own (boot.rst, `type_of_loader`).
const UNKNOWN_LOADER: u8 = 0xff;
/// The version of the protocol for an executable, which has no header of its own: 2.10.
const PROTOCOL_VERSION: u16 = 0x020a;

/// The boot parameters of Linux, with the kernel's setup `header`.
fn boot_parameters(
    header: &[u8],
    initrd: Option<(u32, u32)>,
    mode: Option<Mode>,
    bus: &Bus,
) -> Vec<u8> {
    let mut page = vec![0; PARAMETER_BYTES];
    let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
    if header.is_empty() {
        put(setup::BOOT_FLAG, &0xaa55u16.to_le_bytes());
        put(setup::HEADER, b"HdrS");
        put(setup::VERSION, &PROTOCOL_VERSION.to_le_bytes());
        put(setup::LOADFLAGS, &[setup::LOADED_HIGH]);
        put(setup::CODE_START, &HIGH.to_le_bytes());
        put(setup::INITRD_MOST, &INITRD_MOST.to_le_bytes());
        put(
            setup::COMMAND_LINE_SIZE,
            &(COMMAND_LINE_MOST as u32).to_le_bytes(),
        );
    } else {
        put(setup::FIRST, header);
    }
    if let Some(mode) = mode {
        put(0, &screen::info(mode));
    }
    put(setup::LOADER, &[UNKNOWN_LOADER]);
    put(setup::COMMAND_LINE, &COMMAND_LINE.to_le_bytes());
    if let Some((at, bytes)) = initrd {
        put(setup::RAMDISK, &at.to_le_bytes());
        put(setup::RAMDISK_SIZE, &bytes.to_le_bytes());
    }
    let map = memory_map(bus);
    put(MAP_COUNT, &[map.len() as u8]);
    for (n, range) in map.iter().enumerate() {
        put(MAP + n * range.len(), range);
    }
    page
}

/// The map of memory as the BIOS' call E820 gives it: base and size of 64 bits, and a kind, of 32.
fn memory_map(bus: &Bus) -> Vec<[u8; 20]> {
    const RAM: u32 = 1;
    const RESERVED: u32 = 2;
    let (_, size) = bus.ram_window();
    [
        (0, LOW_END, RAM),
        (LOW_END, HIGH, RESERVED),
        (HIGH, size, RAM),
    ]
    .into_iter()
    .filter(|(start, end, _)| start < end)
    .map(|(start, end, kind)| {
        let mut range = [0; 20];
        range[..8].copy_from_slice(&u64::from(start).to_le_bytes());
        range[8..16].copy_from_slice(&u64::from(end - start).to_le_bytes());
        range[16..].copy_from_slice(&kind.to_le_bytes());
        range
    })
    .collect()
}

// ---- Multiboot -----------------------------------------------------------------------------

/// The mark of a header, and how far into a file it may be (Multiboot 3.1.1).
const MULTIBOOT: u32 = 0x1bad_b002;
const MULTIBOOT_WITHIN: usize = 8192;
/// What EAX says (3.2).
const MULTIBOOT_LOADED: u32 = 0x2bad_b002;
/// Flags of a header (3.1.2): those that must be understood, of which the first three, alignment of
/// modules, memory and a mode of the display, are granted, and the one by which the header says itself what is
/// loaded where.
const MUST: u32 = 0xffff;
const GRANTED: u32 = 0x7;
const WANTS_MODE: u32 = 1 << 2;
const OWN_ADDRESSES: u32 = 1 << 16;

/// A header: its place in the file, its flags, and its addresses: its own, load, load end, end of
/// what is cleared, entry; and the mode that it asks for, unless that is one of text.
struct Header {
    at: usize,
    flags: u32,
    addresses: Option<[u32; 5]>,
    mode: Option<Mode>,
}

fn find_multiboot(image: &[u8]) -> Option<Header> {
    let within = image.len().min(MULTIBOOT_WITHIN);
    let marked = |&at: &usize| {
        let sum = (0..3).try_fold(0u32, |sum, n| {
            Some(sum.wrapping_add(word_at(&image[..within], at + 4 * n)?))
        });
        word_at(image, at) == Some(MULTIBOOT) && sum == Some(0)
    };
    let at = (0..within).step_by(4).find(marked)?;
    let flags = word_at(image, at + 4)?;
    let mut addresses = [0; 5];
    for (n, address) in addresses.iter_mut().enumerate() {
        *address = word_at(image, at + 12 + 4 * n).unwrap_or(0);
    }
    let own = flags & OWN_ADDRESSES != 0;
    let [kind, width, height, depth] =
        [32, 36, 40, 44].map(|field| word_at(image, at + field).unwrap_or(0));
    let wants = flags & WANTS_MODE != 0 && kind == 0;
    Some(Header {
        at,
        flags,
        addresses: own.then_some(addresses),
        mode: wants
            .then(|| screen::nearest(width, height, depth))
            .flatten(),
    })
}

fn multiboot_kernel(image: &[u8], header: &Header) -> Result<Kernel, Wrong> {
    let refused = header.flags & MUST & !GRANTED;
    if refused != 0 {
        return Err((
            format!("has a Multiboot header with flags {:#x}", header.flags),
            "one that wants modules aligned, memory described and a mode set, and nothing else"
                .to_string(),
        ));
    }
    let Some([own, load, load_end, clear_end, entry]) = header.addresses else {
        return Kernel::parse_elf(image, &TARGET);
    };
    let damaged = || {
        let addresses = format!("{own:#x}, {load:#x}, {load_end:#x}, {clear_end:#x}, {entry:#x}");
        (
            format!("has a Multiboot header with addresses {addresses}"),
            "addresses of what the file has, and an entry point there".to_string(),
        )
    };
    let before = own.checked_sub(load).ok_or_else(damaged)? as usize;
    let from = header.at.checked_sub(before).ok_or_else(damaged)?;
    let data = if load_end == 0 {
        image.get(from..)
    } else {
        let bytes = load_end.checked_sub(load).ok_or_else(damaged)?;
        bytes_at(image, from, bytes as usize)
    };
    let data = data.ok_or_else(damaged)?.to_vec();
    let cleared = clear_end.saturating_sub(load);
    let bytes = cleared.max(u32::try_from(data.len()).map_err(|_| damaged())?);
    let segment = Segment {
        address: load,
        data,
        bytes,
    };
    if !segment.overlaps(entry.into(), u64::from(entry) + 1) {
        return Err(damaged());
    }
    Ok(Kernel {
        entry,
        segments: vec![segment],
    })
}

/// What `--initrd` names for the kernel whose file has these bytes: modules, if it is started by Multiboot.
pub(super) fn modules(kernel: &[u8], initrd: &Path) -> Vec<Module> {
    if find_multiboot(&unpacked(kernel)).is_some() {
        pieces(initrd)
    } else {
        one_module(initrd)
    }
}

/// A module in memory.
struct Placed {
    at: u32,
    bytes: u32,
    /// The file's name without its folders, so that a guest knows nothing of this computer, and the words.
    line: Vec<u8>,
}

/// Puts modules at the end of the addresses `within`, the first of them lowest.
fn place_modules(
    modules: &[Module],
    kernel: &Kernel,
    within: RangeInclusive<u32>,
    bus: &mut Bus,
) -> Result<Vec<Placed>, Error> {
    let mut placed = Vec::new();
    let mut end = *within.end();
    for Module { file, words } in modules.iter().rev() {
        let (at, bytes) = place_initrd(file, kernel, *within.start()..=end, bus)?;
        end = at - 1;
        let name = file.file_name().unwrap_or_default();
        let mut line = name.as_bytes().to_vec();
        if !words.is_empty() {
            line.push(b' ');
            line.extend(words);
        }
        placed.push(Placed { at, bytes, line });
    }
    placed.reverse();
    Ok(placed)
}

/// What a Multiboot kernel is told (3.3): memory, command line, modules, the map of memory, who has
/// loaded it, and the mode of the display.
fn multiboot(modules: &[Placed], mode: Option<Mode>, bus: &Bus) -> Vec<u8> {
    const MEMORY: u32 = 1 << 0;
    const LINE: u32 = 1 << 2;
    const MODULES: u32 = 1 << 3;
    const MEMORY_MAP: u32 = 1 << 6;
    const LOADER_NAME: u32 = 1 << 9;
    const SCREEN: u32 = 1 << 12;
    const BYTES: usize = 0x400;
    /// Bytes of a module in their list: begin, end, words, and nothing.
    const MODULE_BYTES: usize = 16;
    const SCREEN_AT: usize = 88;
    /// After the information itself: the map, the name; after all of that the modules.
    const MAP_AT: usize = 0x140;
    const NAME_AT: usize = 0x300;

    let mut told = vec![0; BYTES];
    let mut put = |at: usize, word: u32| told[at..at + 4].copy_from_slice(&word.to_le_bytes());
    let (_, size) = bus.ram_window();
    let has_modules = if modules.is_empty() { 0 } else { MODULES };
    let has_mode = if mode.is_none() { 0 } else { SCREEN };
    put(
        0,
        MEMORY | LINE | has_modules | MEMORY_MAP | LOADER_NAME | has_mode,
    );
    // In KB, from 0 and from 1 MB on.
    put(4, LOW_END >> 10);
    put(8, size.saturating_sub(HIGH) >> 10);
    put(16, COMMAND_LINE);
    if !modules.is_empty() {
        put(20, modules.len() as u32);
        put(24, PARAMETERS + BYTES as u32);
    }
    let map = memory_map(bus);
    let entry = 4 + map[0].len();
    put(44, (map.len() * entry) as u32);
    put(48, PARAMETERS + MAP_AT as u32);
    for (n, range) in map.iter().enumerate() {
        put(MAP_AT + n * entry, range.len() as u32);
    }
    put(64, PARAMETERS + NAME_AT as u32);
    for (n, range) in map.iter().enumerate() {
        let at = MAP_AT + n * entry + 4;
        told[at..at + range.len()].copy_from_slice(range);
    }
    if let Some(mode) = mode {
        let of_screen = screen::multiboot(mode);
        told[SCREEN_AT..SCREEN_AT + of_screen.len()].copy_from_slice(&of_screen);
    }
    let name = b"switchyard-machine";
    told[NAME_AT..NAME_AT + name.len()].copy_from_slice(name);
    let mut lines = Vec::new();
    let lines_at = PARAMETERS as usize + BYTES + modules.len() * MODULE_BYTES;
    for Placed { at, bytes, line } in modules {
        let line_at = (lines_at + lines.len()) as u32;
        let words = [*at, at + bytes, line_at, 0].map(u32::to_le_bytes);
        told.extend_from_slice(words.as_flattened());
        lines.extend_from_slice(line);
        lines.push(0);
    }
    told.extend(lines);
    told
}

#[cfg(test)]
mod tests;
