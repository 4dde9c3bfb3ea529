/* SPDX-License-Identifier: GPL-2.0-only */
/* What the root task's files know of each other. */
#ifndef L4_ROOT_TASKS_H
#define L4_ROOT_TASKS_H

#include <l4/l4.h>

/* A space with a first thread, whose pager and exception handler we are. */
bool task_make_space(L4_ThreadId_t id, L4_Fpage_t kip, L4_Fpage_t utcbs);

/* By its pager's message a new thread begins. */
bool task_start(L4_ThreadId_t id, L4_Word_t ip, L4_Word_t sp);

/* Answers a page fault. */
bool task_give(L4_ThreadId_t to, L4_Word_t frame, L4_Word_t address, L4_Word_t rights);

/* Gives a space that small-space number; false: it has it not. */
bool task_set_number(L4_ThreadId_t id, L4_Word_t number);

/* Where programs' addresses end. */
L4_Word_t task_address_end(void);

/* The network driver (network.c). */
bool network_start(void);

/* Answers a message of its; false: it is none. */
bool network_served(L4_ThreadId_t from, L4_MsgTag_t tag);

#endif
