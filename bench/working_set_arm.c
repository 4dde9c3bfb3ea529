/* SPDX-License-Identifier: Apache-2.0 */
#include "working_set.h"

#define NOP         0xe1a00000u /* MOV r0, r0 */
#define RETURN      0xe1a0f00eu /* MOV pc, lr */
#define BRANCH      0xea000000u /* by words, from two instructions on */
#define BRANCH_FROM 8u

static void write_instruction(uint8_t *at, uint32_t instruction) {
    *(uint32_t *)(uintptr_t)at = instruction;
}

void working_set_nops(uint8_t *memory, uint32_t n) {
    for (; n > 0; n--) {
        write_instruction(memory, NOP);
        memory += WORKING_SET_NOP;
    }
    write_instruction(memory, RETURN);
}

void working_set_jumps(uint8_t *memory, uint32_t n) {
    for (; n > 0; n--) {
        write_instruction(memory, BRANCH | (WORKING_SET_STEP - BRANCH_FROM) / 4);
        memory += WORKING_SET_STEP;
    }
    write_instruction(memory, RETURN);
}
