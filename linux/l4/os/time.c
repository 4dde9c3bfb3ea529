// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time: the time-stamp counter, and a tick at a fixed interval.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <asm/msr.h>
#include <kern_util.h>
#include <os.h>

#include "../host/host.h"

/* Nanoseconds of a cycle, times 2 to this. */
#define SHIFT 24

long long os_nsecs(void) {
    static u32 factor;
    u32 low, high;

    if (!factor) {
        factor = (u32)div_u64((u64)NSEC_PER_MSEC << SHIFT, host_khz());
    }
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    return mul_u64_u32_shr((u64)high << 32 | low, factor, SHIFT);
}

/* There is a clock on the board, but nobody has set it. */
long long os_persistent_clock_emulation(void) {
    return os_nsecs();
}

int os_timer_create(void) {
    return 0;
}

int os_timer_set_interval(unsigned long long nsecs) {
    return host_set_tick((unsigned long)div_u64(nsecs, NSEC_PER_USEC)) ? 0 : -EAGAIN;
}

/* The configuration has no high-resolution timers (l4.config). */
int os_timer_one_shot(unsigned long long nsecs) {
    return -EINVAL;
}

void os_timer_disable(void) {
    host_set_tick(0);
}

void os_idle_sleep(void) {
    host_idle();
}

void timer_set_signal_handler(void) {
}

/* Programs have no timer of the host's. */
void os_alarm_process(int pid) {
}
