/* SPDX-License-Identifier: Apache-2.0 */
/* The tests that only this architecture has, for main.c: see there. */
#ifndef TEST_TABLES_H
#define TEST_TABLES_H

#define ARCH_TABLES                                                                                \
    {exception_tests, false}, {segment_tests, false}, {size_tests, true}, {small_tests, true},     \
        {small_limit_tests, true}, {small_wall_tests, true}, {group_tests, true},                  \
        {port_tests, false}, {software_interrupt_tests, false}, {own_state_tests, false},          \
        {own_path_tests, false}, {module_tests, false},

#endif
