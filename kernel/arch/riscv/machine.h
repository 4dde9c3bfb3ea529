/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left in machine mode (machine.S): the timer, whose comparator raises interrupts there
 * only. Everything else is delegated.
 */
#ifndef MACHINE_MODE_H
#define MACHINE_MODE_H

/* Of sip and sie. */
#define SIP_TIMER    (1 << 5)
#define SIP_EXTERNAL (1 << 9)

#ifndef __ASSEMBLER__
#include <stdint.h>

/* The timer's interrupt ends; the next comes when mtime is `at`. An ECALL, as SBI's set_timer. */
static inline void machine_set_timer(uint64_t at) {
    register uint64_t when __asm__("a0") = at;
    __asm__ volatile("ecall" : "+r"(when) : : "memory");
}
#endif

#endif
