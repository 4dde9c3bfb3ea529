/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding of L4 X.2 to RISC-V with words of 64 bits: the numbers that kernel, library and assembly
 * share. What has RISCV in its name only RISC-V has; the others every binding has. (The manual has
 * no appendix on this processor: registers are chosen as its calling convention suggests.)
 *
 * Only plain constants, so that assembly may include this file; kip.h and utcb.h check with
 * static assertions that the C structures agree with it. All offsets are in bytes.
 *
 * A system call is a call of its stub in the KIP: arguments and results are in a0 to a6, message
 * registers 0 to 4 of Ipc, Lipc and Unmap in a3 to a7. The running thread's UTCB is where tp says,
 * which the kernel sets when it starts or moves a thread. Ipc and Lipc keep sp, gp and tp.
 */
#ifndef L4_ARCH_RISCV_BINDING_H
#define L4_ARCH_RISCV_BINDING_H

/* Kernel interface page (KIP): words that assembly or a boot loader uses. */
#define L4_KIP_SIZE           0x1000
#define L4_KIP_SIGMA0_SP      0x40
#define L4_KIP_SIGMA0_IP      0x48
#define L4_KIP_SIGMA0_LOW     0x50
#define L4_KIP_SIGMA0_HIGH    0x58
#define L4_KIP_ROOT_SP        0x80
#define L4_KIP_ROOT_IP        0x88
#define L4_KIP_ROOT_LOW       0x90
#define L4_KIP_ROOT_HIGH      0x98
#define L4_KIP_MEMORY_INFO    0xa8
#define L4_KIP_UTCB_INFO      0x150
#define L4_KIP_KIP_AREA_INFO  0x158
#define L4_KIP_BOOT_INFO      0x170
#define L4_KIP_PROC_DESC_PTR  0x178
#define L4_KIP_CLOCK_INFO     0x180
#define L4_KIP_THREAD_INFO    0x188
#define L4_KIP_PAGE_INFO      0x190
#define L4_KIP_PROCESSOR_INFO 0x198

/* First words of the KIP: 'L' '4' 0xE6 'K' in memory order; version 0x84, sub-version 5 ("X.2"). */
#define L4_KIP_MAGIC       0x4be6344c
#define L4_API_VERSION     0x84
#define L4_API_SUBVERSION  5
#define L4_API_VERSIONWORD (L4_API_VERSION * 0x1000000u + L4_API_SUBVERSION * 0x10000u)

/* User-level thread control block (UTCB). */
#define L4_UTCB_SIZE                1024
#define L4_UTCB_MY_GLOBAL_ID        0
#define L4_UTCB_PROCESSOR_NO        8
#define L4_UTCB_USER_DEFINED_HANDLE 16
#define L4_UTCB_PAGER               24
#define L4_UTCB_EXCEPTION_HANDLER   32
#define L4_UTCB_PREEMPT_FLAGS       40
#define L4_UTCB_COP_FLAGS           41
#define L4_UTCB_XFER_TIMEOUTS       48
#define L4_UTCB_ERROR_CODE          56
#define L4_UTCB_INTENDED_RECEIVER   64
#define L4_UTCB_VIRTUAL_SENDER      72
#define L4_UTCB_MR                  128
#define L4_UTCB_BR                  640
#define L4_NUM_MRS                  64
#define L4_NUM_BRS                  33
#define L4_UTCB_AREA_MIN_SIZE       4096

/* Areas of the root task, chosen by the kernel before anybody could ask for others: the lower half
 * of 2 MB. Sigma0's lie 1 MB below, so in others. */
#define L4_ROOT_UTCB_AREA      0x6fe00000
#define L4_ROOT_UTCB_AREA_SIZE 0x20000
#define L4_ROOT_KIP            0x6feff000

/* Debug calls: ECALL with one of these in t0, where the stubs of the KIP have the number of a
 * system call; an argument in a0, the result there. KernelInterface is one, for who has not found
 * the KIP yet: its results are in a0 to a3. */
#define L4_RISCV_TRAPS           0x100 /* they are all above */
#define L4_TRAP_PUTC             0x101
#define L4_TRAP_GETC             0x102
#define L4_TRAP_GETC_NB          0x103
#define L4_TRAP_ENTER_KDEBUG     0x104
#define L4_TRAP_KERNEL_INTERFACE 0x105
#define L4_TRAP_STATISTICS       0x106 /* ours: index in, value out */

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

/* Sizes of a thread id's parts: 32-bit thread number above a 32-bit version. */
#define L4_THREAD_NO_BITS 32
#define L4_VERSION_BITS   32

/* Page sizes: 4 KB, 2 MB, as a mask of log2 sizes. */
#define L4_PAGE_SIZES ((1 << 12) | (1 << 21))

#define L4_UTCB_LOG2_SIZE 10

/*
 * Words of an exception message (label -5): pc, sp, ra, the cause and value of the exception as in
 * scause and stval, a0 to a7.
 */
#define L4_RISCV_EXCEPTION_WORDS 13

/* MemoryControl attributes. 0 is X.2's "default". The other is noted, and has no effect: Sv39 says
 * nothing of caches, what is cached the board decides. */
#define L4_MEMORY_DEFAULT  0
#define L4_MEMORY_UNCACHED 1
#define L4_MEMORY_LAST     L4_MEMORY_UNCACHED

#endif
