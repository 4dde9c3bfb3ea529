/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system calls. Kernel, kernel interface page, library and tests are made from this list or
 * held against it; assembly includes it, too.
 *
 * X(name, Name, number, word): the call's name in functions and labels, and in the manual; the
 * number by which the KIP's stub names it to the kernel; where in the KIP the stub's offset is. In
 * the order of these words.
 */
#ifndef L4_SYSCALL_LIST_H
#define L4_SYSCALL_LIST_H

/* clang-format off */
#define L4_SYSTEM_CALLS(X)                               \
    X(space_control,      SpaceControl,       7, 0xd0)   \
    X(thread_control,     ThreadControl,      3, 0xd4)   \
    X(processor_control,  ProcessorControl,   8, 0xd8)   \
    X(memory_control,     MemoryControl,      9, 0xdc)   \
    X(ipc,                Ipc,                0, 0xe0)   \
    X(lipc,               Lipc,               1, 0xe4)   \
    X(unmap,              Unmap,              6, 0xe8)   \
    X(exchange_registers, ExchangeRegisters,  4, 0xec)   \
    X(system_clock,       SystemClock,       10, 0xf0)   \
    X(thread_switch,      ThreadSwitch,       2, 0xf4)   \
    X(schedule,           Schedule,           5, 0xf8)
/* clang-format on */

#define L4_SYSTEM_CALL_PLUS(name, Name, number, word) +1
#define L4_SYSTEM_CALL_COUNT                          (0 L4_SYSTEM_CALLS(L4_SYSTEM_CALL_PLUS))

/* The first of the KIP's words, which follow each other. */
#define L4_KIP_SYSTEM_CALLS 0xd0

/* Assembly has .Lsyscall_NAME, the number, and .Lkip_NAME, the word: names that leave no symbol. */
#ifdef __ASSEMBLER__
#define L4_SYSTEM_CALL_NAMES(name, Name, number, word)                                             \
    .Lsyscall_##name = number;                                                                     \
    .Lkip_##name = word;
L4_SYSTEM_CALLS(L4_SYSTEM_CALL_NAMES)
#endif

#endif
