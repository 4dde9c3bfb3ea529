// SPDX-License-Identifier: Apache-2.0
//! Guests on the small PC: interrupts, time and characters through the devices of its board.

use switchyard_machine::arch::Processor;
use switchyard_machine::dev::cycle_of;
use switchyard_machine::gdb;
use switchyard_machine::ia32::cpu::core::Core;
use switchyard_machine::ia32::isa::flags::IF;
use switchyard_machine::ia32::isa::insn::reg;
use switchyard_machine::machine::{Machine, Stop};
use switchyard_machine::registry;
use switchyard_machine::snapshot::{self, Saved};
use switchyard_machine::state::{Restorer, Saver, State};

use super::rig::*;

/// The vectors of IRQ 0 and IRQ 8 in these tests.
const IRQ0: u8 = 0x20;
const IRQ8: u8 = 0x28;
const CLOCK_HZ: u64 = 1_400_000_000;

/// A rig that stands in a machine.
struct Pc(Machine<Core>);

/// The first cycle of a tick of the timer's clock.
fn tick(tick: u64) -> u64 {
    cycle_of(tick, 105_000_000, 88 * CLOCK_HZ)
}

fn out(rig: &mut Rig, port: u16, bytes: &[u32]) {
    for byte in bytes {
        rig.core.mem.write_port::<1>(port, *byte);
    }
}

/// The interrupt controllers as Linux sets them up, with these masks.
fn unmask(rig: &mut Rig, first: u32, second: u32) {
    out(rig, 0x20, &[0x11]);
    out(rig, 0x21, &[u32::from(IRQ0), 0x04, 0x01, first]);
    out(rig, 0xa0, &[0x11]);
    out(rig, 0xa1, &[u32::from(IRQ8), 0x02, 0x01, second]);
}

/// Counter 0 in mode 2, with IRQ 0 alone unmasked.
fn timer(rig: &mut Rig, count: u32) {
    out(rig, 0x43, &[0x34]);
    out(rig, 0x40, &[count & 0xff, count >> 8]);
    unmask(rig, 0xfe, 0xff);
}

impl Pc {
    /// A machine with what the rig holds, at `CODE`.
    fn new(rig: &Rig) -> Self {
        let config = super::rig::config();
        assert_eq!(config.clock_hz, CLOCK_HZ);
        let parts = (registry::board(&config.board).unwrap().parts)(config.ram_bytes);
        let mut machine: Machine<Core> = Machine::new(config, parts, ());
        let mut saver = Saver::default();
        rig.core.save(&mut saver);
        let saved = saver.into_bytes();
        machine
            .core()
            .restore(&mut Restorer::new(&saved))
            .expect("the same machine");
        let (base, bytes) = machine.bus().ram_window();
        let from = &rig.core.mem.platform.bus;
        let ram = from.ram_slice(base, bytes as usize).unwrap();
        let to = machine.bus().ram_slice_mut(base, bytes as usize).unwrap();
        to.copy_from_slice(ram);
        machine.core().eip = CODE;
        Self(machine)
    }

    /// Runs to this cycle, which must be what ends it.
    fn run_to(&mut self, cycle: u64) {
        assert_eq!(self.0.run(cycle), Stop::Budget);
    }

    fn get32(&mut self, at: u32) -> u32 {
        let bytes = self.0.bus().ram_slice(at, 4).unwrap();
        u32::from_le_bytes(bytes.try_into().unwrap())
    }
}

/// push eax; inc dword [DATA]; mov al, 0x20; out 0x20, al; pop eax; iret
fn counting_handler(rig: &mut Rig, vector: u8) {
    let at = handler(vector);
    rig.write(at, &[0x50, 0xff, 0x05]);
    rig.set32(at + 3, DATA);
    rig.write(at + 7, &[0xb0, 0x20, 0xe6, 0x20, 0x58, 0xcf]);
    rig.set32(DATA, 0);
}

