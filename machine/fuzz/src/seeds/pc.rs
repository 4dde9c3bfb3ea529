// SPDX-License-Identifier: Apache-2.0
//! Seeds of the PC: IA-32 code, kernels in each form that its loader takes, its devices' ports.

use super::{elf, number, piece, small};

const MACHINE: &str = "p4-willamette";

/// `jmp` to itself.
const STAY: [u8; 2] = [0xeb, 0xfe];

/// Code by kinds of instructions, of which the fuzzer makes the others.
#[rustfmt::skip]
const CODE: [&[u8]; 9] = [
    // integers: addresses, sizes, locks, bits, the stack
    &[0x01, 0x54, 0x88, 0x08,                // add [eax+ecx*4+8], edx
      0x66, 0x2b, 0x05, 0x00, 0x20, 0, 0,    // sub ax, [0x2000]
      0x67, 0x13, 0x40, 0x10,                // adc eax, [bx+si+0x10]
      0xf0, 0x0f, 0xc7, 0x0e,                // lock cmpxchg8b [esi]
      0xf0, 0x0f, 0xc1, 0x03,                // lock xadd [ebx], eax
      0x0f, 0xab, 0x07, 0x0f, 0xba, 0x27, 5, // bts [edi], eax; bt dword [edi], 5
      0x0f, 0xa4, 0xd0, 3, 0xc1, 0x18, 7,    // shld eax, edx, 3; rcr dword [eax], 7
      0x0f, 0xaf, 0xc1, 0xf7, 0xf1,          // imul eax, ecx; div ecx
      0xd4, 10, 0x27,                        // aam; daa
      0x0f, 0x44, 0xc2, 0x0f, 0x92, 0xc1,    // cmovz eax, edx; setc cl
      0x0f, 0xc8, 0xc8, 0x10, 0, 2, 0xc9,    // bswap eax; enter 16, 2; leave
      0x60, 0x61, 0x9c, 0x9d],               // pusha; popa; pushf; popf
    // strings, repeated, in both directions
    &[0xb9, 9, 0, 0, 0, 0xf3, 0xa5,          // mov ecx, 9; rep movsd
      0xfd, 0xb1, 5, 0xf2, 0xae,             // std; mov cl, 5; repne scasb
      0x66, 0xf3, 0xab, 0xfc,                // rep stosw; cld
      0xb1, 3, 0xf3, 0xa6, 0xac,             // mov cl, 3; repe cmpsb; lodsb
      0x66, 0xba, 0xf8, 3,                   // mov dx, 0x3f8
      0xb1, 2, 0xf3, 0x6e, 0xb1, 2, 0xf3, 0x6c], // rep outsb; rep insb
    // the floating-point unit
    &[0xdb, 0xe3, 0xd9, 0xe8, 0xd9, 0xeb, 0xd9, 0xfb, // fninit; fld1; fldpi; fsincos
      0xdb, 0x3e, 0xdb, 0x2e,                // fstp tword [esi]; fld tword [esi]
      0xd9, 0xf8, 0xdf, 0xf1, 0xd9, 0xe5,    // fprem; fcomip; fxam
      0xdf, 0x27, 0xdf, 0x37,                // fbld [edi]; fbstp [edi]
      0xdd, 0x33, 0xdd, 0x23,                // fnsave [ebx]; frstor [ebx]
      0x66, 0xd9, 0x33, 0x66, 0xd9, 0x23,    // fnstenv [ebx]; fldenv [ebx]
      0x9b, 0xdd, 0x03],                     // wait; fld qword [ebx]
    // registers of the system
    &[0x0f, 0x20, 0xc0, 0x0f, 0x22, 0xc0,    // cr0 by eax
      0x0f, 0x20, 0xd9, 0x0f, 0x22, 0xd9,    // cr3 by ecx
      0x0f, 0x01, 0x38, 0x0f, 0x06, 0x0f, 0x09, // invlpg [eax]; clts; wbinvd
      0x0f, 0x01, 0xe0, 0x0f, 0x01, 0xf0,    // smsw eax; lmsw ax
      0x0f, 0x01, 0x03, 0x0f, 0x01, 0x0b,    // sgdt [ebx]; sidt [ebx]
      0x0f, 0xa2, 0x0f, 0x31,                // cpuid; rdtsc
      0xb9, 0x74, 1, 0, 0, 0x0f, 0x32, 0x0f, 0x30, // rdmsr, wrmsr of SYSENTER_CS
      0xb8, 1, 4, 0, 0, 0x0f, 0x23, 0xf8, 0x0f, 0x21, 0xf0], // mov dr7, 0x401; mov eax, dr6
    // segments: null selectors, then one of a table that is not there
    &[0x0f, 0x00, 0xe0, 0x0f, 0x02, 0xc8,    // verr ax; lar ecx, ax
      0x0f, 0x03, 0xc8, 0x63, 0xc8,          // lsl ecx, ax; arpl ax, cx
      0x31, 0xc0, 0x8e, 0xc0, 0x8e, 0xe0,    // xor eax, eax; mov es, ax; mov fs, ax
      0x0f, 0xa0, 0x0f, 0xa1, 0xc4, 0x07,    // push fs; pop fs; les eax, [edi]
      0x8c, 0xd9, 0x16, 0x17],               // mov ecx, ds; push ss; pop ss
    // ports
    &[0x66, 0xba, 0xf8, 3, 0xb0, b'a', 0xee, 0xec, // mov dx, 0x3f8; mov al, 'a'; out dx, al; in al, dx
      0xe6, 0x80, 0xe5, 0x40, 0xb0, 0x34, 0xe6, 0x43], // out 0x80, al; in eax, 0x40; out 0x43, 0x34
    // mov byte [AT + 7], the opcode of inc edx; nop, which that is; jmp to it
    &[0xc6, 0x05, 7, 0x80, 0, 0, 0x42, 0x90, 0xeb, 0xfd],
    // real mode: cr0 without PE, jmp 0x800:0x11, int 0x20
    &[0x0f, 0x20, 0xc0, 0x24, 0xfe, 0x0f, 0x22, 0xc0, 0xea, 0x11, 0, 0, 0, 0, 8, 0x90, 0x90, 0xcd, 0x20],
    // sti; int3 that nobody takes
    &[0xfb, 0xcc],
];

