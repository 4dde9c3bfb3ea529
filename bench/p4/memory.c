/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory in the shapes that are measured: chains of pointers and chains of jumps, by large pages
 * and by small ones. Small pages have few frames: as a line or a jump is all that there is of a
 * page, those of 64 pages share a frame, each in a line of its own, and caches hold them as one
 * block.
 *
 *   linear       physical  what
 *   0x00800000   the same  a large page: the chain; what is stored to
 *   0x00c00000   the same  a large page: code
 *   0x10000000 * chain     the chain by small pages, a line a page
 *   0x10400000 * chain     the same, global
 *   0x10800000 * code      jumps by small pages, a jump a page
 *   0x10c00000 * code      the same, global
 */
#include "../os/bare_ia32.h"
#include "p4.h"

#define LINE       64u
#define PAGE       4096u
#define LARGE_BITS 22
#define DATA       0x00800000u
#define CODE       0x00c00000u
#define WINDOWS    0x10000000u
#define WINDOW     (1u << LARGE_BITS)

/* Jumps of five bytes, that close: so that they lie in all sets of the trace cache. */
#define JUMP 16u

#define NOP 0x90
#define RET 0xc3
#define JMP 0xe9

enum window { CHAIN_SMALL, CHAIN_GLOBAL, CODE_SMALL, CODE_GLOBAL, TABLES };

static uint32_t tables[TABLES][PAGE / 4] __attribute__((section(".pool"), aligned(4096)));
static uint16_t order[CHAIN_LINES];

/* Things of `size` bytes one after the other: the frame that number `n` lies in. */
static uint32_t frame(uint32_t n, uint32_t size) {
    return n / (PAGE / size) * PAGE;
}

static uint32_t within(uint32_t n, uint32_t size) {
    return n % (PAGE / size) * size;
}

/* Where number `n` is seen. */
static uint32_t seen(enum pages pages, uint32_t base, uint32_t window, uint32_t n, uint32_t size) {
    if (pages == LARGE) {
        return base + n * size;
    }
    window += pages == SMALL_GLOBAL ? 1 : 0;
    return WINDOWS + window * WINDOW + n * PAGE + within(n, size);
}

void memory_map(void) {
    for (uint32_t window = 0; window < TABLES; window++) {
        uint32_t base = window < CODE_SMALL ? DATA : CODE;
        uint32_t size = window < CODE_SMALL ? LINE : JUMP;
        uint32_t global = window % 2 != 0 ? PAGE_GLOBAL : 0;
        for (uint32_t n = 0; n < PAGE / 4; n++) {
            tables[window][n] = (base + frame(n, size)) | PAGE_MINE | global;
        }
        bare_directory[(WINDOWS + window * WINDOW) >> LARGE_BITS] =
            (uint32_t)tables[window] | PAGE_MINE;
    }
    memory_global(false);
}

void memory_global(bool global) {
    static const uint32_t mine[] = {0, DATA >> LARGE_BITS, CODE >> LARGE_BITS};
    for (unsigned n = 0; n < sizeof mine / sizeof *mine; n++) {
        bare_directory[mine[n]] &= ~(uint32_t)PAGE_GLOBAL;
        bare_directory[mine[n]] |= global ? PAGE_GLOBAL : 0;
    }
    __asm__ volatile("movl %0, %%cr4\n\tmovl %1, %%cr4"
                     :
                     : "r"(CR4_PSE), "r"(CR4_PSE | CR4_PGE)
                     : "memory");
}

/* Numerical Recipes' generator. */
static uint32_t random_below(uint32_t most) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(state >> 8) * most >> 24);
}

const void *memory_chain(enum pages pages, uint32_t lines) {
    for (uint32_t n = 0; n < lines; n++) {
        order[n] = (uint16_t)n;
    }
    for (uint32_t n = lines; n > 1; n--) {
        uint32_t other = random_below(n);
        uint16_t swapped = order[n - 1];
        order[n - 1] = order[other];
        order[other] = swapped;
    }
    uint32_t first = seen(pages, DATA, CHAIN_SMALL, order[0], LINE);
    uint32_t place = first;
    for (uint32_t n = 1; n < lines; n++) {
        uint32_t next = seen(pages, DATA, CHAIN_SMALL, order[n], LINE);
        *(uint32_t *)place = next;
        place = next;
    }
    *(uint32_t *)place = first;
    return (const void *)first;
}

const void *memory_jumps(enum pages pages, uint32_t jumps) {
    for (uint32_t n = 0; n + 1 < jumps; n++) {
        uint8_t *code = (uint8_t *)(CODE + n * JUMP);
        uint32_t from = seen(pages, CODE, CODE_SMALL, n, JUMP) + 5;
        code[0] = JMP;
        *(uint32_t *)(void *)(code + 1) = seen(pages, CODE, CODE_SMALL, n + 1, JUMP) - from;
    }
    *(uint8_t *)(CODE + (jumps - 1) * JUMP) = RET;
    return (const void *)seen(pages, CODE, CODE_SMALL, 0, JUMP);
}

const void *memory_straight(uint32_t uops) {
    uint8_t *code = (uint8_t *)CODE;
    for (uint32_t n = 0; n < uops; n++) {
        code[n] = NOP;
    }
    code[uops] = RET;
    return code;
}

const void *memory_written(void) {
    return memory_straight(1);
}

void *memory_block(void) {
    return (void *)DATA;
}
