// SPDX-License-Identifier: Apache-2.0
// SP804: modes, interrupts, what is read back. PL031: the match.
#include "guest.h"

#define LOAD     0x00
#define VALUE    0x04
#define CONTROL  0x08
#define INT_CLR  0x0c
#define RIS      0x10
#define MIS      0x14
#define BG_LOAD  0x18
#define SECOND   0x20
#define ONE_SHOT 0x01
#define WIDE     0x02
#define BY_16    0x04
#define INTS     0x20
#define PERIODIC 0x40
#define ENABLE   0x80

static void one_timer(const char *name, uint32_t base) {
    show(name, get(base, LOAD));
    show(name, get(base, CONTROL));
    show_words(name, base, RIS, 2);
    show(name, get(base, BG_LOAD));

    // Once, with the interrupt masked and then not.
    put(base, CONTROL, PERIODIC | WIDE);
    put(base, LOAD, 1000);
    show("stands still", get(base, VALUE));
    show("stands still", get(base, VALUE));
    put(base, CONTROL, ENABLE | ONE_SHOT | WIDE);
    show("fires", wait_for(base, RIS, 1));
    show("masked", get(base, MIS));
    show("halted at", get(base, VALUE));
    put(base, CONTROL, ENABLE | ONE_SHOT | WIDE | INTS);
    show("unmasked", get(base, MIS));
    put(base, INT_CLR, 1);
    show_words("cleared", base, RIS, 2);
    put(base, LOAD, 500);
    show("fires again", wait_for(base, MIS, 1));
    put(base, CONTROL, 0);
    put(base, INT_CLR, 1);

    // Again and again, from what was loaded last.
    put(base, LOAD, 50000);
    put(base, CONTROL, ENABLE | PERIODIC | WIDE | INTS);
    put(base, BG_LOAD, 300);
    show("loads", get(base, LOAD));
    show("loads", get(base, BG_LOAD));
    show("not yet", get(base, VALUE) > 300);
    for (int i = 0; i < 3; i++) {
        show("periodic", wait_for(base, MIS, 1));
        put(base, INT_CLR, 0);
        show("from the later load", get(base, VALUE) <= 300);
    }

    // Freely: from zero to the largest number. (QEMU begins there, whatever was loaded.)
    put(base, CONTROL, 0);
    put(base, LOAD, 10);
    put(base, INT_CLR, 0);
    put(base, CONTROL, ENABLE | WIDE | BY_16);
    show("wraps", wait_for(base, VALUE, 0xffff0000));
    put(base, CONTROL, 0);
    put(base, LOAD, 0x1234000a);
    put(base, INT_CLR, 0);
    put(base, CONTROL, ENABLE);
    show("wraps in 16 bits", wait_for(base, RIS, 1));
    show("wraps in 16 bits", wait_for(base, VALUE, 0xf000));
    show("wraps in 16 bits", get(base, VALUE) >> 16);
    put(base, CONTROL, INTS);
    put(base, INT_CLR, 0);
}

static void rtc(void) {
    enum { DATA = 0, MATCH = 4, SET = 8, RTC_CONTROL = 12, MASK = 16, RAW = 20, MASKED = 24 };
    enum { CLEAR = 28 };
    show("rtc control", get(RTC, RTC_CONTROL));
    put(RTC, SET, 1000);
    show("rtc set", get(RTC, DATA) - 1000 < 2);
    put(RTC, MATCH, 1002);
    show("rtc match", get(RTC, MATCH));
    show("rtc not yet", get(RTC, RAW));
    show("rtc rings", wait_for(RTC, RAW, 1));
    show("rtc rings", get(RTC, DATA) >= 1002);
    show("rtc masked", get(RTC, MASKED));
    put(RTC, MASK, 1);
    show("rtc unmasked", get(RTC, MASKED));
    show("rtc source", get(VIC, 8) >> 10 & 1);
    put(RTC, CLEAR, 1);
    show_words("rtc cleared", RTC, MASK, 3);
    show("rtc source", get(VIC, 8) >> 10 & 1);
    put(RTC, MASK, 0);
}

void test_timers(void) {
    one_timer("timer 0", TIMER0);
    one_timer("timer 1", TIMER0 + SECOND);
    one_timer("timer 2", TIMER2);
    one_timer("timer 3", TIMER2 + SECOND);
    rtc();
}
