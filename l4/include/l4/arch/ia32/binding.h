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

/* Kernel interface page (KIP): words that assembly or a boot loader uses. */
#define L4_KIP_SIZE           0x1000
#define L4_KIP_SIGMA0_SP      0x20
#define L4_KIP_SIGMA0_IP      0x24
#define L4_KIP_SIGMA0_LOW     0x28
#define L4_KIP_SIGMA0_HIGH    0x2c
#define L4_KIP_ROOT_SP        0x40
#define L4_KIP_ROOT_IP        0x44
#define L4_KIP_ROOT_LOW       0x48
#define L4_KIP_ROOT_HIGH      0x4c
#define L4_KIP_MEMORY_INFO    0x54
#define L4_KIP_UTCB_INFO      0xa8
#define L4_KIP_KIP_AREA_INFO  0xac
#define L4_KIP_BOOT_INFO      0xb8
#define L4_KIP_PROC_DESC_PTR  0xbc
#define L4_KIP_CLOCK_INFO     0xc0
#define L4_KIP_THREAD_INFO    0xc4
#define L4_KIP_PAGE_INFO      0xc8
#define L4_KIP_PROCESSOR_INFO 0xcc

/* First words of the KIP: 'L' '4' 0xE6 'K' in memory order; version 0x84, sub-version 5 ("X.2"). */
#define L4_KIP_MAGIC       0x4be6344c
#define L4_API_VERSION     0x84
#define L4_API_SUBVERSION  5
#define L4_API_VERSIONWORD ((L4_API_VERSION << 24) | (L4_API_SUBVERSION << 16))

/* User-level thread control block (UTCB). */
#define L4_UTCB_SIZE                512
#define L4_UTCB_MY_GLOBAL_ID        0
#define L4_UTCB_PROCESSOR_NO        4
#define L4_UTCB_USER_DEFINED_HANDLE 8
#define L4_UTCB_PAGER               12
#define L4_UTCB_EXCEPTION_HANDLER   16
#define L4_UTCB_PREEMPT_FLAGS       20
#define L4_UTCB_COP_FLAGS           21
#define L4_UTCB_XFER_TIMEOUTS       24
#define L4_UTCB_ERROR_CODE          28
#define L4_UTCB_INTENDED_RECEIVER   32
#define L4_UTCB_VIRTUAL_SENDER      36
#define L4_IA32_UTCB_INT_HANDLER    40 /* extensions: software_interrupt.h */
#define L4_IA32_UTCB_INT_IP         44
#define L4_IA32_UTCB_INT_CODE       48
#define L4_UTCB_MR                  64
#define L4_UTCB_BR                  320
#define L4_NUM_MRS                  64
#define L4_NUM_BRS                  33
#define L4_UTCB_AREA_MIN_SIZE       4096

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

/* Indices for the statistics. */
#define L4_STAT_FREE_PAGES         0
#define L4_STAT_TOTAL_PAGES        1
#define L4_STAT_CACHE_FLUSHES      2
#define L4_STAT_TLB_FLUSHES        3
#define L4_STAT_DOMAINS_RECYCLED   4
#define L4_STAT_RECYCLED_CLEAN     5
#define L4_STAT_COLLISIONS         6
#define L4_STAT_CPD_LOADS          7
#define L4_STAT_DOMAINS_ALLOCATED  8
#define L4_STAT_SYNONYM_MIGRATIONS 9
#define L4_STAT_SECTIONS_SHARED    10
#define L4_STAT_PAGE_SPLITS        11
#define L4_STAT_BYPASS             12
#define L4_STAT_BYPASS_END         13
#define L4_STAT_PROTECTS           100 /* 1: spaces are apart; 0: all programs share one */

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
