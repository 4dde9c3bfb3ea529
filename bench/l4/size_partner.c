/* SPDX-License-Identifier: Apache-2.0 */
/* The partner of bench/l4/size.c: takes strings, answers with the words that came. */
#include "../os/l4.h"
#include "raw.h"

#define STRING_MAX 65536u

static uint8_t buffer[STRING_MAX] __attribute__((aligned(32)));

int main(void) {
    L4_ThreadId_t from;
    L4_Word_t stub = raw_stub_ipc();
    /* The pager gives all pages now, not while it counts. */
    for (unsigned i = 0; i < STRING_MAX; i += 1024) {
        ((volatile uint8_t *)buffer)[i] = 1;
    }
    (void)*(const volatile uint32_t *)(uintptr_t)raw_echo;
    L4_StringItem_t item = L4_StringItem(STRING_MAX, buffer);
    L4_LoadBRs(1, 2, item.raw);
    L4_Accept(L4_StringItemsAcceptor);
    L4_Set_MsgTag(OS_MESSAGE);
    (void)L4_Ipc(L4_Pager(), L4_Pager(), L4_TIMEOUTS_NEVER, &from);
    L4_Set_MsgTag(OS_MESSAGE);
    (void)L4_Send(from);
    raw_echo(stub);
}
