// SPDX-License-Identifier: Apache-2.0
// A disk driver in the manner of teaching kernels (xv6): a device of version 2 in the first slot,
// of whose features it looks at the first 32; a queue of eight, three descriptors a request,
// interrupts by the PLIC. It turns the blocks of a disk around, two requests at a time, and says
// what it saw.
#include <stdint.h>

#define UART      ((volatile uint8_t *)0x10000000)
#define FINISHER  ((volatile uint32_t *)0x100000)
#define VIRTIO(r) (*(volatile uint32_t *)(0x10001000ul + (r)))
#define PLIC(r)   (*(volatile uint32_t *)(0x0c000000ul + (r)))

enum { SIZE = 8, PARTS = 3, BLOCK = 1024, SECTORS = BLOCK / 512, BLOCKS = 64, IRQ = 1 };
enum { NEXT = 1, WRITE = 2 };
enum { IN = 0, OUT = 1, FLUSH = 1 << 9, CLAIM = 0x200004, PENDING = 1 << 11 };

struct descriptor {
    uint64_t at;
    uint32_t bytes;
    uint16_t flags, next;
};

static struct {
    struct descriptor table[SIZE];
    struct {
        uint16_t flags, index, ring[SIZE];
    } offered;
    struct {
        uint16_t flags, index;
        struct {
            uint32_t head, bytes;
        } ring[SIZE];
    } volatile used __attribute__((aligned(8)));
} queue __attribute__((aligned(4096)));

static struct {
    uint32_t kind, reserved;
    uint64_t sector;
} headers[2];
static volatile uint8_t statuses[2];
static uint64_t data[2][BLOCK / 8];
static uint16_t seen;

__asm__(".section .text.start, \"ax\"\n.globl _start\n_start: la sp, stack_top\n call start\n"
        ".bss\n.balign 16\n.skip 4096\nstack_top:\n.text\n");

static void say(uint64_t number) {
    for (int shift = 60; shift >= 0; shift -= 4) {
        while ((UART[5] & 0x20) == 0) {
        }
        UART[0] = (uint8_t)"0123456789abcdef"[number >> shift & 15];
    }
    UART[0] = '\n';
}

static void fail(uint32_t status) {
    *FINISHER = status << 16 | 0x3333;
    for (;;) {
    }
}

static void expect(int right, uint32_t status) {
    if (!right) {
        fail(status);
    }
}

static void set_up(void) {
    expect(VIRTIO(0) == 0x74726976 && VIRTIO(4) == 2 && VIRTIO(8) == 2, 1);
    expect(VIRTIO(0xc) == 0x554d4551, 2);
    VIRTIO(0x70) = 0;
    VIRTIO(0x70) = 1;
    VIRTIO(0x70) = 3;
    // Read-only, flush and whether a cache writes back; several queues, any layout, indirect
    // descriptors, indices of events: none of them.
    uint32_t features = VIRTIO(0x10);
    VIRTIO(0x20) = features & ~(1u << 5 | 1u << 7 | FLUSH | 1u << 11 | 1u << 12 | 7u << 27);
    VIRTIO(0x70) = 11;
    expect((VIRTIO(0x70) & 8) != 0, 3);
    VIRTIO(0x30) = 0;
    expect(VIRTIO(0x44) == 0 && VIRTIO(0x34) >= SIZE, 4);
    VIRTIO(0x38) = SIZE;
    const uint64_t places[] = {(uint64_t)queue.table, (uint64_t)&queue.offered,
                               (uint64_t)&queue.used};
    for (int n = 0; n < 3; n++) {
        VIRTIO(0x80 + 0x10 * n) = (uint32_t)places[n];
        VIRTIO(0x84 + 0x10 * n) = (uint32_t)(places[n] >> 32);
    }
    VIRTIO(0x44) = 1;
    expect(VIRTIO(0x44) == 1, 5);
    VIRTIO(0x70) = 15;
    PLIC(4 * IRQ) = 1;
    PLIC(0x2000) = 1 << IRQ;
    PLIC(0x200000) = 0;
    __asm__ volatile("csrs mie, %0" ::"r"(PENDING));
}

static void offer(int which, uint32_t kind, uint32_t block) {
    uint16_t head = (uint16_t)(PARTS * which);
    struct descriptor *parts = &queue.table[head];
    headers[which].kind = kind;
    headers[which].sector = (uint64_t)block * SECTORS;
    statuses[which] = 0xff;
    parts[0] = (struct descriptor){(uint64_t)&headers[which], sizeof headers[which], NEXT,
                                   (uint16_t)(head + 1)};
    parts[1] = (struct descriptor){(uint64_t)data[which], BLOCK, NEXT | (kind == IN ? WRITE : 0),
                                   (uint16_t)(head + 2)};
    parts[2] = (struct descriptor){(uint64_t)&statuses[which], 1, WRITE, 0};
    queue.offered.ring[queue.offered.index % SIZE] = head;
    __sync_synchronize();
    queue.offered.index++;
    __sync_synchronize();
}

/* Until `count` requests have been served; how long what the device wrote was, all in all. */
static uint32_t wait(int count) {
    uint32_t bytes = 0;
    VIRTIO(0x50) = 0;
    while (count > 0) {
        uint64_t pending;
        do {
            __asm__ volatile("csrr %0, mip" : "=r"(pending));
        } while ((pending & PENDING) == 0);
        expect(PLIC(CLAIM) == IRQ, 6);
        VIRTIO(0x64) = VIRTIO(0x60) & 3;
        __sync_synchronize();
        for (; seen != queue.used.index; seen++, count--) {
            bytes += queue.used.ring[seen % SIZE].bytes;
        }
        PLIC(CLAIM) = IRQ;
    }
    expect(statuses[0] == 0 && statuses[1] == 0, 7);
    return bytes;
}

void start(void) {
    set_up();
    say(VIRTIO(0x100)); // the capacity
    for (uint32_t block = 0; block < BLOCKS / 2; block++) {
        uint32_t other = BLOCKS - 1 - block;
        offer(0, IN, block);
        offer(1, IN, other);
        say(wait(2));
        for (int n = 0; n < BLOCK / 8; n += BLOCK / 16) {
            say(data[0][n]);
            say(data[1][n]);
        }
        offer(0, OUT, other);
        offer(1, OUT, block);
        say(wait(2));
    }
    say(VIRTIO(0x60));
    *FINISHER = 0x5555;
    for (;;) {
    }
}
