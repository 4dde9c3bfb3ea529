/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments, and the vectors of interrupts. Constants only, for C and assembly.
 *
 * All segments but GS are flat: pages protect. The order is SYSENTER's and SYSEXIT's (SDM vol. 3,
 * 4.8.7). The kernel runs with the program's DS and ES, which cost 63 cycles each to load: as
 * long as they are what they should be. A program may have loaded others. Then an access of the
 * kernel's faults, for no selector that a program has gives it more than the flat ones; entry.S
 * loads them and repeats the access. What a program would do to others by them, kernel exits look
 * at.
 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#define KERNEL_CODE 0x08
#define KERNEL_DATA 0x10 /* stack only */
#define USER_CODE   0x1b
#define USER_DATA   0x23
#define TASK_STATE  0x28
#define USER_UTCB   0x33 /* the word at UTCB_SEGMENT_VA: gs:0 */
#define SEGMENTS    7

#define TASK_STATE_SIZE 104

/* Exceptions (SDM vol. 3, 5.3) that something is done about. */
#define VECTOR_DEBUG      1
#define VECTOR_BREAKPOINT 3
#define VECTOR_OVERFLOW   4
#define VECTOR_UNDEFINED  6
#define VECTOR_PAGE       14
/* Interrupts as the controllers are programmed, then what programs call. */
#define VECTOR_IRQ        0x20
#define VECTOR_IRQS_END   0x30
#define VECTOR_EXREGS     0x40 /* system calls with more arguments than SYSENTER leaves registers */
#define VECTOR_MEMORY     0x41
#define VECTOR_DEBUG_CALL 0x42 /* l4/arch/ia32/binding.h */
#define VECTORS           0x43

#endif
