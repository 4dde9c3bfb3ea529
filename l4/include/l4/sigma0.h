/* SPDX-License-Identifier: Apache-2.0 */
/* Sigma0's protocol: asking for memory. */
#ifndef L4_SIGMA0_H
#define L4_SIGMA0_H

#include <l4/ipc.h>
#include <l4/protocol.h>

/*
 * Asks sigma0 (nilthread: the KIP's) for `fpage`, which it maps at `window`; a base of
 * L4_SIGMA0_ANY asks for any memory of that size. Returns what came, a nilpage if nothing.
 */
L4_INLINE L4_Fpage_t L4_Sigma0_GetPage_RcvWindow(L4_ThreadId_t sigma0, L4_Fpage_t fpage,
                                                 L4_Fpage_t window) {
    L4_MapItem_t item;
    L4_Acceptor_t accepted = L4_Accepted();
    if (L4_IsNilThread(sigma0)) {
        sigma0 = L4_Sigma0Id(L4_GetKernelInterface());
    }
    L4_Accept(L4_MapGrantItems(window));
    L4_Set_MsgTag(L4_MakeMsgTag(L4_LABEL_SIGMA0, 2, 0));
    L4_LoadMR(1, fpage.raw);
    L4_LoadMR(2, L4_MEMORY_DEFAULT);
    L4_MsgTag_t tag = L4_Call(sigma0);
    L4_Accept(accepted);
    if (L4_IpcFailed(tag) || L4_UntypedWords(tag) != 0 || L4_TypedWords(tag) != 2) {
        return L4_Nilpage;
    }
    L4_StoreMRs(1, 2, item.raw);
    return L4_MapItemSndFpage(item);
}

L4_INLINE L4_Fpage_t L4_Sigma0_GetPage(L4_ThreadId_t sigma0, L4_Fpage_t fpage) {
    return L4_Sigma0_GetPage_RcvWindow(sigma0, fpage, fpage);
}

L4_INLINE L4_Fpage_t L4_Sigma0_GetAny(L4_ThreadId_t sigma0, L4_Word_t log2_size,
                                      L4_Fpage_t window) {
    return L4_Sigma0_GetPage_RcvWindow(
        sigma0, (L4_Fpage_t){.raw = L4_SIGMA0_ANY | log2_size << 4 | L4_FullyAccessible}, window);
}

#ifdef __cplusplus
#include <l4/cxx/sigma0.h>
#endif

#endif
