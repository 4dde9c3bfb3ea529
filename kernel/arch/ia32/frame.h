/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's registers, as the kernel keeps them while it does not run. Other parts of the kernel
 * know `pc`, `sp` and `status` by name and all else by the functions below: where arguments,
 * results and messages are is the binding's (call.c), what a status register is is IA-32's.
 *
 * Segment registers are not a thread's own: all have the same (segments.h).
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdint.h>

#include "layout.h"

struct space;

/*
 * entry.S saves and loads them. In struct tcb the words of the IPC path lie between the first three
 * and the others.
 */
struct frame {
    uint32_t pc;
    uint32_t sp;
    uint32_t status; /* EFLAGS */
    uint32_t ipc_words[5];
    uint32_t edi;
    uint32_t message[3]; /* ESI, EBX, EBP */
    uint32_t edx;
    uint32_t ecx;
    uint32_t eax;
    uint32_t arguments[7]; /* of a system call, in the order of syscall.c */
    uint32_t utcb;         /* not a register: the kernel's address of the thread's UTCB */
    uint32_t own;          /* which registers of its own it has, OWN_... (own_state.c) */
} __attribute__((aligned(8)));

/* EFLAGS (SDM vol. 1, 3.4.3) that a program may change: C, P, A, Z, S, T, D, O, AC, ID. */
#define EFLAGS_USER 0x00240dd5u
/* What the others are while it runs: bit 1 is always set, interrupts are on, IOPL is 0. */
#define EFLAGS_FIXED 0x00000202u
#define EFLAGS_TRAP  0x00000100u

/* The status of who has never run: a program; the kernel's own thread that waits. */
#define FRAME_STATUS_USER EFLAGS_FIXED
#define FRAME_STATUS_IDLE 0u

/* Arguments and results of system calls, the first in [0]. */
static inline uint32_t *frame_arguments(struct frame *f) {
    return f->arguments;
}

static inline const uint32_t *frame_read_arguments(const struct frame *f) {
    return f->arguments;
}

static inline void frame_set_result(struct frame *f, uint32_t value) {
    f->arguments[0] = value;
    f->eax = value;
}

/* (call.c moves it to its register.) */
static inline void frame_set_second_result(struct frame *f, uint32_t value) {
    f->arguments[1] = value;
}

/* The program goes on after a debug call, an INT of two bytes. */
static inline void frame_return(struct frame *f) {
    f->pc += 2;
}

/* The message registers that are not in the UTCB, the tag in [0]: so many. The library passes the
 * first only; call.c fetches the others. */
#define FRAME_MRS 3

static inline uint32_t *frame_message(struct frame *f) {
    return f->message;
}

static inline const uint32_t *frame_read_message(const struct frame *f) {
    return f->message;
}

/* The flags that ExchangeRegisters and exception messages have; a status with other ones. */
static inline uint32_t frame_flags(const struct frame *f) {
    return f->status & EFLAGS_USER;
}

static inline uint32_t frame_status(uint32_t status, uint32_t flags) {
    return (flags & EFLAGS_USER) | (status & ~EFLAGS_USER);
}

/* The thread has a UTCB from now on, which the kernel finds by an address of its own (space.h). */
uint32_t *space_utcb_alias(const struct space *space, uint32_t utcb);

static inline void frame_set_utcb(struct frame *f, const struct space *space, uint32_t utcb) {
    f->utcb = (uint32_t)space_utcb_alias(space, utcb);
}

/* A thread runs whose UTCB is there: programs find it by that word. */
static inline void frame_show_utcb(uint32_t utcb) {
    *(volatile uint32_t *)UTCB_POINTER_VA = utcb;
}

/* All of them, for the console; `print` is kdb_printf. */
static inline void frame_print(const struct frame *f, void (*print)(const char *format, ...)) {
    print(" eax %x ebx %x ecx %x edx %x\n esi %x edi %x ebp %x esp %x\n eip %x eflags %x\n", f->eax,
          f->message[1], f->ecx, f->edx, f->message[0], f->edi, f->message[2], f->sp, f->pc,
          f->status);
}

#endif