#[test]
fn the_timer_interrupts_at_its_rate() {
    let mut rig = Rig::new();
    counting_handler(&mut rig, IRQ0);
    // sti; inc ebx; jmp to it
    rig.write(CODE, &[0xfb, 0x43, 0xeb, 0xfd]);
    rig.core.r[reg::EBX] = 0;
    timer(&mut rig, 1193);
    let mut pc = Pc::new(&rig);
    let after = |pc: &mut Pc, periods: u64| {
        pc.run_to(tick(periods * 1193 + 2));
        pc.get32(DATA)
    };
    assert_eq!(after(&mut pc, 1), 1);
    assert_eq!(after(&mut pc, 2), 2);
    assert_eq!(after(&mut pc, 10), 10);
    assert!(pc.0.core().r[reg::EBX] > 1_000_000);
}

#[test]
fn hlt_wakes_at_the_cycle_of_the_edge() {
    let mut rig = Rig::new();
    // sti; hlt
    rig.write(CODE, &[0xfb, 0xf4]);
    timer(&mut rig, 0x1000);
    let mut pc = Pc::new(&rig);
    let edge = tick(0x1001);
    pc.run_to(edge - 1);
    assert_eq!((pc.0.core().eip, pc.0.cycles()), (CODE + 2, edge - 1));
    assert!(pc.0.core().waits_for_interrupt());
    pc.run_to(edge);
    assert_eq!(pc.0.core().eip, handler(IRQ0));
    // The frame's three words are stored, one a cycle.
    assert_eq!(pc.0.cycles(), edge + 3);
    let top = pc.0.core().r[reg::ESP];
    assert_eq!(pc.get32(top), CODE + 2);
    assert!(pc.0.counters().totals().sum().run.idle > edge - 20);
}

#[test]
fn hlt_with_interrupts_masked_is_the_end() {
    let mut rig = Rig::new();
    rig.core.set_eflags(0);
    rig.write(CODE, &[0xf4]);
    timer(&mut rig, 0x1000);
    let mut pc = Pc::new(&rig);
    let why = "halts at 0x00010000 with interrupts masked".to_string();
    assert_eq!(pc.0.run(u64::MAX), Stop::Hung(why));
}

#[test]
fn an_interrupt_comes_behind_the_instruction_after_sti() {
    let mut rig = Rig::new();
    // dec esi; jnz to it; sti; inc ecx; inc ecx
    rig.write(CODE, &[0x4e, 0x75, 0xfd, 0xfb, 0x41, 0x41]);
    rig.core.r[reg::ESI] = 20_000;
    rig.core.r[reg::ECX] = 0;
    timer(&mut rig, 3);
    let mut pc = Pc::new(&rig);
    let start = pc.0.cycles();
    // The handler halts.
    assert!(matches!(pc.0.run(u64::MAX), Stop::Hung(_)));
    assert_eq!(pc.0.core().r[reg::ECX], 1);
    let top = pc.0.core().r[reg::ESP];
    assert_eq!(pc.get32(top), CODE + 5);
    // Two µops a round, three a cycle.
    assert!((13_333..13_360).contains(&(pc.0.cycles() - start)));
}

#[test]
fn an_interrupt_that_went_away_is_a_spurious_irq_7() {
    let mut rig = Rig::new();
    // mov al, 0x0b; out 0x20, al; in al, 0x20; mov [DATA], al; hlt
    let at = handler(IRQ0 + 7);
    rig.write(at, &[0xb0, 0x0b, 0xe6, 0x20, 0xe4, 0x20, 0xa2]);
    rig.set32(at + 7, DATA);
    rig.set8(at + 11, 0xf4);
    rig.set32(DATA, 0xff);
    rig.core.set_eflags(IF);
    unmask(&mut rig, 0, 0);
    let mut pc = Pc::new(&rig);
    // The devices of this board never take a request back between the processor's look at its pin and
    // its acknowledge cycle; a glitch of the line would.
    let vector = pc.0.core().platform_mut().acknowledge();
    assert_eq!(vector, Some(IRQ0 + 7));
    pc.0.core().interrupt(IRQ0 + 7);
    assert!(matches!(pc.0.run(1000), Stop::Hung(_)));
    assert_eq!(pc.get32(DATA), 0, "nothing is in service");
}

