/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Benchmarks without an operating system, on the assabet board and its like: caches on, interrupts
 * off, everything at its physical address. Console: the probe's, or else serial port 1.
 */
#include "os.h"

#include <lib/print.h>
#include <probe.h>

/* SA-1110 Developer's Manual, chapter 9 (OS timer) and 11.11 (serial port 3 and its twins). */
#define UART1_CONTROL3 0x8001000cu
#define UART1_DATA     0x80010014u
#define UART1_STATUS1  0x80010020u
#define UART_TRANSMIT  0x2u
#define UART_NOT_FULL  0x4u
#define OS_TIMER       0x90000010u /* 3.6864 MHz */

/* The ARM Linux tag list: size in words, tag, contents. */
#define TAG_CORE    0x54410001u
#define TAG_CMDLINE 0x54410009u

void bare_main(const uint32_t *tags); /* called by bare_start.S */
int main(void);

static const uint32_t *tag_list;
static bool probe;

static volatile uint32_t *at(uint32_t address) {
    return (volatile uint32_t *)address;
}

/* The word at `address`, 0 if the access aborts: the vector goes on after the load. */
static uint32_t careful_read(uint32_t address) {
    uint32_t value = 0;
    __asm__ volatile("ldr %0, [%1]\n\tnop" : "+&r"(value) : "r"(address) : "memory");
    return value;
}

void os_init(void) {
    probe = careful_read(PROBE_BASE_PA + PROBE_ID) == PROBE_ID_VALUE;
    if (!probe) {
        *at(UART1_CONTROL3) = UART_TRANSMIT;
    }
}

const char *os_command_line(void) {
    const uint32_t *tag = tag_list;
    if (tag == 0 || tag[1] != TAG_CORE) {
        return "";
    }
    for (; tag[0] != 0; tag += tag[0]) {
        if (tag[1] == TAG_CMDLINE) {
            return (const char *)(tag + 2);
        }
    }
    return "";
}

bool os_has_probe(void) {
    return probe;
}

/* Wraps after 19 minutes; programs here run for seconds. */
uint64_t os_microseconds(void) {
    return (uint64_t)*at(OS_TIMER) * 10000 / 36864;
}

void print_character(char c) {
    if (probe) {
        *at(PROBE_BASE_PA + PROBE_PUTC) = (unsigned char)c;
        return;
    }
    while ((*at(UART1_STATUS1) & UART_NOT_FULL) == 0) {
    }
    *at(UART1_DATA) = (unsigned char)c;
}

void os_finish(unsigned status) {
    print("END status=%u\n", status);
    if (probe) {
        *at(PROBE_BASE_PA + PROBE_EXIT) = status;
    }
    for (;;) {
    }
}

void bare_main(const uint32_t *tags) {
    tag_list = tags;
    (void)main();
    os_finish(0);
}
