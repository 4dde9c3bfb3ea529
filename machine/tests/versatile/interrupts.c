// SPDX-License-Identifier: Apache-2.0
// The vectored controller, the secondary one after it, and interrupts that are taken.
#include "guest.h"

#define IRQ_STATUS   0x00
#define FIQ_STATUS   0x04
#define RAW          0x08
#define SELECT       0x0c
#define VIC_ENABLE   0x10
#define VIC_CLEAR    0x14
#define SOFT         0x18
#define SOFT_CLEAR   0x1c
#define VECT_ADDR    0x30
#define DEFAULT_ADDR 0x34
#define SLOT_ADDR    0x100
#define SLOT_CONTROL 0x200
#define IN_USE       0x20

#define SIC_STATUS 0x00
#define SIC_RAW    0x04
#define SIC_ENABLE 0x08
#define SIC_CLEAR  0x0c
#define PASS       0x20
#define PASS_CLEAR 0x24

#define MMCI_COMMAND 0x0c
#define MMCI_STATUS  0x34
#define MMCI_CLEAR   0x38
#define MMCI_MASK    0x3c
#define SENT         (1u << 7)
#define NO_ANSWER    (1u << 2)

static void registers(void) {
    show_words("vic", VIC, IRQ_STATUS, 5);
    show("vic soft", get(VIC, SOFT));
    show_words("vic slot", VIC, SLOT_ADDR, 16);
    show_words("vic slot", VIC, SLOT_CONTROL, 16);
    put(VIC, VIC_ENABLE, 0x00f000f0);
    put(VIC, VIC_ENABLE, 0x0f00000f);
    put(VIC, VIC_CLEAR, 0x0f0000f0);
    show("vic enable", get(VIC, VIC_ENABLE));
    put(VIC, SOFT, 0x00ff0002);
    put(VIC, SOFT_CLEAR, 0x000f0000);
    show("vic soft", get(VIC, SOFT));
    show("vic raw", get(VIC, RAW) & 0x00ff0002);
    show("vic irq", get(VIC, IRQ_STATUS) & 0x00ff0002);
    put(VIC, SELECT, 2);
    show("vic irq", get(VIC, IRQ_STATUS) & 0x00ff0002);
    show("vic fiq", get(VIC, FIQ_STATUS) & 0x00ff0002);
    put(VIC, SELECT, 0);
    put(VIC, SOFT_CLEAR, 0xffffffff);
    put(VIC, VIC_CLEAR, 0xffffffff);
}

/* Slot `n` has source `source`, its handler is at 0x1000 + n. */
static void slot(uint32_t n, uint32_t source) {
    put(VIC, SLOT_ADDR + 4 * n, 0x1000 + n);
    put(VIC, SLOT_CONTROL + 4 * n, IN_USE | source);
}

/* Interrupts by software on the sources `first`, then `then`: which handlers are named, as each is
   raised and as each is done. */
static void nested(const char *what, uint32_t first, uint32_t then) {
    put(VIC, SOFT, 1u << first);
    show(what, get(VIC, VECT_ADDR));
    put(VIC, SOFT, 1u << then);
    show(what, get(VIC, VECT_ADDR));
    put(VIC, SOFT_CLEAR, 1u << then);
    put(VIC, VECT_ADDR, 0);
    show(what, get(VIC, IRQ_STATUS));
    put(VIC, SOFT_CLEAR, 1u << first);
    put(VIC, VECT_ADDR, 0);
    put(VIC, VECT_ADDR, 0);
}

static void priorities(void) {
    put(VIC, DEFAULT_ADDR, 0x2000);
    slot(0, 20);
    slot(3, 1);
    slot(15, 19);
    show_words("slot", VIC, SLOT_ADDR, 4);
    show_words("slot", VIC, SLOT_CONTROL, 4);
    put(VIC, VIC_ENABLE, 1u << 20 | 1u << 1 | 1u << 19 | 1u << 18);
    nested("later is more urgent", 1, 20);
    nested("from the default", 18, 19);
    put(VIC, VIC_CLEAR, 0xffffffff);
}

static volatile uint32_t taken, named;

static void count(uint32_t address) {
    taken++;
    named = address;
    put(TIMER0, 0x0c, 0);
    put(VIC, SOFT_CLEAR, 0xffffffff);
}

static void interrupts(void) {
    on_irq = count;
    put(VIC, VIC_ENABLE, 1u << 1 | 1u << 4);
    put(VIC, SOFT, 1u << 1);
    show("held off", taken);
    let_interrupts_in();
    for (int i = 0; i < 1000 && !taken; i++) {
    }
    show("by software", taken);
    show("its handler", named);

    // The timer, five times, while the processor sleeps.
    put(TIMER0, 0x00, 2000);
    put(TIMER0, 0x08, 0xe2);
    while (taken < 6) {
        wait_for_interrupt();
    }
    put(TIMER0, 0x08, 0x20);
    hold_interrupts_off();
    show("by the timer", taken >= 6);
    show("its handler", named);
    put(VIC, VIC_CLEAR, 0xffffffff);
}

/* Serial port 3 is source 6 of the secondary controller. */
static void secondary(void) {
    show("sic", get(SIC, SIC_STATUS));
    show("sic", get(SIC, SIC_ENABLE));
    show("sic", get(SIC, PASS));
    put(SIC, PASS, 0xffffffff);
    show("sic passes", get(SIC, PASS));
    put(SIC, PASS_CLEAR, 0x0fffffff);
    show("sic passes", get(SIC, PASS));
    put(SIC, PASS_CLEAR, 0xffffffff);
    put(SIC, SIC_ENABLE, 0x50);
    put(SIC, SIC_ENABLE, 0x01);
    put(SIC, SIC_CLEAR, 0x10);
    show("sic enable", get(SIC, SIC_ENABLE));
    put(SIC, SIC_CLEAR, 0xffffffff);

    // A command to no card: sent at once, if it wants no answer.
    put(MMCI0, MMCI_MASK, SENT);
    put(MMCI0, MMCI_COMMAND, 1u << 10);
    show("sic raw", get(SIC, SIC_RAW) >> 22 & 1);
    show("not passed", get(VIC, RAW) & (1u << 22 | 1u << 31));
    put(SIC, SIC_ENABLE, 1u << 22);
    show("enabled", get(VIC, RAW) & (1u << 22 | 1u << 31));
    put(SIC, PASS, 1u << 22);
    show("passed and enabled", get(VIC, RAW) & (1u << 22 | 1u << 31));
    show("sic status", get(SIC, SIC_STATUS));
    put(SIC, SIC_CLEAR, 1u << 22);
    show("passed", get(VIC, RAW) & (1u << 22 | 1u << 31));
    put(MMCI0, MMCI_CLEAR, SENT);
    show("done", get(VIC, RAW) & (1u << 22 | 1u << 31));
    put(SIC, PASS_CLEAR, 1u << 22);
    put(MMCI0, MMCI_COMMAND, 1u << 10 | 1u << 6 | 8);
    show("no answer", get(MMCI0, MMCI_STATUS) & (SENT | NO_ANSWER));
    put(MMCI0, MMCI_CLEAR, 0x7ff);
    put(MMCI0, MMCI_MASK, 0);
    put(SIC, SIC_CLEAR, 0xffffffff);
}

void test_interrupts(void) {
    registers();
    priorities();
    interrupts();
    secondary();
}
