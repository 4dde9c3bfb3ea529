/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each system call with good, boundary and hostile arguments, by table: what it returns, and the
 * error code. A row is a test of its own. Whatever the row was, the test's own page of the kernel's
 * data and its thread are as before afterwards (check_unharmed).
 */
#include "test.h"

#define SAME    L4_ALL_BITS
#define PRIVATE 0x00200000u /* nothing of ours is there */

/* What an argument of the tables stands for, if its upper half is MARK. */
#define MARK         0xa5a50000u
#define ME           (MARK + 0)
#define MY_LOCAL     (MARK + 1)
#define SLEEPER      (MARK + 2) /* a thread of ours in an endless sleep */
#define SLEEPER_S_ID (MARK + 3) /* its local id */
#define SLEEPER_OLD  (MARK + 4) /* its number in another version */
#define WAITER       (MARK + 5) /* a thread that waits for any message, again and again */
#define DEAD         (MARK + 6) /* was a thread */
#define NOBODY       (MARK + 7) /* will be one if the call succeeds */
#define SIGMA0       (MARK + 8)
#define INTERRUPT    (MARK + 9)
#define KERNELS      (MARK + 10) /* an interrupt that the kernel uses */
#define SYSTEM       (MARK + 11) /* a number between interrupts and threads */
#define TOO_BIG      (MARK + 12) /* the first number that there is not */
#define FRESH        (MARK + 13) /* the inactive first thread of a new space */
#define FREE_UTCB    (MARK + 14) /* a place in our UTCB area */
#define BELOW_AREA   (MARK + 15)
#define BEHIND_AREA  (MARK + 16)
#define FRAME        (MARK + 17) /* the fpage of a frame of ours */
#define CODE         (MARK + 18) /* an fpage with our code */
#define PLUS_4       0x8000u     /* added to the value of a mark */

struct row {
    const char *name;
    L4_Word_t arguments[5];
    L4_Word_t result; /* ANY: does not matter */
    L4_Word_t error;  /* if the result is that of a failure */
};
#define ANY 0xdddddddd

#define INVALID_THREAD  L4_ErrInvalidThread
#define INVALID_SPACE   L4_ErrInvalidSpace
#define INVALID_SCHED   L4_ErrInvalidSched
#define INVALID_PARAM   L4_ErrInvalidParam
#define FPAGE(a, log2)  ((a) | (log2) << 4)
#define ALL_OF(a, log2) (FPAGE(a, log2) | 7)
/* Larger than all that a program can have; a piece of that and of the kernel's. */
#define TOO_LARGE_LOG2 (L4_BITS_PER_WORD == 64 ? 39u : 33u)
#define INTO_KERNEL    (L4_BITS_PER_WORD == 64 ? FPAGE(0u, 39) : FPAGE(0xfc000000u, 26))

