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

#define L4_WORD_BYTES 8

#include <l4/common_binding.h>

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
