/* SPDX-License-Identifier: Apache-2.0 */
/* The partner's side of l4.c: a program in a space of its own, paged by the benchmark. */
#include "os.h"

#include "l4.h"

#include <l4/l4.h>

void os_serve(void) {
    L4_ThreadId_t from;
    L4_Set_MsgTag(OS_MESSAGE);
    (void)L4_Ipc(L4_Pager(), L4_anythread, L4_TIMEOUTS_NEVER, &from);
    for (;;) {
        L4_Set_MsgTag(OS_MESSAGE);
        (void)L4_ReplyWait(from, &from);
    }
}
