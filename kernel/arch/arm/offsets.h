/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets and numbers that assembly uses; offsets.c checks them against the structures.
 */
#ifndef OFFSETS_H
#define OFFSETS_H

#define HOT_CURRENT     0
#define HOT_SPACE       4
#define HOT_READY_TOP   8
#define HOT_READY_CHECK 16

/* The table of TCBs begins so far above the hot words, which are at the kernel stack's
 * top. */
#define HOT_SIZE         256
#define TCB_SIZE_LOG2    8
#define THREAD_COUNT_ASM 1024

/* The first three words of a TCB are the program's r11, sp and lr. */
#define TCB_LR        8
#define TCB_ID        12
#define TCB_WAIT_FOR  16
#define TCB_SCHED     20
#define TCB_PRIORITY  20
#define TCB_STATE     21
#define TCB_SPACE     24
#define TCB_UTCB      28
#define TCB_PC        32
#define TCB_CPSR      36
#define TCB_R0        40 /* to r10, then r12 */
#define TCB_KIND      22
#define TCB_WAIT_OPEN 88
#define TCB_KMSG      200

#define TCB_READY_NEXT     96
#define TCB_READY_PREVIOUS 100

#define SPACE_DIRECTORY     80
#define SPACE_TABLE_SECTION 84
#define SPACE_TABLE         88
#define SPACE_IS_SIGMA0     92

#define KIND_PAGEFAULT_ASM  1
#define PAGEFAULT_TAG       0xffe00002 /* of the message: two words, and for what */
#define PAGEFAULT_READ      0x00040000
#define PAGEFAULT_WRITE     0x00020000
#define FAULT_RESUME_ASM    1
#define FAULT_MESSAGE_ASM   2
#define STATE_READY_ASM     2
#define STATE_RECEIVING_ASM 7
#define FLAG_QUEUED_ASM     8

#define KERNEL_STACK_SIZE 2048

/* The stubs in the KIP put the complement of the call's number into r12 (kip.S), but Lipc's this:
 * adding 1 overflows. */
#define LIPC_MARK 0x7fffffff

#endif
