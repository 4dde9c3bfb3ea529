// SPDX-License-Identifier: Apache-2.0
//! Good inputs to start from: random bytes alone do not get past the first check of a file.

mod images;
mod pc;
mod riscv;

use switchyard_machine::devicetree::DeviceTree;
use switchyard_machine::registry;

use super::{saved, small};

/// `b .`, and a few instructions before it: all that a kernel needs.
const CODE: [u32; 4] = [0xe3a0_0001, 0xe280_0002, 0xe10f_1000, 0xeaff_fffe];
/// What an ARM executable's `e_machine` says.
const MACHINE_ARM: u32 = 40;
/// What a debugger asks for: registers, memory, breakpoints, stepping, monitor commands.
const PACKETS: [&str; 15] = [
    "qSupported:multiprocess+;swbreak+",
    "?\ng\nm c0000000,40\nvCont;s:1\nvCont;c:1",
    "p0\np19\nP0=01020304\nMc0000000,4:01020304",
    "Z0,c0000004,4\nZ2,c0000000,4\nZ3,c0000010,4\nc\nz0,c0000004,4",
    "qXfer:features:read:target.xml:0,ffb",
    "qRcmd,746c62\nqRcmd,636163686573",
    "qRcmd,7472616e736c6174652030786330303030303030",
    "G0000\nHg1\nqC\nvCont?\nqfThreadInfo\nqsThreadInfo",
    "D",
    "vKill;1\nk",
    "md4726,74716e73",
    // save a; step; restore a; restore b, which is not there; restore f, which is given
    "qRcmd,736176652061\nvCont;s:1\nqRcmd,726573746f72652061\ng\nvCont;c:1",
    "qRcmd,726573746f72652062\nm c0000000,40",
    "qRcmd,726573746f72652066\ng\nvCont;c:1",
    "qRcmd,736176652066\nqRcmd,736176652066\nqRcmd,726573746f72652066\nZ2,c0000000,4\nc",
];

/// The number of a built-in machine.
fn number(machine: &str) -> u8 {
    let number = registry::machines()
        .iter()
        .position(|(name, _)| *name == machine);
    number.expect("a built-in machine") as u8
}

/// An executable for `machine` (an ELF file's `e_machine`) with `code` at `at`.
fn elf(machine: u32, at: u32, code: &[u8]) -> Vec<u8> {
    let mut words = vec![0x464c_457f, 0x0001_0101, 0, 0];
    // Type and machine, version, entry, program headers, section headers, flags, sizes.
    words.extend([machine << 16 | 2, 1, at, 52, 0, 0, 0x0020_0034, 1, 0]);
    let bytes = code.len() as u32;
    words.extend([1, 84, at, at, bytes, bytes + 64, 7, 4]);
    let mut file: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    file.extend(code);
    file
}

fn tree() -> Vec<u8> {
    let mut tree = DeviceTree::default();
    tree.root.set_string("compatible", "fuzz");
    let memory = tree.root.child("memory");
    memory.set_cells("reg", &[0, 0x0100_0000]);
    tree.root
        .child("chosen")
        .set_string("bootargs", "console=ttyS0");
    tree.to_bytes()
}

/// For `devices`: the Versatile's network interface is made to receive all and to send, gets a
/// frame, and is asked for it; a packet is queued.
fn interface() -> Vec<u8> {
    const BASE: u32 = 0x1001_0000;
    let number = number("versatilepb");
    let (config, board) = small(u32::from(number));
    let parts = (board.parts)(config.ram_bytes);
    let device = parts.devices.iter().position(|m| m.base == BASE);
    let device = device.expect("it is on the board") as u8;
    let mut seed = vec![number];
    let mut step = |what: u8, offset: u16, more: &[u8]| {
        seed.extend([what, device]);
        seed.extend(offset.to_le_bytes());
        seed.extend(more);
    };
    let half = |write: (u16, u16)| (write.0, u32::from(write.1).to_le_bytes());
    // bank, then TCR, RCR; bank 2, pointer to what is received
    let writes = [(14, 0), (0, 0x0081), (4, 0x0106), (14, 2), (6, 0xc000)];
    for (offset, value) in writes.map(half) {
        step(0x40, offset, &value);
    }
    step(6, 0, &[0x46, 0x10]); // 70 bytes to its address
    step(7, 10, &[0xff, 0xff]); // time
    for _ in 0..4 {
        step(0x83, 8, &[]);
    }
    // allocate, packet 1 of 64 bytes, queue it, time
    let writes = [(0, 1 << 5), (2, 1), (6, 0x4002), (8, 64), (0, 6 << 5)];
    for (offset, value) in writes.map(half) {
        step(0x40, offset, &value);
    }
    step(7, 10, &[0xff, 0xff]);
    seed
}

