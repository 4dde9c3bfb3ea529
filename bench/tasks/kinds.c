/* SPDX-License-Identifier: Apache-2.0 */
/* The table of tasks. */
#include "tasks.h"

const struct task_kind *task_kind(unsigned which) {
    static const struct task_kind *const kinds[TASK_KINDS] = {
        [TASK_SORT] = &sort_kind,
        [TASK_DEFLATE] = &deflate_kind,
        [TASK_AES] = &aes_kind,
        [TASK_CRC] = &crc_kind,
    };
    return which < TASK_KINDS ? kinds[which] : NULL;
}
