/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's registers, as the kernel keeps them while it does not run. Other parts of the kernel
 * know `pc`, `sp` and `status` by name and all else by the functions below: where arguments,
 * results and messages are is the binding's (l4/lib/arch/arm/syscalls.S), what a status register
 * is is ARM's.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdint.h>

#include "layout.h"

struct space;

/*
 * entry.S saves and loads them. First what a system call keeps, in the order in which one
 * instruction moves it; between them, in struct tcb, lie the words of the IPC path.
 */
struct frame {
    uint32_t r11;
    uint32_t sp;
    uint32_t lr;
    uint32_t ipc_words[5];
    uint32_t pc;
    uint32_t status; /* the CPSR */
    uint32_t r[11];  /* r0 to r10 */
    uint32_t r12;
} __attribute__((aligned(8)));

/* The CPSR (DDI 0100, A2.5): what a program may change of it, and the state that some have. */
#define CPSR_FLAGS 0xf0000000u /* N, Z, C, V */
#define CPSR_THUMB 0x20u

/* The status of who has never run: a program, in user mode with interrupts on; the kernel's own
 * thread that waits, in system mode with interrupts on and fast ones off. */
#define FRAME_STATUS_USER 0x10u
#define FRAME_STATUS_IDLE 0x5fu

/* Arguments and results of system calls, the first in [0]. */
static inline uint32_t *frame_arguments(struct frame *f) {
    return f->r;
}

static inline const uint32_t *frame_read_arguments(const struct frame *f) {
    return f->r;
}

static inline void frame_set_result(struct frame *f, uint32_t value) {
    f->r[0] = value;
}

static inline void frame_set_second_result(struct frame *f, uint32_t value) {
    f->r[1] = value;
}

/* The program goes on where what it has called would return to. */
static inline void frame_return(struct frame *f) {
    f->pc = f->lr;
}

/* The message registers that are not in the UTCB, the tag in [0]: so many. */
#define FRAME_MRS 5
#define FRAME_MR0 3

static inline uint32_t *frame_message(struct frame *f) {
    return &f->r[FRAME_MR0];
}

static inline const uint32_t *frame_read_message(const struct frame *f) {
    return &f->r[FRAME_MR0];
}

/* The flags that ExchangeRegisters and exception messages have; a status with other ones. */
static inline uint32_t frame_flags(const struct frame *f) {
    return f->status & CPSR_FLAGS;
}

static inline uint32_t frame_status(uint32_t status, uint32_t flags) {
    return (flags & CPSR_FLAGS) | (status & ~CPSR_FLAGS);
}

/* The thread has a UTCB from now on. The kernel finds it by its va, while its space is in force. */
static inline void frame_set_utcb(struct frame *f, const struct space *space, uint32_t utcb) {
    (void)f;
    (void)space;
    (void)utcb;
}

/* A thread runs whose UTCB is there: programs find it by that word. */
static inline void frame_show_utcb(uint32_t utcb) {
    *(volatile uint32_t *)UTCB_POINTER_VA = utcb;
}

/* All of them, for the console; `print` is kdb_printf. */
static inline void frame_print(const struct frame *f, void (*print)(const char *format, ...)) {
    for (uint32_t i = 0; i < 11; i++) {
        print("%s%u %x%c", i < 10 ? " r" : "r", i, f->r[i], i % 4 == 3 ? '\n' : ' ');
    }
    print("r11 %x\nr12 %x sp %x lr %x pc %x cpsr %x\n", f->r11, f->r12, f->sp, f->lr, f->pc,
          f->status);
}

#endif
