// SPDX-License-Identifier: Apache-2.0
// The memory card in slot 0: identification, blocks read and written by polling, and by the
// interrupt that says that there are data. Names and numbers that tell the card's maker are not
// printed.
#include "guest.h"

#define POWER       0x00
#define CLOCK       0x04
#define ARGUMENT    0x08
#define COMMAND     0x0c
#define RESPONSE    0x14
#define DATA_TIMER  0x24
#define DATA_LENGTH 0x28
#define DATA_CTRL   0x2c
#define DATA_COUNT  0x30
#define STATUS      0x34
#define CLEAR       0x38
#define MASK0       0x3c
#define FIFO        0x80

#define SEND       (1u << 10)
#define LONG       (1u << 7)
#define RESPONDS   (1u << 6)
#define TIMED_OUT  (1u << 2)
#define RESPONDED  (1u << 6)
#define SENT       (1u << 7)
#define DATA_END   (1u << 8)
#define TX_FULL    (1u << 16)
#define RX_DATA    (1u << 21)
#define FROM_CARD  2u
#define ENABLE     1u
#define BLOCKS_512 (9u << 4)

#define WORDS 128u

static uint32_t address;
static volatile uint32_t interrupts;

// Sends a command; its status bits, which are cleared.
static uint32_t command(uint32_t index, uint32_t argument, uint32_t kind) {
    put(MMCI0, ARGUMENT, argument);
    put(MMCI0, COMMAND, index | kind | SEND);
    uint32_t status;
    do {
        status = get(MMCI0, STATUS) & (TIMED_OUT | RESPONDED | SENT);
    } while (!status);
    put(MMCI0, CLEAR, 0x7ff);
    return status;
}

static uint32_t answer(uint32_t index, uint32_t argument) {
    uint32_t status = command(index, argument, RESPONDS);
    return status & TIMED_OUT ? 0xdead0000 | index : get(MMCI0, RESPONSE);
}

static uint32_t app(uint32_t index, uint32_t argument) {
    answer(55, address);
    return answer(index, argument);
}

static void data(uint32_t bytes, uint32_t control) {
    put(MMCI0, DATA_TIMER, 0xffff);
    put(MMCI0, DATA_LENGTH, bytes);
    put(MMCI0, DATA_CTRL, control | ENABLE | BLOCKS_512);
}

static uint32_t sum_of(uint32_t words) {
    uint32_t sum = 0;
    while (words--) {
        while (!(get(MMCI0, STATUS) & RX_DATA)) {
        }
        sum = (sum << 1 | sum >> 31) ^ get(MMCI0, FIFO);
    }
    return sum;
}

static void finish(const char *what) {
    show(what, wait_for(MMCI0, STATUS, DATA_END));
    show(what, get(MMCI0, DATA_COUNT));
    put(MMCI0, CLEAR, 0x7ff);
}

static void identify(void) {
    put(MMCI0, POWER, 0x86);
    put(MMCI0, CLOCK, 0x1ff);
    show("go idle", command(0, 0, 0));
    show("interface", answer(8, 0x1aa));
    show("no such command", answer(5, 0));
    uint32_t ocr;
    do {
        answer(55, 0);
        ocr = answer(41, 0x40ff8000);
    } while (!(ocr >> 31));
    show("high capacity", ocr >> 30 & 1);
    show("voltages", ocr & 0x00ff8000);
    show("identification", command(2, 0, RESPONDS | LONG));
    address = answer(3, 0) & 0xffff0000;
    show("has an address", address != 0);
    show("status in stand-by", answer(13, address));
    show("specific data", command(9, address, RESPONDS | LONG));
    show("structure", get(MMCI0, RESPONSE) >> 30);
    show("another card", command(13, address ^ 0x10000, RESPONDS));
    show("selected", answer(7, address));
    show("status", answer(13, address));
    show("block length", answer(16, 512));
    show("wide", app(6, 2));
}

static void read_and_write(uint32_t unit) {
    data(512, FROM_CARD);
    show("read", answer(17, 3 * unit));
    show("sum", sum_of(WORDS));
    finish("read");
    data(2048, FROM_CARD);
    show("read on", answer(18, 5 * unit));
    show("sum", sum_of(4 * WORDS));
    finish("read on");
    show("sending", answer(13, address) >> 9 & 15);
    show("stop", answer(12, 0) >> 9 & 15);
    show("write", answer(24, 6 * unit));
    data(512, 0);
    for (uint32_t n = 0; n < WORDS; n++) {
        while (get(MMCI0, STATUS) & TX_FULL) {
        }
        put(MMCI0, FIFO, n * 0x01010101u);
    }
    finish("write");
    show("write on", answer(25, 9 * unit));
    data(1024, 0);
    for (uint32_t n = 0; n < 2 * WORDS; n++) {
        while (get(MMCI0, STATUS) & TX_FULL) {
        }
        put(MMCI0, FIFO, ~n);
    }
    finish("write on");
    command(12, 0, RESPONDS);
    show("written", answer(13, address));
    data(512 * 6, FROM_CARD);
    command(18, 5 * unit, RESPONDS);
    show("sum", sum_of(6 * WORDS));
    finish("read back");
    command(12, 0, RESPONDS);
}

static void on_data(uint32_t unused) {
    (void)unused;
    interrupts++;
    put(MMCI0, MASK0, 0);
}

static void interrupted(uint32_t unit) {
    on_irq = on_data;
    put(SIC, 0x20, 1u << 22); // passed through
    put(VIC, 0x10, 1u << 22);
    let_interrupts_in();
    put(MMCI0, MASK0, RX_DATA);
    show("none yet", interrupts);
    data(512, FROM_CARD);
    command(17, 3 * unit, RESPONDS);
    while (!interrupts) {
    }
    show("interrupts", interrupts);
    hold_interrupts_off();
    put(VIC, 0x14, 1u << 22);
    put(SIC, 0x24, 1u << 22);
    show("sum", sum_of(WORDS));
    finish("read");
}

void test_card(void) {
    uint32_t nobody = command(8, 0x1aa, RESPONDS);
    show("card", nobody);
    if (nobody & TIMED_OUT) {
        return; // the slot is empty
    }
    identify();
    // What the card counts in follows from its size.
    command(7, 0, 0);
    command(9, address, RESPONDS | LONG);
    uint32_t unit = get(MMCI0, RESPONSE) >> 30 ? 1u : 512u;
    answer(7, address);
    read_and_write(unit);
    interrupted(unit);
}
