// SPDX-License-Identifier: Apache-2.0
//! The price of things, by small loops on the machine as its file has it. What each should take follows
//! from the file's numbers and the rules of `ia32/cpu/timing.rs`, by hand.

use switchyard_machine::config::MachineConfig;
use switchyard_machine::ia32::config::Ia32Config;
use switchyard_machine::ia32::isa::insn::reg;

use super::rig::*;

const HLT: u8 = 0xf4;
const CR0_PG: u32 = 1 << 31;
const P: u32 = 1;
const RW: u32 = 2;
/// Where buffers are, far from code and tables.
const BUFFER: u32 = 0x20_0000;

fn willamette() -> MachineConfig {
    MachineConfig::find("p4-willamette").unwrap()
}

fn prices(machine: &MachineConfig) -> &Ia32Config {
    machine.ia32().unwrap()
}

fn rig() -> Rig {
    Rig::on(&willamette(), |_| ())
}

/// The cycles from the start of `at` until HLT has retired.
fn cycles(rig: &mut Rig, at: u32) -> u64 {
    rig.core.eip = at;
    let start = rig.core.mem.platform.cycle;
    while rig.core.dead.take().is_none() {
        rig.core.mem.platform.horizon = rig.core.mem.platform.cycle + 1000;
        rig.core.run_to_horizon();
    }
    rig.core.mem.platform.cycle - start
}

/// The cycles of 1000 rounds of `body` once all of it is warm: two µops a round more, for DEC and JNZ.
fn rounds(rig: &mut Rig, body: &[u8]) -> u64 {
    // mov ebp, N; 1: body; dec ebp; jnz 1b; hlt
    let mut code = vec![0xbd, 0, 0, 0, 0];
    code.extend(body);
    let back = (code.len() as u32 - 5 + 7).wrapping_neg();
    code.extend([0x4d, 0x0f, 0x85]);
    code.extend(back.to_le_bytes());
    code.push(HLT);
    rig.write(CODE, &code);
    let mut run = |count: u32| {
        // The constant is data to the rig, so the lines are built anew: the first run warms all.
        rig.set32(CODE + 1, count);
        cycles(rig, CODE);
        cycles(rig, CODE)
    };
    run(1000);
    let (once, twice) = (run(1000), run(2000));
    twice - once
}

/// What they take alone: DEC and JNZ.
fn empty_rounds() -> u64 {
    rounds(&mut rig(), &[])
}

#[test]
fn three_uops_enter_a_cycle() {
    // Seven additions to registers of their own, with DEC and JNZ nine µops.
    let body = [0xc0, 0xc1, 0xc2, 0xc3, 0xc6, 0xc7, 0xc0].map(|modrm| [0x83, modrm, 1]);
    assert_eq!(rounds(&mut rig(), &body.concat()), 3 * 1000);
}

#[test]
fn a_load_and_a_store_issue_a_cycle() {
    const LOAD: &[u8] = &[0x8b, 0x06]; // mov eax, [esi]
    const STORE: &[u8] = &[0x89, 0x1e]; // mov [esi], ebx
    const ADD: &[u8] = &[0x83, 0xc3, 1]; // add ebx, 1

    // What is in a round, and the sixths of a cycle that it takes.
    for (loads, stores, additions, expected) in [
        (6, 0, 0, 6 * 6),
        (0, 6, 0, 6 * 6),
        // Each has its port.
        (6, 4, 0, 6 * 6),
        // Fewer than one a cycle are µops as others: two of a store, two of the loop.
        (4, 0, 8, 14 * 2),
        (0, 3, 8, 16 * 2),
    ] {
        let mut rig = rig();
        rig.core.r[reg::ESI] = BUFFER;
        let body = [
            LOAD.repeat(loads),
            STORE.repeat(stores),
            ADD.repeat(additions),
        ]
        .concat();
        let took = rounds(&mut rig, &body);
        let expected = expected * 1000 / 6;
        assert!(took.abs_diff(expected) < 2, "{took}, {expected}");
    }
}

#[test]
fn a_chain_of_additions_takes_half_a_cycle_each() {
    let body = [0x83, 0xc0, 1].repeat(40); // add eax, 1
    assert_eq!(rounds(&mut rig(), &body), 20 * 1000);
}

#[test]
fn results_take_their_latency() {
    let machine = willamette();
    let latency = &prices(&machine).latency;
    for (insn, cycles) in [
        (&[0xd1, 0xe0][..], latency.shift),             // shl eax, 1
        (&[0x0f, 0xaf, 0xc0], latency.multiply),        // imul eax, eax
        (&[0x11, 0xc0], latency.complex),               // adc eax, eax
        (&[0x8d, 0x44, 0x40, 0x01], 1 + latency.shift), // lea eax, [eax + 2 eax + 1]
    ] {
        let body = insn.repeat(10);
        let expected = u64::from(10 * cycles) * 1000;
        let took = rounds(&mut rig(), &body);
        assert!(
            took.abs_diff(expected) <= 5500,
            "{insn:02x?}: {took}, {expected}"
        );
    }
}

