/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding of L4 X.2 to IA-32: the numbers that kernel, library and assembly share. What has IA32 in
 * its name only IA-32 has; the others every binding has.
 *
 * Only plain constants, so that assembly may include this file; kip.h and utcb.h check with
 * static assertions that the C structures agree with it. All offsets are in bytes.
 *
 * Registers of system calls and the way to the UTCB (gs:0) are those of the manual's appendix; the
 * UTCB's inside is as on ARM.
 */
#ifndef L4_ARCH_IA32_BINDING_H
#define L4_ARCH_IA32_BINDING_H

#define L4_WORD_BYTES 4

#include <l4/common_binding.h>

/* Words of the UTCB for extensions: software_interrupt.h, first_fpu_use.h. */
#define L4_IA32_UTCB_INT_HANDLER   40
#define L4_IA32_UTCB_INT_IP        44
#define L4_IA32_UTCB_INT_CODE      48
#define L4_IA32_UTCB_FIRST_FPU_USE 52

/* Areas of the root task, chosen by the kernel before anybody could ask for others. */
#define L4_ROOT_UTCB_AREA      0x6ff00000
#define L4_ROOT_UTCB_AREA_SIZE 0x20000
#define L4_ROOT_KIP            0x6ffff000

/* INT of this vector, for which there is no gate: the thread's own segment (own_segment.h). */
#define L4_IA32_OWN_CALL     0x43
#define L4_IA32_OWN_SELECTOR 0x3b

/* Debug calls: INT of this vector with one of the numbers in EAX, an argument in ECX, the result in
 * EAX. (KernelInterface is `lock; nop`, as in the manual.) */
#define L4_IA32_DEBUG_CALL       0x42
#define L4_TRAP_PUTC             1
#define L4_TRAP_GETC             2
#define L4_TRAP_GETC_NB          3
#define L4_TRAP_ENTER_KDEBUG     4
#define L4_TRAP_KERNEL_INTERFACE 5
#define L4_TRAP_STATISTICS       6 /* ours: index in, value out */

/* Sizes of a thread id's parts: 18-bit thread number above a 14-bit version. */
#define L4_THREAD_NO_BITS 18
#define L4_VERSION_BITS   14

/* Page sizes: 4 KB, 4 MB, as a mask of log2 sizes. */
#define L4_PAGE_SIZES ((1 << 12) | (1 << 22))

#define L4_UTCB_LOG2_SIZE 9

/*
 * Words of an exception message (label -5): EIP, EFLAGS, number and error code of the exception,
 * EDI, ESI, EBP, ESP, EBX, EDX, ECX, EAX.
 */
#define L4_IA32_EXCEPTION_WORDS 12

/* MemoryControl attributes. 0 is X.2's "default". */
#define L4_MEMORY_DEFAULT      0
#define L4_MEMORY_UNCACHED     1
#define L4_IA32_MEMORY_THROUGH 2
#define L4_IA32_MEMORY_CACHED  3
#define L4_MEMORY_LAST         L4_IA32_MEMORY_CACHED

#endif
