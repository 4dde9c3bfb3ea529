/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug output and the jump targets FFFFFFA0.. that programs may branch to.
 */
#ifndef KDB_H
#define KDB_H

#include "thread.h"

/* %x (eight digits), %d (unsigned), %s, %c; nothing else. */
void kdb_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define KDB_TRAPS 0xffffff00u

/* Besides those of l4/arch/arm/binding.h: r0 = number of a kernel statistic, its value comes back:
 * 0 free pages of the kernel heap, 1 all its pages, 1 + n the count of event n (kernel.h). */
#define KDB_TRAP_STATISTICS 0xffffffb8u

/* The thread branched to `address`. */
void kdb_trap(struct tcb *self, uint32_t address);

#endif
