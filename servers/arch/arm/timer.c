/* SPDX-License-Identifier: Apache-2.0 */
/* Versatile (DUI 0225, 4.1): interrupt controllers, and timer 2, which counts microseconds down. */
#include "../../timer.h"

#include "interface.h"

#define VIC_ENABLE    0x10140010u
#define SIC_PASS      0x10003020u
#define TIMER_LOAD    0x101e3000u
#define TIMER_VALUE   0x101e3004u
#define TIMER_CONTROL 0x101e3008u
#define TIMER_CLEAR   0x101e300cu
#define TIMER_ONCE    0xa3u
#define SOURCE_TIMER  5u

static volatile uint32_t *at(uint32_t address) {
    return (volatile uint32_t *)address;
}

void timer_init(void) {
    *at(SIC_PASS) = 1u << INTERFACE_SOURCE;
    *at(VIC_ENABLE) = 1u << INTERFACE_SOURCE | 1u << SOURCE_TIMER;
}

void timer_start(uint32_t us) {
    *at(TIMER_CONTROL) = 0;
    *at(TIMER_CLEAR) = 0;
    *at(TIMER_LOAD) = us;
    *at(TIMER_CONTROL) = TIMER_ONCE;
}

bool timer_is_over(void) {
    return *at(TIMER_VALUE) == 0;
}

void timer_sleep(void) {
    __asm__ volatile("mcr p15, 0, %0, c7, c0, 4" ::"r"(0) : "memory");
}