#[test]
fn a_handler_behind_a_trap_gate_gets_on() {
    let mut rig = Rig::new();
    // The transmitter of serial0 asks all the time: a level-triggered line, interrupts that end by
    // themselves, and a handler that is interrupted by it again.
    rig.set_gate(IRQ0 + 4, gate(CODE0, handler(IRQ0 + 4), 0x8f, 0));
    rig.write(handler(IRQ0 + 4), &[0x41, 0xeb, 0xfd]); // inc ecx; jmp to it
    rig.write(CODE, &[0xfb, 0xeb, 0xfe]); // sti; jmp to itself
    rig.core.r[reg::ECX] = 0;
    unmask(&mut rig, 0xef, 0xff);
    out(&mut rig, 0x20, &[0x11]);
    out(&mut rig, 0x21, &[u32::from(IRQ0), 0x04, 0x03, 0xef]);
    out(&mut rig, 0x4d0, &[0x10]);
    out(&mut rig, 0x3fc, &[0x08]);
    out(&mut rig, 0x3f9, &[0x02]);
    let mut pc = Pc::new(&rig);
    pc.run_to(1000);
    // Three words are pushed for each interrupt, one a cycle, and an instruction comes before the next.
    assert!(pc.0.core().r[reg::ECX] > 200);
}

#[test]
fn serial_input_is_echoed_by_interrupts() {
    let mut rig = Rig::new();
    // mov dx, 0x3f8; in al, dx; out dx, al; mov al, 0x20; out 0x20, al; iret
    let echo = [
        0x66, 0xba, 0xf8, 0x03, 0xec, 0xee, 0xb0, 0x20, 0xe6, 0x20, 0xcf,
    ];
    rig.write(handler(IRQ0 + 4), &echo);
    rig.write(CODE, &[0xfb, 0xf4, 0xeb, 0xfd]); // sti; hlt; jmp to it
    unmask(&mut rig, 0xef, 0xff);
    out(&mut rig, 0x3fb, &[0x83]);
    // 16 bits at once are two ports: the divisor.
    rig.core.mem.write_port::<2>(0x3f8, 1);
    out(&mut rig, 0x3fb, &[0x03]);
    out(&mut rig, 0x3fc, &[0x0b]);
    out(&mut rig, 0x3f9, &[0x01]);
    let mut pc = Pc::new(&rig);
    let instructions = |pc: &mut Pc| pc.0.counters().totals().sum().run.instructions;
    let start = instructions(&mut pc);
    pc.0.type_input(b"echo\n");
    // Then nothing would ever wake it.
    assert!(matches!(pc.0.run(CLOCK_HZ / 1000), Stop::Hung(_)));
    assert_eq!(pc.0.bus().host.output, b"echo\n");
    // It slept in between: six instructions of the handler and two outside for each character.
    assert_eq!(instructions(&mut pc) - start, 2 + 5 * 8);
}

