/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces for programs: the forms of Unmap. */
#ifndef L4_SPACE_H
#define L4_SPACE_H

#include <l4/ipc.h>

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

/* Unmaps from all who have it of us, and from our own space too. */
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
    L4_LoadMR(0, fpage.raw & L4_BITS_ABOVE(3));
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

#ifdef __cplusplus
#include <l4/cxx/space.h>
#endif

#endif
