/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults and exceptions of programs, and the few that the kernel takes itself.
 */
#ifndef FAULT_H
#define FAULT_H

#include "tcb.h"

/* A program's own system call, of a number that none has: an exception message. */
void fault_swi(struct tcb *self);

/* A word of the running program's memory, or false. */
bool user_load(word_t va, word_t *value);

/* Does a word at this kernel address read without an abort? For finding the probe. */
bool kernel_probe_load(word_t va, uint32_t *value);

#endif
