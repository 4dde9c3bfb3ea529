// SPDX-License-Identifier: Apache-2.0
// A driver of a VIRTIO console, in whatever slot it is and of whatever version: it speaks by the
// register for emergencies, then by a queue, and turns around what is typed, four characters a
// time, sixteen in all. Who looks for a console asks for no features but VERSION_1.
#include <stdint.h>

#define UART     ((volatile uint8_t *)0x10000000)
#define FINISHER ((volatile uint32_t *)0x100000)

enum { SLOTS = 8, SIZE = 4, PAGE = 4096, WRITE = 2, TYPED = 16, PIECE = 4 };

struct descriptor {
    uint64_t at;
    uint32_t bytes;
    uint16_t flags, next;
};

// As the legacy interface lays it out; the newer one takes any.
static struct queue {
    struct descriptor table[SIZE];
    struct {
        uint16_t flags, index, ring[SIZE];
    } offered;
    struct {
        uint16_t flags, index;
        struct {
            uint32_t head, bytes;
        } ring[SIZE];
    } volatile used __attribute__((aligned(PAGE)));
} queues[2] __attribute__((aligned(PAGE)));

static uint64_t base;

#define VIRTIO(r) (*(volatile uint32_t *)(base + (r)))

__asm__(".section .text.start, \"ax\"\n.globl _start\n_start: la sp, stack_top\n call start\n"
        ".bss\n.balign 16\n.skip 4096\nstack_top:\n.text\n");

static void end(uint32_t status) {
    *FINISHER = status == 0 ? 0x5555 : status << 16 | 0x3333;
    for (;;) {
    }
}

static void expect(int right, uint32_t status) {
    if (!right) {
        end(status);
    }
}

static void set_up(uint32_t number) {
    struct queue *queue = &queues[number];
    VIRTIO(0x30) = number;
    expect(VIRTIO(0x34) >= SIZE, 4);
    VIRTIO(0x38) = SIZE;
    if (VIRTIO(4) == 1) {
        VIRTIO(0x28) = PAGE;
        VIRTIO(0x3c) = PAGE;
        VIRTIO(0x40) = (uint32_t)((uint64_t)queue / PAGE);
        return;
    }
    const uint64_t places[] = {(uint64_t)queue->table, (uint64_t)&queue->offered,
                               (uint64_t)&queue->used};
    for (int n = 0; n < 3; n++) {
        VIRTIO(0x80 + 0x10 * n) = (uint32_t)places[n];
        VIRTIO(0x84 + 0x10 * n) = (uint32_t)(places[n] >> 32);
    }
    VIRTIO(0x44) = 1;
}

// One buffer to a queue; how much was written into it when it comes back.
static uint32_t pass(uint32_t number, const void *at, uint32_t bytes) {
    struct queue *queue = &queues[number];
    uint16_t before = queue->used.index;
    queue->table[0] = (struct descriptor){(uint64_t)at, bytes, number == 0 ? WRITE : 0, 0};
    queue->offered.ring[queue->offered.index % SIZE] = 0;
    __sync_synchronize();
    queue->offered.index++;
    __sync_synchronize();
    VIRTIO(0x50) = number;
    while (queue->used.index == before) {
    }
    __sync_synchronize();
    return queue->used.ring[before % SIZE].bytes;
}

__attribute__((used)) void start(void) {
    static char text[] = "console\n", typed[TYPED], turned[TYPED + TYPED / PIECE];
    for (const char *letter = "serial port\n"; *letter != 0; letter++) {
        UART[0] = (uint8_t)*letter;
    }
    uint32_t slot = 0;
    do {
        expect(slot < SLOTS, 1);
        base = 0x10001000 + 0x1000ul * slot++;
    } while (VIRTIO(8) != 3);
    expect(VIRTIO(0) == 0x74726976, 2);
    VIRTIO(0x70) = 0;
    VIRTIO(0x70) = 3;
    VIRTIO(0x14) = 0;
    expect((VIRTIO(0x10) & 4) != 0, 3); // VIRTIO_CONSOLE_F_EMERG_WRITE
    for (const char *letter = "early\n"; *letter != 0; letter++) {
        VIRTIO(0x108) = (uint8_t)*letter;
    }
    VIRTIO(0x24) = 0;
    VIRTIO(0x20) = 0;
    if (VIRTIO(4) == 2) {
        VIRTIO(0x24) = 1;
        VIRTIO(0x20) = 1;
        VIRTIO(0x70) = 11;
        expect((VIRTIO(0x70) & 8) != 0, 5);
    }
    set_up(0);
    set_up(1);
    VIRTIO(0x70) = VIRTIO(0x70) | 4;
    (void)pass(1, text, sizeof text - 1);
    for (uint32_t have = 0; have < TYPED;) {
        uint32_t count = pass(0, typed + have, PIECE);
        expect(count > 0 && count <= PIECE, 6);
        have += count;
    }
    expect((VIRTIO(0x60) & 1) != 0, 7);
    uint32_t length = 0;
    for (int n = TYPED - 1; n >= 0; n--) {
        turned[length++] = typed[n];
        if (n % PIECE == 0) {
            turned[length++] = n == 0 ? '\n' : ' ';
        }
    }
    (void)pass(1, turned, length);
    end(0);
}
