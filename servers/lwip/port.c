/* SPDX-License-Identifier: Apache-2.0 */
/* What lwIP wants of a system, beside its clock (ip_stack.c). */
#include "arch/cc.h"
#include "stdlib.h"

#include <lib/string.h>

int atoi(const char *text) {
    const char *end;
    return (int)parse_number(text, &end);
}

/* Marsaglia's xorshift32. */
uint32_t lwip_random(void) {
    static uint32_t state = 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}