#[test]
fn the_tsc_is_calibrated_against_counter_2() {
    const COUNT: u32 = 1193;
    let mut rig = Rig::new();
    rig.core.set_eflags(0);
    let [low, high] = (COUNT as u16).to_le_bytes();
    #[rustfmt::skip]
    rig.write(CODE, &[
        0xb0, 0x01, 0xe6, 0x61, // mov al, 1; out 0x61, al
        0xb0, 0xb0, 0xe6, 0x43, // mov al, 0xb0; out 0x43, al: mode 0
        0xb0, low,  0xe6, 0x42,
        0xb0, high, 0xe6, 0x42,
        0x0f, 0x31, 0x89, 0xc3, // rdtsc; mov ebx, eax
        0xe4, 0x61, 0xa8, 0x20, // in al, 0x61; test al, 0x20
        0x74, 0xfa,             // jz to in
        0x0f, 0x31, 0x29, 0xd8, // rdtsc; sub eax, ebx
        0xf4,                   // hlt
    ]);
    let mut pc = Pc::new(&rig);
    assert!(matches!(pc.0.run(u64::MAX), Stop::Hung(_)));
    // A tick until the count is in the counter, and up to one that has begun.
    let took = u64::from(pc.0.core().r[reg::EAX]);
    let expected = tick(u64::from(COUNT));
    assert!((expected..expected + 1200).contains(&took), "{took}");
}

#[test]
fn ports_are_bytes_and_what_nobody_has_is_ones() {
    let mut rig = Rig::new();
    let mem = &mut rig.core.mem;
    mem.write_port::<4>(0x3fc, 0xa5ff_ff03);
    assert_eq!(mem.read_port::<4>(0x3fc), 0xa5b0_6003);
    assert_eq!(mem.read_port::<2>(0x3fe), 0xa5b0);
    assert_eq!(mem.read_port::<1>(0x3ff), 0xa5);
    // Across the end of a window.
    assert_eq!(mem.read_port::<4>(0x3fd), 0xffa5_b060);
    assert_eq!(mem.read_port::<4>(0xcf8), u32::MAX);
    assert_eq!(mem.read_port::<2>(0xcf8), 0xffff);
    assert_eq!(mem.read_port::<1>(0xf0), 0xff);
}

/// A rig in which every device has something under way, and interrupts that count and echo.
fn busy() -> Rig {
    let mut rig = Rig::new();
    counting_handler(&mut rig, IRQ0);
    // push eax; read register C; end the interrupt in both controllers; pop eax; iret
    let clock = [
        0x50, 0xb0, 0x0c, 0xe6, 0x70, 0xe4, 0x71, 0xb0, 0x20, 0xe6, 0xa0, 0xe6, 0x20, 0x58, 0xcf,
    ];
    rig.write(handler(IRQ8), &clock);
    // mov dx, 0x3f8; in al, dx; out dx, al; mov al, 0x20; out 0x20, al; iret
    let echo = [
        0x66, 0xba, 0xf8, 0x03, 0xec, 0xee, 0xb0, 0x20, 0xe6, 0x20, 0xcf,
    ];
    rig.write(handler(IRQ0 + 4), &echo);
    rig.write(CODE, &[0xfb, 0xf4, 0xeb, 0xfd]); // sti; hlt; jmp to it
    timer(&mut rig, 1193);
    unmask(&mut rig, 0xea, 0xfe);
    // Counter 2 counts in BCD, half of a count of counter 1 is written.
    out(&mut rig, 0x61, &[1]);
    out(&mut rig, 0x43, &[0xb7, 0x70]);
    out(&mut rig, 0x42, &[0x99, 0x09]);
    out(&mut rig, 0x41, &[0x12]);
    // Periodic interrupts of 1024 Hz; FIFOs with a level of 14; a frame of 1500 bytes goes out.
    out(&mut rig, 0x70, &[0x0b]);
    out(&mut rig, 0x71, &[0x42]);
    out(&mut rig, 0x3fb, &[0x83]);
    out(&mut rig, 0x3f8, &[3]);
    out(&mut rig, 0x3fb, &[0x03]);
    out(&mut rig, 0x3fa, &[0xc1]);
    out(&mut rig, 0x3fc, &[0x0b]);
    out(&mut rig, 0x3f9, &[0x01]);
    out(&mut rig, 0x300, &[0x22]);
    out(&mut rig, 0x305, &[0xdc]);
    out(&mut rig, 0x306, &[0x05]);
    out(&mut rig, 0x300, &[0x26]);
    rig
}

