/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces for programs: the forms of Unmap, and sigma0's protocol. */
#ifndef L4_SPACE_H
#define L4_SPACE_H

#include <l4/ipc.h>
#include <l4/protocol.h>

/* Revokes `rights` (in the fpage) from everybody who got them from us; returns accessed rights. */
L4_INLINE L4_Fpage_t L4_UnmapFpage(L4_Fpage_t fpage) {
    L4_LoadMR(0, fpage.raw);
    L4_Unmap(0);
    return (L4_Fpage_t){.raw = L4_MyUtcb()->mr[0]};
}

L4_INLINE void L4_UnmapFpages(L4_Word_t n, L4_Fpage_t *fpages) {
    for (L4_Word_t i = 0; i < n; i++) {
        L4_LoadMR(i, fpages[i].raw);
    }
    L4_Unmap(n - 1);
    for (L4_Word_t i = 0; i < n; i++) {
        fpages[i].raw = L4_MyUtcb()->mr[i];
    }
}

/* The same, and from our own space too. */
L4_INLINE L4_Fpage_t L4_Flush(L4_Fpage_t fpage) {
    L4_LoadMR(0, fpage.raw);
    L4_Unmap(L4_UNMAP_FLUSH);
    return (L4_Fpage_t){.raw = L4_MyUtcb()->mr[0]};
}

L4_INLINE void L4_FlushFpages(L4_Word_t n, L4_Fpage_t *fpages) {
    for (L4_Word_t i = 0; i < n; i++) {
        L4_LoadMR(i, fpages[i].raw);
    }
    L4_Unmap(L4_UNMAP_FLUSH | (n - 1));
    for (L4_Word_t i = 0; i < n; i++) {
        fpages[i].raw = L4_MyUtcb()->mr[i];
    }
}

L4_INLINE L4_Fpage_t L4_GetStatus(L4_Fpage_t fpage) {
    L4_LoadMR(0, fpage.raw & ~7u);
    L4_Unmap(0);
    return (L4_Fpage_t){.raw = L4_MyUtcb()->mr[0]};
}

L4_INLINE L4_Bool_t L4_WasWritten(L4_Fpage_t f) {
    return (f.raw & L4_Writable) != 0;
}

L4_INLINE L4_Bool_t L4_WasReferenced(L4_Fpage_t f) {
    return (f.raw & L4_Readable) != 0;
}

L4_INLINE L4_Bool_t L4_WaseXecuted(L4_Fpage_t f) {
    return (f.raw & L4_eXecutable) != 0;
}

/* MemoryControl: `attribute` for each fpage, or one of four (low bits of the fpage choose). */
L4_INLINE L4_Word_t L4_Set_PagesAttributes(L4_Word_t n, const L4_Fpage_t *fpages,
                                           const L4_Word_t attributes[4]) {
    for (L4_Word_t i = 0; i < n; i++) {
        L4_LoadMR(i, fpages[i].raw);
    }
    return L4_MemoryControl(n - 1, attributes);
}

L4_INLINE L4_Word_t L4_Set_PageAttribute(L4_Fpage_t fpage, L4_Word_t attribute) {
    const L4_Word_t attributes[4] = {attribute, 0, 0, 0};
    fpage.raw &= ~3u;
    return L4_Set_PagesAttributes(1, &fpage, attributes);
}

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
    L4_LoadMR(2, L4_ARM_MEMORY_DEFAULT);
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

#endif
