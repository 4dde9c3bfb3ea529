/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits to receive from a thread that ceases to exist, and has to be told.
 *
 * The IPC path notes for whom a thread waits in that thread alone, so waiting threads have to be
 * looked for, among those that exist. What a single call or tick does of that is bounded: in a
 * system of few threads all is done at once, in one of many the rest is left to the next ticks (and
 * to the next calls), and a thread may learn some tens of milliseconds late that it waits in vain.
 */
#ifndef WAITERS_H
#define WAITERS_H

#include "tcb.h"

/* The thread exists, or the interrupt has had a handler: it may wait. And the thread exists no
 * longer. */
void waiters_add(const struct tcb *t);
void waiters_remove(const struct tcb *t);

/* The id is nobody's from now on: whoever waits for it fails, soon. */
void waiters_fail(word_t id);

/* The id becomes somebody's: nobody must still wait for who had it before. */
void waiters_expect(word_t id);

/* So many ids are still being looked for: from the tick. */
extern word_t waiters_pending;
void waiters_tick(void);

#endif
