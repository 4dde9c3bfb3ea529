/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small PC: first serial port as console, counter 0 of the timer, the two interrupt controllers.
 *
 * Data sheets: National PC16550D (TL/C/8652), Intel 8254 (231164), 8259A (231468); IBM AT Technical
 * Reference for what is where. A port takes 0.72 microseconds, so little is asked of them.
 *
 * Time is the processor's: its time-stamp counter, measured once against the timer, as
 * microseconds. Counter 0 only rings: it counts down to whichever match is next, at most 54 ms
 * ahead.
 */
#include "board.h"

#include "cpu.h"
#include "kernel.h"

/* 16550 */
#define SERIAL          0x3f8u
#define SERIAL_DATA     (SERIAL + 0)
#define SERIAL_ENABLE   (SERIAL + 1)
#define SERIAL_FIFO     (SERIAL + 2)
#define SERIAL_LINE     (SERIAL + 3)
#define SERIAL_MODEM    (SERIAL + 4)
#define SERIAL_STATUS   (SERIAL + 5)
#define SERIAL_LAST     (SERIAL + 7)
#define LINE_8N1        0x03u
#define LINE_DIVISOR    0x80u
#define FIFO_ON         0x07u
#define MODEM_READY     0x03u
#define STATUS_RECEIVED 0x01u
#define STATUS_CAN_SEND 0x20u

/* 8254: 105/88 MHz */
#define TIMER_COUNTER_0   0x40u
#define TIMER_COUNTER_2   0x42u
#define TIMER_MODE        0x43u
#define TIMER_GATE        0x61u
#define MODE_0_COUNTER_0  0x30u /* interrupt at the end of the count; both bytes */
#define MODE_0_COUNTER_2  0xb0u
#define GATE_ON           0x01u /* counter 2 counts */
#define GATE_OUTPUT       0x20u /* ... and has come to its end */
#define TIMER_LONGEST_US  54000u
#define CALIBRATION_US    8800u /* 10500 counts */
#define CALIBRATION_COUNT 10500u

/* 8259A, the second cascaded at input 2 of the first */
#define FIRST        0x20u
#define SECOND       0xa0u
#define TRIGGERS     0x4d0u /* edges or levels, where a PC has that */
#define MASK         1u     /* the other port of each */
#define ICW1         0x11u  /* edges, four words */
#define ICW4         0x03u  /* 8086; interrupts end by themselves */
#define OCW3_POLL    0x0cu
#define POLL_FOUND   0x80u
#define CASCADE      2u
#define VECTOR_FIRST 0x20u /* segments.h */

#define KEYBOARD_COMMAND 0x64u
#define COMMAND_RESET    0xfeu

#define INTERRUPT_TIMER 0u
/* What the kernel is told instead of INTERRUPT_TIMER. */
#define INTERRUPT_TICK  BOARD_INTERRUPTS
#define INTERRUPT_ALARM (BOARD_INTERRUPTS + 1)

static struct {
    uint64_t stamp;        /* at which the following was so */
    uint32_t us, part;     /* the count, and its part of 2^-32 */
    uint32_t us_per_stamp; /* microseconds a count of the time-stamp counter, in 2^-32 */
} clock;

static struct match {
    bool armed;
    uint32_t at;
} tick, alarm;

static uint32_t masked = ~(1u << INTERRUPT_TIMER | 1u << CASCADE);
static uint32_t taken; /* interrupts that the controllers have handed over, not yet served */

static void set_masks(void) {
    cpu_out(FIRST + MASK, (uint8_t)masked);
    cpu_out(SECOND + MASK, (uint8_t)(masked >> 8));
}

static void init_controller(uint16_t port, uint8_t vector, uint8_t cascade) {
    cpu_out(port, ICW1);
    cpu_out(port + MASK, vector);
    cpu_out(port + MASK, cascade);
    cpu_out(port + MASK, ICW4);
}

/* How fast the time-stamp counter is: against counter 2, for which nobody waits. */
static void calibrate(void) {
    cpu_out(TIMER_GATE, 0);
    cpu_out(TIMER_MODE, MODE_0_COUNTER_2);
    cpu_out(TIMER_COUNTER_2, CALIBRATION_COUNT & 0xff);
    cpu_out(TIMER_COUNTER_2, CALIBRATION_COUNT >> 8);
    cpu_out(TIMER_GATE, GATE_ON);
    uint64_t from = cpu_time_stamp();
    while ((cpu_in(TIMER_GATE) & GATE_OUTPUT) == 0) {
    }
    clock.stamp = cpu_time_stamp();
    clock.us_per_stamp = (uint32_t)(((uint64_t)CALIBRATION_US << 32) / (clock.stamp - from));
}

void board_init(void) {
    cpu_out(SERIAL_ENABLE, 0);
    cpu_out(SERIAL_LINE, LINE_DIVISOR);
    cpu_out(SERIAL_DATA, 1); /* 115200 */
    cpu_out(SERIAL_ENABLE, 0);
    cpu_out(SERIAL_LINE, LINE_8N1);
    cpu_out(SERIAL_FIFO, FIFO_ON);
    cpu_out(SERIAL_MODEM, MODEM_READY);

    init_controller(FIRST, VECTOR_FIRST, 1u << CASCADE);
    init_controller(SECOND, VECTOR_FIRST + 8, CASCADE);
    cpu_out(TIMER_MODE, MODE_0_COUNTER_0); /* nothing to count yet */
    set_masks();
    calibrate();
}

