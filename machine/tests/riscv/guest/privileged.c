// SPDX-License-Identifier: Apache-2.0
// One instruction at a random level of privilege, in a random state of the system's registers,
// again and again: which trap it takes, delegated or not, what it leaves in registers, and which
// interrupt comes before it. A number that depends on all of that goes to the host after each 100
// cases, for Spike into its signature, too. It runs in machine mode, bare.

typedef unsigned long u64;
typedef unsigned int u32;

#ifndef CASES
#define CASES 3000
#endif
#ifndef SEED
#define SEED 0x2545f4914f6cdd1d
#endif
// Cases to a number.
#ifndef EACH
#define EACH 100
#endif
#define UART ((volatile unsigned char *)0x10000000)
// A page: the instruction, the supervisor's handler, data.
#define PAGE    0x80400000UL
#define CODE    PAGE
#define VECTORS (PAGE + 0x800)
#define DATA    (PAGE + 0xc00)
#define ECALL   0x73

enum { USER, SUPERVISOR, MACHINE = 3 };

// What a case begins with, and what the last trap found.
struct state {
    u64 x[32], f[32];
    u64 cause, value, pc, status, fcsr;
};
struct state before __attribute__((aligned(1024)));
struct state after;

// Runs CODE with the registers `before` and `mstatus`; `after` is what the trap to machine mode
// found.
void go(u64 status);

__asm__(
    ".section .text.start, \"ax\"\n"
    ".option norvc\n"
    ".globl _start\n"
    "_start:\n"
    "	la sp, stack_top\n"
    "	call run\n"
    ".macro each what, base\n"
    "	.irp n, "
    "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	\\what f\\n, 256 + 8 * \\n(\\base)\n"
    "	.endr\n"
    ".endm\n"
    ".macro integers what, base\n"
    "	.irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	\\what x\\n, 8 * \\n(\\base)\n"
    "	.endr\n"
    ".endm\n"
    ".globl go\n"
    "go:\n"
    "	addi sp, sp, -128\n"
    "	sd ra, 0(sp)\n"
    "	sd s0, 8(sp)\n"
    "	sd s1, 16(sp)\n"
    "	sd s2, 24(sp)\n"
    "	sd s3, 32(sp)\n"
    "	sd s4, 40(sp)\n"
    "	sd s5, 48(sp)\n"
    "	sd s6, 56(sp)\n"
    "	sd s7, 64(sp)\n"
    "	sd s8, 72(sp)\n"
    "	sd s9, 80(sp)\n"
    "	sd s10, 88(sp)\n"
    "	sd s11, 96(sp)\n"
    "	sd gp, 104(sp)\n"
    "	sd tp, 112(sp)\n"
    "	la t0, stack\n"
    "	sd sp, 0(t0)\n"
    "	li t0, 0x6000\n"
    "	csrs mstatus, t0\n"
    "	la sp, before\n"
    "	each fld, sp\n"
    "	ld t0, 544(sp)\n"
    "	csrw fcsr, t0\n"
    "	la t0, after\n"
    "	csrw mscratch, t0\n"
    "	csrw mstatus, a0\n"
    "	integers ld, sp\n"
    "	ld sp, 16(sp)\n"
    "	mret\n"
    ".balign 4\n"
    "handler:\n"
    "	csrrw sp, mscratch, sp\n"
    "	integers sd, sp\n"
    "	csrr t0, mscratch\n"
    "	sd t0, 16(sp)\n"
    "	csrr t0, mcause\n"
    "	sd t0, 512(sp)\n"
    "	csrr t0, mtval\n"
    "	sd t0, 520(sp)\n"
    "	csrr t0, mepc\n"
    "	sd t0, 528(sp)\n"
    "	csrr t0, mstatus\n"
    "	sd t0, 536(sp)\n"
    "	li t0, 0x6000\n"
    "	csrs mstatus, t0\n"
    "	csrr t0, fcsr\n"
    "	sd t0, 544(sp)\n"
    "	each fsd, sp\n"
    "	ld sp, stack\n"
    "	ld ra, 0(sp)\n"
    "	ld s0, 8(sp)\n"
    "	ld s1, 16(sp)\n"
    "	ld s2, 24(sp)\n"
    "	ld s3, 32(sp)\n"
    "	ld s4, 40(sp)\n"
    "	ld s5, 48(sp)\n"
    "	ld s6, 56(sp)\n"
    "	ld s7, 64(sp)\n"
    "	ld s8, 72(sp)\n"
    "	ld s9, 80(sp)\n"
    "	ld s10, 88(sp)\n"
    "	ld s11, 96(sp)\n"
    "	ld gp, 104(sp)\n"
    "	ld tp, 112(sp)\n"
    "	addi sp, sp, 128\n"
    "	ret\n"
    ".bss\n"
    ".balign 16\n"
    "stack:	.zero 16\n"
    "	.zero 8192\n"
    "stack_top:\n"
    ".text\n");

