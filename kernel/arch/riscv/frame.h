/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's registers, as the kernel keeps them while it does not run. Other parts of the kernel
 * know `pc`, `sp` and `status` by name and all else by the functions below: where arguments,
 * results and messages are is the binding's.
 */
#ifndef FRAME_H
#define FRAME_H

#include "word.h"

struct space;

/*
 * entry.S saves and loads them. In struct tcb the words of the IPC path lie between the first three
 * and the others.
 */
struct frame {
    word_t pc;
    word_t sp;
    word_t ra;
    word_t ipc_words[5];
    word_t status; /* is it a program's (FRAME_STATUS_USER)? The processor has no flags */
    word_t gp;
    word_t tp;    /* the thread's UTCB */
    word_t t[7];  /* t0 to t6 */
    word_t s[12]; /* s0 to s11 */
    word_t a[8];  /* a0 to a7 */
} __attribute__((aligned(8)));

/* The status of who has never run: a program; the kernel's own thread that waits. */
#define FRAME_STATUS_USER 1u
#define FRAME_STATUS_IDLE 0u

/* Arguments and results of system calls, the first in [0]. */
static inline word_t *frame_arguments(struct frame *f) {
    return f->a;
}

static inline const word_t *frame_read_arguments(const struct frame *f) {
    return f->a;
}

static inline void frame_set_result(struct frame *f, word_t value) {
    f->a[0] = value;
}

static inline void frame_set_second_result(struct frame *f, word_t value) {
    f->a[1] = value;
}

/* The program goes on after a debug call, an ECALL. */
static inline void frame_return(struct frame *f) {
    f->pc += 4;
}

/* The message registers that are not in the UTCB, the tag in [0]: so many. */
#define FRAME_MRS 5
#define FRAME_MR0 3

static inline word_t *frame_message(struct frame *f) {
    return &f->a[FRAME_MR0];
}

static inline const word_t *frame_read_message(const struct frame *f) {
    return &f->a[FRAME_MR0];
}

/* The flags that ExchangeRegisters has: there are none. */
static inline word_t frame_flags(const struct frame *f) {
    (void)f;
    return 0;
}

static inline word_t frame_status(word_t status, word_t flags) {
    (void)flags;
    return status;
}

/* The thread has a UTCB from now on. */
static inline void frame_set_utcb(struct frame *f, const struct space *space, word_t utcb) {
    (void)space;
    f->tp = utcb;
}

/* A thread runs whose UTCB is there: tp says so already. */
static inline void frame_show_utcb(word_t utcb) {
    (void)utcb;
}

/* All of them, for the console; `print` is kdb_printf. */
static inline void frame_print(const struct frame *f, void (*print)(const char *format, ...)) {
    print(" pc %x sp %x ra %x\n gp %x tp %x\n", f->pc, f->sp, f->ra, f->gp, f->tp);
    for (word_t i = 0; i < 7; i++) {
        print(" t%u %x%c", i, f->t[i], i % 4 == 3 || i == 6 ? '\n' : ' ');
    }
    for (word_t i = 0; i < 12; i++) {
        print(" s%u %x%c", i, f->s[i], i % 4 == 3 ? '\n' : ' ');
    }
    for (word_t i = 0; i < 8; i++) {
        print(" a%u %x%c", i, f->a[i], i % 4 == 3 ? '\n' : ' ');
    }
}

#endif
