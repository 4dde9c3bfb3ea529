/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system-call table.
 */
#ifndef SYSCALL_H
#define SYSCALL_H

#include "tcb.h"

/* From entry.S: the caller's registers are in its frame, `number` is what the stub said. */
void syscall(struct tcb *self, word_t number);

#endif
