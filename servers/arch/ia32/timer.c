/* SPDX-License-Identifier: Apache-2.0 */
/* Counter 2 of the PC's 8254 (Intel 231164), at 105/88 MHz, which interrupts nobody. */
#include "../../timer.h"

#include "../../../bench/os/bare_ia32.h"

#define COUNTER_2        0x42u
#define MODE             0x43u
#define GATE             0x61u
#define MODE_0_COUNTER_2 0xb0u
#define GATE_ON          0x01u
#define GATE_OUTPUT      0x20u

void timer_init(void) {
}

void timer_start(uint32_t us) {
    uint32_t counts = us * 105 / 88 + 1;
    bare_out(GATE, 0);
    bare_out(MODE, MODE_0_COUNTER_2);
    bare_out(COUNTER_2, (uint8_t)counts);
    bare_out(COUNTER_2, (uint8_t)(counts >> 8));
    bare_out(GATE, GATE_ON);
}

bool timer_is_over(void) {
    return (bare_in(GATE) & GATE_OUTPUT) != 0;
}

/* Ports take their time; the other machine does nothing else meanwhile. */
void timer_sleep(void) {
}
