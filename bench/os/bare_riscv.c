/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Benchmarks without an operating system on RISC-V's board: everything at its physical address.
 * Console: the probe's, or else the serial port. There is no clock but the probe's.
 */
#include <lib/print.h>
#include <probe.h>
#include <stddef.h>

#include "os.h"

/* NS16550A, at its place on QEMU's "virt". */
#define UART       0x10000000u
#define UART_LINE  5
#define UART_EMPTY 0x20u
/* The test finisher: good, or a status in the upper half. */
#define FINISHER   0x100000u
#define FINISH_BAD 0x3333u
/* On QEMU there is memory of PCI cards at the probe's place, and no card: it reads ones. */

/* A flattened device tree (Devicetree Specification 0.4, chapter 5), big-endian. */
#define FDT_MAGIC      0xd00dfeedu
#define FDT_BEGIN_NODE 1u
#define FDT_PROP       3u
#define FDT_NOP        4u
#define FDT_END_NODE   2u

void bare_main(const uint32_t *tree); /* called by bare_riscv_start.S */
void bare_trapped(unsigned long cause) __attribute__((noreturn));
int main(void);

static const uint32_t *device_tree;
static bool probe;

static volatile uint32_t *at(uintptr_t address) {
    return (volatile uint32_t *)address;
}

static uint32_t big(const uint32_t *word) {
    return __builtin_bswap32(*word);
}

void os_init(void) {
    probe = *at(PROBE_BASE_PA + PROBE_ID) == PROBE_ID_VALUE;
}

static bool is(const char *a, const char *b) {
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The tree's property "bootargs", which no other node than "chosen" has. */
const char *os_command_line(void) {
    if (big(device_tree) != FDT_MAGIC) {
        return "";
    }
    const char *start = (const char *)device_tree;
    const char *names = start + big(device_tree + 3);
    const uint32_t *word = (const uint32_t *)(const void *)(start + big(device_tree + 2));
    for (;;) {
        uint32_t token = big(word++);
        if (token == FDT_BEGIN_NODE) {
            const char *name = (const char *)word;
            size_t length = 0;
            while (name[length] != '\0') {
                length++;
            }
            word += length / 4 + 1;
        } else if (token == FDT_PROP) {
            uint32_t bytes = big(word);
            if (is(names + big(word + 1), "bootargs")) {
                return (const char *)(word + 2);
            }
            word += 2 + (bytes + 3) / 4;
        } else if (token != FDT_NOP && token != FDT_END_NODE) {
            return "";
        }
    }
}

bool os_has_probe(void) {
    return probe;
}

void print_character(char c) {
    if (probe) {
        *at(PROBE_BASE_PA + PROBE_PUTC) = (unsigned char)c;
        return;
    }
    volatile uint8_t *uart = (volatile uint8_t *)(uintptr_t)UART;
    while ((uart[UART_LINE] & UART_EMPTY) == 0) {
    }
    uart[0] = (uint8_t)c;
}

void os_finish(unsigned status) {
    print("END status=%u\n", status);
    if (probe) {
        *at(PROBE_BASE_PA + PROBE_EXIT) = status;
    }
    *at(FINISHER) = FINISH_BAD | status << 16;
    for (;;) {
    }
}

void bare_trapped(unsigned long cause) {
    print("TRAP cause=%u\n", (unsigned)cause);
    os_finish(3);
}

void bare_main(const uint32_t *tree) {
    device_tree = tree;
    (void)main();
    os_finish(0);
}
