/* SPDX-License-Identifier: Apache-2.0 */
/* There are none. */
#include "../../ports.h"

bool ports_are_meant(L4_Fpage_t wanted) {
    (void)wanted;
    return false;
}

bool ports_claim(L4_ThreadId_t who, L4_Fpage_t wanted) {
    (void)who;
    (void)wanted;
    return false;
}
