/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From entry.S to C: a program's registers are in its frame.
 */
#ifndef CALL_H
#define CALL_H

#include "tcb.h"

/* SYSENTER; `number` is what was in EBX. */
void call_by_sysenter(struct tcb *self, uint32_t number);

/* An exception, an interrupt or an INT of a program's, or an interrupt of the idle thread. */
void trap(struct tcb *self, uint32_t vector, uint32_t error);

/* A system call, its arguments where the binding has them. */
void call(struct tcb *self, uint32_t number);

#endif
