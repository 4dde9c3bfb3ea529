/* SPDX-License-Identifier: Apache-2.0 */
/* A worker of the random test: a space of its own that does what protocol.h says. */
#include <l4/l4.h>

#include "../common/touch.h"
#include "protocol.h"

#if L4_BITS_PER_WORD == 64
typedef unsigned __int128 two_words_t;
#else
typedef uint64_t two_words_t;
#endif

/* access.S: the word, and in the upper half whether it was denied. */
two_words_t access_load(L4_Word_t va);
two_words_t access_store(L4_Word_t va, L4_Word_t word);

static L4_Word_t words[L4_NUM_MRS];
static L4_Word_t results[L4_NUM_MRS];

static L4_Word_t error_of(L4_MsgTag_t tag) {
    return L4_IpcFailed(tag) ? L4_ErrorCode() : 0;
}

static L4_ThreadId_t thread(L4_Word_t raw) {
    return (L4_ThreadId_t){.raw = raw};
}

static L4_Word_t access(L4_Word_t n) {
    results[0] = 0;
    for (L4_Word_t i = 0; i < n; i++) {
        L4_Word_t va = words[1 + 2 * i];
        two_words_t done =
            (va & 1) != 0 ? access_store(va & L4_BITS_ABOVE(1), words[2 + 2 * i]) : access_load(va);
        results[0] |= (L4_Word_t)(done >> L4_BITS_PER_WORD) << i;
        results[1 + i] = (L4_Word_t)done;
    }
    return n + 1;
}

static L4_Word_t operate(L4_Word_t n) {
    L4_StringItem_t string = L4_StringItem(words[3], (void *)(uintptr_t)words[2]);
    L4_MsgTag_t tag;
    L4_ThreadId_t from;
    results[0] = 0;
    switch ((enum random_operation)words[0]) {
    case RANDOM_ACCESS:
        return access((n - 1) / 2);
    case RANDOM_MAP:
        L4_LoadMR(0, L4_MakeMsgTag(RANDOM_LABEL, 0, 2).raw);
        L4_LoadMR(1, words[2]);
        L4_LoadMR(2, words[3]);
        results[0] = error_of(L4_Ipc(thread(words[1]), L4_nilthread, words[4], &from));
        break;
    case RANDOM_ACCEPT:
        L4_Accept(L4_MapGrantItems((L4_Fpage_t){.raw = words[2]}));
        tag = L4_Receive_Timeout(thread(words[1]), RANDOM_TIMEOUT);
        L4_Accept(L4_UntypedWordsAcceptor);
        results[0] = error_of(tag);
        break;
    case RANDOM_UNMAP:
        L4_LoadMR(0, words[2]);
        L4_Unmap(words[1]);
        break;
    case RANDOM_SEND:
        L4_LoadMR(0, L4_MakeMsgTag(RANDOM_LABEL, 0, 2).raw);
        L4_LoadMRs(1, 2, string.raw);
        results[0] = error_of(L4_Send_Timeout(thread(words[1]), RANDOM_TIMEOUT));
        break;
    case RANDOM_RECEIVE:
        L4_LoadBR(0, L4_StringItemsAcceptor.raw);
        L4_LoadBRs(1, 2, string.raw);
        tag = L4_Receive_Timeout(thread(words[1]), RANDOM_TIMEOUT);
        L4_Accept(L4_UntypedWordsAcceptor);
        results[0] = error_of(tag);
        break;
    }
    return 1;
}

int main(void) {
    L4_ThreadId_t root = L4_Pager();
    touch_all_pages();
    L4_LoadMR(0, L4_MakeMsgTag(RANDOM_LABEL, 0, 0).raw);
    L4_MsgTag_t tag = L4_Call(root);
    for (;;) {
        L4_Word_t n = L4_UntypedWords(tag);
        L4_StoreMRs(1, n, words);
        n = L4_IpcFailed(tag) ? 0 : operate(n);
        L4_LoadMR(0, L4_MakeMsgTag(RANDOM_LABEL, n, 0).raw);
        L4_LoadMRs(1, n, results);
        tag = L4_Call(root);
    }
}
