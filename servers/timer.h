/* SPDX-License-Identifier: Apache-2.0 */
/* For the machine that pings, which has no operating system: one timer (arch/). */
#ifndef TIMER_H
#define TIMER_H

#include <stdbool.h>
#include <stdint.h>

void timer_init(void);

/* Starts anew, for up to 50 ms. */
void timer_start(uint32_t us);
bool timer_is_over(void);

/* Until the timer or the interface may want something, though no interrupt is taken. */
void timer_sleep(void);

#endif
