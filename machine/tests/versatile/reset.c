// SPDX-License-Identifier: Apache-2.0
// What registers read after a reset, before anything has been written. They are read first and
// printed later: printing is writing. Left out are registers that reading changes, and where QEMU
// differs from the manuals (README.md).
#include "guest.h"

static const struct {
    const char *name;
    uint32_t base;
    uint32_t offset;
    unsigned int count;
} REGISTERS[] = {
    {"uart0 FR", 0x101f1000, 0x18, 1},
    {"uart0 ILPR", 0x101f1000, 0x20, 1},
    {"uart0 IBRD", 0x101f1000, 0x24, 8},
    {"uart0 DMACR", 0x101f1000, 0x48, 1},
    {"uart1 IBRD", 0x101f2000, 0x24, 8},
    {"uart2 IBRD", 0x101f3000, 0x24, 8},
    {"uart3 IBRD", 0x10009000, 0x24, 8},
    {"vic", 0x10140000, 0x00, 4},
    {"vic vectors", 0x10140000, 0x100, 16},
    {"vic slots", 0x10140000, 0x200, 16},
    {"sic", 0x10003000, 0x00, 3},
    {"sic PICENABLE", 0x10003000, 0x20, 1},
    {"timer0 Load", 0x101e2000, 0x00, 1},
    {"timer0 Control", 0x101e2000, 0x08, 1},
    {"timer0 RIS", 0x101e2000, 0x10, 3},
    {"timer1 Load", 0x101e2000, 0x20, 1},
    {"timer1 Control", 0x101e2000, 0x28, 1},
    {"timer1 RIS", 0x101e2000, 0x30, 3},
    {"timer2 Load", 0x101e3000, 0x00, 1},
    {"timer2 Control", 0x101e3000, 0x08, 1},
    {"gpio0", 0x101e4000, 0x400, 8},
    {"gpio3", 0x101e7000, 0x400, 8},
    {"rtc MR", 0x101e8000, 0x04, 1},
    {"rtc IMSC", 0x101e8000, 0x10, 3},
    {"kmi0 CR", 0x10006000, 0x00, 1},
    {"kmi0 CLKDIV", 0x10006000, 0x0c, 1},
    {"mmci0", 0x10005000, 0x00, 13},
    {"mmci0 masks", 0x10005000, 0x3c, 2},
    {"mmci1", 0x1000b000, 0x00, 13},
    {"sys SW", 0x10000000, 0x04, 7},
    {"sys FLAGS", 0x10000000, 0x30, 1},
    {"sys NVFLAGS", 0x10000000, 0x38, 1},
    {"sys CLCD", 0x10000000, 0x50, 1},
    {"clcd", 0x10120000, 0x00, 7},
    {"dma", 0x10130000, 0x00, 8},
    {"aaci", 0x10004000, 0x00, 2},
};

#define COUNT (sizeof(REGISTERS) / sizeof(REGISTERS[0]))

void test_reset(void) {
    static uint32_t values[256];
    unsigned int n = 0;
    for (unsigned int i = 0; i < COUNT; i++) {
        for (unsigned int k = 0; k < REGISTERS[i].count; k++) {
            values[n++] = get(REGISTERS[i].base, REGISTERS[i].offset + 4 * k);
        }
    }
    n = 0;
    for (unsigned int i = 0; i < COUNT; i++) {
        for (unsigned int k = 0; k < REGISTERS[i].count; k++) {
            show(REGISTERS[i].name, values[n++]);
        }
    }
}
