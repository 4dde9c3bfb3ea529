/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads: making, changing and deleting them.
 */
#ifndef THREAD_H
#define THREAD_H

#include "tcb.h"

/* Makes sigma0 and the root task, ready to run. */
void thread_start_servers(void);

struct control_result {
    word_t result;
    word_t error;
};

/* The checks and effects of ThreadControl; `self` is the caller. */
struct control_result thread_control(struct tcb *self, word_t dest, word_t space_id,
                                     word_t scheduler, word_t pager, word_t utcb);

/* All threads of the space learn whether it has a redirector. */
void thread_mark_redirected(struct space *space);

#endif
