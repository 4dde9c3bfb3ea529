/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's debug console, reached by branching to the jump targets of the binding. */
#ifndef L4_KDEBUG_H
#define L4_KDEBUG_H

#include <l4/types.h>

L4_BEGIN_C
void L4_KDB_PrintChar(char c);
int L4_KDB_ReadChar_Blocked(void);
int L4_KDB_ReadChar(void); /* -1: nothing there */
void l4_kdb_enter(void);
#define L4_KDB_Enter(...) l4_kdb_enter() /* a text, where a program gives one, is not printed */

/* One of the kernel's own numbers, by L4_STAT_* (arch/arm/binding.h). */
unsigned L4_KDB_Statistic(unsigned index);

L4_END_C

#endif
