// SPDX-License-Identifier: Apache-2.0
// The guest's order of tests, its console, its interrupt handler. Nothing that depends on time is
// printed: the output is the same on QEMU and on the machine.
#include "guest.h"

#define DR      0x00
#define FR      0x18
#define TX_FULL (1u << 5)

#define VECT_ADDR 0x30

// Enough for two seconds on either: QEMU runs some 10^8 of these a second.
#define PATIENCE 500000000u

void (*volatile on_irq)(uint32_t address);

static void put_char(char c) {
    while (get(UART0, FR) & TX_FULL) {
    }
    put(UART0, DR, (uint32_t)c);
}

static void put_text(const char *text) {
    while (*text) {
        put_char(*text++);
    }
}

void show(const char *what, uint32_t value) {
    put_text(what);
    put_text(": ");
    for (int shift = 28; shift >= 0; shift -= 4) {
        put_char("0123456789abcdef"[value >> shift & 15]);
    }
    put_char('\n');
}

void show_words(const char *what, uint32_t base, uint32_t offset, unsigned int count) {
    for (unsigned int i = 0; i < count; i++) {
        show(what, get(base, offset + 4 * i));
    }
}

uint32_t wait_for(uint32_t base, uint32_t offset, uint32_t bits) {
    for (uint32_t i = 0; i < PATIENCE; i++) {
        if ((get(base, offset) & bits) == bits) {
            return 1;
        }
    }
    return 0;
}

void handle_irq(void) {
    on_irq(get(VIC, VECT_ADDR));
    put(VIC, VECT_ADDR, 0);
}

void run(void) {
    test_reset();
    test_board();
    test_timers();
    test_interrupts();
    test_serial();
    test_card();
    put_text("END\n");
    // Ends the machine, and QEMU with -no-reboot: unlock, then reset.
    put(SYSREG, 0x20, 0xa05f);
    show("unlocked", get(SYSREG, 0x20));
    put(SYSREG, 0x40, 0x105);
}