/// A chain of pointers over `lines` lines, `stride` bytes apart.
fn chain(rig: &mut Rig, lines: u32, stride: u32) {
    for n in 0..lines {
        let next = (n + 1) % lines;
        rig.set32(BUFFER + n * stride, BUFFER + next * stride);
    }
    rig.core.r[reg::EAX] = BUFFER;
}

/// Cycles of a load of a chain: 8 of them a round.
fn per_load(rig: &mut Rig) -> u64 {
    let body = [0x8b, 0x00].repeat(8); // mov eax, [eax]
    (rounds(rig, &body) + 4000) / 8000
}

#[test]
fn a_load_takes_as_long_as_where_it_is() {
    let machine = willamette();
    let ia32 = prices(&machine);
    for (lines, expected) in [
        (32, ia32.latency.l1),
        (1024, ia32.latency.l2),
        (16384, ia32.latency.l2 + ia32.memory.latency),
    ] {
        let mut rig = rig();
        // Of a sector only the first line, which a read brings with the second.
        let stride = if lines < 1024 { 64 } else { 128 };
        chain(&mut rig, lines, stride);
        assert_eq!(per_load(&mut rig), u64::from(expected), "{lines} lines");
    }
}

#[test]
fn independent_misses_overlap() {
    let machine = willamette();
    let ia32 = prices(&machine);
    // mov eax, [esi]; add esi, 128, over and over: each a sector of its own.
    let mut rig = rig();
    rig.core.r[reg::ESI] = BUFFER;
    let body = [0x8b, 0x06, 0x81, 0xc6, 0x80, 0, 0, 0].repeat(4);
    rig.core.r[reg::ESI] = BUFFER;
    let took = rounds(&mut rig, &body) / 4000;
    let alone = u64::from(ia32.latency.l2 + ia32.memory.latency);
    // Two lines of bus for each, and no more than four at a time.
    let bus = 2 * u64::from(ia32.memory.line);
    assert!((bus..bus + 10).contains(&took), "{took}, alone {alone}");
}

#[test]
fn what_waits_fills_the_window() {
    let machine = willamette();
    let ia32 = prices(&machine);
    // A load that misses, then additions that do not need it: 200 of them do not all fit after it.
    let mut rig = rig();
    rig.core.r[reg::ESI] = BUFFER;
    let mut body = vec![0x8b, 0x06, 0x81, 0xc6, 0x80, 0, 0, 0];
    body.extend([0x90].repeat(200));
    let took = rounds(&mut rig, &body) / 1000;
    let alone = u64::from(ia32.latency.l2 + ia32.memory.latency);
    let entering = 204 / 3;
    // 125 instructions enter after the load; the rest after it, and before the next one.
    let expected = alone + (204 - 126) / 3;
    assert!(
        took > entering && took.abs_diff(expected) < 4,
        "{took}, {expected}"
    );
}

#[test]
fn a_mispredicted_branch_costs_the_pipeline() {
    let machine = willamette();
    let price = u64::from(prices(&machine).branch.mispredicted);
    // A generator of bits that no history of this length tells: shl edi; jnc; xor edi, polynomial.
    let mut rig = rig();
    rig.core.r[reg::EDI] = 0xace1_57bd;
    let body = [0xd1, 0xe7, 0x73, 0x06, 0x81, 0xf7, 0xb7, 0x1d, 0xc1, 0x04];
    let before = rig.core.mem.tally().branch;
    let took = rounds(&mut rig, &body);
    let after = rig.core.mem.tally().branch;
    let wrong = after.mispredicted - before.mispredicted;
    let executed = after.executed - before.executed;
    // Of two branches a round one is right by chance half of the time.
    assert!(
        wrong * 8 > executed && wrong * 2 < executed,
        "{wrong} of {executed}"
    );
    assert!(
        took > 1000 * price / 3 && took < 1000 * (price + 10),
        "{took}"
    );
}

#[test]
fn returns_are_predicted() {
    // call 1f; jmp 2f; 1: ret; 2:
    let body = [0xe8, 0x02, 0, 0, 0, 0xeb, 0x01, 0xc3];
    let mut rig = rig();
    let took = rounds(&mut rig, &body);
    let wrong = rig.core.mem.tally().branch.mispredicted;
    assert!(took < 8 * 1000, "{took}");
    assert!(wrong < 40, "{wrong}");
}

#[test]
fn microcode_has_its_price() {
    let machine = willamette();
    let price = &prices(&machine).price;
    let empty = empty_rounds();
    for (insn, cycles) in [
        (&[0x0f, 0x31][..], price.rdtsc),         // rdtsc
        (&[0x8e, 0xc2], price.segment),           // mov es, dx
        (&[0x31, 0xc0, 0x0f, 0xa2], price.cpuid), // xor eax, eax; cpuid
        (
            &[0x0f, 0x20, 0xdb, 0x0f, 0x22, 0xdb],
            price.cr3 + price.microcode,
        ), // mov ebx, cr3; mov cr3, ebx
        (&[0xe6, 0x80], price.port),              // out 0x80, al
    ] {
        let mut rig = rig();
        rig.core.r[reg::EDX] = u32::from(DATA0);
        let took = rounds(&mut rig, insn) - empty;
        let expected = u64::from(cycles) * 1000;
        // The µops of the instruction itself, and lines that a load of CR3 has emptied.
        assert!(
            (expected..expected + 60_000).contains(&took),
            "{insn:02x?}: {took}, {expected}"
        );
    }
}

