/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words in a thread's UTCB, whoever runs now (slow: cache duty if another space runs).
 */
#ifndef UTCB_H
#define UTCB_H

#include "tcb.h"

word_t utcb_read(const struct tcb *t, word_t offset);
void utcb_write(const struct tcb *t, word_t offset, word_t value);
void utcb_read_words(const struct tcb *t, word_t offset, word_t *words, word_t count);
void utcb_write_words(const struct tcb *t, word_t offset, const word_t *words, word_t count);

#endif
