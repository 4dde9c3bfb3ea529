/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets and numbers that assembly uses; offsets.c checks them against the structures.
 */
#ifndef OFFSETS_H
#define OFFSETS_H

#define HOT_CURRENT     0
#define HOT_SPACE       8
#define HOT_READY_TOP   16
#define HOT_READY_CHECK 24
#define HOT_SIZE        64

#define TCB_SIZE         640
#define THREAD_COUNT_ASM 1024

#define TCB_PC        0
#define TCB_SP        8
#define TCB_RA        16
#define TCB_ID        24
#define TCB_WAIT_FOR  32
#define TCB_SCHED     40
#define TCB_STATE     41
#define TCB_SPACE     48
#define TCB_UTCB      56
#define TCB_STATUS    64
#define TCB_GP        72
#define TCB_TP        80
#define TCB_T         88  /* t0 to t6 */
#define TCB_S         144 /* s0 to s11 */
#define TCB_A         240 /* a0 to a7 */
#define TCB_WAIT_OPEN 304

#define STATE_READY_ASM     2
#define STATE_RECEIVING_ASM 7

#define CAUSE_ECALL_ASM 8

#define KERNEL_STACK_SIZE 4096

#endif
