/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine's word: what an address, a register of a program and a message register have. As wide
 * as L4_Word_t, 32 bits or 64. Of fixed width are only what hardware has so (board.h), and words
 * that the paths in assembly compare (tcb.sched).
 */
#ifndef WORD_H
#define WORD_H

#include <stdint.h>

typedef uintptr_t word_t;

#endif
