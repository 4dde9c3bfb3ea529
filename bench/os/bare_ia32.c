/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Benchmarks without an operating system on a PC, started by a Multiboot loader. Console: the
 * probe's, or else the first serial port. There is no clock but the processor's.
 */
#include "bare_ia32.h"

#include <lib/print.h>
#include <probe.h>

#include "os.h"

/* Of what the loader tells (Multiboot 0.6.96, 3.3): flags, the word of the command line. */
#define TOLD_FLAGS   0
#define TOLD_COMMAND 4
#define HAS_COMMAND  (1u << 2)

/* 16550 (National TL/C/8652), at its first place in a PC. */
#define SERIAL_DATA  0x3f8
#define SERIAL_LINE  0x3fd
#define SERIAL_EMPTY 0x20u

void bare_main(const uint32_t *told); /* called by bare_ia32_start.S */
int main(void);

extern uint64_t bare_idt[BARE_VECTORS]; /* there, too */

static const uint32_t *loader;
static bool probe;

static volatile uint32_t *at(uint32_t address) {
    return (volatile uint32_t *)address;
}

/* Where nobody answers, a PC reads ones. */
void os_init(void) {
    probe = *at(PROBE_BASE_PA + PROBE_ID) == PROBE_ID_VALUE;
}

const char *os_command_line(void) {
    return loader[TOLD_FLAGS] & HAS_COMMAND ? (const char *)loader[TOLD_COMMAND] : "";
}

bool os_has_probe(void) {
    return probe;
}

void print_character(char c) {
    if (probe) {
        *at(PROBE_BASE_PA + PROBE_PUTC) = (unsigned char)c;
        return;
    }
    while ((bare_in(SERIAL_LINE) & SERIAL_EMPTY) == 0) {
    }
    bare_out(SERIAL_DATA, (uint8_t)c);
}

void os_finish(unsigned status) {
    print("END status=%u\n", status);
    if (probe) {
        *at(PROBE_BASE_PA + PROBE_EXIT) = status;
    }
    for (;;) {
    }
}

uint64_t bare_gate(unsigned type, void (*to)(void), unsigned level) {
    uint32_t offset = (uint32_t)to;
    uint32_t high = (offset & 0xffff0000u) | 0x8000u | level << 13 | type << 8;
    return (uint64_t)high << 32 | (uint32_t)BARE_KERNEL_CODE << 16 | (offset & 0xffffu);
}

void bare_handle(unsigned vector, uint64_t gate) {
    bare_idt[vector] = gate;
}

void bare_main(const uint32_t *told) {
    loader = told;
    (void)main();
    os_finish(0);
}
