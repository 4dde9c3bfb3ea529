// SPDX-License-Identifier: Apache-2.0
// PL011: what is read back, flags, the transmit interrupt without FIFOs.
#include "guest.h"

#define DR    0x00
#define FR    0x18
#define IBRD  0x24
#define FBRD  0x28
#define LCR_H 0x2c
#define CR    0x30
#define IFLS  0x34
#define IMSC  0x38
#define RIS   0x3c
#define MIS   0x40
#define ICR   0x44
#define DMACR 0x48
#define TX    (1u << 5)

static void one_port(const char *name, uint32_t base) {
    show(name, get(base, FR));
    show_words(name, base, IBRD, 8);
    show(name, get(base, DMACR));
    put(base, IBRD, 13);
    put(base, FBRD, 1);
    put(base, LCR_H, 0x60);
    put(base, IFLS, 0x09);
    put(base, CR, 0x301);
    show_words(name, base, IBRD, 6);
    put(base, DR, 'x');
    show("transmits", wait_for(base, RIS, TX));
    show("masked", get(base, MIS));
    put(base, IMSC, TX);
    show("unmasked", get(base, MIS));
    show("source", get(VIC, 8) >> 13 & 1);
    show("second source", get(SIC, 4) >> 6 & 1);
    put(base, ICR, TX);
    show("cleared", get(base, RIS));
    show("source", get(VIC, 8) >> 13 & 1);
    put(base, IMSC, 0);
    show("empty", wait_for(base, FR, 1u << 7));
    show("nothing came", get(base, FR) & 0x50);
}

void test_serial(void) {
    one_port("uart1", UART1);
    one_port("uart3", UART3);
}
