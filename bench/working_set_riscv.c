/* SPDX-License-Identifier: Apache-2.0 */
#include "working_set.h"

#define NOP    0x00000013u /* ADDI x0, x0, 0 */
#define RETURN 0x00008067u /* JALR x0, (ra) */
#define JUMP   0x0000006fu /* JAL x0, by bytes */

/* Where JAL has the distance, which is even: bits 10 to 1, 11, and 19 to 12; it is no larger. */
#define JUMP_BY(bytes)                                                                             \
    (((bytes) & 0x7feu) << 20 | ((bytes) >> 11 & 1u) << 20 | ((bytes) & 0xff000u))

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
        write_instruction(memory, JUMP | JUMP_BY(WORKING_SET_STEP));
        memory += WORKING_SET_STEP;
    }
    write_instruction(memory, RETURN);
}
