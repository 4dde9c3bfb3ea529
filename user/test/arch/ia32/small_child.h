/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of small spaces have in common: children and their numbers. */
#ifndef TEST_SMALL_CHILD_H
#define TEST_SMALL_CHILD_H

#include "child_code.h"

#include <small_space.h>

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

/* A child with an exception handler, us, that is small. */
struct task *child_small(void);

/* A child with an exception handler, us, and a page at INSIDE. */
struct task *child_with_handler(void);

/* Whether the processor looks at limits: QEMU's does not, nor whether a selector was null. */
bool limits_are_checked(void);

#endif