/// Where the target puts code ...
const AT: u32 = 0x8000;
/// ... and what of the code below is there: what runs at level 3, what brings it back by IRET, RETF and
/// SYSEXIT, tables.
const LEVEL_3: u32 = AT + 0x60;
const HANDLERS: u32 = AT + 0x80;
const TABLES: u32 = AT + 0x90;
const TSS: u32 = 0x6000;
const STACK: u32 = 0x5000;
/// Interrupts that have a gate.
const GATES: usize = 0x31;

/// Code that goes to level 3 and back by an interrupt, a call gate and SYSENTER, again and again.
#[rustfmt::skip]
fn levels() -> Vec<u8> {
    // flat segments of levels 0 and 3 from selector 8 on, a TSS, a call gate
    let segments = [
        [0, 0],
        [0x0000_ffff, 0x00cf_9b00], [0x0000_ffff, 0x00cf_9300],
        [0x0000_ffff, 0x00cf_fb00], [0x0000_ffff, 0x00cf_f300],
        [TSS << 16 | 0x67, 0x0000_8900],
        [0x0008_0000 | (HANDLERS + 4), 0x0000_ec00],
    ];
    let gates = [[0x0008_0000 | HANDLERS, 0x0000_ee00]; GATES];
    let interrupts = TABLES + 8 * segments.len() as u32;
    let pointers = interrupts + 8 * GATES as u32;

    let word = u32::to_le_bytes;
    let mut code = Vec::new();
    let mut put = |opcode: &[u8], operands: &[u32]| {
        code.extend(opcode);
        code.extend(operands.iter().copied().flat_map(word));
    };
    put(&[0x0f, 0x01, 0x15], &[pointers]);       // lgdt
    put(&[0x0f, 0x01, 0x1d], &[pointers + 6]);   // lidt
    put(&[0x66, 0xb8, 0x28, 0, 0x0f, 0x00, 0xd8], &[]); // mov ax, 0x28; ltr ax
    put(&[0xc7, 0x05], &[TSS + 4, STACK]);       // mov dword [TSS + 4], STACK
    put(&[0xc7, 0x05], &[TSS + 8, 0x10]);        // mov dword [TSS + 8], 0x10
    put(&[0x31, 0xd2], &[]);                     // xor edx, edx
    for (register, value) in [(0x174, 8), (0x175, STACK), (0x176, HANDLERS + 8)] {
        put(&[0xb9], &[register]);               // mov ecx, register
        put(&[0xb8], &[value]);                  // mov eax, value
        put(&[0x0f, 0x30], &[]);                 // wrmsr
    }
    // push 0x23; push esp; pushf; push 0x1b; push LEVEL_3; iret
    put(&[0x6a, 0x23, 0x54, 0x9c, 0x6a, 0x1b, 0x68], &[LEVEL_3]);
    put(&[0xcf], &[]);
    let mut place = |at: u32, bytes: &[u8]| {
        assert!(code.len() <= (at - AT) as usize);
        code.resize((at - AT) as usize, 0x90);
        code.extend(bytes);
    };
    // int 0x30; call 0x33:0; mov edx, LEVEL_3; mov ecx, esp; sysenter
    let [a, b, c, d] = word(LEVEL_3);
    place(LEVEL_3, &[0xcd, 0x30, 0x9a, 0, 0, 0, 0, 0x33, 0, 0xba, a, b, c, d, 0x89, 0xe1, 0x0f, 0x34]);
    place(HANDLERS, &[0xcf]);
    place(HANDLERS + 4, &[0xcb]);
    place(HANDLERS + 8, &[0x0f, 0x35]);
    let tables = segments.into_iter().chain(gates).flatten().flat_map(word);
    place(TABLES, &tables.collect::<Vec<u8>>());
    for (base, end) in [(TABLES, interrupts), (interrupts, pointers)] {
        code.extend(((end - base - 1) as u16).to_le_bytes());
        code.extend(word(base));
    }
    code
}

