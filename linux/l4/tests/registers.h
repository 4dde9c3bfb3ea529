/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef L4_TESTS_REGISTERS_H
#define L4_TESTS_REGISTERS_H

/* Says of each case what came of it: right, or WRONG and a number. */
void registers_of_tasks(void);

#endif
