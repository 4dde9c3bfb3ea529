/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that only some threads have (own_state.c), for own_traps.S and nobody else. */
#ifndef OWN_STATE_H
#define OWN_STATE_H

#include "offsets.h"
#include "tcb.h"

/* A program's exception, or its call: VECTOR_PROTECTION with the error code of INT
 * L4_IA32_OWN_CALL. */
void own_trap(struct tcb *self, uint32_t vector, uint32_t error);

/* The thread is to run. True: with a segment of its own. */
uint32_t own_leave(struct tcb *t);

/* The IPC path has switched to a thread with a segment, which is not described as it should be. */
void own_enter(struct tcb *t);

#endif
