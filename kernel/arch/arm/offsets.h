/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets that assembly uses; offsets.c checks them against the structures.
 */
#ifndef OFFSETS_H
#define OFFSETS_H

#define HOT_CURRENT 0
#define HOT_SPACE   4

#define TCB_ID     0
#define TCB_FRAME  20
#define FRAME_R11  44
#define FRAME_SP   52
#define FRAME_LR   56
#define FRAME_PC   60
#define FRAME_CPSR 64

#define KERNEL_STACK_SIZE 2048

/* What the stubs in the KIP put into r12 (kip.S): the complement of the call's number. */
#define SYSCALL_IPC                0
#define SYSCALL_LIPC               1
#define SYSCALL_THREAD_SWITCH      2
#define SYSCALL_THREAD_CONTROL     3
#define SYSCALL_EXCHANGE_REGISTERS 4
#define SYSCALL_SCHEDULE           5
#define SYSCALL_UNMAP              6
#define SYSCALL_SPACE_CONTROL      7
#define SYSCALL_PROCESSOR_CONTROL  8
#define SYSCALL_MEMORY_CONTROL     9
#define SYSCALL_SYSTEM_CLOCK       10
#define SYSCALLS                   11

#endif
