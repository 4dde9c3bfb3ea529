/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding of L4 X.2 to ARM: the numbers that kernel, library and assembly share. What has ARM in
 * its name only ARM has; the others every binding has.
 *
 * Only plain constants, so that assembly may include this file; kip.h and utcb.h check with
 * static assertions that the C structures agree with it. All offsets are in bytes.
 */
#ifndef L4_ARCH_ARM_BINDING_H
#define L4_ARCH_ARM_BINDING_H

#define L4_WORD_BYTES 4

#include <l4/common_binding.h>

/* The word that points to the running thread's UTCB; readable by programs. */
#define L4_ARM_UTCB_POINTER 0xff000000

/* Areas of the root task, chosen by the kernel before anybody could ask for others. */
#define L4_ROOT_UTCB_AREA      0xdff00000
#define L4_ROOT_UTCB_AREA_SIZE 0x20000
#define L4_ROOT_KIP            0xdffff000

/* Debug calls. On ARM they are jump targets: a program branches there, the kernel decodes the
 * prefetch abort by address. */
#define L4_ARM_TRAPS             0xffffff00 /* they are all above */
#define L4_TRAP_PUTC             0xffffffa0
#define L4_TRAP_GETC             0xffffffa4
#define L4_TRAP_GETC_NB          0xffffffa8
#define L4_TRAP_ENTER_KDEBUG     0xffffffac
#define L4_TRAP_KERNEL_INTERFACE 0xffffffb4
#define L4_TRAP_STATISTICS       0xffffffb8 /* ours: r0 = index in, r0 = value out */

/* Sizes of a thread id's parts: 18-bit thread number above a 14-bit version. */
#define L4_THREAD_NO_BITS 18
#define L4_VERSION_BITS   14

/* Page sizes: 4 KB, 64 KB, 1 MB, as a mask of log2 sizes. */
#define L4_PAGE_SIZES ((1 << 12) | (1 << 16) | (1 << 20))

#define L4_UTCB_LOG2_SIZE 9

/* Words in the two exception messages (label -5): all but generic ones come from SWI. */
#define L4_ARM_GENERIC_EXCEPTION_WORDS 6
#define L4_ARM_SWI_EXCEPTION_WORDS     13

/* Generic exception numbers (MR 4 of the message; the error code, MR 5, is the FSR). */
#define L4_ARM_EXC_UNDEFINED      1
#define L4_ARM_EXC_PREFETCH_ABORT 3
#define L4_ARM_EXC_DATA_ABORT     4

/*
 * MemoryControl attributes. 0 is X.2's "default"; the others name the C and B bits that ARM gives
 * to the page: write-back in the main data cache, in the mini data cache, write-buffered only,
 * or neither.
 */
#define L4_MEMORY_DEFAULT        0
#define L4_MEMORY_UNCACHED       1
#define L4_ARM_MEMORY_BUFFERED   2
#define L4_ARM_MEMORY_MINI_CACHE 3
#define L4_ARM_MEMORY_CACHED     4
#define L4_MEMORY_LAST           L4_ARM_MEMORY_CACHED

#endif
