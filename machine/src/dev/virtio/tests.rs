// SPDX-License-Identifier: Apache-2.0
//! Drivers as they should be, and as none should.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use proptest::prelude::*;

use super::*;
use crate::dev::bench::{Bench, MEMORY};
use crate::dev::medium::{Medium, BLOCK};
use crate::dev::MediumSlot;

const LINE: u32 = 1;
const SIZE: u32 = 8;
/// Where the queue of these drivers is: a page of its own, as the legacy interface wants it.
const TABLE: u64 = MEMORY as u64 + 0x1000;
const DRIVER: u64 = TABLE + 16 * SIZE as u64;
const DEVICE: u64 = TABLE + 0x1000;
const DATA: u64 = MEMORY as u64 + 0x4000;

/// A file of `blocks` blocks, of which each has its number in all its bytes.
fn file(blocks: usize) -> File {
    let mut file = tempfile();
    for number in 0..blocks {
        file.write_all(&[number as u8; BLOCK]).unwrap();
    }
    file
}

/// A file without a name.
fn tempfile() -> File {
    let name = format!(
        "switchyard-virtio-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    );
    let path = std::env::temp_dir().join(name);
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)
        .unwrap();
    std::fs::remove_file(path).unwrap();
    file
}

/// A disk of four blocks whose driver has set it up.
fn disk(legacy: bool) -> Bench<VirtioMmio<Block>> {
    let mut b = Bench::new(VirtioMmio::<Block>::new("disk", LINE));
    b.device.set_legacy(legacy);
    let medium = Medium::new(file(4), 4 * BLOCK as u64);
    b.device.backend.insert(medium);
    set_up(&mut b, legacy);
    b
}

fn set_up<B: Backend>(b: &mut Bench<VirtioMmio<B>>, legacy: bool) {
    b.write(STATUS, 0);
    b.write(STATUS, 3);
    if !legacy {
        b.write(DEVICE_FEATURES_SEL, 1);
        assert_eq!(b.read(DEVICE_FEATURES), 1, "VERSION_1");
        b.write(DRIVER_FEATURES_SEL, 1);
        b.write(DRIVER_FEATURES, 1);
        b.write(STATUS, 11);
        assert_eq!(b.read(STATUS), 11);
    }
    for queue in 0..B::QUEUES as u32 {
        b.write(QUEUE_SEL, queue);
        assert_eq!(b.read(QUEUE_NUM_MAX), queue::MOST);
        b.write(QUEUE_NUM, SIZE);
        let at = 0x2000 * queue;
        if legacy {
            b.write(GUEST_PAGE_SIZE, 4096);
            b.write(QUEUE_ALIGN, 4096);
            b.write(QUEUE_PFN, (TABLE as u32 + at) / 4096);
        } else {
            b.write(QUEUE_DESC_LOW, TABLE as u32 + at);
            b.write(QUEUE_DRIVER_LOW, DRIVER as u32 + at);
            b.write(QUEUE_DEVICE_LOW, DEVICE as u32 + at);
            b.write(QUEUE_READY, 1);
        }
    }
    b.write(STATUS, if legacy { 7 } else { 15 });
}

fn put<D>(b: &mut Bench<D>, at: u64, bytes: &[u8]) {
    let at = (at - u64::from(MEMORY)) as usize;
    b.memory[at..at + bytes.len()].copy_from_slice(bytes);
}

fn get<D>(b: &Bench<D>, at: u64, bytes: usize) -> &[u8] {
    let at = (at - u64::from(MEMORY)) as usize;
    &b.memory[at..at + bytes]
}

fn descriptor(at: u64, bytes: u32, flags: u16, next: u16) -> Vec<u8> {
    let mut all = at.to_le_bytes().to_vec();
    all.extend(bytes.to_le_bytes());
    all.extend(flags.to_le_bytes());
    all.extend(next.to_le_bytes());
    all
}

/// Makes the chain at descriptor 0 available for the `nth` time, in queue number `queue`.
fn offer<D: Device>(b: &mut Bench<D>, queue: u64, nth: u16) {
    let driver = DRIVER + 0x2000 * queue;
    put(
        b,
        driver + 4 + 2 * u64::from((nth - 1) % SIZE as u16),
        &[0, 0],
    );
    put(b, driver + 2, &nth.to_le_bytes());
    b.write(QUEUE_NOTIFY, queue as u32);
}

/// A request for blocks.
fn request(b: &mut Bench<VirtioMmio<Block>>, kind: u32, sector: u64, bytes: u32, nth: u16) -> u8 {
    let mut header = kind.to_le_bytes().to_vec();
    header.extend([0; 4]);
    header.extend(sector.to_le_bytes());
    put(b, DATA, &header);
    let write = if kind == 0 { 2 } else { 0 };
    let chain = [
        descriptor(DATA, 16, 1, 1),
        descriptor(DATA + 0x1000, bytes, 1 | write, 2),
        descriptor(DATA + 0x100, 1, 2, 0),
    ];
    put(b, TABLE, &chain.concat());
    put(b, DATA + 0x100, &[0xaa]);
    offer(b, 0, nth);
    get(b, DATA + 0x100, 1)[0]
}

