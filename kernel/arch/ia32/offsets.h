/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets and numbers that assembly uses; offsets.c checks them against the structures.
 */
#ifndef OFFSETS_H
#define OFFSETS_H

#define HOT_CURRENT     0
#define HOT_SPACE       4
#define HOT_READY_CHECK 16

/* The table of TCBs begins so far above the hot words, which are at the kernel stack's
 * top. */
#define HOT_SIZE         256
#define TCB_SIZE_LOG2    8
#define THREAD_COUNT_ASM 1024

#define TCB_PC        0
#define TCB_SP        4
#define TCB_STATUS    8
#define TCB_ID        12
#define TCB_WAIT_FOR  16
#define TCB_SCHED     20
#define TCB_STATE     21
#define TCB_SPACE     24
#define TCB_UTCB      28
#define TCB_EDI       32
#define TCB_ESI       36
#define TCB_EBX       40
#define TCB_EBP       44
#define TCB_EDX       48
#define TCB_ECX       52
#define TCB_EAX       56
#define TCB_OWN_UTCB  88 /* the kernel's address of it */
#define TCB_OWN       92
#define TCB_WAIT_OPEN 96

#define SPACE_KIP 112

/* In struct frame.own. */
#define OWN_SEGMENT 1
#define OWN_FPU     2

/* struct own_state, each as large as a TCB: the thread's lies own_from_tcb behind that
 * (kernel.lds.S). */
#define OWN_STATE_SIZE     HOT_SIZE
#define OWN_FLIP_PC        0
#define OWN_FLIP_REGISTERS 4
#define OWN_FLIPPED        36
#define OWN_DESCRIPTOR     40
#define OWN_OTHER          48
#define OWN_PLACE          56
#define EVENT_FLIPPED_ASM  17

/* EFLAGS: a program's own, what the others are then, and the one that SYSEXIT leaves to STI. */
#define EFLAGS_USER_ASM      0x00240dd5
#define EFLAGS_FIXED_ASM     0x00000202
#define EFLAGS_INTERRUPT_ASM 0x00000200

#define STATE_READY_ASM     2
#define LIPC_ASM            1 /* the number of Lipc; Ipc has 0 */
#define STATE_RECEIVING_ASM 7

#define KERNEL_STACK_SIZE 8192

/* In the KIP, where SYSEXIT goes to (kip.S). */
#define KIP_RETURN 0x800

#endif
