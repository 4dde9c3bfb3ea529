/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code of IA-32 that a test writes out, and a child executes. */
#ifndef TEST_CHILD_CODE_H
#define TEST_CHILD_CODE_H

#include "../../test.h"

#define CODE       0x00050000u /* the child's page for it */
#define CODE_FIRST 12u         /* what stands there before the code given */

/* Has the child execute code, which ends with RET and may use all registers but ESP and EBP. */
struct outcome child_run_code(struct task *child, const uint8_t *code, unsigned size);
#define EXECUTE(child, ...)                                                                        \
    child_run_code(child, (const uint8_t[]){__VA_ARGS__, 0xc3},                                    \
                   (unsigned)sizeof((const uint8_t[]){__VA_ARGS__, 0xc3}))
#define WORD(w) (w) & 0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, (w) >> 24

#endif
