/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From entry.S to C: a program's registers are in its frame.
 */
#ifndef CALL_H
#define CALL_H

#include "thread.h"

/* SYSENTER; `number` is what was in EBX. */
void call_by_sysenter(struct tcb *self, uint32_t number);

/* An exception, an interrupt or an INT of a program's, or an interrupt of the idle thread. */
void trap(struct tcb *self, uint32_t vector, uint32_t error);

/* A system call, its arguments where the binding has them. */
void call(struct tcb *self, uint32_t number);

/* A debug call (L4_TRAP_*): argument in ECX, result in EAX; that of KernelInterface besides in ECX,
 * EDX and ESI. */
void call_debug(struct tcb *self, uint32_t number);

/* The kernel's own exception: what is on its stack behind its registers. May change it. */
struct kernel_trap {
    uint32_t vector, error, pc, code_segment, status;
};
void fault_kernel(struct kernel_trap *t);

/* Exceptions of programs (fault.c). */
void fault_page(struct tcb *self, uint32_t error, uint32_t va);
void fault_exception(struct tcb *self, uint32_t vector, uint32_t error);

#endif
