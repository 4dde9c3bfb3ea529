// SPDX-License-Identifier: Apache-2.0
// Accesses through random page tables with random rights: each case makes the tables of one
// address, sets mstatus and physical memory protection, tries a load, a store or a fetch as user or
// supervisor, and prints eight bytes that depend on all that has come of it. It runs in machine
// mode, bare, on QEMU's `virt` as well; the two must print the same.

typedef unsigned long u64;

#ifndef CASES
#define CASES 20000
#endif
#define UART     ((volatile unsigned char *)0x10000000)
#define FINISHER ((volatile unsigned *)0x100000)
#define TABLES   ((u64 *)0x80400000)
#define DATA     0x80800000UL
#define ECALL    0x73

enum { V = 1, R = 2, W = 4, X = 8, U = 16, G = 32, A = 64, D = 128 };
enum { LOAD, STORE, FETCH };

// What the last trap was, set by the handler below; the cause is ~0 if there was none.
struct trap {
    u64 cause, value, pc, status;
};
struct trap taken;

// Loads or stores at `va` with MPRV set in `status`; jumps there with MPP from `status`.
u64 try_load(u64 va, u64 status, u64 size);
void try_store(u64 va, u64 status, u64 size, u64 value);
void try_fetch(u64 va, u64 status);

__asm__(".section .text.start, \"ax\"\n"
        ".option norvc\n"
        ".globl _start\n"
        "_start:\n"
        "	la sp, stack_top\n"
        "	la t0, handler\n"
        "	csrw mtvec, t0\n"
        "	call run\n"
        ".balign 4\n"
        "handler:\n"
        "	la t0, taken\n"
        "	csrr t1, mcause\n"
        "	sd t1, 0(t0)\n"
        "	csrr t1, mtval\n"
        "	sd t1, 8(t0)\n"
        "	csrr t1, mepc\n"
        "	sd t1, 16(t0)\n"
        "	csrr t1, mstatus\n"
        "	sd t1, 24(t0)\n"
        "	j recover\n"
        "try_load:\n"
        "	csrw mstatus, a1\n"
        "	li t2, 1\n"
        "	beq a2, t2, 1f\n"
        "	li t2, 2\n"
        "	beq a2, t2, 2f\n"
        "	li t2, 4\n"
        "	beq a2, t2, 4f\n"
        "	ld a0, 0(a0)\n"
        "	j recover\n"
        "1:	lb a0, 0(a0)\n"
        "	j recover\n"
        "2:	lhu a0, 0(a0)\n"
        "	j recover\n"
        "4:	lw a0, 0(a0)\n"
        "	j recover\n"
        "try_store:\n"
        "	csrw mstatus, a1\n"
        "	li t2, 1\n"
        "	beq a2, t2, 1f\n"
        "	li t2, 2\n"
        "	beq a2, t2, 2f\n"
        "	li t2, 4\n"
        "	beq a2, t2, 4f\n"
        "	sd a3, 0(a0)\n"
        "	j recover\n"
        "1:	sb a3, 0(a0)\n"
        "	j recover\n"
        "2:	sh a3, 0(a0)\n"
        "	j recover\n"
        "4:	sw a3, 0(a0)\n"
        "	j recover\n"
        "try_fetch:\n"
        "	csrw mstatus, a1\n"
        "	csrw mepc, a0\n"
        "	mret\n"
        "recover:\n"
        "	li t0, 0x20000\n"
        "	csrc mstatus, t0\n"
        "	ret\n"
        ".bss\n"
        ".balign 16\n"
        "	.zero 4096\n"
        "stack_top:\n"
        ".text\n");

static u64 seed = 0x2545f4914f6cdd1d;

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

static u64 sum;

static void add(u64 value) {
    sum = (sum ^ value) * 0x9e3779b97f4a7c15;
    sum ^= sum >> 29;
}

static u64 random_flags(void) {
    u64 flags = bits(8);
    // Mostly what allows something.
    if (!seldom(4)) {
        flags |= V | A | D;
    }
    if (!seldom(4)) {
        flags |= R;
    }
    return flags;
}