fn piece(bytes: &[u8]) -> Vec<u8> {
    let mut piece = (bytes.len() as u16).to_le_bytes().to_vec();
    piece.extend(bytes);
    piece
}

/// The seeds of the target of that name.
#[must_use]
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let raw: Vec<u8> = CODE.iter().flat_map(|word| word.to_le_bytes()).collect();
    let with = |head: &[u8], rest: &[u8]| [head, rest].concat();
    match target {
        "kernel" => {
            let options = [piece(b"quiet"), piece(b"a RAM disk"), piece(&tree())].concat();
            let elf = elf(MACHINE_ARM, 0xc000_8000, &raw);
            let arm = [
                with(&[0, 0], &raw),
                with(&[0, 0], &elf),
                with(&[0, 7], &with(&options, &elf)),
                with(&[3, 7], &with(&options, &raw)),
                with(&[3, 4], &with(&piece(&tree()), &raw)),
                with(&[0, 8], &with(&0xc000_4000u32.to_le_bytes(), &raw)),
            ];
            let others = images::kernels(&raw).map(|image| with(&[3, 0], &image));
            arm.into_iter().chain(others).chain(pc::kernels()).collect()
        }
        "machine_file" => registry::machines()
            .iter()
            .map(|(_, text)| text.as_bytes().to_vec())
            .collect(),
        "device_tree" => vec![tree()],
        "script" => vec![
            b"#!expect\nexpect \"#!expect\" within 5\nsend \"a\\r\\x7f\"\nwait 0.5\nsend \"b\"\n"
                .to_vec(),
            b"#!expect\n# both\nexpect \"t\"\nexpect \"\\n\"\nsend \"\\\"\\\\\"\nexpect \"z\""
                .to_vec(),
            b"#!expect\nexpect \"p\"\npress ctrl-alt-delete f1\nkeys \"aB~\\n\"\nwait 1".to_vec(),
        ],
        "recording" => [
            "0 typed \"ls\\r\\x00\\\"\"\n100 asleep frame ffffffffffff0253594200010800\n\
             100 arrived\nends 200 left\n",
            "0 cable plugged\n1 cable unplugged\n2 asleep arrived\n\
             2 key ctrl pressed\nends 2 unexpected \"x: y\"\n",
            "ends 99 itself\n",
        ]
        .iter()
        .map(|inputs| {
            let head = "switchyard-input 1\nmachine sa1110 0123456789abcdef\n\
                        begins 0 fedcba9876543210\nmac 02:53:59:42:00:01\nconsole uart1\n";
            [head, inputs].concat().into_bytes()
        })
        .collect(),
        "instructions" => [0, 1, 3, 5, 7]
            .into_iter()
            .flat_map(|options| {
                let registers = vec![0x10; 60];
                let arm = [&[3, options][..], &0xd3u32.to_le_bytes(), &registers, &raw].concat();
                let thumb = [&[3, options][..], &0xf3u32.to_le_bytes(), &registers, &raw];
                [arm, thumb.concat()]
            })
            .chain(pc::instructions())
            .chain(riscv::instructions())
            .collect(),
        "devices" => {
            let same = (0..6u8).map(|n| vec![n; 200]);
            same.chain([interface(), pc::devices(), riscv::devices()])
                .collect()
        }
        "saved_state" => {
            let changed =
                (0..registry::machines().len() as u8).map(|n| vec![n << 1 | 1, 0, 1, 0, 7]);
            changed.chain([vec![1], vec![0; 40]]).collect()
        }
        "debugger" => {
            let plain = PACKETS.iter().map(|text| with(&[0, 0], text.as_bytes()));
            let saved = piece(&saved::saved(0));
            let given = PACKETS.iter().rev().take(2);
            let given = given.map(|text| with(&[0, 2], &with(&saved, text.as_bytes())));
            plain.chain(given).chain(pc::debugger()).collect()
        }
        _ => Vec::new(),
    }
}
