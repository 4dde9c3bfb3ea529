/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug output and debug calls.
 */
#ifndef KDB_H
#define KDB_H

#include "tcb.h"

/* %x (all digits of a word), %d (unsigned), %s, %c; nothing else. Numbers are words. */
void kdb_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The thread makes a debug call (L4_TRAP_*, in the binding). Of L4_TRAP_STATISTICS the argument is
 * the number of a kernel statistic (L4_STAT_*), whose value comes back. */
void kdb_trap(struct tcb *self, word_t call);

#endif