// Makes the tables for an address and gives it. `leaf` is where its entry is then.
static u64 random_tables(u64 **leaf) {
    unsigned level = seldom(3) ? 1 + bits(1) : 0;
    u64 vpn[3] = {bits(9), bits(9), bits(8)};
    u64 page = DATA >> 12;
    u64 offset = bits(10) & ~7UL;
    if (level > 0) {
        page &= ~((1UL << 9 * level) - 1);
        vpn[0] = level == 1 ? (DATA >> 12) & 511 : (DATA >> 12) & 511;
        if (level == 2) {
            vpn[1] = (DATA >> 21) & 511;
        }
        if (seldom(6)) {
            page |= 1;
        }
    }
    u64 *table = TABLES;
    for (int at = 2; at > (int)level; at--) {
        u64 *next = table + 512;
        u64 entry = ((u64)next >> 12) << 10 | V;
        if (seldom(40)) {
            entry |= 1UL << (seldom(2) ? bits(3) : 54 + bits(3));
        }
        table[vpn[at]] = entry;
        table = next;
    }
    u64 entry = page << 10 | random_flags();
    if (seldom(30)) {
        entry |= 1UL << (54 + bits(3));
    }
    *leaf = &table[vpn[level]];
    **leaf = entry;
    u64 va = vpn[2] << 30 | vpn[1] << 21 | vpn[0] << 12 | offset;
    if (seldom(20)) {
        va |= 1UL << (38 + bits(4));
    }
    return va;
}

// Entry 2 allows everything; 0 and 1 lie about the data or the tables, or not at all. Whether the
// processor may set the bits A and D of a `leaf` that it may only read is not asked: QEMU does not
// look.
static void random_protection(u64 *leaf) {
    __asm__ volatile("csrw pmpcfg0, zero");
    if (seldom(3)) {
        *leaf |= A | D;
        u64 at = seldom(4) ? (u64)TABLES : DATA;
        u64 first = (at + (bits(12) & ~3UL)) >> 2;
        u64 second = first + bits(9);
        u64 how = bits(16) & 0x1f1f;
        // W without R is reserved.
        if ((how & 3) == 2) {
            how |= 1;
        }
        if ((how & 0x300) == 0x200) {
            how |= 0x100;
        }
        __asm__ volatile("csrw pmpaddr0, %0" ::"r"(first));
        __asm__ volatile("csrw pmpaddr1, %0" ::"r"(second));
        __asm__ volatile("csrw pmpcfg0, %0" ::"r"(how | 0x1f0000));
    } else {
        __asm__ volatile("csrw pmpcfg0, %0" ::"r"(0x1f0000UL));
    }
}

static void one(void) {
    u64 *leaf;
    u64 va = random_tables(&leaf);
    random_protection(leaf);
    u64 entry = *leaf;
    // MPP user or supervisor; SUM, MXR.
    u64 status = bits(1) << 11 | bits(2) << 18;
    unsigned kind = bits(8) % 3;
    unsigned size = 1U << bits(2);
    u64 value = bits(64);
    taken.cause = ~0UL;
    taken.value = taken.pc = taken.status = 0;
    u64 satp = 8UL << 60 | (u64)TABLES >> 12;
    __asm__ volatile("csrw satp, %0; sfence.vma" ::"r"(satp) : "memory");
    u64 read = 0;
    if (kind == LOAD) {
        read = try_load(va, status | 1 << 17, size);
    } else if (kind == STORE) {
        try_store(va, status | 1 << 17, size, value);
    } else {
        try_fetch(va, status);
    }
    // A match of a part of an access fails in machine mode, too: no protection from here on.
    __asm__ volatile("csrw pmpcfg0, zero; csrw satp, zero; sfence.vma; fence.i" ::: "memory");
    if (taken.cause != ~0UL) {
        read = 0;
    }
    add(taken.cause);
    add(taken.value);
    if (kind == FETCH) {
        add(taken.pc);
    }
    add(read);
    add(*leaf ^ entry);
    u64 *data = (u64 *)(DATA + (va & 0xfff));
    add(*data);
    *data = (u64)ECALL << 32 | ECALL;
    u64 *table = TABLES;
    for (unsigned n = 0; n < 3 * 512; n++) {
        if (table[n]) {
            table[n] = 0;
        }
    }
    for (unsigned n = 0; n < 8; n++) {
        *UART = (unsigned char)(sum >> 8 * n);
    }
}

void run(void) {
    // Where there is a choice, the processor sets accessed and dirty bits.
    u64 update = 1UL << 61;
    __asm__ volatile("csrs 0x30a, %0" ::"r"(update));
    __asm__ volatile("csrw pmpaddr2, %0" ::"r"(~0UL >> 10));
    for (u64 *data = (u64 *)DATA; data < (u64 *)(DATA + 4096); data++) {
        *data = (u64)ECALL << 32 | ECALL;
    }
    for (unsigned n = 0; n < 3 * 512; n++) {
        TABLES[n] = 0;
    }
    for (unsigned n = 0; n < CASES; n++) {
        one();
    }
    *FINISHER = 0x5555;
    for (;;)
        ;
}