#[test]
fn blocks_are_read_and_written() {
    for legacy in [false, true] {
        let mut b = disk(legacy);
        assert_eq!(b.read(VERSION), if legacy { 1 } else { 2 });
        assert_eq!((b.read(DEVICE_ID), b.read(CONFIG)), (2, 4));
        assert_eq!(request(&mut b, 0, 2, 1024, 1), 0);
        let data = get(&b, DATA + 0x1000, 1024);
        assert_eq!((data[0], data[511], data[512], data[1023]), (2, 2, 3, 3));
        assert_eq!(get(&b, DEVICE + 2, 2), [1, 0]);
        assert_eq!(get(&b, DEVICE + 4, 8), [0, 0, 0, 0, 1, 4, 0, 0]);
        assert_eq!((b.lines, b.read(INTERRUPT_STATUS)), (1 << LINE, 1));
        b.write(INTERRUPT_ACK, 1);
        assert_eq!(b.lines, 0);
        put(&mut b, DATA + 0x1000, &[9; 512]);
        assert_eq!(request(&mut b, 1, 1, 512, 2), 0);
        assert_eq!(request(&mut b, 0, 1, 512, 3), 0);
        assert_eq!(get(&b, DATA + 0x1000, 512), [9; 512]);
        assert_eq!(request(&mut b, 4, 0, 0, 4), 0, "flush");
        assert_eq!(request(&mut b, 99, 0, 0, 5), 2, "unsupported");
        assert!(b.dma.writes > 0);
    }
}

#[test]
fn what_is_written_goes_into_the_file_at_the_end() {
    let file = file(4);
    let mut seen = file.try_clone().unwrap();
    let mut b = disk(false);
    b.device.backend.insert(Medium::new(file, 2048));
    put(&mut b, DATA + 0x1000, &[7; 512]);
    assert_eq!(request(&mut b, 1, 3, 512, 1), 0);
    b.device.backend.medium().unwrap().write_back().unwrap();
    let mut bytes = Vec::new();
    seen.seek(SeekFrom::Start(0)).unwrap();
    seen.read_to_end(&mut bytes).unwrap();
    assert_eq!(
        (bytes[0], bytes[1535], bytes[1536], bytes.len()),
        (0, 2, 7, 2048)
    );
}

#[test]
fn blocks_that_are_not_there_are_an_error() {
    let mut b = disk(false);
    assert_eq!(request(&mut b, 0, 3, 1024, 1), 1);
    assert_eq!(request(&mut b, 1, u64::MAX, 512, 2), 1);
    assert_eq!(request(&mut b, 0, 0, 100, 3), 1);
    assert_eq!(b.read(STATUS), 15, "the device is well");
}

#[test]
fn a_driver_may_ask_for_no_interrupt() {
    let mut b = disk(false);
    put(&mut b, DRIVER, &[1, 0]);
    request(&mut b, 0, 0, 512, 1);
    assert_eq!((b.lines, get(&b, DEVICE + 2, 1)[0]), (0, 1));
}

#[test]
fn what_no_driver_may_write_needs_a_reset() {
    type Change = fn(&mut Bench<VirtioMmio<Block>>);
    let changes: [Change; 7] = [
        // a chain without an end
        |b| put(b, TABLE, &descriptor(DATA, 16, 1, 0)),
        // a descriptor that the table does not have
        |b| put(b, TABLE, &descriptor(DATA, 16, 1, SIZE as u16)),
        // no memory
        |b| put(b, TABLE, &descriptor(u64::MAX - 3, 16, 0, 0)),
        |b| put(b, TABLE, &descriptor(0x1000, 16, 0, 0)),
        // a table of its own
        |b| put(b, TABLE, &descriptor(DATA, 16, 4, 0)),
        // no room for the status
        |b| put(b, TABLE, &descriptor(DATA, 16, 0, 0)),
        // what is read after what is written
        |b| {
            put(b, TABLE, &descriptor(DATA, 16, 3, 1));
            put(b, TABLE + 16, &descriptor(DATA, 16, 0, 0));
        },
    ];
    for change in changes {
        let mut b = disk(false);
        change(&mut b);
        offer(&mut b, 0, 1);
        assert_eq!(b.read(STATUS), 15 | NEEDS_RESET);
        assert_eq!(b.read(INTERRUPT_STATUS), CHANGED);
        set_up(&mut b, false);
        put(&mut b, DRIVER + 2, &[0, 0]);
        assert_eq!(request(&mut b, 0, 1, 512, 1), 0, "well again");
    }
    let mut b = disk(false);
    put(&mut b, DRIVER + 2, &(SIZE as u16 + 1).to_le_bytes());
    b.write(QUEUE_NOTIFY, 0);
    assert_eq!(b.read(STATUS), 15 | NEEDS_RESET, "more than there are");
}

