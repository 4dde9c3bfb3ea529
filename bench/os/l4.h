/* SPDX-License-Identifier: Apache-2.0 */
/* What benchmarks of L4 itself may know of l4.c beside os.h. */
#ifndef BENCH_OS_L4_H
#define BENCH_OS_L4_H

#include <l4/message.h>

#include "../../user/common/task.h"

/* What partner and benchmark say to each other: one message each way before anything is measured.
 */
#define OS_MESSAGE ((L4_MsgTag_t){.raw = 0x0100u << 16})
/* Likewise, with words (os_ask and others). */
#define OS_WORDS_MESSAGE ((L4_MsgTag_t){.raw = 0x0100u << 16 | OS_WORDS})

/* Where partners that are started from now on have their parts (task.h); NULL: all in one megabyte
 * of their low memory. */
void l4_layout(struct task_layout (*of)(unsigned partner));

/* A page of memory of the partner's own, from its next fault on. Returns where it sees it (as
 * os_show); 0 = there is none. */
uintptr_t l4_give(unsigned partner, uintptr_t va);

/* The thread of a partner that os_partners_start has started. */
L4_ThreadId_t l4_partner(unsigned partner);

#endif
