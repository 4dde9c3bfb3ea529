/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server's memory at further addresses (vmalloc): a page is mapped from the space to itself,
 * which takes a second thread to send it.
 */
#include "host.h"

#include <l4/l4.h>

#include "../root-task/root.h"
#include "internal.h"

#define STACK_WORDS 256

static L4_Word_t stack[STACK_WORDS];

/* Answers a frame and an address with that page there. */
static void mapper(void) {
    L4_Set_ExceptionHandler(L4_Pager());
    (void)L4_Receive(host_main); /* and nobody else: programs can send, too */

    for (;;) {
        L4_Word_t frame, address;
        L4_Msg_t msg;

        L4_StoreMR(1, &frame);
        L4_StoreMR(2, &address);
        L4_MsgClear(&msg);
        L4_MsgAppendMapItem(
            &msg,
            L4_MapItem(L4_FpageAddRights(L4_FpageLog2(frame, 12), L4_FullyAccessible), address));
        L4_MsgLoad(&msg);
        (void)L4_Call(host_main);
    }
}

int host_thread_start(unsigned n, void (*function)(void), L4_Word_t *stack_end, unsigned priority) {
    const L4_Word_t words[] = {n, (L4_Word_t)function, (L4_Word_t)stack_end, priority};

    return host_ask(ROOT_THREAD, words, 4) != 0;
}

int host_alias(unsigned long frame, unsigned long address) {
    static int exists;
    L4_MsgTag_t tag;

    if (!exists) {
        exists = host_thread_start(THREAD_MAPPER, mapper, &stack[STACK_WORDS], PRIORITY_MAIN);
    }
    if (!exists) {
        return 0;
    }
    L4_Accept(L4_MapGrantItems(L4_FpageLog2(address, 12)));
    L4_LoadMR(1, frame);
    L4_LoadMR(2, address);
    L4_LoadMR(0, L4_MakeMsgTag(0, 2, 0).raw);
    tag = L4_Call(host_thread(THREAD_MAPPER));
    L4_Accept(L4_UntypedWordsAcceptor);
    return L4_IpcSucceeded(tag) != 0;
}
