/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of fault.c, from entry.S and trap.c, and what it calls there.
 */
#ifndef FAULT_ENTRY_H
#define FAULT_ENTRY_H

#include "tcb.h"

/* The kernel's own exception: what is on its stack after its registers. May change it. */
struct kernel_trap {
    uint32_t vector, error, pc, code_segment, status;
};
void fault_kernel(struct kernel_trap *t);

/* Exceptions of programs (fault.c). */
void fault_page(struct tcb *self, uint32_t error, uint32_t va);
void fault_exception(struct tcb *self, uint32_t vector, uint32_t error);

/* In trap.c, for KernelInterface is an exception: a debug call (L4_TRAP_*): argument in ECX, result
 * in EAX; that of KernelInterface besides in ECX, EDX and ESI. */
void call_debug(struct tcb *self, uint32_t number);

#endif