void board_putc(char c) {
    while ((cpu_in(SERIAL_STATUS) & STATUS_CAN_SEND) == 0) {
    }
    cpu_out(SERIAL_DATA, (uint8_t)c);
}

int board_getc(void) {
    return (cpu_in(SERIAL_STATUS) & STATUS_RECEIVED) != 0 ? cpu_in(SERIAL_DATA) : -1;
}

/* ---- time ---- */

uint32_t board_timer_count(void) {
    uint64_t now = cpu_time_stamp();
    uint64_t passed = now - clock.stamp;
    clock.stamp = now;
    while (passed != 0) { /* in parts of which one multiplication does */
        uint32_t part = passed > ~0u ? ~0u : (uint32_t)passed;
        uint64_t us = (uint64_t)part * clock.us_per_stamp + clock.part;
        passed -= part;
        clock.us += (uint32_t)(us >> 32);
        clock.part = (uint32_t)us;
    }
    return clock.us;
}

static bool is_due(const struct match *m) {
    return m->armed && (int32_t)(m->at - clock.us) <= 0;
}

/* Lets counter 0 ring for the next match; again, if that is farther away than it can count. */
static void set_timer(void) {
    uint32_t now = board_timer_count();
    uint32_t us = TIMER_LONGEST_US;
    for (const struct match *m = &tick;; m = &alarm) {
        if (is_due(m)) {
            us = 0;
        } else if (m->armed && m->at - now < us) {
            us = m->at - now;
        }
        if (m == &alarm) {
            break;
        }
    }
    uint32_t counts = us * 105 / 88 + 1;
    cpu_out(TIMER_MODE, MODE_0_COUNTER_0);
    cpu_out(TIMER_COUNTER_0, (uint8_t)counts);
    cpu_out(TIMER_COUNTER_0, (uint8_t)(counts >> 8));
}

void board_timer_tick_at(uint32_t count) {
    tick = (struct match){.armed = true, .at = count};
    set_timer();
}

void board_timer_alarm_at(uint32_t count) {
    alarm = (struct match){.armed = true, .at = count};
    set_timer();
}

bool board_timer_is_tick(uint32_t interrupt) {
    return interrupt == INTERRUPT_TICK;
}

bool board_timer_is_alarm(uint32_t interrupt) {
    return interrupt == INTERRUPT_ALARM;
}

void board_timer_acknowledge(uint32_t interrupt) {
    (interrupt == INTERRUPT_TICK ? &tick : &alarm)->armed = false;
}

/* ---- interrupts ---- */

void board_interrupt_taken(uint32_t interrupt) {
    taken |= 1u << interrupt;
}

/* Asks a controller as the processor would for a vector: an interrupt that waits, or -1. */
static int poll(uint16_t port) {
    cpu_out(port, OCW3_POLL);
    uint8_t answer = cpu_in(port);
    return (answer & POLL_FOUND) != 0 ? answer & 7 : -1;
}

/* One that came while the kernel was at work. */
static void take_waiting(void) {
    if ((cpu_in(FIRST) & ~masked & 0xff) == 0) {
        return;
    }
    int n = poll(FIRST);
    if (n == CASCADE) {
        n = poll(SECOND);
        n = n < 0 ? -1 : n + 8;
    }
    if (n >= 0) {
        board_interrupt_taken((uint32_t)n);
    }
}

int board_interrupt_pending(void) {
    if ((taken & ~masked) == 0) {
        take_waiting();
    }
    if ((taken & 1u << INTERRUPT_TIMER) != 0) {
        (void)board_timer_count();
        if (is_due(&tick)) {
            return INTERRUPT_TICK;
        }
        if (is_due(&alarm)) {
            return INTERRUPT_ALARM;
        }
        taken &= ~(1u << INTERRUPT_TIMER);
        set_timer(); /* it rang early, or only because it can count no farther */
    }
    for (int i = 1; i < BOARD_INTERRUPTS; i++) {
        if ((taken & ~masked & 1u << i) != 0) {
            return i;
        }
    }
    return -1;
}

/* What it has brought is over by that. */
void board_interrupt_mask(uint32_t interrupt) {
    taken &= ~(1u << interrupt);
    masked |= 1u << interrupt;
    set_masks();
}

void board_interrupt_unmask(uint32_t interrupt) {
    masked &= ~(1u << interrupt);
    set_masks();
}

bool board_interrupt_available(uint32_t interrupt) {
    return interrupt < BOARD_INTERRUPTS && interrupt != INTERRUPT_TIMER && interrupt != CASCADE;
}

/* The console, the timer and the interrupt controllers. (Not the keyboard's controller, though it
 * resets the machine, too.) */
bool board_keeps_port(uint32_t port) {
    return port - SERIAL <= SERIAL_LAST - SERIAL || port - TIMER_COUNTER_0 < 4 ||
           port - FIRST < 2 || port - SECOND < 2 || port - TRIGGERS < 2;
}

_Noreturn void board_exit(uint32_t status) {
    probe_write(PROBE_EXIT, status);
    cpu_out(KEYBOARD_COMMAND, COMMAND_RESET);
    for (;;) {
    }
}
