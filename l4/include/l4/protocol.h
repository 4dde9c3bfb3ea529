/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Message labels of the kernel-generated and of the sigma0 protocol.
 *
 * A label has 16 bits, or 48 where words have 64; the manual's negative protocol numbers stand in
 * all but its low 4, which carry rights (page fault: the access that failed, sigma0: 0).
 */
#ifndef L4_PROTOCOL_H
#define L4_PROTOCOL_H

#include <l4/types.h>

#define L4_LABEL(protocol) ((L4_Word_t)(protocol) << 20 >> 16)

#define L4_LABEL_INTERRUPT  L4_LABEL(-1)
#define L4_LABEL_PAGEFAULT  L4_LABEL(-2) /* | rwx; MR 1 address, MR 2 instruction pointer */
#define L4_LABEL_PREEMPTION L4_LABEL(-3) /* MR 1, 2 clock low, high */
#define L4_LABEL_EXCEPTION  L4_LABEL(-5) /* layouts of the binding */
#define L4_LABEL_SIGMA0     L4_LABEL(-6) /* MR 1 fpage, MR 2 attributes */
#define L4_LABEL_IO_FAULT                                                                          \
    (L4_LABEL(-8) | L4_ReadWriteOnly) /* IA-32: MR 1 I/O fpage, MR 2 instruction pointer */

/* The sigma0 request for "any page of this size": all ones as base. */
#define L4_SIGMA0_ANY L4_BITS_ABOVE(10)

/* Thread start message: a thread made active with a pager gets IP and SP from it by IPC. */
#define L4_START_WORDS 2

#endif