#[test]
fn a_saved_machine_goes_on_as_if_it_had_not_stopped() {
    const END: u64 = CLOCK_HZ / 100;
    let rig = busy();
    let text: Vec<u8> = (b'a'..=b'z').collect();
    let saved = |pc: &mut Pc| {
        let mut file = Vec::new();
        snapshot::save(&mut pc.0, &mut file).expect("memory can be written");
        file
    };
    let mut straight = Pc::new(&rig);
    straight.0.type_input(&text);
    straight.run_to(END);
    assert_eq!(straight.get32(DATA), 10);
    // From the fourteenth character on one is taken for each that comes, then one for each timeout.
    assert_eq!(straight.0.bus().host.output, text[..13 + 3]);
    let expected = saved(&mut straight);

    let mut pc = Pc::new(&rig);
    pc.0.type_input(&text);
    while pc.0.cycles() < END {
        let next = pc.0.cycles() + 333_333;
        pc.run_to(next.min(END));
        let file = saved(&mut pc);
        pc = Pc::new(&Rig::new());
        let opened = Saved::open(&file[..]).expect("a saved machine");
        opened.restore(&mut pc.0).expect("it can be restored");
    }
    assert!(saved(&mut pc) == expected, "something was lost");
}

#[test]
fn the_clock_interrupts_through_the_second_controller() {
    let mut rig = Rig::new();
    rig.write(CODE, &[0xfb, 0xf4]); // sti; hlt
                                    // mov al, 0x0c; out 0x70, al; in al, 0x71; mov [DATA], al; hlt
    let at = handler(IRQ8);
    rig.write(at, &[0xb0, 0x0c, 0xe6, 0x70, 0xe4, 0x71, 0xa2]);
    rig.set32(at + 7, DATA);
    rig.set8(at + 11, 0xf4);
    unmask(&mut rig, 0xfb, 0xfe);
    out(&mut rig, 0x70, &[0x0b]);
    out(&mut rig, 0x71, &[0x12]);
    let mut pc = Pc::new(&rig);
    assert!(matches!(pc.0.run(u64::MAX), Stop::Hung(_)));
    assert!((CLOCK_HZ..CLOCK_HZ + 10).contains(&pc.0.cycles()));
    assert_eq!(pc.get32(DATA) & 0xff, 0xd0);
}

#[test]
fn a_reset_switches_the_machine_off() {
    let mut rig = Rig::new();
    // mov al, 0xfe; out 0x64, al; jmp to itself
    rig.write(CODE, &[0xb0, 0xfe, 0xe6, 0x64, 0xeb, 0xfe]);
    let mut pc = Pc::new(&rig);
    let start = pc.0.cycles();
    assert_eq!(pc.0.run(u64::MAX), Stop::PowerOff("reset of the processor"));
    assert!(pc.0.cycles() - start < 10);
}

/// A machine that sleeps until a frame comes, which it takes by string instructions to `DATA`.
fn receiver() -> Pc {
    let mut rig = Rig::new();
    rig.write(CODE, &[0xfb, 0xf4]); // sti; hlt
                                    // mov dx, 0x310; rep insw; insd; hlt
    let take = [0x66, 0xba, 0x10, 0x03, 0x66, 0xf3, 0x6d, 0x6d, 0xf4];
    rig.write(handler(IRQ8 + 1), &take);
    rig.core.r[reg::ECX] = 30;
    rig.core.r[reg::EDI] = DATA;
    unmask(&mut rig, 0xfb, 0xfd);
    // A ring from page 0x46 on, broadcasts, interrupts of received frames; then remote DMA of what will
    // be there.
    for (register, value) in [
        (0x0, 0x21),
        (0xe, 0x49),
        (0x1, 0x46),
        (0x2, 0x80),
        (0x3, 0x7f),
        (0xc, 0x04),
        (0xf, 0x01),
        (0x0, 0x61),
        (0x7, 0x46),
        (0x0, 0x22),
        (0x8, 0x00),
        (0x9, 0x46),
        (0xa, 64),
        (0xb, 0),
        (0x0, 0x0a),
    ] {
        out(&mut rig, 0x300 + register, &[value]);
    }
    Pc::new(&rig)
}

