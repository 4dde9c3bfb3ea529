/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words in a thread's UTCB, whoever runs now (slow: cache duty if another space runs).
 */
#ifndef UTCB_H
#define UTCB_H

#include "tcb.h"

uint32_t utcb_read(const struct tcb *t, uint32_t offset);
void utcb_write(const struct tcb *t, uint32_t offset, uint32_t value);
void utcb_read_words(const struct tcb *t, uint32_t offset, uint32_t *words, uint32_t count);
void utcb_write_words(const struct tcb *t, uint32_t offset, const uint32_t *words, uint32_t count);

#endif
