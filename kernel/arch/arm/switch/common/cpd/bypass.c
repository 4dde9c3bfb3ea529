/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces that bypass the caching page directory: which they are.
 */
#include "bypass.h"

struct switch_state *bypass_spaces;

/* (Aligned as what the linker puts after it, switch_prepare.) */
__attribute__((aligned(32))) void bypass_forget(struct switch_state *s) {
    bypass_unlist(s);
}
