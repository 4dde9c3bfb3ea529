/* SPDX-License-Identifier: Apache-2.0 */
/* Sigma0's protocol (manual, chapter 7). */
#ifndef L4_CXX_SIGMA0_H
#define L4_CXX_SIGMA0_H

#include <l4/sigma0.h>

L4_INLINE L4_Fpage_t L4_Sigma0_GetPage(L4_ThreadId_t sigma0, L4_Fpage_t fpage, L4_Fpage_t window) {
    return L4_Sigma0_GetPage_RcvWindow(sigma0, fpage, window);
}

#endif
