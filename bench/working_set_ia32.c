/* SPDX-License-Identifier: Apache-2.0 */
#include "working_set.h"

#ifndef NOLIBC /* which has these functions */
#include <lib/string.h>
#endif

#define NOP        0x90
#define RETURN     0xc3
#define JUMP       0xe9 /* relative to the next instruction, by 32 bits */
#define JUMP_BYTES 5u

void working_set_nops(uint8_t *memory, uint32_t n) {
    memset(memory, NOP, n);
    memory[n] = RETURN;
}

void working_set_jumps(uint8_t *memory, uint32_t n) {
    uint32_t by = WORKING_SET_STEP - JUMP_BYTES;
    for (; n > 0; n--) {
        memory[0] = JUMP;
        memcpy(memory + 1, &by, sizeof by);
        memory += WORKING_SET_STEP;
    }
    memory[0] = RETURN;
}