void handler(void);

#define READ(name)                                                                                 \
    ({                                                                                             \
        u64 value_;                                                                                \
        __asm__ volatile("csrr %0, " name : "=r"(value_));                                         \
        value_;                                                                                    \
    })
#define WRITE(name, value) __asm__ volatile("csrw " name ", %0" ::"r"((u64)(value)) : "memory")

static u64 seed = SEED;

static u64 bits(unsigned count) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed >> (64 - count);
}

// One in `n`.
static int seldom(unsigned n) {
    return bits(16) % n == 0;
}

// Registers that all have; those of machine mode that hold this program together are not written.
static const unsigned short REGISTERS[] = {
    0x001,
    0x002,
    0x003,
    0x100,
    0x104,
    0x105,
    0x106,
    0x10a,
    0x140,
    0x141,
    0x142,
    0x143,
    0x144,
    0x14d,
    0x180,
    0x300,
    0x302,
    0x303,
    0x304,
    0x306,
    0x320,
    0x341,
    0x342,
    0x343,
    0x344,
    0xb00,
    0xb02,
    0xb03,
    0xc00,
    0xc01,
    0xc02,
    0xc03,
    0xf11,
    0xf12,
    0xf13,
    0xf14,
    0xf15,
    // These do not exist.
    0x000,
    0x004,
    0x042,
    0x101,
    0x1ff,
    0x181,
    0x340 + 8,
    0x3a1,
    0x3a3,
    0x5c0,
    0x7c0,
    0x9ff,
    0xc80,
    0xc81,
    0xc82,
    0xcff,
    0xf10,
    0xf16,
    0xfff,
};

static int counts(unsigned number) {
    return (number >= 0xb00 && number < 0xb20) || (number >= 0xc00 && number < 0xc20);
}

// A CSR instruction, mostly of a register from the list. `compared` is cleared if what is read
// differs between machines.
static u32 random_csr(int *compared) {
    unsigned number = REGISTERS[bits(16) % (sizeof REGISTERS / sizeof *REGISTERS)];
    u32 funct3 = 1 + bits(1) + bits(1);
    if (seldom(2)) {
        funct3 |= 4;
    }
    u32 rs1 = seldom(3) ? 0 : seldom(2) ? 10 : bits(5);
    // Which bits of these there are is the processor's affair, as are the values of these.
    int open =
        number == 0x302 || number == 0x306 || number == 0x106 || number == 0x10a || number == 0x320;
    if (open || counts(number) || number >= 0xf11) {
        *compared = 0;
    }
    return number << 20 | rs1 << 15 | funct3 << 12 | (seldom(4) ? 0 : 12) << 7 | 0x73;
}

static u32 register_field(unsigned shift) {
    return (u32)(seldom(3) ? 10 : bits(5)) << shift;
}

// What the system's opcode has beyond CSRs, and a few near it that are illegal.
static u32 random_system(int may_wait) {
    switch (bits(4)) {
    case 0:
    case 1:
        return 0x30200073; // MRET
    case 2:
    case 3:
        return 0x10200073; // SRET
    case 4:
        return may_wait ? 0x10500073 : 0x10200073; // WFI
    case 5:
    case 6:
        return 0x12000073 | register_field(15) | register_field(20); // SFENCE.VMA
    case 7:
        return 0x16000073 | register_field(15) | register_field(20); // SINVAL.VMA
    case 8:
        return seldom(2) ? 0x18000073 : 0x18100073; // SFENCE.W.INVAL, SFENCE.INVAL.IR
    case 9:
        return ECALL;
    case 10:
        return 0x00100073; // EBREAK
    case 11:
        return 0x00009002; // C.EBREAK
    case 12:
        return 0x0000100f | bits(5) << 7 | register_field(15); // FENCE.I
    case 13:
        return 0x0000000f | bits(12) << 20; // FENCE
    case 14:
        return 0x00200073; // URET, which was
    default:
        return 0x00000073 | bits(12) << 20 | bits(5) << 7;
    }
}

