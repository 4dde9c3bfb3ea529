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

/* ---- partners that are told what to do ---- */

/* The first message, and the answer to the one that asks for nothing, are empty. */
static void load(L4_MsgTag_t tag, const os_word_t words[OS_WORDS]) {
    L4_Set_MsgTag(tag);
    for (unsigned i = 0; i < OS_WORDS; i++) {
        L4_LoadMR(1 + i, words[i]);
    }
}

static void store(os_word_t words[OS_WORDS]) {
    for (unsigned i = 0; i < OS_WORDS; i++) {
        L4_Word_t word;
        L4_StoreMR(1 + i, &word);
        words[i] = word;
    }
}

os_word_t os_home(void) {
    return L4_Pager().raw;
}

static os_word_t send_and_wait(L4_MsgTag_t message, L4_ThreadId_t to, os_word_t words[OS_WORDS]) {
    L4_ThreadId_t from;
    load(message, words);
    L4_MsgTag_t tag = L4_ReplyWait(to, &from);
    while (L4_IpcFailed(tag) || tag.raw != OS_WORDS_MESSAGE.raw) { /* an empty one: answered so */
        L4_Set_MsgTag(OS_MESSAGE);
        tag = L4_IpcFailed(tag) ? L4_Wait(&from) : L4_ReplyWait(from, &from);
    }
    store(words);
    return from.raw;
}

os_word_t os_begin(os_word_t words[OS_WORDS]) {
    L4_ThreadId_t from;
    L4_Set_MsgTag(OS_MESSAGE);
    L4_MsgTag_t tag = L4_Ipc(L4_Pager(), L4_anythread, L4_TIMEOUTS_NEVER, &from);
    if (L4_IpcSucceeded(tag) && tag.raw == OS_WORDS_MESSAGE.raw) {
        store(words);
        return from.raw;
    }
    return send_and_wait(OS_MESSAGE, from, words);
}

os_word_t os_answer(os_word_t to, os_word_t words[OS_WORDS]) {
    return send_and_wait(OS_WORDS_MESSAGE, (L4_ThreadId_t){.raw = to}, words);
}

bool os_call_peer(os_word_t peer, os_word_t words[OS_WORDS]) {
    load(OS_WORDS_MESSAGE, words);
    L4_MsgTag_t tag = L4_Call((L4_ThreadId_t){.raw = peer});
    store(words);
    return tag.raw == OS_WORDS_MESSAGE.raw;
}

void os_yield(void) {
    L4_ThreadSwitch(L4_nilthread);
}