static const struct row thread_control[] = {
    {"call_thread_control_nil", {0, ME, ME, ME, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_any", {SAME, ME, ME, ME, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_any_local", {L4_BITS_ABOVE(6), ME, ME, ME, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_local", {MY_LOCAL, ME, ME, ME, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_too_big", {TOO_BIG, ME, ME, ME, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_system", {SYSTEM, ME, ME, ME, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_tick", {KERNELS, KERNELS, 0, ME, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_interrupt_to_dead",
     {INTERRUPT, INTERRUPT, 0, DEAD, SAME},
     0,
     INVALID_THREAD},
    {"call_thread_control_interrupt_to_local",
     {INTERRUPT, INTERRUPT, 0, MY_LOCAL, SAME},
     0,
     INVALID_THREAD},
    {"call_thread_control_delete_nobody", {NOBODY, 0, 0, 0, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_delete_dead", {DEAD, 0, 0, 0, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_delete_old", {SLEEPER_OLD, 0, 0, 0, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_delete_self", {ME, 0, 0, 0, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_delete_sigma0", {SIGMA0, 0, 0, 0, SAME}, 0, INVALID_THREAD},
    {"call_thread_control_space_dead", {NOBODY, DEAD, ME, ME, SAME}, 0, INVALID_SPACE},
    {"call_thread_control_space_interrupt", {NOBODY, INTERRUPT, ME, ME, SAME}, 0, INVALID_SPACE},
    {"call_thread_control_space_local", {NOBODY, MY_LOCAL, ME, ME, SAME}, 0, INVALID_SPACE},
    {"call_thread_control_space_any", {NOBODY, SAME, ME, ME, SAME}, 0, INVALID_SPACE},
    {"call_thread_control_scheduler_dead", {NOBODY, ME, DEAD, ME, SAME}, 0, INVALID_SCHED},
    {"call_thread_control_scheduler_nil", {NOBODY, ME, 0, ME, SAME}, 0, INVALID_SCHED},
    {"call_thread_control_scheduler_interrupt",
     {NOBODY, ME, INTERRUPT, ME, SAME},
     0,
     INVALID_SCHED},
    {"call_thread_control_utcb_misaligned",
     {NOBODY, ME, ME, 0, FREE_UTCB + PLUS_4},
     0,
     L4_ErrUtcbArea},
    {"call_thread_control_utcb_below", {NOBODY, ME, ME, 0, BELOW_AREA}, 0, L4_ErrUtcbArea},
    {"call_thread_control_utcb_behind", {NOBODY, ME, ME, 0, BEHIND_AREA}, 0, L4_ErrUtcbArea},
    {"call_thread_control_utcb_kernel", {NOBODY, ME, ME, 0, UTCB_WORD}, 0, L4_ErrUtcbArea},
    {"call_thread_control_utcb_taken", {NOBODY, ME, ME, 0, MY_LOCAL}, 0, L4_ErrUtcbArea},
    {"call_thread_control_pager_without_utcb", {NOBODY, ME, ME, ME, SAME}, 0, L4_ErrUtcbArea},
    {"call_thread_control_utcb_nil", {NOBODY, ME, ME, 0, 0}, 0, L4_ErrUtcbArea},
    {"call_thread_control_utcb_before_area", {NOBODY, FRESH, ME, 0, FREE_UTCB}, 1, 0},
    {"call_thread_control_active_without_area",
     {NOBODY, FRESH, ME, ME, FREE_UTCB},
     0,
     INVALID_SPACE},
    {"call_thread_control_active_new_space", {NOBODY, NOBODY, ME, ME, FREE_UTCB}, 0, INVALID_SPACE},
    {"call_thread_control_change_utcb", {SLEEPER, ME, 0, 0, FREE_UTCB}, 0, L4_ErrUtcbArea},
    {"call_thread_control_change_space_dead", {SLEEPER, DEAD, 0, 0, SAME}, 0, INVALID_SPACE},
    {"call_thread_control_change_scheduler_dead", {SLEEPER, ME, DEAD, 0, SAME}, 0, INVALID_SCHED},
    {"call_thread_control_change_nothing", {SLEEPER, ME, 0, 0, SAME}, 1, 0},
    {"call_thread_control_change_pager", {SLEEPER, ME, 0, DEAD, SAME}, 1, 0},
    {"call_thread_control_change_scheduler", {SLEEPER, ME, ME, 0, SAME}, 1, 0},
    {"call_thread_control_inactive", {NOBODY, ME, ME, 0, SAME}, 1, 0},
    {"call_thread_control_inactive_with_utcb", {NOBODY, ME, ME, 0, FREE_UTCB}, 1, 0},
    {"call_thread_control_active", {NOBODY, ME, ME, ME, FREE_UTCB}, 1, 0},
    {"call_thread_control_own_scheduler", {NOBODY, ME, NOBODY, ME, FREE_UTCB}, 1, 0},
    {"call_thread_control_new_space", {NOBODY, NOBODY, ME, 0, SAME}, 1, 0},
};

#define KIP  FPAGE(0x00010000u, 12)
#define AREA FPAGE(0x00020000u, 12)

static const struct row space_control[] = {
    {"call_space_control_nil", {0, 0, KIP, AREA, 0}, 0, INVALID_SPACE},
    {"call_space_control_dead", {DEAD, 0, KIP, AREA, 0}, 0, INVALID_SPACE},
    {"call_space_control_old", {SLEEPER_OLD, 0, KIP, AREA, 0}, 0, INVALID_SPACE},
    {"call_space_control_interrupt", {INTERRUPT, 0, KIP, AREA, 0}, 0, INVALID_SPACE},
    {"call_space_control_local", {MY_LOCAL, 0, KIP, AREA, 0}, 0, INVALID_SPACE},
    {"call_space_control_redirector_dead", {FRESH, 0, KIP, AREA, DEAD}, 0, INVALID_THREAD},
    {"call_space_control_redirector_local", {FRESH, 0, KIP, AREA, MY_LOCAL}, 0, INVALID_THREAD},
    {"call_space_control_redirector_interrupt",
     {FRESH, 0, KIP, AREA, INTERRUPT},
     0,
     INVALID_THREAD},
    {"call_space_control_kip_nil", {FRESH, 0, 0, AREA, 0}, 0, L4_ErrKipArea},
    {"call_space_control_kip_small", {FRESH, 0, FPAGE(0x10000u, 11), AREA, 0}, 0, L4_ErrKipArea},
    {"call_space_control_kip_large", {FRESH, 0, FPAGE(0x10000u, 13), AREA, 0}, 0, L4_ErrKipArea},
    {"call_space_control_kip_kernel",
     {FRESH, 0, FPAGE(KERNEL_AREA, 12), AREA, 0},
     0,
     L4_ErrKipArea},
    {"call_space_control_kip_complete", {FRESH, 0, 0x10, AREA, 0}, 0, L4_ErrKipArea},
    {"call_space_control_utcb_nil", {FRESH, 0, KIP, 0, 0}, 0, L4_ErrUtcbArea},
    {"call_space_control_utcb_small", {FRESH, 0, KIP, FPAGE(0x20000u, 11), 0}, 0, L4_ErrUtcbArea},
    {"call_space_control_utcb_kernel", {FRESH, 0, KIP, FPAGE(UTCB_WORD, 12), 0}, 0, L4_ErrUtcbArea},
    {"call_space_control_utcb_into_kernel", {FRESH, 0, KIP, INTO_KERNEL, 0}, 0, L4_ErrUtcbArea},
    {"call_space_control_utcb_complete", {FRESH, 0, KIP, 0x10, 0}, 0, L4_ErrUtcbArea},
    {"call_space_control_overlap", {FRESH, 0, KIP, FPAGE(0x10000u, 16), 0}, 0, L4_ErrUtcbArea},
    {"call_space_control_good", {FRESH, 0, KIP, AREA, 0}, 1, 0},
    {"call_space_control_highest",
     {FRESH, 0, FPAGE(KERNEL_AREA - 0x2000, 12), FPAGE(KERNEL_AREA - 0x1000, 12), 0},
     1,
     0},
    {"call_space_control_no_redirector", {FRESH, 0, KIP, AREA, SAME}, 1, 0},
    {"call_space_control_areas_in_use", {ME, 0, 0, 0, 0}, 1, 0},
};

static const struct row exchange_registers[] = {
    {"call_exchange_registers_nil", {0, 0, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_any", {SAME, 0, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_any_local", {L4_BITS_ABOVE(6), 0, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_dead", {DEAD, 0x1ff, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_old", {SLEEPER_OLD, 0x1ff, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_interrupt", {INTERRUPT, 0x1ff, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_sigma0", {SIGMA0, 0x1ff, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_inactive", {FRESH, 0, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_kernel", {UTCB_WORD, 0x1ff, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_no_local", {FREE_UTCB, 0x1ff, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_misaligned", {MY_LOCAL + PLUS_4, 0x1ff, 0, 0, 0}, 0, INVALID_THREAD},
    {"call_exchange_registers_self", {ME, 0, 0, 0, 0}, MY_LOCAL, 0},
    {"call_exchange_registers_self_local", {MY_LOCAL, 0, 0, 0, 0}, ME, 0},
    {"call_exchange_registers_unknown_bits", {ME, 0xfffffe00, 0, 0, 0}, MY_LOCAL, 0},
    {"call_exchange_registers_other", {SLEEPER, 0, 0, 0, 0}, SLEEPER_S_ID, 0},
    {"call_exchange_registers_other_local", {SLEEPER_S_ID, 0, 0, 0, 0}, SLEEPER, 0},
    {"call_exchange_registers_cancel_nothing", {ME, 6, 0, 0, 0}, MY_LOCAL, 0},
    {"call_exchange_registers_flags_only", {SLEEPER, 0x20, 0, 0, 0xffffffff}, SLEEPER_S_ID, 0},
};

static const struct row schedule[] = {
    {"call_schedule_nil", {0, SAME, SAME, SAME, SAME}, 0, INVALID_THREAD},
    {"call_schedule_any", {SAME, SAME, SAME, SAME, SAME}, 0, INVALID_THREAD},
    {"call_schedule_dead", {DEAD, SAME, SAME, SAME, SAME}, 0, INVALID_THREAD},
    {"call_schedule_old", {SLEEPER_OLD, SAME, SAME, SAME, SAME}, 0, INVALID_THREAD},
    {"call_schedule_interrupt", {INTERRUPT, SAME, SAME, SAME, SAME}, 0, INVALID_THREAD},
    {"call_schedule_no_local", {FREE_UTCB, SAME, SAME, SAME, SAME}, 0, INVALID_THREAD},
    {"call_schedule_kernel", {UTCB_WORD, SAME, SAME, SAME, SAME}, 0, INVALID_THREAD},
    {"call_schedule_priority_256", {SLEEPER, SAME, SAME, 256, SAME}, 0, INVALID_PARAM},
    {"call_schedule_priority_huge", {SLEEPER, SAME, SAME, 0xfffffffe, SAME}, 0, INVALID_PARAM},
    {"call_schedule_processor_1", {SLEEPER, SAME, 1, SAME, SAME}, 0, INVALID_PARAM},
    {"call_schedule_slice_absolute", {SLEEPER, 0x80010000, SAME, SAME, SAME}, 0, INVALID_PARAM},
    {"call_schedule_quantum_absolute", {SLEEPER, 0x00008001, SAME, SAME, SAME}, 0, INVALID_PARAM},
    {"call_schedule_nothing", {SLEEPER, SAME, SAME, SAME, SAME}, L4_SCHEDULE_WAITING, 0},
    {"call_schedule_local", {SLEEPER_S_ID, SAME, SAME, SAME, SAME}, L4_SCHEDULE_WAITING, 0},
    {"call_schedule_priority_0", {SLEEPER, SAME, SAME, 0, SAME}, L4_SCHEDULE_WAITING, 0},
    {"call_schedule_priority_255", {SLEEPER, SAME, SAME, 255, SAME}, L4_SCHEDULE_WAITING, 0},
    {"call_schedule_processor_0", {SLEEPER, SAME, 0, SAME, SAME}, L4_SCHEDULE_WAITING, 0},
    {"call_schedule_slice_never", {SLEEPER, 0, SAME, SAME, SAME}, L4_SCHEDULE_WAITING, 0},
    {"call_schedule_slice_longest",
     {SLEEPER, 0x7fff7fff, SAME, SAME, SAME},
     L4_SCHEDULE_WAITING,
     0},
    {"call_schedule_preemption_all",
     {SLEEPER, SAME, SAME, SAME, 0x00ffffff},
     L4_SCHEDULE_WAITING,
     0},
    {"call_schedule_inactive", {FRESH, SAME, SAME, SAME, SAME}, L4_SCHEDULE_INACTIVE, 0},
};

static const struct row thread_switch[] = {
    {"call_thread_switch_nil", {0}, ANY, 0},
    {"call_thread_switch_any", {SAME}, ANY, 0},
    {"call_thread_switch_any_local", {L4_BITS_ABOVE(6)}, ANY, 0},
    {"call_thread_switch_self", {ME}, ANY, 0},
    {"call_thread_switch_self_local", {MY_LOCAL}, ANY, 0},
    {"call_thread_switch_sleeper", {SLEEPER}, ANY, 0},
    {"call_thread_switch_dead", {DEAD}, ANY, 0},
    {"call_thread_switch_old", {SLEEPER_OLD}, ANY, 0},
    {"call_thread_switch_interrupt", {INTERRUPT}, ANY, 0},
    {"call_thread_switch_inactive", {FRESH}, ANY, 0},
    {"call_thread_switch_kernel", {UTCB_WORD}, ANY, 0},
};

/* control, fpage -> fpage with the rights that may have been used */
static const struct row unmap[] = {
    {"call_unmap_nil", {0x40, 7}, 0, 0},
    {"call_unmap_kernel", {0x40, ALL_OF(KERNEL_AREA, 20)}, FPAGE(KERNEL_AREA, 20), 0},
    {"call_unmap_kernel_16_mb", {0x40, ALL_OF(KERNEL_16_MB, 24)}, FPAGE(KERNEL_16_MB, 24), 0},
    {"call_unmap_utcb_word", {0x40, ALL_OF(UTCB_WORD, 12)}, FPAGE(UTCB_WORD, 12), 0},
    {"call_unmap_kip", {0x40, ALL_OF(L4_ROOT_KIP, 12)}, FPAGE(L4_ROOT_KIP, 12), 0},
    {"call_unmap_utcbs", {0x40, ALL_OF(L4_ROOT_UTCB_AREA, 17)}, FPAGE(L4_ROOT_UTCB_AREA, 17), 0},
    {"call_unmap_1_kb", {0x40, ALL_OF(PRIVATE, 10)}, FPAGE(PRIVATE, 10), 0},
    {"call_unmap_2_kb", {0x40, ALL_OF(PRIVATE, 11)}, FPAGE(PRIVATE, 11), 0},
    {"call_unmap_no_rights", {0x40, FRAME}, ANY, 0},
    {"call_unmap_others_only", {0, CODE}, ANY, 0},
    {"call_unmap_nothing_there", {0x40, ALL_OF(0x70000000u, 20)}, FPAGE(0x70000000u, 20), 0},
    {"call_unmap_size_33", {0x40, ALL_OF(0x70000000u, TOO_LARGE_LOG2)}, ANY, 0},
    {"call_unmap_size_63", {0x40, ALL_OF(0x70000000u, 63)}, ANY, 0},
    {"call_unmap_complete_of_others", {0, 0x10 | 7}, 0x10 | 7, 0},
    {"call_unmap_unknown_bits", {0xffffff80, ALL_OF(PRIVATE, 12)}, FPAGE(PRIVATE, 12), 0},
};

/* fpage, attribute */
static const struct row memory_control[] = {
    {"call_memory_control_default", {FRAME, L4_MEMORY_DEFAULT}, 1, 0},
    {"call_memory_control_unknown", {FRAME, 99}, 0, INVALID_PARAM},
    {"call_memory_control_huge", {FRAME, 0xffffffff}, 0, INVALID_PARAM},
    {"call_memory_control_nothing_there",
     {FPAGE(0x70000000u, 12), L4_MEMORY_UNCACHED},
     0,
     INVALID_PARAM},
    {"call_memory_control_nil", {0, L4_MEMORY_UNCACHED}, 0, INVALID_PARAM},
    {"call_memory_control_kernel", {FPAGE(KERNEL_AREA, 12), L4_MEMORY_UNCACHED}, 0, INVALID_PARAM},
    {"call_memory_control_utcb_word", {FPAGE(UTCB_WORD, 12), L4_MEMORY_UNCACHED}, 0, INVALID_PARAM},
    {"call_memory_control_kip", {FPAGE(L4_ROOT_KIP, 12), L4_MEMORY_UNCACHED}, 0, INVALID_PARAM},
    {"call_memory_control_utcbs",
     {FPAGE(L4_ROOT_UTCB_AREA, 12), L4_MEMORY_UNCACHED},
     0,
     INVALID_PARAM},
    {"call_memory_control_1_kb", {FPAGE(PRIVATE, 10), L4_MEMORY_UNCACHED}, 0, INVALID_PARAM},
    {"call_memory_control_complete", {0x10, L4_MEMORY_UNCACHED}, 0, INVALID_PARAM},
};

/* processor, internal and external frequency, voltage */
static const struct row processor_control[] = {
    {"call_processor_control_nothing", {0, SAME, SAME, SAME}, 1, 0},
    {"call_processor_control_processor_1", {1, SAME, SAME, SAME}, 0, INVALID_PARAM},
    {"call_processor_control_faster", {0, 999999, SAME, SAME}, 0, INVALID_PARAM},
    {"call_processor_control_stopped", {0, 0, SAME, SAME}, 0, INVALID_PARAM},
    {"call_processor_control_bus_stopped", {0, SAME, 0, SAME}, 0, INVALID_PARAM},
    {"call_processor_control_off", {0, SAME, SAME, 0}, 0, INVALID_PARAM},
    {"call_processor_control_voltage", {0, SAME, SAME, 1500}, 0, INVALID_PARAM},
};

#define NEITHER_WAITS     0x04000400u
#define SENT(error)       L4_IPC_ERROR(error, L4_IPC_PHASE_SEND)
#define RECEIVED(error)   L4_IPC_ERROR(error, L4_IPC_PHASE_RECEIVE)
#define TYPED(words, ...) ((words) << 6), __VA_ARGS__

/* to, from, timeouts; no message -> error code */
static const struct row ipc_ids[] = {
    {"call_ipc_nothing", {0, 0, 0}, 0, 0},
    {"call_ipc_to_any", {SAME, 0, NEITHER_WAITS}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_any_local", {L4_BITS_ABOVE(6), 0, NEITHER_WAITS}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_dead", {DEAD, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_dead_and_wait", {DEAD, SAME, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_old", {SLEEPER_OLD, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_self", {ME, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_self_and_back", {ME, ME, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_self_local", {MY_LOCAL, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_inactive", {FRESH, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_no_local", {FREE_UTCB, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_kernel", {UTCB_WORD, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_kernel_area", {0xfff00040, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_system", {SYSTEM, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_too_big", {TOO_BIG, 0, 0}, SENT(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_to_interrupt", {INTERRUPT, 0, 0}, 0, 0},
    {"call_ipc_to_sleeper_at_once", {SLEEPER, 0, NEITHER_WAITS}, SENT(L4_IPC_ERR_TIMEOUT), 0},
    {"call_ipc_to_sleeper_1_ms", {SLEEPER, 0, 0x07e80400}, SENT(L4_IPC_ERR_TIMEOUT), 0},
    {"call_ipc_to_sleeper_past", {SLEEPER, 0, 0x80000400}, SENT(L4_IPC_ERR_TIMEOUT), 0},
    {"call_ipc_from_dead", {0, DEAD, 0}, RECEIVED(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_from_old", {0, SLEEPER_OLD, 0}, RECEIVED(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_from_no_local", {0, FREE_UTCB, 0}, RECEIVED(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_from_kernel", {0, UTCB_WORD, 0}, RECEIVED(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_from_system", {0, SYSTEM, 0}, RECEIVED(L4_IPC_ERR_NOPARTNER), 0},
    {"call_ipc_from_any_at_once", {0, SAME, NEITHER_WAITS}, RECEIVED(L4_IPC_ERR_TIMEOUT), 0},
    {"call_ipc_from_any_local_at_once",
     {0, L4_BITS_ABOVE(6), NEITHER_WAITS},
     RECEIVED(L4_IPC_ERR_TIMEOUT),
     0},
    {"call_ipc_from_self_1_ms", {0, ME, 0x040007e8}, RECEIVED(L4_IPC_ERR_TIMEOUT), 0},
    {"call_ipc_from_sleeper_at_once", {0, SLEEPER, NEITHER_WAITS}, RECEIVED(L4_IPC_ERR_TIMEOUT), 0},
    {"call_ipc_from_interrupt_at_once",
     {0, INTERRUPT, NEITHER_WAITS},
     RECEIVED(L4_IPC_ERR_TIMEOUT),
     0},
    {"call_ipc_from_inactive_at_once", {0, FRESH, NEITHER_WAITS}, RECEIVED(L4_IPC_ERR_TIMEOUT), 0},
};

/* tag, MR 1 to 4, to one that accepts nothing -> error code */
static const struct row ipc_messages[] = {
    {"call_ipc_label_only", {0xffff0000, 0}, 0, 0},
    {"call_ipc_flags_are_ours", {0x0000e000, 0}, 0, 0},
    {"call_ipc_63_words", {63, 0}, 0, 0},
    {"call_ipc_map_not_accepted", {TYPED(2, 0x8, ALL_OF(PRIVATE, 12))}, 0, 0},
    {"call_ipc_map_kernel", {TYPED(2, 0x8, ALL_OF(KERNEL_AREA, 20))}, 0, 0},
    {"call_ipc_grant_utcbs", {TYPED(2, 0xa, ALL_OF(L4_ROOT_UTCB_AREA, 12))}, 0, 0},
    {"call_ipc_grant_kip", {TYPED(2, 0xa, ALL_OF(L4_ROOT_KIP, 12))}, 0, 0},
    {"call_ipc_item_c", {TYPED(2, 0xc, 0)}, SENT(L4_IPC_ERR_OVERFLOW), 0},
    {"call_ipc_item_e", {TYPED(2, 0xe, 0)}, SENT(L4_IPC_ERR_OVERFLOW), 0},
    {"call_ipc_half_an_item", {TYPED(1, 0x8)}, ANY, 0},
    {"call_ipc_string_not_accepted", {TYPED(2, 4 << 10, CODE)}, SENT(L4_IPC_ERR_OVERFLOW), 0},
    {"call_ipc_string_of_kernel", {TYPED(2, 4 << 10, UTCB_WORD)}, SENT(L4_IPC_ERR_OVERFLOW), 0},
    {"call_ipc_string_cut_off", {TYPED(2, 4 << 10 | 0x1f0, CODE)}, SENT(L4_IPC_ERR_OVERFLOW), 0},
    {"call_ipc_string_goes_on", {TYPED(2, 4 << 10 | 0x200, CODE)}, SENT(L4_IPC_ERR_OVERFLOW), 0},
    {"call_ipc_126_words", {0x00000fff, 0}, ANY, 0},
};

/* ---- what the marks stand for ---- */

static L4_ThreadId_t sleeper, waiter, dead, nobody, fresh;
static L4_Word_t frame_page;

static void sleep_for_ever(void) {
    for (;;) {
        L4_Sleep(L4_Never);
    }
}

static void wait_for_ever(void) {
    L4_ThreadId_t from;
    for (;;) {
        (void)L4_Wait(&from);
    }
}

static L4_Word_t area_offset(L4_Word_t offset) {
    return (L4_Word_t)(uintptr_t)L4_MyUtcb() + offset;
}

static L4_Word_t meaning(L4_Word_t mark) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    switch (mark) {
    case ME:
        return L4_MyGlobalId().raw;
    case MY_LOCAL:
        return L4_MyLocalId().raw;
    case SLEEPER:
        return sleeper.raw;
    case SLEEPER_S_ID:
        return L4_LocalIdOf(sleeper).raw;
    case SLEEPER_OLD:
        return L4_GlobalId(L4_ThreadNo(sleeper), L4_Version(sleeper) + 64).raw;
    case WAITER:
        return waiter.raw;
    case DEAD:
        return dead.raw;
    case NOBODY:
        return nobody.raw;
    case SIGMA0:
        return L4_Sigma0Id(kip).raw;
    case INTERRUPT:
        return L4_GlobalId(test_board()->interrupt, 1).raw;
    case KERNELS:
        return L4_GlobalId(test_board()->kernels_interrupt, 1).raw;
    case SYSTEM:
        return L4_GlobalId(L4_ThreadIdSystemBase(kip), 1).raw;
    case TOO_BIG:
        return L4_GlobalId(1u << L4_ThreadIdBits(kip), 1).raw;
    case FRESH:
        return fresh.raw;
    case FREE_UTCB:
        return area_offset((MAX_WORKERS + 2) * L4_UTCB_SIZE);
    case BELOW_AREA:
        return area_offset(0) - L4_UTCB_SIZE;
    case BEHIND_AREA:
        return area_offset(L4_ROOT_UTCB_AREA_SIZE);
    case FRAME:
        return frame_page;
    case CODE:
        return (L4_Word_t)(uintptr_t)meaning & ~(FRAME_SIZE - 1);
    default:
        return mark;
    }
}

static L4_Word_t value(L4_Word_t argument) {
    if ((argument & 0xffff0000) != MARK) {
        return argument;
    }
    return meaning(argument & ~PLUS_4) + ((argument & PLUS_4) != 0 ? 4 : 0);
}

/* ---- running a row ---- */

static void prepare(void) {
    uint8_t *frame = frame_alloc();
    frame_page = L4_FpageLog2((L4_Word_t)frame, FRAME_LOG2).raw;
    dead = worker_start(wait_for_ever, TEST_PRIORITY);
    worker_delete(dead);
    sleeper = worker_start(sleep_for_ever, TEST_PRIORITY + 1);
    waiter = worker_start(wait_for_ever, TEST_PRIORITY + 1);
    nobody = new_thread_id();
    fresh = new_thread_id();
    (void)L4_ThreadControl(fresh, fresh, L4_MyGlobalId(), L4_nilthread, (void *)~(uintptr_t)0);
}

static void clean_up(void) {
    (void)L4_ThreadControl(nobody, L4_nilthread, L4_nilthread, L4_nilthread, (void *)~(uintptr_t)0);
    (void)L4_ThreadControl(fresh, L4_nilthread, L4_nilthread, L4_nilthread, (void *)~(uintptr_t)0);
    frame_free((uint8_t *)(uintptr_t)(frame_page & ~(FRAME_SIZE - 1)));
}

static L4_ThreadId_t id(L4_Word_t raw) {
    return (L4_ThreadId_t){.raw = raw};
}

static L4_Fpage_t page(L4_Word_t raw) {
    return (L4_Fpage_t){.raw = raw};
}

static L4_Word_t call(const struct row *table, bool by_lipc, const L4_Word_t a[5]) {
    L4_Word_t old;
    L4_ThreadId_t from;
    if (table == thread_control) {
        return L4_ThreadControl(id(a[0]), id(a[1]), id(a[2]), id(a[3]), (void *)(uintptr_t)a[4]);
    }
    if (table == space_control) {
        return L4_SpaceControl(id(a[0]), a[1], page(a[2]), page(a[3]), id(a[4]), &old);
    }
    if (table == exchange_registers) {
        L4_Word_t control, sp, ip, flags, handle;
        L4_ThreadId_t pager;
        return L4_ExchangeRegisters(id(a[0]), a[1], a[2], a[3], a[4], 0, L4_nilthread, &control,
                                    &sp, &ip, &flags, &handle, &pager)
            .raw;
    }
    if (table == schedule) {
        return L4_Schedule(id(a[0]), a[1], a[2], a[3], a[4], &old);
    }
    if (table == thread_switch) {
        L4_ThreadSwitch(id(a[0]));
        return 0;
    }
    if (table == unmap) {
        L4_LoadMR(0, a[1]);
        L4_Unmap(a[0]);
        L4_StoreMR(0, &old);
        return old;
    }
    if (table == memory_control) {
        return L4_Set_PageAttribute(page(a[0]), a[1]);
    }
    if (table == processor_control) {
        return L4_ProcessorControl(a[0], a[1], a[2], a[3]);
    }
    L4_MsgTag_t (*ipc)(L4_ThreadId_t, L4_ThreadId_t, L4_Word_t, L4_ThreadId_t *) =
        by_lipc ? L4_Lipc : L4_Ipc;
    if (table == ipc_ids) {
        L4_Set_MsgTag(L4_Niltag);
        return error_of(ipc(id(a[0]), id(a[1]), a[2], &from));
    }
    L4_LoadMRs(0, 5, a);
    return error_of(ipc(waiter, L4_nilthread, L4_Timeouts(PATIENCE, L4_Never), &from));
}

/* We and what the kernel gave us are as before. */
static bool check_unharmed(void) {
    const volatile L4_Word_t *kip = (const volatile L4_Word_t *)L4_GetKernelInterface();
    TRY(*kip == L4_KIP_MAGIC);
    TRY(L4_MyGlobalId().raw == L4_RootServerId(L4_GetKernelInterface()).raw);
    TRY(L4_MyLocalId().raw == L4_ROOT_UTCB_AREA);
    L4_Set_MsgTag(L4_Niltag);
    TRY(error_of(L4_Send_Timeout(waiter, PATIENCE)) == 0);
    return true;
}

/* The tables; `rows` is the whole list's, in this order. */
static const struct {
    const struct row *rows;
    unsigned count;
    bool apart;
} tables[] = {
#define TABLE(t, apart) {t, sizeof t / sizeof t[0], apart}
    TABLE(thread_control, false), TABLE(space_control, true),      TABLE(exchange_registers, false),
    TABLE(schedule, false),       TABLE(thread_switch, false),     TABLE(unmap, true),
    TABLE(memory_control, true),  TABLE(processor_control, false), TABLE(ipc_ids, false),
    TABLE(ipc_messages, false),
};

static const struct row *find(unsigned n, unsigned *table) {
    for (*table = 0; *table < sizeof tables / sizeof tables[0]; (*table)++) {
        if (n < tables[*table].count) {
            return &tables[*table].rows[n];
        }
        n -= tables[*table].count;
    }
    return NULL;
}

const char *call_name(unsigned n) {
    unsigned table;
    const struct row *row = find(n, &table);
    return row == NULL ? NULL : row->name;
}

/* With all that is at hand anew. */
static void run(const struct row *row, const struct row *table, bool by_lipc) {
    L4_Word_t arguments[5];
    prepare();
    for (unsigned i = 0; i < 5; i++) {
        arguments[i] = value(row->arguments[i]);
    }
    L4_Word_t expected = value(row->result);
    L4_MyUtcb()->error_code = 0;
    L4_Word_t result = call(table, by_lipc, arguments);
    L4_Word_t error = L4_ErrorCode();
    bool unharmed = check_unharmed();
    clean_up();
    CHECK(unharmed);
    FAIL_IF(row->result != ANY && result != expected, "result", result, expected);
    FAIL_IF(row->error != 0 && error != row->error, "error code", error, row->error);
}

/* What is Ipc's is Lipc's as well. */
void call_run(unsigned n) {
    unsigned table;
    const struct row *row = find(n, &table);
    const struct row *rows = tables[table].rows;
    if (tables[table].apart) {
        NEEDS_PROTECTION;
    }
    run(row, rows, false);
    if (!test_failed() && (rows == ipc_ids || rows == ipc_messages)) {
        worker_delete(sleeper);
        worker_delete(waiter);
        run(row, rows, true);
    }
}