// Anything. Below machine mode it reaches nothing but the page.
static u32 random_word(void) {
    static const unsigned char OPCODES[] = {
        0x03, 0x07, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x27, 0x2f, 0x33, 0x37, 0x3b, 0x43, 0x47, 0x4b,
        0x4f, 0x53, 0x53, 0x63, 0x67, 0x6f, 0x73, 0x0b, 0x2b, 0x57, 0x5b, 0x6b, 0x77, 0x7b};
    u32 word = (u32)bits(32);
    if (seldom(2)) {
        word = 0x00010000 | (word >> 16 & 0xfffc) | (u32)(bits(8) % 3);
    } else {
        word = (word & ~0x7fu) | OPCODES[bits(16) % sizeof OPCODES];
        if (seldom(2)) {
            word &= ~(0x3fu << 26);
        }
        if (seldom(3)) {
            word = (word & ~(31u << 15)) | 10u << 15;
        }
    }
    // CTZW of some QEMUs is wrong; what `time` and counters say differs; no CSR but by the list.
    int csr = (word & 0x7f) == 0x73 && (word >> 12 & 3) != 0;
    int waits = word == 0x10500073;
    int ctzw = (word & 0xfff0707f) == 0x6010101b;
    // No jump or branch to itself.
    int stays = (word & 0xfffff07f) == 0x6f || (word & 0xfe000fff) == 0x63 ||
                (word & 0xffff) == 0xa001 || (word & 0xdc7f) == 0xc001;
    return csr || waits || ctzw || stays ? random_word() : word;
}

static u64 sum;

// What Spike writes to a file, and by which a program ends there and here.
extern u64 begin_signature[];
#define TEXT(number)       #number
#define BYTES(cases, each) TEXT(8 * cases / each)
__asm__(".bss\n.balign 16\n.globl begin_signature, end_signature\n"
        "begin_signature: .zero " BYTES(CASES,
                                        EACH) "\n"
                                              ".balign 16\nend_signature: .zero 16\n.text\n");
volatile u64 tohost __attribute__((aligned(64)));
volatile u64 fromhost __attribute__((aligned(64)));

static void add(u64 value) {
    sum = (sum ^ value) * 0x9e3779b97f4a7c15;
    sum ^= sum >> 29;
}

static u64 aligned(u64 cause) {
    return cause == 6 ? 7 : cause;
}

static u64 random_value(void) {
    switch (bits(3)) {
    case 0:
        return DATA + (bits(6) & ~7UL);
    case 1:
        return DATA + bits(6);
    case 2:
        return CODE + 8 + bits(4);
    case 3:
        return 1UL << bits(6);
    case 4:
        return -(1UL << bits(6));
    case 5:
        return 0xffffffff00000000UL | bits(32);
    default:
        return bits(64);
    }
}

