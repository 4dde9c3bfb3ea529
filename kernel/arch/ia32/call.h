/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From entry.S to C: a program's registers are in its frame.
 */
#ifndef CALL_H
#define CALL_H

#include "tcb.h"

#include <l4/syscall_list.h>

#define NUMBER_OF(name, Name, number, word) CALL_##name = number,
enum { L4_SYSTEM_CALLS(NUMBER_OF) };

/* SYSENTER; `number` is what was in EBX. */
void call_by_sysenter(struct tcb *self, uint32_t number);

/* A system call, its arguments where the binding has them. */
void call(struct tcb *self, uint32_t number);

/* An exception, an interrupt or an INT of a program's, or an interrupt of the idle thread (trap.c).
 */
void trap(struct tcb *self, uint32_t vector, uint32_t error);

#endif