#[test]
fn what_ports_take_is_counted() {
    let machine = willamette();
    let mut rig = rig();
    rig.write(CODE, &[0xe4, 0x80, 0x66, 0xe7, 0x80, HLT]); // in al, 0x80; out 0x80, ax
    let took = cycles(&mut rig, CODE);
    let counted = rig.core.mem.platform.counters.now.port;
    let price = u64::from(prices(&machine).price.port);
    assert_eq!((counted.accesses, counted.cycles), (2, 2 * price));
    assert!(took >= counted.cycles, "{took}");
}

#[test]
fn a_way_into_the_kernel_and_back_has_its_price() {
    let machine = willamette();
    let price = &prices(&machine).price;
    let mut rig = rig();
    rig.set8(handler(0x80), 0xcf); // iret
    let took = rounds(&mut rig, &[0xcd, 0x80]) / 1000;
    let expected = u64::from(price.interrupt + price.iret);
    assert!(
        (expected..expected + 20).contains(&took),
        "{took}, {expected}"
    );
}

#[test]
fn a_walk_has_its_price() {
    let machine = willamette();
    let ia32 = prices(&machine);
    let mut rig = rig();
    for n in 0..1024 {
        rig.set32(DIRECTORY + 0x1000 + 4 * n, n << 12 | P | RW);
    }
    rig.set32(DIRECTORY, (DIRECTORY + 0x1000) | P | RW);
    rig.core.set_controls([CR0_PG, DIRECTORY, 0]);
    // 128 pages, twice as many as the TLB has entries, which the data cache just holds.
    chain(&mut rig, 128, 4096 + 64);
    let took = per_load(&mut rig);
    assert_eq!(took, u64::from(ia32.walk.data + ia32.latency.l1));
    // With pages that the TLB has room for there is none.
    chain(&mut rig, 40, 4096 + 64);
    assert_eq!(per_load(&mut rig), u64::from(ia32.latency.l1));
}

#[test]
fn stores_are_buffered_until_the_buffers_are_full() {
    let machine = willamette();
    let ia32 = prices(&machine);
    // mov [esi], eax; add esi, 64; and esi, mask: lines that the second level has.
    let mut rig = rig();
    rig.core.r[reg::ESI] = BUFFER;
    let body = [
        0x89, 0x06, 0x83, 0xc6, 64, 0x81, 0xe6, 0xff, 0x0f, 0x20, 0x00,
    ];
    let took = rounds(&mut rig, &body);
    // Six µops a round; a line every two cycles.
    assert_eq!(took, 1000 * u64::from(ia32.latency.store).max(2));
    // Into one line they are combined.
    let took = rounds(&mut rig, &[0x89, 0x06]);
    assert!(took.abs_diff(1000 * 4 / 3) < 2, "{took}");
}

#[test]
fn locked_instructions_wait_for_all_before_them() {
    let machine = willamette();
    let ia32 = prices(&machine);
    let mut rig = rig();
    rig.core.r[reg::ESI] = BUFFER;
    // lock xadd [esi], eax
    let took = rounds(&mut rig, &[0xf0, 0x0f, 0xc1, 0x06]) / 1000;
    // The pipeline's length before it and after it.
    let pipeline = 2 * ia32.branch.mispredicted;
    let least = u64::from(ia32.latency.l2 + ia32.latency.store + pipeline);
    assert!((least..least + 20).contains(&took), "{took}");
    let plain = rounds(&mut rig, &[0x0f, 0xc1, 0x06]) / 1000;
    assert!(plain < took / 2, "{plain}");
}

#[test]
fn code_that_is_not_decoded_takes_an_instruction_a_cycle() {
    let mut rig = rig();
    // More instructions than the trace cache has µops, in order.
    const COUNT: u32 = 20_000;
    rig.write(BUFFER, &[0x90; COUNT as usize]);
    rig.set8(BUFFER + COUNT, HLT);
    cycles(&mut rig, BUFFER);
    let cold = cycles(&mut rig, BUFFER);
    // Its lines are in the second level, and are fetched ahead; a few are still decoded.
    assert!(cold.abs_diff(COUNT.into()) < 500, "{cold}");
    let short = BUFFER + COUNT - 3000;
    cycles(&mut rig, short);
    let warm = cycles(&mut rig, short);
    assert!((1000..1040).contains(&warm), "{warm}");
}

#[test]
fn a_saved_window_goes_on_the_same() {
    use switchyard_machine::state::{Restorer, Saver, State};
    let mut rig = rig();
    chain(&mut rig, 300, 128);
    per_load(&mut rig);
    let mut saver = Saver::default();
    rig.core.save(&mut saver);
    let bytes = saver.into_bytes();
    let first = cycles(&mut rig, CODE);
    rig.core.restore(&mut Restorer::new(&bytes)).unwrap();
    assert_eq!(cycles(&mut rig, CODE), first);
}
