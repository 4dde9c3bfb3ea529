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
    uint32_t result;
    uint32_t error;
};

/* The checks and effects of ThreadControl; `self` is the caller. */
struct control_result thread_control(struct tcb *self, uint32_t dest, uint32_t space_id,
                                     uint32_t scheduler, uint32_t pager, uint32_t utcb);

/* All threads of the space learn whether it has a redirector. */
void thread_mark_redirected(struct space *space);

#endif
