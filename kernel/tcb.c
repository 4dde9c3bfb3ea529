/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads by their ids.
 */
#include "tcb.h"

#include "spaces.h"

void thread_init(void) {
    for (word_t i = 0; i < SYSTEM_BASE; i++) {
        tcbs[i].id = L4_GlobalId(i, 1).raw;
        tcbs[i].state = STATE_INACTIVE;
    }
}

void thread_entered_kernel(void) {
    if (hot.current->space != NULL) { /* else it is the idle thread */
        hot.space = hot.current->space;
    }
}

struct tcb *thread_resolve(struct space *space, word_t id) {
    if ((id & 0x3f) != 0 || id == 0) {
        return thread_find(id);
    }
    if (space == NULL || space->threads == NULL) {
        return NULL;
    }
    struct tcb *t = space->threads;
    do {
        if (t->utcb == id) {
            return t;
        }
        t = t->space_next;
    } while (t != space->threads);
    return NULL;
}
