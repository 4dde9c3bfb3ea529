/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of utcb.c, for thread.c to have inline; all others call them (utcb.h).
 */
#ifndef UTCB_INLINE_H
#define UTCB_INLINE_H

#include "cpu.h"
#include "space.h"
#include "switch.h"
#include "user_memory.h"
#include "utcb.h"

/*
 * A UTCB frame is cached under one mva only, the program's. The kernel uses the same address when
 * that space is in force; else it drops the lines and goes to the frame through the uncached
 * alias. An access by the program's address can fault for the scheme (fault_kernel).
 */
static inline void read_words(const struct tcb *t, word_t offset, word_t *words, word_t count) {
    const word_t *from = (const word_t *)(t->utcb + offset);
    if (!user_is_addressable(t->space)) {
        switch_window(t->space, t->utcb, L4_UTCB_SIZE);
        from = space_utcb_alias(t->space, t->utcb) + offset / sizeof(word_t);
    }
    for (word_t i = 0; i < count; i++) {
        words[i] = ((const volatile word_t *)from)[i];
    }
}

static inline void write_words(const struct tcb *t, word_t offset, const word_t *words,
                               word_t count) {
    word_t *to = (word_t *)(t->utcb + offset);
    if (!user_is_addressable(t->space)) {
        switch_window(t->space, t->utcb, L4_UTCB_SIZE);
        to = space_utcb_alias(t->space, t->utcb) + offset / sizeof(word_t);
    }
    for (word_t i = 0; i < count; i++) {
        ((volatile word_t *)to)[i] = words[i];
    }
    if (!user_is_addressable(t->space)) {
        cpu_drain_write_buffer(); /* before the program's next line fill */
    }
}

static inline word_t read_word(const struct tcb *t, word_t offset) {
    word_t value;
    read_words(t, offset, &value, 1);
    return value;
}

static inline void write_word(const struct tcb *t, word_t offset, word_t value) {
    write_words(t, offset, &value, 1);
}

#endif
