/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words in UTCBs.
 */
#include "utcb_inline.h"

void utcb_read_words(const struct tcb *t, word_t offset, word_t *words, word_t count) {
    read_words(t, offset, words, count);
}

void utcb_write_words(const struct tcb *t, word_t offset, const word_t *words, word_t count) {
    write_words(t, offset, words, count);
}

word_t utcb_read(const struct tcb *t, word_t offset) {
    return read_word(t, offset);
}

void utcb_write(const struct tcb *t, word_t offset, word_t value) {
    write_word(t, offset, value);
}