fn broadcast() -> Vec<u8> {
    [0xff; 6].into_iter().chain(0x40..0x76).collect()
}

#[test]
fn a_frame_comes_in_by_interrupt_and_string_instructions() {
    let mut pc = receiver();
    let frame = broadcast();
    pc.0.set_cable(true);
    pc.0.frame_comes(frame.clone());
    pc.0.network_arrived();
    let start = pc.0.cycles();
    assert!(matches!(pc.0.run(u64::MAX), Stop::Hung(_)));
    // 84 bytes at 10 Mbit/s, then the handler.
    let comes = start + 84 * CLOCK_HZ / 1_250_000;
    assert!((comes..comes + 40).contains(&pc.0.cycles()));
    let taken = pc.0.bus().ram_slice(DATA, 64).unwrap();
    assert_eq!(taken[..4], [0x21, 0x47, 64, 0]);
    assert_eq!(taken[4..], frame);
}

/// A debugger goes back to before a frame came, and on again: it comes again at the same cycle.
#[test]
fn a_frame_of_the_past_comes_again() {
    let mut pc = receiver();
    let mut file = Vec::new();
    snapshot::save(&mut pc.0, &mut file).unwrap();
    let config = super::rig::config();
    let parts = (registry::board(&config.board).unwrap().parts)(config.ram_bytes);
    let mut machine: Machine<Core<gdb::Watch>> = Machine::new(config, parts, gdb::Watch::default());
    Saved::open(&file[..])
        .unwrap()
        .restore(&mut machine)
        .unwrap();

    let memory = format!("m{DATA:x},40");
    let now = "qRcmd,6379636c6573"; // "cycles"
                                    // until it sleeps for good; to the beginning; there again
    let asked = [
        "vCont;c", now, &memory, "bc", now, &memory, "vCont;c", now, &memory,
    ];
    // as many acknowledgements as slices that an answer may take
    let packet = |text: &str| {
        let sum = text.bytes().fold(0u8, u8::wrapping_add);
        format!("{:+<64}${text}#{sum:02x}", "").into_bytes()
    };
    let bytes = asked.iter().flat_map(|text| packet(text)).collect();
    let mut script = gdb::Recorded::new(bytes);
    let mut frames = vec![broadcast()];
    let mut between = |machine: &mut Machine<_>, stop| match (stop, frames.pop()) {
        (Stop::Budget, _) => None,
        (_, Some(frame)) => {
            machine.set_cable(true);
            machine.frame_comes(frame);
            machine.network_arrived();
            None
        }
        (stop, None) => Some(stop),
    };
    gdb::converse(&mut script, &mut machine, u64::MAX, &mut between, None);
    let said = String::from_utf8_lossy(&script.answer).into_owned();
    let answers: Vec<&str> = said
        .split('$')
        .map(|part| part.trim_end_matches('+'))
        .filter(|part| !part.starts_with("OK"))
        .collect();
    let [_, hung, cycle, taken, begins, start, nothing, hung_again, same_cycle, same] = answers[..]
    else {
        panic!("{said}");
    };
    assert!(
        hung.starts_with("T06") && hung_again.starts_with("T06"),
        "{said}"
    );
    assert!(taken.starts_with("21474000f*"), "{said}");
    assert!(begins.starts_with("T05replaylog:begin;"), "{said}");
    assert_ne!(nothing, taken);
    assert_ne!(start, cycle);
    assert_eq!((cycle, taken), (same_cycle, same), "{said}");
}