/// For `instructions`: without paging and with it.
pub fn instructions() -> Vec<Vec<u8>> {
    let short = CODE.iter().map(|code| [code, &STAY[..]].concat());
    let code: Vec<Vec<u8>> = short.chain([levels()]).collect();
    let with_options = |options: u8| {
        let head = [number(MACHINE), options, 2, 0, 0, 0];
        // Eight registers that are addresses in memory.
        let front = [&head[..], &[0x10; 32]].concat();
        code.iter().map(move |code| [&front[..], code].concat())
    };
    [0, 1].into_iter().flat_map(with_options).collect()
}

/// A Multiboot header with these flags and addresses.
fn multiboot(flags: u32, addresses: &[u32]) -> Vec<u8> {
    const MARK: u32 = 0x1bad_b002;
    let sum = MARK.wrapping_add(flags).wrapping_neg();
    let words = [MARK, flags, sum];
    words
        .iter()
        .chain(addresses)
        .copied()
        .flat_map(u32::to_le_bytes)
        .collect()
}

/// The front of a bzImage, version 2.15 of the protocol: a sector of boot block, one of setup code.
fn bzimage(code: &[u8]) -> Vec<u8> {
    let mut image = vec![0; 1024];
    let mut put = |at: usize, bytes: &[u8]| image[at..at + bytes.len()].copy_from_slice(bytes);
    put(0x1f1, &[1]); // sectors of setup code
    put(0x1fe, &[0x55, 0xaa, 0xeb, 0x6a]);
    put(0x202, b"HdrS");
    put(0x206, &[0x0f, 0x02]);
    put(0x211, &[1]); // loaded high
    put(0x22c, &0x7fff_ffffu32.to_le_bytes()); // the end of RAM disks
    put(0x238, &2047u32.to_le_bytes()); // the command line
    image.extend(code);
    image
}

/// For `kernel`: each form, with and without a command line and a RAM disk.
pub fn kernels() -> Vec<Vec<u8>> {
    const MACHINE_386: u32 = 3;
    // mov dx, 0x3f8; mov al, [ebx]; out dx, al
    let code = [&[0x66, 0xba, 0xf8, 0x03, 0x8a, 0x03, 0xee][..], &STAY].concat();
    let at = 0x10_0000;
    let header = multiboot(3, &[]);
    let with_header = elf(MACHINE_386, at, &[&code[..], &[0; 3], &header].concat());
    let (own, end) = (1 << 16 | 3, at + 32 + code.len() as u32);
    let addresses = [at, at, end, end + 0x100, at + 32];
    let flat = [multiboot(own, &addresses), code.clone()].concat();
    let images = [
        elf(MACHINE_386, at, &code),
        with_header,
        flat,
        bzimage(&code),
    ];
    let options = [piece(b"console=ttyS0"), piece(b"a RAM disk")].concat();
    let plain = images
        .iter()
        .map(|image| [&[number(MACHINE), 0], &image[..]].concat());
    let told = images
        .iter()
        .map(|image| [&[number(MACHINE), 3], &options[..], image].concat());
    plain.chain(told).collect()
}