#[test]
fn features_that_were_not_offered_are_not_taken() {
    let mut b = disk(false);
    b.write(STATUS, 0);
    b.write(DRIVER_FEATURES_SEL, 1);
    b.write(DRIVER_FEATURES, 1);
    b.write(DRIVER_FEATURES_SEL, 0);
    b.write(DRIVER_FEATURES, 1 << 28);
    b.write(STATUS, 3 | FEATURES_OK);
    assert_eq!(b.read(STATUS), 3, "with indirect descriptors");
    b.write(DRIVER_FEATURES, 1 << 9);
    b.write(STATUS, 3 | FEATURES_OK);
    assert_eq!(b.read(STATUS), 11);
}

/// xv6's driver, and others that know of 32 features only, work so on QEMU.
#[test]
fn a_driver_need_not_take_version_1() {
    let mut b = disk(false);
    b.write(STATUS, 0);
    b.write(STATUS, 3);
    let offered = b.read(DEVICE_FEATURES);
    b.write(DRIVER_FEATURES, offered & !(1 << 9));
    b.write(STATUS, 3 | FEATURES_OK);
    assert_eq!(b.read(STATUS), 11);
}

#[test]
fn an_empty_slot_has_no_device() {
    let mut b = Bench::new(VirtioMmio::<Block>::new("disk", LINE));
    assert_eq!(
        [MAGIC_VALUE, VERSION, DEVICE_ID].map(|at| b.read(at)),
        [MAGIC, 1, 0]
    );
    b.write(STATUS, 1);
    assert_eq!((b.read(STATUS), b.read(CONFIG)), (0, 0));
}

#[test]
fn frames_come_and_go() {
    for legacy in [false, true] {
        let header = if legacy { 10 } else { 12 };
        let mut b = Bench::new(VirtioMmio::<Net>::new("net", LINE));
        b.device.set_legacy(legacy);
        b.host.net.cable = true;
        set_up(&mut b, legacy);
        assert_eq!(
            (b.read(DEVICE_ID), b.read_part(CONFIG, Width::Byte)),
            (1, 2)
        );
        // out
        put(&mut b, DATA, &[5; 200]);
        put(&mut b, TABLE + 0x2000, &descriptor(DATA, header + 80, 0, 0));
        offer(&mut b, 1, 1);
        assert_eq!(b.host.net.outgoing, [vec![5; 80]]);
        // one that is too short is filled up, one that is too long is lost
        put(&mut b, TABLE + 0x2000, &descriptor(DATA, header + 20, 0, 0));
        offer(&mut b, 1, 2);
        assert_eq!(b.host.net.outgoing[1].len(), 60);
        put(&mut b, TABLE + 0x2000, &descriptor(DATA, 3000, 0, 0));
        offer(&mut b, 1, 3);
        assert_eq!(b.host.net.outgoing.len(), 2);
        // in: the frame waits for a buffer
        b.host.net.incoming.push_back(vec![6; 100]);
        b.with(|net, ctx| net.network_arrived(ctx));
        assert_eq!(b.host.net.incoming.len(), 1);
        put(&mut b, TABLE, &descriptor(DATA, 2000, 2, 0));
        offer(&mut b, 0, 1);
        assert!(b.host.net.incoming.is_empty());
        let frame = get(&b, DATA + u64::from(header), 100);
        assert_eq!((frame[0], frame[99]), (6, 6));
        assert_eq!(get(&b, DEVICE + 8, 4), (header + 100).to_le_bytes());
    }
}

use crate::dev::{NetworkInterface, SerialPort};

/// A console that is plugged, and the host's.
fn console(legacy: bool) -> Bench<VirtioMmio<Console>> {
    let mut b = Bench::new(VirtioMmio::<Console>::new(CONSOLE, LINE));
    assert_eq!(b.read(DEVICE_ID), 0, "nobody has plugged it");
    assert!(b.device.plug());
    b.host.console = CONSOLE;
    b.device.set_legacy(legacy);
    set_up(&mut b, legacy);
    b
}

/// Behind the second queue.
const TEXT: u64 = DATA + 0x1000;

