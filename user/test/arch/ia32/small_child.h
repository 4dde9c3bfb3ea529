/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of small spaces have in common: children, their numbers, code that they execute. */
#ifndef TEST_SMALL_CHILD_H
#define TEST_SMALL_CHILD_H

#include "../../test.h"

#include <small_space.h>

#define CODE   0x00050000u /* of child_run_code */
#define INSIDE 0x00060000u /* a page of theirs, far from limits */

/* The first address of the area: it begins where programs' own addresses end, as
 * the kernel interface page has it. */
L4_Word_t area_start(void);
/* The size of a space in one of the smallest parts. */
L4_Word_t least_limit(void);

/* SpaceControl's answer to this word. */
L4_Word_t space_control(const struct task *child, L4_Word_t word);
/* Which part it has; 0: it is large. */
L4_Word_t number_of(const struct task *child);
bool set_number(const struct task *child, L4_Word_t number);

/* Is there a scheme that gives parts away by itself? Not where the processor (QEMU's) checks no
 * limits. */
bool has_small_spaces(void);
#define NEEDS_SMALL_SPACES                                                                         \
    do {                                                                                           \
        if (!has_small_spaces()) {                                                                 \
            return;                                                                                \
        }                                                                                          \
    } while (0)

/* A page of the child's at `va`, filled with words of this seed. */
uint8_t *filled_page(struct task *child, L4_Word_t va, L4_Word_t seed);

/* Has the child execute code, which ends with RET and may use all registers but ESP and EBP. */
struct outcome child_run_code(struct task *child, const uint8_t *code, unsigned size);
#define EXECUTE(child, ...)                                                                        \
    child_run_code(child, (const uint8_t[]){__VA_ARGS__, 0xc3},                                    \
                   (unsigned)sizeof((const uint8_t[]){__VA_ARGS__, 0xc3}))
#define WORD(w) (w) & 0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, (w) >> 24

/* A child with an exception handler, us, that is small. */
struct task *child_small(void);

#endif
