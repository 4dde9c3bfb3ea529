/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of trap.c and fault.c from entry.S, and from trap.c to fault.c.
 */
#ifndef FAULT_ENTRY_H
#define FAULT_ENTRY_H

#include "tcb.h"

/* scause (Privileged Architecture, "Supervisor Cause Register"). */
#define CAUSE_INTERRUPT  ((word_t)1 << 63)
#define CAUSE_ILLEGAL    2u
#define CAUSE_ECALL      8u
#define CAUSE_FETCH_PAGE 12u
#define CAUSE_LOAD_PAGE  13u
#define CAUSE_STORE_PAGE 15u

/* A program's trap, its registers in its frame; `value` is stval. */
void trap(struct tcb *self, word_t cause, word_t value);

/* Exceptions of programs (fault.c). */
void fault_page(struct tcb *self, word_t cause, word_t va);
void fault_exception(struct tcb *self, word_t cause, word_t value);

/* The kernel's own. */
_Noreturn void fault_kernel(word_t cause, word_t pc, word_t value);

#endif