#[test]
fn a_console_says_what_is_sent_and_gives_what_is_typed() {
    for legacy in [true, false] {
        let mut b = console(legacy);
        assert_eq!(b.read(DEVICE_ID), 3);
        // out of a buffer in two parts
        put(&mut b, TEXT, b"hello");
        let chain = [descriptor(TEXT, 2, 1, 1), descriptor(TEXT + 2, 3, 0, 0)];
        put(&mut b, TABLE + 0x2000, &chain.concat());
        offer(&mut b, 1, 1);
        assert_eq!(b.host.output, b"hello");
        assert_eq!(get(&b, DEVICE + 0x2000 + 2, 2), [1, 0]);
        assert_eq!(b.read(INTERRUPT_STATUS), USED);
        b.write(INTERRUPT_ACK, USED);
        // what is typed waits for a buffer, which is given back as soon as there is something
        b.host.input.extend(b"typed");
        b.with(|console, ctx| console.input_arrived(ctx));
        assert_eq!((b.host.input.len(), b.read(INTERRUPT_STATUS)), (5, 0));
        put(&mut b, TABLE, &descriptor(TEXT, 3, 2, 0));
        offer(&mut b, 0, 1);
        assert_eq!(get(&b, TEXT, 5), b"typlo");
        assert_eq!(get(&b, DEVICE + 8, 4), 3u32.to_le_bytes());
        assert_eq!((b.host.input.len(), b.lines & 1 << LINE), (2, 1 << LINE));
        b.write(INTERRUPT_ACK, USED);
        offer(&mut b, 0, 2);
        assert_eq!(get(&b, TEXT, 2), b"ed");
        // a buffer that is there before anybody types
        offer(&mut b, 0, 3);
        assert_eq!(get(&b, DEVICE + 2, 2), [2, 0]);
        b.host.input.push_back(b'x');
        b.with(|console, ctx| console.input_arrived(ctx));
        assert_eq!(
            (get(&b, TEXT, 1), get(&b, DEVICE + 2, 2)),
            (&b"x"[..], &[3u8, 0][..])
        );
    }
}

#[test]
fn a_console_speaks_before_it_is_set_up() {
    let mut b = console(false);
    b.write(STATUS, 0);
    assert_eq!(b.read(DEVICE_FEATURES) & 4, 4, "EMERG_WRITE");
    for letter in *b"dead" {
        b.write(CONFIG + 8, letter.into());
    }
    b.write(CONFIG, 0x41); // columns: not the driver's
    assert_eq!(b.read(CONFIG), 0);
    assert_eq!(b.host.output, b"dead");
    // a buffer larger than any driver's is refused, not copied
    set_up(&mut b, false);
    put(&mut b, TABLE + 0x2000, &descriptor(DATA, 2 << 20, 0, 0));
    offer(&mut b, 1, 1);
    assert_eq!(b.read(STATUS) & NEEDS_RESET, NEEDS_RESET);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Rings and tables full of anything: no panic, no endless loop, and no byte outside of memory.
    #[test]
    fn a_hostile_driver_gets_nowhere(
        legacy: bool,
        bytes in prop::collection::vec(prop_oneof![3 => 0u8..9, 1 => any::<u8>()], 0x200),
        writes in prop::collection::vec((0u32..0x110, prop_oneof![
            Just(TABLE as u32), Just(TABLE as u32 >> 12), 0u32..300, any::<u32>()
        ]), 0..40),
        frames in 0usize..4,
    ) {
        let mut b = disk(legacy);
        put(&mut b, TABLE, &bytes);
        for (offset, value) in &writes {
            b.write(offset & !3, *value);
            b.write(QUEUE_NOTIFY, 0);
        }
        let mut b = Bench::new(VirtioMmio::<Net>::new("net", LINE));
        b.device.set_legacy(legacy);
        set_up(&mut b, legacy);
        put(&mut b, TABLE, &bytes);
        put(&mut b, TABLE + 0x2000, &bytes);
        for _ in 0..frames {
            b.host.net.incoming.push_back(vec![1; 64]);
        }
        for (offset, value) in &writes {
            b.write(offset & !3, *value);
            b.with(|net, ctx| net.network_arrived(ctx));
            b.write(QUEUE_NOTIFY, 1);
        }
        let mut b = console(legacy);
        put(&mut b, TABLE, &bytes);
        put(&mut b, TABLE + 0x2000, &bytes);
        for (offset, value) in writes {
            b.write(offset & !3, value);
            b.host.input.extend([1; 40]);
            b.with(|console, ctx| console.input_arrived(ctx));
            b.write(QUEUE_NOTIFY, 1);
        }
    }

    /// A driver whose own requests write to its ring cannot keep the device for ever.
    #[test]
    fn a_ring_that_is_written_to_by_its_requests_ends(at in 0u64..64) {
        let mut b = disk(false);
        let mut header = vec![0; 16];
        header[8] = 3;
        put(&mut b, DATA, &header);
        let chain = [
            descriptor(DATA, 16, 1, 1),
            descriptor(DRIVER + at, 513, 2, 0),
        ];
        put(&mut b, TABLE, &chain.concat());
        offer(&mut b, 0, 1);
    }
}
