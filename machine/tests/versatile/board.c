// SPDX-License-Identifier: Apache-2.0
// Identification of every PrimeCell, system registers, pins.
#include "guest.h"

static void identification(void) {
    static const uint32_t cells[] = {
        0x10004000, 0x10005000, 0x10006000, 0x10007000, 0x10009000, 0x1000b000, 0x10120000,
        0x10130000, 0x10140000, 0x101e2000, 0x101e3000, 0x101e4000, 0x101e5000, 0x101e6000,
        0x101e7000, 0x101e8000, 0x101f1000, 0x101f2000, 0x101f3000,
    };
    for (unsigned int i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        show("cell", cells[i]);
        show_words("id", cells[i], 0xfe0, 8);
    }
}

static void system_registers(void) {
    show("id", get(SYSREG, 0x00));
    put(SYSREG, 0x08, 0xa5);
    show("leds", get(SYSREG, 0x08));
    put(SYSREG, 0x30, 0xf0);
    put(SYSREG, 0x30, 0x0f);
    put(SYSREG, 0x34, 0x3c);
    show("flags", get(SYSREG, 0x30));
    put(SYSREG, 0x38, 0x11);
    put(SYSREG, 0x3c, 0x01);
    show("lasting flags", get(SYSREG, 0x38));
    show("display", get(SYSREG, 0x50));
    put(SYSREG, 0x50, 0xc003);
    show("display", get(SYSREG, 0x50));
    put(SYSREG, 0x40, 0x105); // locked: no reset
    show("locked", get(SYSREG, 0x40));
    uint32_t before = get(SYSREG, 0x5c);
    while (get(SYSREG, 0x5c) - before < 24000) {
    }
    show("24 MHz counts", 1);
}

static void pins(void) {
    show_words("gpio", GPIO0, 0x400, 7);
    put(GPIO0, 0x400, 0x0f);
    put(GPIO0, 0x3fc, 0xa5);
    show("outputs", get(GPIO0, 0x03c));
    put(GPIO0, 0x018, 0xff);
    show("two of them", get(GPIO0, 0x03c));
}

void test_board(void) {
    identification();
    system_registers();
    pins();
    put(SBCON, 0, 3);
    show("wires", get(SBCON, 0));
    put(SBCON, 4, 2);
    show("wires", get(SBCON, 0));
    put(SBCON, 0, 2);
    show("wires", get(SBCON, 0));
}
