/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments, and the vectors of interrupts. Constants only, for C and assembly.
 *
 * The order is SYSENTER's and SYSEXIT's (SDM vol. 3, 4.8.7). What the programs' code and data are
 * is the scheme's: all segments but GS are flat where pages alone protect
 * (flat_segments_asm.h); under `small-spaces` they are where the space lies.
 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#define KERNEL_CODE 0x08
#define KERNEL_DATA 0x10
#define USER_CODE   0x1b
#define USER_DATA   0x23
#define TASK_STATE  0x28
#define USER_UTCB   0x33 /* the word at UTCB_SEGMENT_VA: gs:0 */
#define SEGMENTS    7
/* After them, once a thread has one: its own segment (own_state.c). */
#define USER_OWN 0x3b
/* Nobody's, in the upper word (SDM vol. 3, 3.4.3): not present. (Not of type 0, whose load were
 * #GP.) Whether it is present, a bit of the byte. */
#define DESCRIPTOR_NONE    0x00407300
#define DESCRIPTOR_KIND    5
#define DESCRIPTOR_PRESENT 0x80

/*
 * The task state (SDM vol. 3, 6.2.1): its last word says in the upper half where the map of ports
 * is, after it or, so that no port is permitted, beyond all. A word of ones ends the map (SDM vol.
 * 1, 12.5.2).
 */
#define TASK_IO_MAP     100
#define TASK_PORTS      104
#define TASK_PORTS_SIZE 8192
#define TASK_STATE_SIZE (TASK_PORTS + TASK_PORTS_SIZE + 4)
#define TASK_IO_OPEN    (TASK_PORTS << 16)
#define TASK_IO_CLOSED  (TASK_STATE_SIZE << 16)

/* Exceptions (SDM vol. 3, 5.3) that something is done about. */
#define VECTOR_DEBUG      1
#define VECTOR_BREAKPOINT 3
#define VECTOR_OVERFLOW   4
#define VECTOR_UNDEFINED  6
#define VECTOR_NO_FPU     7
#define VECTOR_ABSENT     11
#define VECTOR_STACK      12
#define VECTOR_PROTECTION 13
#define VECTOR_PAGE       14
/* Interrupts as the controllers are programmed, then what programs call. */
#define VECTOR_IRQ        0x20
#define VECTOR_IRQS_END   0x30
#define VECTOR_EXREGS     0x40 /* system calls with more arguments than SYSENTER leaves registers */
#define VECTOR_MEMORY     0x41
#define VECTOR_DEBUG_CALL 0x42 /* l4/arch/ia32/binding.h */
#define VECTORS           0x43

#endif
