/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling for programs: the forms of Schedule and ThreadSwitch. */
#ifndef L4_SCHEDULE_H
#define L4_SCHEDULE_H

#include <l4/syscall.h>

#define L4_SCHEDULE_KEEP L4_ALL_BITS

L4_INLINE void L4_Yield(void) {
    L4_ThreadSwitch(L4_nilthread);
}

L4_INLINE L4_Word_t L4_Set_Priority(L4_ThreadId_t dest, L4_Word_t priority) {
    L4_Word_t old;
    return L4_Schedule(dest, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, priority, L4_SCHEDULE_KEEP, &old);
}

L4_INLINE L4_Word_t L4_Set_ProcessorNo(L4_ThreadId_t dest, L4_Word_t processor) {
    L4_Word_t old;
    return L4_Schedule(dest, L4_SCHEDULE_KEEP, processor, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, &old);
}

/* Time slice and total quantum, in the upper and lower half of the time-control word. */
L4_INLINE L4_Word_t L4_Set_Timeslice(L4_ThreadId_t dest, L4_Time_t slice, L4_Time_t quantum) {
    L4_Word_t old;
    return L4_Schedule(dest, (L4_Word_t)slice.raw << 16 | quantum.raw, L4_SCHEDULE_KEEP,
                       L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, &old);
}

L4_INLINE L4_Word_t L4_Set_PreemptionDelay(L4_ThreadId_t dest, L4_Word_t sensitive_priority,
                                           L4_Word_t max_delay) {
    L4_Word_t old;
    return L4_Schedule(dest, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP,
                       sensitive_priority << 16 | (max_delay & 0xffff), &old);
}

/* The time of the clock's `at`, as a timeout. */
L4_INLINE L4_Time_t L4_TimePoint(L4_Clock_t at) {
    return L4_TimePointFrom(L4_SystemClock(), at);
}

/* What is left of time slice and total quantum. */
L4_INLINE L4_Word_t L4_Timeslice(L4_ThreadId_t dest, L4_Time_t *slice, L4_Time_t *quantum) {
    L4_Word_t word = 0;
    L4_Word_t state = L4_Schedule(dest, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP,
                                  L4_SCHEDULE_KEEP, &word);
    slice->raw = (L4_Word16_t)(word >> 16);
    quantum->raw = (L4_Word16_t)word;
    return state;
}

/* Remaining slice (upper half) and quantum (lower half), as the kernel counts them. */
L4_INLINE L4_Word_t L4_TimesliceWord(L4_ThreadId_t dest, L4_Word_t *time_control) {
    return L4_Schedule(dest, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP,
                       time_control);
}

#endif
