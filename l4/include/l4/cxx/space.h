/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of Unmap (manual, 4.2). */
#ifndef L4_CXX_SPACE_H
#define L4_CXX_SPACE_H

#include <l4/space.h>

L4_INLINE L4_Fpage_t L4_Unmap(L4_Fpage_t fpage) {
    return L4_UnmapFpage(fpage);
}

L4_INLINE void L4_Unmap(L4_Word_t n, L4_Fpage_t *fpages) {
    L4_UnmapFpages(n, fpages);
}

L4_INLINE void L4_Flush(L4_Word_t n, L4_Fpage_t *fpages) {
    L4_FlushFpages(n, fpages);
}

#endif
