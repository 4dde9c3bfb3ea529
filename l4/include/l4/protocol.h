/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Message labels of the kernel-generated and of the sigma0 protocol.
 *
 * A label has 16 bits; the manual's negative protocol numbers stand in its upper 12, the low 4
 * carry rights (page fault: the access that failed, sigma0: 0).
 */
#ifndef L4_PROTOCOL_H
#define L4_PROTOCOL_H

#define L4_LABEL_INTERRUPT  0xfff0 /* -1 */
#define L4_LABEL_PAGEFAULT  0xffe0 /* -2 | rwx; MR 1 address, MR 2 instruction pointer */
#define L4_LABEL_PREEMPTION 0xffd0 /* -3; MR 1, 2 clock low, high */
#define L4_LABEL_EXCEPTION  0xffb0 /* -5; layouts of arch/arm/binding.h */
#define L4_LABEL_SIGMA0     0xffa0 /* -6; MR 1 fpage, MR 2 attributes */
#define L4_LABEL_IO_FAULT   0xff86 /* -8 | rw; IA-32: MR 1 I/O fpage, MR 2 instruction pointer */

/* The sigma0 request for "any page of this size": all ones as base. */
#define L4_SIGMA0_ANY 0xfffffc00

/* Thread start message: a thread made active with a pager gets IP and SP from it by IPC. */
#define L4_START_WORDS 2

#endif