static void one(void) {
    int compared = 1;
    u64 level = (u64[]){USER, SUPERVISOR, MACHINE, SUPERVISOR}[bits(2)];
    for (unsigned n = 1; n < 32; n++) {
        before.x[n] = random_value();
        before.f[n] = random_value();
    }
    before.fcsr = bits(8);
    // Of MPP two bits are the level; FS, MPRV, SUM, MXR, TVM, TW, TSR, SPP, and interrupts.
    u64 status = 2UL << 32 | 2UL << 34 | level << 11 | bits(2) << 13 | bits(6) << 17 |
                 bits(1) << 8 | bits(1) << 5;
    u64 enabled = 0, pending = 0;
    if (seldom(4)) {
        enabled = bits(10) & 0x222;
        pending = bits(10) & 0x222;
        status |= bits(1) << 1 | bits(1) << 7;
    }
    u64 delegated = bits(16) & 0xb1ff;
    delegated = (delegated & ~0x80UL) | (delegated & 0x40) << 1;
    WRITE("medeleg", delegated);
    WRITE("mideleg", bits(10) & 0x222);
    WRITE("mie", enabled);
    WRITE("mcounteren", bits(3));
    WRITE("scounteren", bits(3));
    WRITE("0x30a", bits(1) << 63);
    WRITE("0x14d", -1UL);
    // The timer's is not written while `stimecmp` makes it.
    WRITE("mip", pending);
    pending = READ("mip");
    WRITE("stvec", VECTORS | bits(1));
    WRITE("mcause", 0);
    WRITE("scause", 0);
    WRITE("sepc", 0);
    WRITE("stval", 0);
    WRITE("sscratch", bits(64));
    WRITE("mcountinhibit", 0);
    u64 asid = seldom(2) ? 0 : bits(16);
    WRITE("satp", asid << 44 | bits(20));

    u32 *code = (u32 *)CODE;
    for (unsigned n = 0; n < 16; n++) {
        code[n] = ECALL;
    }
    unsigned kind = bits(3);
    if (kind < 3) {
        code[0] = random_csr(&compared);
    } else if (kind < 5 || level == MACHINE) {
        code[0] = random_system((enabled & pending) != 0 || level == USER);
    } else {
        code[0] = random_word();
    }
    u64 *data = (u64 *)DATA;
    for (unsigned n = 0; n < 16; n++) {
        data[n] = bits(64);
    }
    u32 *vectors = (u32 *)VECTORS;
    for (unsigned n = 0; n < 64; n++) {
        vectors[n] = ECALL;
    }
    WRITE("mepc", CODE);
    __asm__ volatile("fence.i; sfence.vma" ::: "memory");
    go(status);
    // Delegation of what cannot happen, and which counters there are, is left open; so is which
    // comes first, an atomic access's misalignment or its protection.
    u64 found[] = {code[0],
                   level,
                   status,
                   aligned(after.cause),
                   after.value,
                   after.pc,
                   after.status,
                   aligned(READ("scause")),
                   READ("sepc"),
                   READ("stval"),
                   READ("satp"),
                   READ("medeleg") & 0xb1fe,
                   READ("mideleg"),
                   READ("mie"),
                   READ("mip"),
                   READ("stvec"),
                   READ("mcounteren") & 7,
                   READ("scounteren") & 7,
                   READ("mcountinhibit") & 5,
                   after.fcsr};
    WRITE("satp", 0);
    WRITE("mie", 0);
    for (unsigned n = 0; n < sizeof found / sizeof *found; n++) {
        add(found[n]);
    }
    u64 registers = 0;
    for (unsigned n = 1; n < 32; n++) {
        if (compared || n != 12) {
            registers = (registers ^ after.x[n]) * 0x9e3779b97f4a7c15 + after.f[n];
        }
    }
    add(compared ? after.x[12] : 0);
    add(registers);
    u64 memory = 0;
    for (unsigned n = 0; n < 16; n++) {
        memory = (memory ^ data[n]) * 0x9e3779b97f4a7c15;
    }
    add(memory);
}

void run(void) {
    WRITE("mtvec", handler);
    // No timer of machine mode.
    *(volatile u64 *)0x2004000 = -1UL;
    // Supervisor and user may execute two parts of the page, and use its data; what is read with
    // MPRV set, they may read.
    WRITE("pmpaddr0", CODE >> 2 | 0xff);
    WRITE("pmpaddr1", VECTORS >> 2 | 0x7f);
    WRITE("pmpaddr2", DATA >> 2 | 0x7f);
    WRITE("pmpaddr3", (u64)&before >> 2 | 0x7f);
    WRITE("pmpcfg0", 0x191b1d1d);
    for (unsigned n = 0; n < CASES; n++) {
        one();
        if ((n + 1) % EACH == 0) {
            begin_signature[n / EACH] = sum;
            for (unsigned byte = 0; byte < 8; byte++) {
                *UART = (unsigned char)(sum >> 8 * byte);
            }
        }
    }
    tohost = 1;
    for (;;)
        ;
}
