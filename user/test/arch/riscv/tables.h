/* SPDX-License-Identifier: Apache-2.0 */
/* The tests that only this architecture has, for main.c: see there. */
#ifndef TEST_TABLES_H
#define TEST_TABLES_H

#define ARCH_TABLES {exception_tests, false}, {one_space_tests, false},

#endif
