/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bare ARM926EJ-S for exercises: the MMU is on, both caches are, and one megabyte of addresses
 * from WINDOW on may be mapped page by page. What a kernel can do about caches and TLB is below, a
 * function each, so that an exercise is C alone. Operations: DDI 0198 (ARM926EJ-S TRM), 2.3.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <probe.h>
#include <stdint.h>

#define WINDOW   0x10000000u /* where pages may be mapped */
#define FRAMES   0x00200000u /* memory for them */
#define PAGE     4096u
#define CACHED   0xcu
#define UNCACHED 0x0u

static volatile uint32_t *const probe = (volatile uint32_t *)PROBE_BASE_PA;
static uint32_t directory[4096] __attribute__((aligned(16384)));
static uint32_t pages[256] __attribute__((aligned(1024)));

/* The first instruction: a stack, then C. */
__asm__(".section .start, \"ax\", %progbits\n"
        ".global _start\n"
        "_start:\n"
        "    ldr sp, =stack_top\n"
        "    b   begin\n"
        "    .ltorg\n"
        ".text\n");

#define OPERATION(name, registers)                                                                 \
    static inline void name(uint32_t value) {                                                      \
        __asm__ volatile("mcr p15, 0, %0, " registers : : "r"(value) : "memory");                  \
    }
OPERATION(clean_line, "c7, c10, 1")                /* of the data cache: to memory, and kept */
OPERATION(invalidate_line, "c7, c6, 1")            /* forgotten, dirty or not */
OPERATION(clean_and_invalidate_line, "c7, c14, 1") /* to memory, and forgotten */
OPERATION(drain, "c7, c10, 4")                     /* waits until stores are in memory */
OPERATION(invalidate_tlb, "c8, c7, 0")             /* all of it */
OPERATION(invalidate_tlb_entry, "c8, c7, 1")       /* of one address */
OPERATION(set_directory, "c2, c0, 0")
OPERATION(set_domains, "c3, c0, 0")
OPERATION(set_control, "c1, c0, 0")

/* The page at `address` is that of `frame` from now on: the table says so, in memory. */
static inline void map(uint32_t address, uint32_t frame, uint32_t caching) {
    uint32_t *entry = &pages[(address - WINDOW) / PAGE];
    *entry = frame | 0xff0 | caching | 2;
    clean_line((uint32_t)entry);
    drain(0);
}

static inline uint32_t load(uint32_t address) {
    return *(volatile uint32_t *)address;
}

static inline void store(uint32_t address, uint32_t value) {
    *(volatile uint32_t *)address = value;
}

static inline void say(const char *text) {
    for (; *text != '\0'; text++) {
        probe[PROBE_PUTC / 4] = (uint32_t)*text;
    }
}

static inline void say_number(const char *name, uint32_t value) {
    say(name);
    say("=");
    for (uint32_t shift = 32; shift > 0; shift -= 4) {
        uint32_t digit = value >> (shift - 4) & 15;
        probe[PROBE_PUTC / 4] = digit < 10 ? '0' + digit : 'a' + digit - 10;
    }
    say("\n");
}

/* Says that the program has done what it may not, and ends. */
__attribute__((used)) static void faulted(uint32_t at, uint32_t aborted) {
    uint32_t address;
    __asm__ volatile("mrc p15, 0, %0, c6, c0, 0" : "=r"(address));
    say(aborted ? "fault: data abort at\n" : "fault: no instruction, or none that may run, at\n");
    say_number("pc", at);
    if (aborted) {
        say_number("address", address);
    }
    probe[PROBE_EXIT / 4] = 1;
    for (;;) {
    }
}

/* Where the vectors lead: for a data abort lr is two instructions on, else one (DDI 0100, A2.6). */
#define FAULT(name, back, aborted)                                                                 \
    __attribute__((naked)) static void name(void) {                                                \
        __asm__("ldr sp, =stack_top\n"                                                             \
                "sub r0, lr, #" #back "\n"                                                         \
                "mov r1, #" #aborted "\n"                                                          \
                "b faulted\n"                                                                      \
                ".ltorg\n");                                                                       \
    }
FAULT(at_data_abort, 8, 1)
FAULT(at_another, 4, 0)

void exercise(void);
void begin(void);

void begin(void) {
    for (uint32_t megabyte = 0; megabyte < 4096; megabyte++) {
        uint32_t caching = megabyte == 0 ? CACHED : UNCACHED; /* the program's own is cached */
        directory[megabyte] = megabyte << 20 | 0xc12 | caching;
    }
    volatile uint32_t *vectors = (volatile uint32_t *)(directory[0] >> 20); /* 0 */
    for (uint32_t n = 0; n < 8; n++) {
        vectors[n] = 0xe59ff018; /* ldr pc, [pc, #24]: the word of the same number eight words on */
        vectors[n + 8] = n == 4 ? (uint32_t)at_data_abort : (uint32_t)at_another;
    }
    directory[WINDOW >> 20] = (uint32_t)pages | 0x11;
    set_directory((uint32_t)directory);
    set_domains(1);
    invalidate_tlb(0);
    set_control(0x1005 | 0x78); /* MMU, data cache, instruction cache; bits 3 to 6 read as one */
    probe[PROBE_REGION_BEGIN / 4] = 1;
    exercise();
    probe[PROBE_REGION_END / 4] = 1;
    probe[PROBE_EXIT / 4] = 0;
    for (;;) {
    }
}

#endif