/// What a kernel writes to ports: interrupt controllers, timer, speaker, clock, serial port with FIFOs and
/// interrupts, network interface with a frame to be sent, and a ring and remote DMA for what comes in.
#[rustfmt::skip]
const PORTS: [(u16, &[u8]); 42] = [
    (0x20, &[0x11]), (0x21, &[0x20, 4, 1, 0xe8]), (0xa0, &[0x11]), (0xa1, &[0x28, 2, 1, 0xfc]),
    (0x4d0, &[0x10]), (0x43, &[0x34]), (0x40, &[0xa9, 4]), (0x61, &[1]), (0x43, &[0xb7]), (0x42, &[0x99, 9]),
    (0x70, &[0x0b]), (0x71, &[0x42]), (0x64, &[0x20]), (0x92, &[2]),
    (0x3fb, &[0x83]), (0x3f8, &[3]), (0x3fb, &[3]), (0x3fa, &[0xc1]), (0x3fc, &[0x0b]), (0x3f9, &[1]),
    (0x300, &[0x21]), (0x30e, &[0x49]), (0x301, &[0x46]), (0x302, &[0x80]), (0x303, &[0x7f]),
    (0x30c, &[4]), (0x30d, &[0]), (0x30f, &[0x7f]),
    (0x300, &[0x61]), (0x301, &[2, 0]), (0x307, &[0x46]),
    (0x300, &[0x22]), (0x304, &[0x40]), (0x305, &[64]), (0x306, &[0]), (0x300, &[0x26]),
    (0x308, &[0]), (0x309, &[0x46]), (0x30a, &[64]), (0x30b, &[0]), (0x300, &[0x0a]),
    (0x3f8, b"out"),
];

/// For `devices`: the ports written as above, characters and a frame that come in, time for them, and
/// reads of what has come.
pub fn devices() -> Vec<u8> {
    let (config, board) = small(number(MACHINE).into());
    let parts = (board.parts)(config.ram_bytes);
    let in_memory = parts.devices.len() as u8;
    let windows: Vec<(u16, u16)> = parts.ports.into_iter().flat_map(|m| m.windows).collect();
    let mut seed = vec![number(MACHINE)];
    let mut step = |what: u8, port: u16, more: &[u8]| {
        let inside =
            |(first, count): &(u16, u16)| port.checked_sub(*first).is_some_and(|n| n < *count);
        let window = windows.iter().position(inside).expect("a device is there");
        seed.extend([what, in_memory + window as u8]);
        seed.extend((port - windows[window].0).to_le_bytes());
        seed.extend(more);
    };
    for (port, bytes) in PORTS {
        for byte in bytes {
            step(0, port, &u32::from(*byte).to_le_bytes());
        }
    }
    // Of these the offset says how many characters and how much time, and not where.
    step(5, 0x302, b"in");
    // keys of the keyboard, which the offset chooses, pressed and released; its command, and codes of set 2
    step(0x1d, 0x60, &[]);
    step(0x0d, 0x60, &[]);
    step(7, 0x60, &[0xff, 0xff]);
    step(0, 0x60, &0xf2u32.to_le_bytes());
    step(3, 0x60, &[]);
    step(6, 0x300, &[0x46, 0x10]); // 70 bytes to its address
    step(7, 0x30a, &[0xff, 0xff]);
    for port in [0x3f8, 0x3fa, 0x20, 0x40, 0x71, 0x307] {
        step(3, port, &[]);
    }
    for _ in 0..16 {
        step(0x83, 0x310, &[]); // the data port, by double words
    }
    seed
}

/// For `debugger`: registers, memory, breakpoints and watchpoints, steps and a wide register.
pub fn debugger() -> Vec<Vec<u8>> {
    const PACKETS: [&str; 5] = [
        "?\ng\nm 0,40\nvCont;s:1\nvCont;c:1",
        "p8\nP8=00800000\nM8000,4:9090ebfc\nvCont;s:1\np9\np10",
        "Z0,8000,1\nZ1,8001,1\nZ2,0,4\nZ3,8000,2\nc\nz0,8000,1",
        "qXfer:features:read:target.xml:0,ffb\nqRcmd,746c62\nqRcmd,7472616e736c6174652030",
        "qRcmd,736176652061\nvCont;s:1\nqRcmd,726573746f72652061\ng",
    ];
    let head = [number(MACHINE), 0];
    PACKETS
        .iter()
        .map(|text| [&head, text.as_bytes()].concat())
        .collect()
}
