/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time: the clock in microseconds, the end of timeslices, and IPC timeouts.
 */
#ifndef TIMER_H
#define TIMER_H

#include "tcb.h"

#include <stdbool.h>
#include <stdint.h>

/* The tick comes at least so often. Nothing depends on it but that the counter's wraps are seen and
 * that a match which QEMU has forgotten is found. */
#define TICK_MICROSECONDS 10000u

void timer_init(void);

/* Microseconds since boot. */
uint64_t timer_now(void);

/* Microseconds of a relative time; false: never. */
bool timer_relative(word_t raw, uint64_t *microseconds);

/* When a timeout (relative or absolute) given now ends; false: never. Zero ends now. */
bool timer_deadline(word_t raw, uint64_t *deadline);

/* The thread's IPC ends with a timeout at `deadline`, unless timer_disarm comes first. */
void timer_arm(struct tcb *t, uint64_t deadline);
void timer_disarm(struct tcb *t);

/* The running slice ends at `end`: the tick comes then, if not earlier. */
void timer_set_slice(uint64_t end);

/* The earliest of all deadlines may have changed: threads' timeouts and sched_delay_end. */
void timer_set_alarm(void);

/* From irq.c. */
void timer_tick(void);
void timer_alarm(void);

#endif
