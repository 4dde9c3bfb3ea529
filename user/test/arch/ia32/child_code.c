/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a child executes: kept in a page of its own, and called with its registers saved. */
#include "child_code.h"

struct outcome child_run_code(struct task *child, const uint8_t *code, unsigned size) {
    struct task_page *old = task_page_at(child, CODE);
    uint8_t *frame =
        old != NULL ? old->frame : task_add_page(child, CODE, NULL, L4_FullyAccessible);
    static const uint8_t keep[] = {0x53, 0x56, 0x57, 0xe8, 4, 0, 0, 0, /* push, call 1f */
                                   0x5f, 0x5e, 0x5b, 0xc3};            /* pop, ret; 1: */
    _Static_assert(sizeof keep == CODE_FIRST, "where the code begins");
    memcpy(frame, keep, sizeof keep);
    memcpy(frame + sizeof keep, code, size);
    return child_do(child, CHILD_EXECUTE, CODE, 0, 0, 0);
}
