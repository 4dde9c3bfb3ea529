/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pager of bench/l4/primitives.c, in a space of its own: answers each page fault with one of
 * its pages, which it has from the benchmark.
 */
#include "../os/l4.h"
#include "raw.h"

static uint8_t pages[RAW_PAGES][4096] __attribute__((aligned(4096)));

int main(void) {
    L4_ThreadId_t from;
    L4_Word_t stub = raw_stub_ipc();
    for (unsigned i = 0; i < RAW_PAGES; i++) {
        ((volatile uint8_t *)pages)[i * 4096] = 1;
    }
    (void)*(const volatile uint32_t *)(uintptr_t)raw_pager;
    L4_Set_MsgTag(OS_MESSAGE);
    (void)L4_Ipc(L4_Pager(), L4_Pager(), L4_TIMEOUTS_NEVER, &from);
    L4_Set_MsgTag(OS_MESSAGE);
    (void)L4_Send(from);
    raw_pager(L4_FpageAddRights(L4_FpageLog2((L4_Word_t)pages, 12), L4_ReadWriteOnly).raw, stub);
}
